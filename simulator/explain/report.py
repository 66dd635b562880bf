"""The document of `numasim why`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from simulator.measure.result import Report, Verdict


class Effect(Report):
    """What one change did to the mean time a line of the foreground threads, which count alike."""

    time_per_line_ns: float | None = Field(description="None: the run came to nothing, see its verdict")
    faster_percent: float | None = Field(description="more lines in the same time; negative: slower")
    half_width_percent: float | None = Field(
        description="of the interval of faster_percent; those of all `differences` hold at once in 95 % of documents; "
        "0: no thread's time differs in its last digit"
    )
    beyond_noise: bool = Field(description="whether faster_percent is larger than its half width, either way")
    threads_faster_percent: tuple[float | None, ...] = Field(description="of each foreground thread, in the order of `threads`")
    verdict: Verdict


class ResourceGain(Report):
    """One resource, or two at once."""

    kinds: tuple[str, ...] = Field(description="what is made ideal: one kind of resource, or two together")
    member: str | None = Field(description="of the last of `kinds`, the one that is, such as link 0-1; None: all of them")
    name: str
    use: dict[str, float] = Field(
        description="share of time that links and DRAM were busy, or of a queue's places held, by direction or node; as it is"
    )
    ideal: Effect = Field(description="it, or they, made ideal")
    twice: Effect | None = Field(description="twice as good; None: not asked for, or there is no such thing")
    hidden_percent: float | None = Field(
        default=None, description="of two: gain beyond what both gain one by one; None: of one, or nothing beyond noise"
    )


class ThreadTime(Report):
    """A foreground thread on the machine as it is."""

    label: str
    time_per_line_ns: float | None
    ci_percent: float | None


class Side(Report):
    """The foreground threads that are explained, or compared with."""

    threads: tuple[ThreadTime, ...]
    time_per_line_ns: float | None = Field(description="mean of the threads")
    ci_percent: float | None
    verdict: Verdict
    verdict_detail: str | None


class PartGap(Report):
    """One part of a line's time on both sides; docs/breakdown.md defines the parts."""

    part: str
    words: str
    group: Literal["walking", "queueing", "probes", "other"]
    this_ns: float = Field(description="mean over the threads, in a window slot")
    other_ns: float
    gap_ns: float = Field(description="this less other; all gaps add up to that of slots x time a line")


class GapWithout(Report):
    """How much slower this side is than the other when something is made ideal for both."""

    kinds: tuple[str, ...] = Field(description="empty: as it is")
    member: str | None
    name: str
    this_ns: float | None
    other_ns: float | None
    slower_percent: float | None = Field(description="time a line of this side over the other's, less 100 %")
    half_width_percent: float | None
    closes_percent: float | None = Field(description="of the gap as it is; above 100: the other side becomes the slower one")
    explains: bool = Field(description="closes half of the gap or more beyond doubt, and makes this side no slower than it is")


class Comparison(Report):
    """Why one set of threads is slower than another."""

    other: Side
    differences: int = Field(description="gaps looked at, as it is and with something ideal; their intervals hold at once")
    gap: GapWithout
    parts: tuple[PartGap, ...] = Field(description="largest difference first")
    without: tuple[GapWithout, ...] = Field(description="what explains the gap first, in the order of how little is left of it")
    sentences: tuple[str, ...]


class WhyProvenance(Report):
    """All that determines the document: no clock, host or path."""

    version: str
    engine: str
    seed: int
    machine: dict[str, Any]
    workload: dict[str, Any]
    other_workload: dict[str, Any] | None
    accuracy: dict[str, Any]


class Why(Report):
    """What `numasim why` says."""

    schema_version: Literal[1] = 1
    machine: str
    side: Side
    resources: tuple[ResourceGain, ...] = Field(description="each kind, all of it; largest gain first")
    members: tuple[ResourceGain, ...] = Field(description="single members of the kinds that bind most; largest gain first")
    pairs: tuple[ResourceGain, ...] = Field(
        description="two kinds that both hold only so much, ideal at once, where that gains more than one by one; largest first"
    )
    pair_members: tuple[ResourceGain, ...] = Field(description="the first of `pairs`, with single members of one of the two")
    differences: int = Field(description="changes looked at, for all of which the intervals hold at once")
    unsteady: int = Field(description="changed runs that stopped before they were as accurate as asked")
    sentences: tuple[str, ...]
    comparison: Comparison | None
    provenance: WhyProvenance
