"""A run, or a replay of a program, as data for its part of the page: machine, breakdown, phases, tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.machine.resolve import restore
from simulator.measure.breakdown import LINE_PARTS, line_ns
from simulator.measure.result import PathReport, RunResult
from simulator.measure.tables import controllers_table, links_table, run_tables
from simulator.replay.result import ReplayResult
from simulator.report.documents import Named
from simulator.report.published import published_table
from simulator.tables import Table, number, row
from simulator.web.machine_view import machine_view

_MOST_PATHS = 64
_SEEN = 0.002  # a part that is nowhere more than this share of its bar is left out
_PATTERNS = {"..": ".", "//": "/", "\\\\": "\\", "xx": "x", "--": "-", "++": "+", "oo": ".", "||": "|"}  # matplotlib's: plotly's
_NO_PATTERN = ""


def run_part(named: Named, place: int) -> dict[str, Any]:
    """Return all that the page shows of one run."""
    result = named.result
    view = machine_view(restore(result.provenance.machine, named.name), result)
    threads = " ".join(thread["label"] for thread in view["threads"] if not thread["background"])
    return {
        "id": f"run-{place}",
        "name": named.name,
        "threads": threads or "no foreground",
        "machine": view,
        "words": _words(result),
        "breakdown": breakdown(result.breakdown),
        "phases": _phases(result),
        "published": published_table(result) if isinstance(result, RunResult) else None,
        "tables": run_tables(result) if isinstance(result, RunResult) else _replay_tables(result),
        "verdict": result.verdict,
        "detail": result.verdict_detail,
        "provenance": result.provenance.model_dump(mode="json"),
    }


def _words(result: RunResult | ReplayResult) -> list[str]:
    """Say in sentences what the drawing shows."""
    words = []
    links = sorted(result.links.items(), key=lambda pair: -pair[1].utilization)
    if links:
        words.append(f"Busiest link direction: {links[0][0]}, {100 * links[0][1].utilization:.1f} %.")
    memories = sorted(result.controllers.items(), key=lambda pair: -pair[1].utilization)
    if memories:
        busiest = memories[0][1]
        words.append(f"Busiest memory: node {memories[0][0]}, {100 * busiest.utilization:.1f} %, {busiest.gb_per_s:.2f} GB/s.")
    if result.latency_ns is not None:
        words.append(f"Mean latency of a line: {result.latency_ns.mean:.1f} ns.")
    return words


def breakdown(paths: Sequence[PathReport]) -> dict[str, Any] | None:
    """Return a bar for each path of the foreground (of all threads without one), from the parts of a line's time.

    Colours and patterns are those of :func:`simulator.plots.breakdown.draw_breakdown`.
    """
    from simulator.plots.breakdown import part_looks

    shown = ([path for path in paths if not path.background] or list(paths))[:_MOST_PATHS]
    if not shown:
        return None
    looks = part_looks()
    longest = max(path.total_ns for path in shown) or 1.0
    parts = []
    for part in LINE_PARTS:
        times = [line_ns(path, part) for path in shown]
        if max(times) > _SEEN * longest:
            look = looks[part.part]
            pattern = _PATTERNS.get(look.hatch[:2], _NO_PATTERN)
            parts.append({"words": part.words, "group": part.group, "colour": look.colour, "pattern": pattern, "ns": times})
    paths_named = [{"name": f"{path.thread} {path.path}", "lines": path.lines} for path in shown]
    sums = [{"walking": path.walking_ns, "queueing": path.queueing_ns, "probes": path.parts_ns.probe_wait} for path in shown]
    return {"paths": paths_named, "parts": parts, "sums": sums}


def breakdown_table(data: dict[str, Any]) -> Table:
    """Return the numbers of the bars."""
    headers = ("part", *(path["name"] for path in data["paths"]))
    rows = tuple(row(part["words"], *(number(time, 2) for time in part["ns"])) for part in data["parts"])
    return Table("ns a line", headers, rows)


def _phases(result: RunResult | ReplayResult) -> dict[str, Any] | None:
    """Return utilisation over the phases of a program, the busiest links and memories first; None where there is one."""
    if isinstance(result, RunResult) or len(result.phases) < 2:
        return None
    series: list[dict[str, Any]] = []
    for what, name in (("link", "links"), ("memory", "controllers")):
        keys = dict.fromkeys(key for phase in result.phases for key in getattr(phase, name))
        for key in keys:
            series.append(
                {"name": f"{what} {key}", "percent": [100 * getattr(phase, name).get(key, 0.0) for phase in result.phases]}
            )
    series.sort(key=lambda one: -max(one["percent"]))
    times = [phase.start_ns for phase in result.phases] + [result.phases[-1].start_ns + result.phases[-1].time_ns]
    return {"names": [phase.name for phase in result.phases], "times_ns": times, "series": series[:8]}


def _replay_tables(result: ReplayResult) -> tuple[Table, ...]:
    threads = Table(
        f"Threads on {result.machine}",
        ("thread", "node", "core", "time, us", "lines", "GB/s", "local %"),
        tuple(
            row(
                thread.name,
                str(thread.node),
                str(thread.core),
                number(thread.time_ns / 1000, 2),
                str(thread.lines),
                number(thread.gb_per_s, 3),
                number(thread.local_percent),
            )
            for thread in result.threads
        ),
    )
    phases = Table(
        "Phases",
        ("phase", "start, us", "time, us", "lines", "latency, ns"),
        tuple(
            row(
                phase.name,
                number(phase.start_ns / 1000, 2),
                number(phase.time_ns / 1000, 2),
                str(phase.lines),
                number(phase.latency_ns),
            )
            for phase in result.phases
        ),
    )
    whole = (
        row("workload", result.workload),
        row("placement", result.placement or "-"),
        row("time, us", number(result.elapsed_ns / 1000, 2)),
        row("verdict", result.verdict),
    )
    tables = (threads, phases, links_table(result), controllers_table(result), Table("Replay", ("", ""), whole, left=2))
    return tuple(table for table in tables if table.rows)
