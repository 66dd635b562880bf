"""All pictures of a reproduction."""

from __future__ import annotations

from pathlib import Path

from simulator.plots.figures import draw_figure
from simulator.plots.square import draw_machine
from simulator.validation.reproduce import Replay


def draw_replay(replay: Replay, folder: Path) -> tuple[Path, ...]:
    """Draw each figure as ``figure-ID``, and the machine under the reference's chosen case as ``links``.

    Returns
    -------
    tuple of Path
        The files written, PNG and SVG of each.
    """
    base = replay.reference.base.threads[0]
    written: list[Path] = []
    for figure in replay.figures:
        written += draw_figure(figure, replay.report.bars, folder / f"figure-{figure.id}", base=base)
    if replay.links_result is not None:
        written += draw_machine(replay.machines[replay.reference.machine], folder / "links", replay.links_result)
    return tuple(written)
