"""What a replay reports; `numasim schema replay` prints its JSON Schema."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from simulator.measure.result import ControllerReport, LatencyReport, LinkReport, PathReport, Provenance, Report


class CacheReport(Report):
    """What happened in the caches of a thread's core; docs/traces.md says what each count is."""

    accesses: int
    l1_hits: int
    l2_hits: int
    l3_hits: int | None = Field(description="None: the machine has no L3")
    fills: int
    store_fills: int
    victims: int


class ReplayThread(Report):
    """One thread from its start to its end."""

    name: str
    node: int
    core: int
    time_ns: float = Field(description="when its last line was complete and computed on, from the start of the run")
    lines: int = Field(description="lines it asked for, evictions not counted; those that its own cache held of shared ones are")
    busy_ns: float = Field(description="of it, from its start to its last line in each phase that it asked for lines in")
    gb_per_s: float = Field(description="64 B a line over `busy_ns`")
    local_percent: float | None = Field(description="share of its lines in its own node's memory; None: it fetched none")
    lines_by_node: dict[int, int] = Field(description="lines fetched from each node's memory")
    caches: CacheReport | None = Field(description="None: the machine's file describes no caches, so every access is a line")


class PhaseReport(Report):
    """The machine between two barriers of all threads."""

    name: str
    start_ns: float
    time_ns: float
    lines: int
    latency_ns: float | None = Field(description="mean; None: no line was fetched")
    links: dict[str, float] = Field(description="share of the time that each direction was busy")
    controllers: dict[str, float] = Field(description="share of the time that each DRAM was busy")


class TraceReport(Report):
    """One file of recorded accesses, and what of it was no access."""

    file: str
    accesses: int
    skipped: dict[str, int] = Field(description="lines, or rows, that are no accesses, by kind")
    remarks: dict[str, int] = Field(description="lines that were read, but not as they should be, by kind")
    damage: str | None = Field(
        description="where and why the file ended early; only what is before was replayed. None: it is whole"
    )


class ReplayResult(Report):
    """One program or trace from its start to its end."""

    schema_version: Literal[1] = 1
    machine: str
    workload: str
    placement: str = Field(default="", description="numactl's words that the threads of a trace ran under; empty: none")
    elapsed_ns: float = Field(description="until the last thread is done, or the run came to a standstill")
    threads: tuple[ReplayThread, ...]
    phases: tuple[PhaseReport, ...] = Field(description="of a workload file, as its barriers part them; one of a trace")
    traces: tuple[TraceReport, ...] = Field(default=(), description="none of a workload file")
    pages: dict[int, int] = Field(description="pages of 4 KiB that the workload has on each node in the end")
    links: dict[str, LinkReport]
    controllers: dict[str, ControllerReport]
    latency_ns: LatencyReport | None
    breakdown: tuple[PathReport, ...]
    events: int
    verdict: Literal["finished", "deadlock", "no progress"]
    verdict_detail: str | None
    provenance: Provenance

    @property
    def local_percent(self) -> float | None:
        """Share of all fetched lines that came from the memory of the thread's own node; None: none was fetched."""
        fetched = sum(sum(thread.lines_by_node.values()) for thread in self.threads)
        local = sum(thread.lines_by_node.get(thread.node, 0) for thread in self.threads)
        return 100 * local / fetched if fetched else None


class Replays(Report):
    """One workload under one placement or several."""

    schema_version: Literal[1] = 1
    runs: tuple[ReplayResult, ...]
