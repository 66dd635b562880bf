"""How busy every controller and link direction was in each of several replays."""

from __future__ import annotations

from simulator.replay.result import Replays
from simulator.tables import Table, number, row


def loads_table(report: Replays) -> Table:
    """Return use of every controller and link direction in per cent, a row a run."""
    first = report.runs[0]
    headers = ("use, %", *(f"MCT {name}" for name in first.controllers), "largest / mean", *first.links)
    rows = []
    for run in report.runs:
        controllers = [one.utilization for one in run.controllers.values()]
        mean = sum(controllers) / len(controllers)
        shares = [number(100 * share, 0) for share in controllers]
        links = [number(100 * one.utilization, 0) for one in run.links.values()]
        rows.append(row(run.placement, *shares, number(max(controllers) / mean if mean else None, 1), *links))
    return Table("Use of memory controllers and of link directions over the whole run", headers, tuple(rows))


def phases_table(report: Replays) -> Table:
    """Return time and latency of every phase, a row each."""
    headers = ("placement", "phase", "time us", "lines", "latency ns")
    rows = [
        row(run.placement, one.name, number(one.time_ns / 1000, 1), f"{one.lines:,}", number(one.latency_ns, 1))
        for run in report.runs
        for one in run.phases
    ]
    return Table("Phase by phase", headers, tuple(rows), left=2)
