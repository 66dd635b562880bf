"""What one run reports; `numasim schema run` prints its JSON Schema."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Verdict = Literal["steady", "saturated", "too short", "not warmed up", "deadlock", "no progress"]


_PERCENTILE = "percentile of its lines' latency, ns, at most 0.256 too long; None: 2.1 us or more, or not recorded"


class Report(BaseModel):
    """A part of a result: no unknown keys, never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ThreadReport(Report):
    """One thread over the measured window. Times are None when it finished no line there."""

    label: str
    background: bool
    rate_gb_per_s: float | None = Field(description="rate asked of it; None: as fast as it can")
    time_per_line_ns: float | None
    gb_per_s: float = Field(description="64 B a line over the window; a writer moves twice that at the memory")
    ci_percent: float | None = Field(description="half width of the 95 % confidence interval of time_per_line_ns")
    lines: int
    latency_ns: float | None = Field(default=None, description="mean, from issue, or arrival, to completion")
    latency_p50_ns: float | None = Field(default=None, description=_PERCENTILE)
    latency_p95_ns: float | None = Field(default=None, description=_PERCENTILE)
    latency_p99_ns: float | None = Field(default=None, description=_PERCENTILE)


class BytesByClass(Report):
    """Bytes a link direction sent in the window, by what they were for."""

    data: int
    command: int
    probe: int
    response: int
    flow_control: int
    crc: int


class LinkReport(Report):
    """One direction of a link over the window."""

    gb_per_s: float = Field(description="every byte on the wire, NOP and CRC included")
    utilization: float = Field(description="share of the window its serialiser was busy")
    demand_gb_per_s: float | None = Field(
        description="what would be sent if this link were ideal; None: not asked for, or exact and the ideal link does not recur"
    )
    bytes_by_class: BytesByClass


class ControllerReport(Report):
    """One memory controller over the window."""

    gb_per_s: float
    read_gb_per_s: float
    write_gb_per_s: float
    utilization: float = Field(description="share of the window its DRAM was busy")
    mean_queue: float = Field(description="mean number of transactions it held")


class LatencyReport(Report):
    """Latency of the foreground's lines, from issue to completion, core time not included."""

    mean: float
    p50: float | None = Field(description="None: longer than the histogram reaches, 16.8 us")
    p95: float | None
    p99: float | None


class PartsReport(Report):
    """Where the latency of a line goes, ns, mean over the lines of a path; docs/breakdown.md defines each part."""

    sri: float = Field(description="between core and crossbar, its data path if the machine gives it a rate included")
    crossbar: float
    wire: float = Field(description="latency of links")
    serialisation: float = Field(description="of its packets on links, CRC included, and until a tail has come")
    controller: float = Field(description="entry of the controller, and the DRAM path after the service")
    dram_service: float = Field(description="service of the DRAM, turning round between reads and writes included")
    node_queue: float = Field(description="behind others at an output inside a node")
    link_queue: float = Field(description="behind others, or NOPs, at a link")
    dram_queue: float = Field(description="behind others at the DRAM")
    controller_full: float = Field(description="for a place in the controller's queue")
    node_buffers: float = Field(description="for a buffer inside a node, or its turn")
    credits: float = Field(description="for a credit of a link, or its turn")
    shared_line: float = Field(default=0.0, description="at its home, for its turn: others have transactions of the same line")
    source: float = Field(description="an arrival's wait for a free slot; 0 for threads without arrivals")
    probe_wait: float = Field(description="from the arrival of its data to the last answer of the probed nodes")


class PathReport(Report):
    """Where the time of a line goes: mean over the lines that a thread completed on one path in the window.

    `walking_ns`, `queueing_ns`, `parts_ns.probe_wait` and `other_ns` add up to `total_ns`; all of `parts_ns` to `latency_ns`.
    """

    thread: str = Field(description="label")
    place: int = Field(description="of the thread in `threads`")
    background: bool
    path: str = Field(description="what it does and between which nodes, such as read 0->1")
    lines: int
    slots: int = Field(description="lines that the thread keeps in flight")
    parts_ns: PartsReport
    latency_ns: float = Field(description="from issue, or arrival, to completion")
    latency_p50_ns: float | None = Field(default=None, description=_PERCENTILE)
    latency_p95_ns: float | None = Field(default=None, description=_PERCENTILE)
    latency_p99_ns: float | None = Field(default=None, description=_PERCENTILE)
    core_ns: float = Field(description="core time after the line")
    other_ns: float = Field(
        description="a slot without a line, mean over all lines of the thread: its eviction under way, rate, barrier, turn; and "
        "what the ends of the window cut off, so it may be just below 0"
    )
    total_ns: float = Field(description="latency, core and other; `slots` x time a line, where a thread has one path")
    walking_ns: float = Field(description="what a line takes with nobody in its way, the wait for probes left out; core included")
    queueing_ns: float = Field(description="behind others, and for buffers, credits and places")


class Provenance(Report):
    """All that determines the run: no clock, host or path."""

    version: str
    engine: str
    seed: int
    machine: dict[str, Any]
    workload: dict[str, Any]
    accuracy: dict[str, Any]


class RunResult(Report):
    """One run."""

    schema_version: Literal[1] = 1
    machine: str
    window_ns: float
    threads: tuple[ThreadReport, ...]
    links: dict[str, LinkReport]
    controllers: dict[str, ControllerReport]
    latency_ns: LatencyReport | None = Field(description="None when no foreground line ended in the window")
    breakdown: tuple[PathReport, ...] = Field(
        default=(), description="by thread and path, where a line ended in the window; empty too in results of earlier versions"
    )
    events: int
    verdict: Verdict
    verdict_detail: str | None
    deadlock_cycle: tuple[str, ...] = Field(description="components that wait on each other, in order; empty without a deadlock")
    provenance: Provenance
