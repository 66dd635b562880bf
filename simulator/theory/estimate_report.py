"""The document of `numasim estimate`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from simulator.measure.result import Provenance, Report, Verdict
from simulator.theory.demands import StationKind


class ThreadEstimate(Report):
    """Bounds of one thread; what a run made of them is None without one."""

    label: str
    background: bool
    window: int = Field(description="lines in flight")
    rate_gb_per_s: float | None = Field(description="rate asked of it; None: as fast as it can")
    zero_load_latency_ns: float = Field(description="mean of its lines when their packets never wait")
    cycle_ns: float = Field(description="least mean time from one line of a slot to the next: latency and core time")
    bottleneck: str = Field(description="the station with its largest demand")
    bottleneck_ns: float | None = Field(description="its time a line there; None: it needs a buffer where there is none")
    saturation_window: float | None = Field(description="lines in flight that would fill the bottleneck: cycle / time there")
    alone_gb_per_s: float = Field(description="most it can do with the machine to itself; no run is faster but for chance")
    alone_limit: str = Field(description="what stops it: window, rate, or a station")
    fair_gb_per_s: float = Field(description="its share where all threads get as much as stations allow, as equally as they can")
    fair_limit: str = Field(description="what stops it there: window, rate, or a station")
    expected_gb_per_s: float | None = Field(
        description="what approximate mean value analysis expects, without buffers and priorities; None: it does not settle"
    )
    expected_latency_ns: float | None = Field(description="mean from issue to completion that it expects")
    fullest: str = Field(description="of the stations it uses, the fullest at the fair shares")
    fullest_utilization: float
    simulated_gb_per_s: float | None
    ci_percent: float | None = Field(description="half width of the run's 95 % confidence interval")
    of_alone_percent: float | None = Field(description="simulated, per cent of alone_gb_per_s")
    of_fair_percent: float | None = Field(description="simulated, per cent of fair_gb_per_s; may be above 100")


class StationEstimate(Report):
    """One server or pool of buffers."""

    name: str
    kind: StationKind
    demand_ns: tuple[float | None, ...] = Field(description="least time a line of each thread; None: there is no buffer for it")
    fair_utilization: float = Field(description="least use at the fair shares")
    simulated_utilization: float | None = Field(description="None without a run, and where a run does not report it")


class RouteEstimate(Report):
    """How packets with a choice would be spread over shortest routes for the largest total."""

    packet: str
    from_node: int
    to_node: int
    links: tuple[str, ...]
    share: float
    by_table: bool = Field(description="whether the machine's tables send them this way")


class TotalEstimate(Report):
    """All threads together."""

    bound_gb_per_s: float = Field(
        description="most they can do, however unequally (linear program); no run is faster but for chance"
    )
    fair_gb_per_s: float = Field(description="sum of the fair shares")
    best_routes_gb_per_s: float = Field(description="the bound if packets could be spread over all shortest routes")
    simulated_gb_per_s: float | None
    of_bound_percent: float | None = Field(description="simulated, per cent of bound_gb_per_s")


class LawEstimate(Report):
    """An operational law, checked on the run."""

    law: Literal["utilization", "Little"]
    place: str
    measured: float
    expected: float
    relation: Literal["=", ">=", "<="]
    difference_percent: float | None
    tolerance_percent: float
    holds: bool
    why: str


class EstimateProvenance(Report):
    """All that determines the bounds; of a run, its own provenance."""

    version: str
    machine: dict[str, Any]
    workload: dict[str, Any]
    run: Provenance | None


class Estimate(Report):
    """What `numasim estimate` says."""

    schema_version: Literal[1] = 1
    machine: str
    threads: tuple[ThreadEstimate, ...]
    stations: tuple[StationEstimate, ...]
    total: TotalEstimate
    routes: tuple[RouteEstimate, ...]
    laws: tuple[LawEstimate, ...] = Field(description="empty without a run")
    verdict: Verdict | None = Field(description="of the run")
    provenance: EstimateProvenance
