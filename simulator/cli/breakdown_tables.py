"""Where a line's time goes, as a table: walking is latency, standing is queueing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simulator.measure.breakdown import LINE_PARTS, Group, has_several_paths, line_ns, path_names, shown_paths
from simulator.measure.result import PathReport, RunResult
from simulator.tables import Cell, Table, number

_Row = tuple[Cell, ...]


def breakdown_tables(result: RunResult) -> tuple[Table, ...]:
    """Return the table of a run's foreground, a column a path; without a foreground of all; none where no line ended."""
    paths = shown_paths(result)
    return (_table(result, paths),) if paths else ()


def _table(result: RunResult, paths: Sequence[PathReport]) -> Table:
    rows = [
        *_group(paths, "walking", "walking", lambda path: path.walking_ns),
        *_group(paths, "queueing", "queueing", lambda path: path.queueing_ns),
        _row("wait for probes", paths, lambda path: path.parts_ns.probe_wait),
        _row("other: no line in the slot", paths, lambda path: path.other_ns),
        _row("all" if has_several_paths(paths) else "all: slots x time a line", paths, lambda path: path.total_ns),
        _row("latency: all but core and other", paths, lambda path: path.latency_ns),
        *_percentile_rows(paths),
        _row("walking, % of all", paths, lambda path: _percent(path.walking_ns, path.total_ns)),
        _row("queueing, % of all", paths, lambda path: _percent(path.queueing_ns, path.total_ns)),
    ]
    title = "Where a line's time goes, ns: walking is latency, standing is queueing"
    return Table(title, ("", *path_names(paths)), tuple(rows), note=_percentiles(result))


def _group(paths: Sequence[PathReport], group: Group, name: str, whole: Callable[[PathReport], float]) -> list[_Row]:
    """Return the sum of a group and its parts, those that are nowhere left out."""
    rows = [_row(name, paths, whole)]
    for part in LINE_PARTS:
        if part.group == group and any(line_ns(path, part) for path in paths):
            rows.append((Cell(f"  {part.words}"), *(Cell(number(line_ns(path, part)), "faint") for path in paths)))
    return rows


def _row(name: str, paths: Sequence[PathReport], value: Callable[[PathReport], float | None]) -> _Row:
    return (Cell(name), *(Cell(number(value(path))) for path in paths))


def _percentile_rows(paths: Sequence[PathReport]) -> list[_Row]:
    """Return the percentiles of the latency, a row each; none where nothing was recorded."""
    if all(path.latency_p50_ns is None for path in paths):
        return []
    return [
        _row("  p50", paths, lambda path: path.latency_p50_ns),
        _row("  p95", paths, lambda path: path.latency_p95_ns),
        _row("  p99", paths, lambda path: path.latency_p99_ns),
    ]


def _percent(part_ns: float, whole_ns: float) -> float | None:
    return 100 * part_ns / whole_ns if whole_ns > 0 else None  # a window of one line may be over at its first instant


def _percentiles(result: RunResult) -> str:
    latency = result.latency_ns
    if latency is None:
        return ""
    spread = " / ".join(number(value, missing="beyond 16777") for value in (latency.p50, latency.p95, latency.p99))
    return f"  latency of all foreground lines, ns: mean {number(latency.mean)}, p50 / p95 / p99 {spread}"
