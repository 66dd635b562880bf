"""Rows of a store as a table for people."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.sweep.store import Selection
from simulator.tables import Cell, Table

_MEASURES = {  # column: header, digits behind the point; utilizations are shown in per cent
    "time_per_line_ns": ("ns a line", 2),
    "ci_percent": ("CI %", 2),
    "gb_per_s": ("GB/s", 3),
    "read_gb_per_s": ("read", 3),
    "write_gb_per_s": ("written", 3),
    "utilization": ("busy %", 1),
    "mean_queue": ("mean queue", 2),
    "busiest_link": ("busiest link", 0),
    "busiest_link_utilization": ("busy %", 1),
    "lines": ("lines", 0),
    "verdict": ("verdict", 0),
}
_ALWAYS = ("machine", "threads")
_NEVER = ("background_gb_per_s", "verdict_detail", "engine", "version", "model", "machine_hash")


def selection_table(selection: Selection) -> Table:
    """Return what tells the rows apart (columns with one value throughout are left out), then the common measures."""
    rows = list(selection.rows)
    shown = _shown(selection, rows)
    measures = [name for name in _MEASURES if name in selection.columns]
    places = [selection.columns.index(name) for name in [*shown, *measures]]
    headers = (*shown, *(_MEASURES[name][0] for name in measures))
    cells = tuple(tuple(_cell(selection.columns[place], row[place]) for place in places) for row in rows)
    title = f"{len(rows)} row{'' if len(rows) == 1 else 's'} of {selection.view}"
    return Table(title, headers, cells, left=len(shown))


def _shown(selection: Selection, rows: Sequence[Sequence[object]]) -> list[str]:
    own = {"threads": ("thread",), "links": ("link",), "controllers": ("node",)}.get(selection.view, ())
    names = selection.columns[1 : selection.columns.index("verdict")]
    varying = [name for name in names if len({row[selection.columns.index(name)] for row in rows}) > 1]
    chosen = [name for name in names if name in _ALWAYS or (name in varying and name not in _NEVER)]
    return [*chosen, *own]


def _cell(column: str, value: object) -> Cell:
    if value is None:
        return Cell("-")
    if column == "verdict":
        return Cell(str(value), "good" if value == "steady" else "bad")
    if isinstance(value, float) and column in _MEASURES:
        scale = 100 if column.endswith("utilization") else 1
        return Cell(f"{scale * value:.{_MEASURES[column][1]}f}")
    return Cell(f"{value:.10g}" if isinstance(value, float) else str(value))
