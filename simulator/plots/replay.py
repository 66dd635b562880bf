"""All pictures of a reproduction."""

from __future__ import annotations

from pathlib import Path

from simulator.machine.routing import link_key
from simulator.plots.figures import draw_figure
from simulator.plots.square import draw_machine
from simulator.validation.reference import Figure, Reference
from simulator.validation.reproduce import Replay
from simulator.validation.requests import Requests


def draw_replay(replay: Replay, folder: Path) -> tuple[Path, ...]:
    """Draw each figure as ``figure-ID``, and the machine under the reference's chosen case as ``links``.

    Returns
    -------
    tuple of Path
        The files written, PNG and SVG of each.
    """
    whole = replay.reference
    written: list[Path] = []
    for figure in replay.figures:
        level = None if figure.background is None else whole.level(figure.background.level)
        path = folder / f"figure-{figure.id}"
        written += draw_figure(figure, replay.report.bars, path, base=whole.base.threads[0], level=level)
    if replay.links_result is not None:
        written += _draw_links(replay, folder / "links")
    return tuple(written)


def _draw_links(replay: Replay, path: Path) -> tuple[Path, ...]:
    """Draw the chosen case, published loads of its links beside simulated ones."""
    whole, picture = replay.reference, replay.reference.links_picture
    assert picture is not None
    notes = {key: f"published {text}" for key, text in _published_loads(replay).items()}
    heading = _heading(whole, whole.find_figure(picture.figure), picture.case)
    return draw_machine(replay.machines[whole.machine], path, replay.links_result, heading=heading, notes=notes)


def _heading(whole: Reference, figure: Figure, case: str) -> str:
    return f"Figure {figure.id} (page {figure.page}) of {whole.source}: {case}"


def _published_loads(replay: Replay) -> dict[str, str]:
    """Say what is published about each link direction in the chosen case; a rate also as a share of the link's."""
    whole, machine = replay.reference, replay.machines[replay.reference.machine]
    requests = Requests(whole)
    full = {link_key(machine, link, start): link.gb_per_s for link in machine.links for start in link.ends}
    texts: dict[str, str] = {}
    for load in whole.load:
        if requests.load(load) != requests.links_picture():
            continue
        texts |= {key: f"{100 * share:.3g} %" for key, share in load.link_utilization.items()}
        for key, rate in load.link_gb_per_s.items():
            texts[key] = f"{rate:g} GB/s" + (f"\n= {100 * rate / full[key]:.3g} %" if key in full else "")
    return texts
