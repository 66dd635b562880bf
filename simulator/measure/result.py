"""What one run reports; `numasim schema run` prints its JSON Schema."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Verdict = Literal["steady", "saturated", "too short", "not warmed up", "deadlock", "no progress"]


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
    events: int
    verdict: Verdict
    verdict_detail: str | None
    deadlock_cycle: tuple[str, ...] = Field(description="components that wait on each other, in order; empty without a deadlock")
    provenance: Provenance
