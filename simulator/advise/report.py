"""What `numasim advise` reports; `numasim schema advise` prints its JSON Schema."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from simulator.measure.result import Report


class AdvisedThreads(Report):
    """Threads of one group that may move, and the policy of their memory."""

    group: str
    nodes: dict[int, int] = Field(description="threads by node")
    cpus: tuple[int, ...] = Field(description="as Linux numbers them, node by node")
    policy: str = Field(description="numactl's words; of memory that has no policy of its own")


class PlacementReport(Report):
    """One placement that was run with several seeds."""

    rank: int = Field(description="those that cannot be told from the fastest are all 1")
    threads: tuple[AdvisedThreads, ...]
    arrays: dict[str, str] = Field(description="policies of their own that arrays have, in numactl's words")
    own: bool = Field(description="whether it is the file's own placement, or equal to it")
    time_ns: float = Field(description="mean, until the last thread that may move is done with the whole workload")
    half_width_ns: float = Field(description="of the 95 % Student interval of the mean")
    slower_percent: float | None = Field(description="than the fastest; None: that takes no time at all")
    equal: bool = Field(description="cannot be told from the fastest")
    local_percent: float | None = Field(
        description="share of the lines that came from the threads' own nodes; None: none fetched"
    )
    latency_ns: float | None = Field(description="mean of the lines")
    queueing_ns: float | None = Field(description="the part of it behind others, and for buffers and credits")
    busy: float | None = Field(description="share of the time that the DRAM is busy which the lines come from, their mean")
    links: dict[str, float] = Field(description="share of the time that each direction was busy")
    controllers: dict[str, float] = Field(description="share of the time that each DRAM was busy")
    pages: dict[int, int] = Field(description="pages of 4 KiB on each node")


class TriedPlacement(Report):
    """One placement that was run once."""

    threads: str = Field(description="node:threads, of each group that may move")
    memory: str
    time_ns: float | None = Field(description="with the first seed; None: did not finish, or does not fit")
    verdict: str


class SearchReport(Report):
    """How the placements were chosen."""

    exhaustive: bool = Field(description="every placement was tried, but for those equal to one that was")
    placements: int
    runs: int
    budget: int
    lines: int | None = Field(description="most lines of a thread between two barriers in a run; None: all")
    seeds: int = Field(description="fresh ones, of each ranked placement")


class AdviceProvenance(Report):
    """What determines the advice: no clock, host or path."""

    version: str
    engine: str
    seed: int
    machine: dict[str, Any]
    workload: dict[str, Any]
    fixed: tuple[str, ...]


class Advice(Report):
    """Where to put threads and memory."""

    schema_version: Literal[1] = 1
    machine: str
    workload: str
    advised: int | None = Field(description="place in `ranking`; None: no placement finished")
    sentences: tuple[str, ...]
    command_lines: tuple[str, ...]
    notes: tuple[str, ...]
    ranking: tuple[PlacementReport, ...] = Field(description="fastest first")
    tried: tuple[TriedPlacement, ...] = Field(description="fastest first; the rest behind")
    search: SearchReport
    program: dict[str, Any] | None = Field(description="the workload as advised, as a workload file has it")
    provenance: AdviceProvenance
