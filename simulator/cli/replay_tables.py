"""Replays as tables: placements side by side, then the threads of each."""

from __future__ import annotations

from simulator.replay.result import ReplayResult, Replays
from simulator.tables import Table, number, row

_MOST_THREADS = 16


def replay_tables(report: Replays) -> tuple[Table, ...]:
    """Return the runs side by side, and the threads of each."""
    return (runs_table(report), *(_threads(run) for run in report.runs))


def runs_table(report: Replays) -> Table:
    """Return the runs side by side, a row each."""
    first = report.runs[0]
    headers = (
        "placement",
        "time us",
        "against the first",
        "latency ns",
        "p95 ns",
        "local %",
        "fullest controller %",
        "fullest link %",
    )
    rows = []
    for run in report.runs:
        latency = run.latency_ns
        rows.append(
            row(
                run.placement or "local",
                number(run.elapsed_ns / 1000, 1),
                number(run.elapsed_ns / first.elapsed_ns if first.elapsed_ns else None, 3),
                number(None if latency is None else latency.mean, 1),
                number(None if latency is None else latency.p95, 1),
                number(run.local_percent, 1),
                _fullest({name: one.utilization for name, one in run.controllers.items()}),
                _fullest({name: one.utilization for name, one in run.links.items()}),
            )
        )
    unfinished = [
        f"{run.placement or 'local'}: {run.verdict}: {run.verdict_detail}" for run in report.runs if run.verdict != "finished"
    ]
    note = "\n".join("  " + line for line in [*unfinished, *_left_out(first)])
    return Table(f"{first.workload} on {first.machine}, from start to end", headers, tuple(rows), note=note)


def _left_out(run: ReplayResult) -> list[str]:
    """Say what of the traces was not replayed as it stands there."""
    lines = []
    for trace in [trace for place, trace in enumerate(run.traces) if trace not in run.traces[:place]]:
        kinds = {**{f"{kind} skipped": count for kind, count in trace.skipped.items()}, **trace.remarks}
        if kinds:
            lines.append(f"{trace.file}: " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()))
        if trace.damage is not None:
            lines.append(f"only {trace.accesses:,} accesses: {trace.damage}")
    return lines


def _fullest(shares: dict[str, float]) -> str:
    """Return the largest share in per cent, and whose it is."""
    if not shares:
        return "-"
    name, share = max(shares.items(), key=lambda item: item[1])
    return f"{name}: {100 * share:.0f}"


def _threads(run: ReplayResult) -> Table:
    headers = ("thread", "node.core", "time us", "lines", "ns a line", "GB/s", "local %", "L1 hit %", "L2 hit %", "L3 hit %")
    rows = []
    for thread in run.threads[:_MOST_THREADS]:
        caches = thread.caches
        hits = (None, None, None) if caches is None else (caches.l1_hits, caches.l2_hits, caches.l3_hits)
        accesses = 0 if caches is None else caches.accesses
        rows.append(
            row(
                thread.name,
                f"{thread.node}.{thread.core}",
                number(thread.time_ns / 1000, 1),
                f"{thread.lines:,}",
                number(thread.busy_ns / thread.lines if thread.lines else None, 2),
                number(thread.gb_per_s, 2),
                number(thread.local_percent, 1),
                *(number(100 * hit / accesses if hit is not None and accesses else None, 1) for hit in hits),
            )
        )
    pages = ", ".join(f"node {node}: {count:,}" for node, count in run.pages.items() if count)
    more = len(run.threads) - _MOST_THREADS
    note = f"  pages of 4 KiB: {pages or 'none'}" + (f"\n  {more} more threads: --json shows all" if more > 0 else "")
    return Table(f"Threads{f', {run.placement}' if run.placement else ''}", headers, tuple(rows), note=note)
