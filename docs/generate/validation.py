"""The validation page: AMD's figures replayed while the page is made, published beside simulated."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from docs.generate.markdown import escaped, from_table, table
from simulator.plots.replay import draw_replay
from simulator.tables import Cell, Table
from simulator.validation.reference import Figure, Reference
from simulator.validation.reference_file import load_reference
from simulator.validation.report import Reproduction
from simulator.validation.reproduce import Replay, reproduce
from simulator.validation.tables import anchors_table, bars_table, loads_table, orders_table, summary_table

REFERENCE = "amd-40555"
SEED = 1


def replayed(keep_in: Path) -> Replay:
    """Return the shipped reference replayed; finished runs are kept in a folder and not run again while the model is the same."""
    return reproduce(load_reference(REFERENCE), seed=SEED, jobs=os.cpu_count() or 1, keep_in=keep_in)


def validation_pages(replay: Replay, folder: Path) -> dict[str, str]:
    """Return the page by its path, and draw its figures into a folder.

    Parameters
    ----------
    replay : Replay
    folder : Path
        Where the page will stand.
    """
    pictures = {path.stem for path in draw_replay(replay, folder / "pictures" / "validation")}
    return {"validation.md": "\n".join(_page(replay, pictures))}


def _page(replay: Replay, pictures: set[str]) -> Iterator[str]:
    reference, report = replay.reference, replay.report
    yield "# Validation\n"
    yield (
        f"What AMD published ({escaped(reference.source)}) beside what the simulator says, with signed errors: "
        "simulated less published, in per cent of published. "
        f"This page was made by running `numasim reproduce {reference.name}`: nothing in it is typed in. "
        "[Reproduction](reproduction.md) says how each row is compared, "
        "[Calibration](calibration.md) which rows a fit has looked at, and how far it is off on figures that it has not.\n"
    )
    yield from_table(summary_table(reference, report))
    yield _missed(report)
    yield "## Bars\n"
    yield f"Time a line, in per cent of `{' '.join(reference.base.threads)}` alone. *CI*: half width of the 95 % interval.\n"
    for figure in replay.figures:
        yield _figure(reference, report, figure, pictures)
    for part in (loads_table(report.loads), orders_table(reference, report), anchors_table(report.anchors)):
        yield from_table(part)
    if "links" in pictures:
        yield "![Loads of links, published beside simulated](pictures/validation/links.png)\n"
    yield _provenance(replay)


def _missed(report: Reproduction) -> str:
    if not report.missed:
        return "No tolerance is missed.\n"
    return "Missed:\n\n" + "\n".join(f"- {escaped(text)}" for text in report.missed) + "\n"


def _figure(reference: Reference, report: Reproduction, figure: Figure, pictures: set[str]) -> str:
    bars = bars_table(reference, tuple(bar for bar in report.bars if bar.figure == figure.id))
    shown = Table(f"Figure {figure.id}, page {figure.page}: {figure.title}", bars.headers[1:], _without_first(bars), 2, bars.note)
    name = f"figure-{figure.id}"
    picture = f"\n![Figure {figure.id}: published beside simulated](pictures/validation/{name}.png)\n" if name in pictures else ""
    return from_table(shown, level=3) + picture


def _without_first(bars: Table) -> tuple[tuple[Cell, ...], ...]:
    return tuple(cells[1:] for cells in bars.rows)


def _provenance(replay: Replay) -> str:
    provenance = replay.report.provenance
    accuracy = ", ".join(f"{name} {value}" for name, value in provenance.accuracy.items())
    rows = [
        ["version", escaped(provenance.version)],
        ["engine", escaped(provenance.engine)],
        ["seed", str(provenance.seed)],
        ["accuracy", escaped(accuracy)],
        ["machines", ", ".join(f"[{name}](machines/{name}.md)" for name in provenance.machines)],
        ["runs", str(len(replay.report.runs))],
    ]
    return f"## Where the numbers come from\n\n{table(('', ''), rows, left=2)}"
