"""The result of a run as tables."""

from __future__ import annotations

from typing import Protocol

from simulator.measure.result import ControllerReport, LinkReport, RunResult, ThreadReport
from simulator.tables import Cell, Mood, Table, number, row


class Loads(Protocol):
    """A result with loads of links and memories."""

    @property
    def links(self) -> dict[str, LinkReport]:
        """By link key."""

    @property
    def controllers(self) -> dict[str, ControllerReport]:
        """By node."""


def run_tables(result: RunResult) -> tuple[Table, ...]:
    """Return threads, links, memories and the run as a whole; tables without rows are left out."""
    tables = (threads_table(result), links_table(result), controllers_table(result), summary_table(result))
    return tuple(table for table in tables if table.rows)


def threads_table(result: RunResult) -> Table:
    """Return the threads with their times."""
    headers = ("thread", "kind", "ns a line", "CI %", "GB/s", "lines")
    return Table(f"Threads on {result.machine}", headers, tuple(_thread(thread) for thread in result.threads), left=2)


def links_table(result: Loads) -> Table:
    """Return the link directions with their loads."""
    rows = tuple(
        row(
            key,
            number(link.gb_per_s, 3),
            number(link.demand_gb_per_s, 3),
            number(100 * link.utilization),
            *(_share(size, sum(link.bytes_by_class.model_dump().values())) for size in link.bytes_by_class.model_dump().values()),
        )
        for key, link in result.links.items()
    )
    headers = ("link", "GB/s", "demand", "busy %", "data %", "command %", "probe %", "response %", "flow control %", "CRC %")
    return Table("Links: GB/s, what it would be on an ideal link, and bytes by class in per cent", headers, rows)


def controllers_table(result: Loads) -> Table:
    """Return the memory controllers with their loads."""
    rows = tuple(
        row(
            key,
            number(memory.gb_per_s, 3),
            number(memory.read_gb_per_s, 3),
            number(memory.write_gb_per_s, 3),
            number(100 * memory.utilization),
            number(memory.mean_queue, 2),
        )
        for key, memory in result.controllers.items()
    )
    return Table("Memories", ("node", "GB/s", "read", "written", "busy %", "mean queue"), rows)


def summary_table(result: RunResult) -> Table:
    """Return latency, verdict and size of the run."""
    verdict = Cell(result.verdict, "good" if result.verdict == "steady" else "bad")
    rows = [row("verdict", verdict)]
    if result.verdict_detail:
        rows.append(row("", result.verdict_detail))
    if result.latency_ns is not None:
        latency = result.latency_ns
        spread = " / ".join(number(value, missing="beyond 16777") for value in (latency.p50, latency.p95, latency.p99))
        rows += [row("latency, mean, ns", number(latency.mean)), row("latency, p50 / p95 / p99, ns", spread)]
    rows += [row("measured time, us", number(result.window_ns / 1000)), row("events", str(result.events))]
    rows += [row("seed, engine", f"{result.provenance.seed}, {result.provenance.engine}")]
    return Table("Run", ("", ""), tuple(rows), left=2)


def _thread(thread: ThreadReport) -> tuple[Cell, ...]:
    kind = "foreground"
    if thread.background:
        kind = "background" if thread.rate_gb_per_s is None else f"background, asks for {thread.rate_gb_per_s:g} GB/s"
    mood: Mood = "faint" if thread.background else "plain"
    return row(
        thread.label,
        Cell(kind, mood),
        Cell(number(thread.time_per_line_ns, 2), mood),
        Cell(number(thread.ci_percent, 2), mood),
        Cell(number(thread.gb_per_s, 3), mood),
        Cell(str(thread.lines), mood),
    )


def _share(size: int, whole: int) -> str:
    return number(100 * size / whole) if whole else "-"
