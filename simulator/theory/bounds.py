"""Asymptotic bounds of a workload: what no run can pass, found without simulation.

P. J. Denning, J. P. Buzen, The operational analysis of queueing network models, 1978; R. R. Muntz, J. W. Wong, Asymptotic
properties of closed queueing network models, 1974: a thread with N lines in flight completes no more than N / (R0 + Z) lines per
time (R0 latency when nothing waits, Z core time) nor more than 1 / D (D its service time a line at its fullest station), and they
cross at N* = (R0 + Z) / D lines in flight. Several threads share stations: see `simulator.theory.allocation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.engine.lower import lower
from simulator.engine.plan import NONE, Plan
from simulator.machine.spec import Machine
from simulator.theory.allocation import Share, fair_shares, largest_total
from simulator.theory.demands import Constraint, StationKind, constraints
from simulator.theory.walk import walk
from simulator.units import LINE_BYTES
from simulator.workload import Workload

WINDOW, RATE, COMPUTE = "window", "rate", "computing"


@dataclass(frozen=True)
class ThreadBound:
    """What a thread can do at most, alone and beside the others.

    Attributes
    ----------
    label : str
    background : bool
    window : int
        Lines in flight.
    latency_ns : float
        Mean zero-load latency of its lines, R0.
    cycle_ns : float
        Least mean time from one line of a slot to the next: latency and core time, or the slot's eviction if that takes longer.
    rate_gb_per_s : float or None
        What it asks for at most.
    bottleneck : str
        The station with its largest demand.
    bottleneck_ns : float
        Its time a line there.
    alone_gb_per_s, alone_limit : float, str
        Most that it can do with the machine to itself, and what stops it: ``window``, ``rate`` or a station.
    fair_gb_per_s, fair_limit : float, str
        Its share where all threads are served as equally as stations allow (max-min fair), and what stops it there.
    fullest, fullest_utilization : str, float
        Of the stations that it uses, the fullest where every thread has its fair share.
    """

    label: str
    background: bool
    window: int
    latency_ns: float
    cycle_ns: float
    rate_gb_per_s: float | None
    bottleneck: str
    bottleneck_ns: float
    alone_gb_per_s: float
    alone_limit: str
    fair_gb_per_s: float
    fair_limit: str
    fullest: str
    fullest_utilization: float

    @property
    def saturation_window(self) -> float:
        """Lines in flight at which the bottleneck would be full, N*."""
        return self.cycle_ns / self.bottleneck_ns


@dataclass(frozen=True)
class StationBound:
    """A station under a workload.

    Attributes
    ----------
    name : str
    kind : {'link', 'DRAM', 'data path', 'buffers'}
    demand_ns : tuple of float, shape (threads,)
        Time a line of each thread asks, at least.
    fair_utilization : float
        Its use, at least, where every thread has its fair share.
    """

    name: str
    kind: StationKind
    demand_ns: tuple[float, ...]
    fair_utilization: float


@dataclass(frozen=True)
class WorkloadBounds:
    """All bounds of a workload.

    Attributes
    ----------
    threads : tuple of ThreadBound
        In the workload's order.
    stations : tuple of StationBound
        Every station that some thread uses.
    total_gb_per_s : float
        Most that all threads together can do, however unequally.
    """

    threads: tuple[ThreadBound, ...]
    stations: tuple[StationBound, ...]
    total_gb_per_s: float

    @property
    def fair_total_gb_per_s(self) -> float:
        """What all threads together do where each has its fair share."""
        return sum(thread.fair_gb_per_s for thread in self.threads)


def workload_bounds(machine: Machine, workload: Workload) -> WorkloadBounds:
    """Bound every thread of a workload, alone and together.

    Raises
    ------
    InputError
        The workload does not fit the machine.
    """
    plan = lower(machine, workload)
    limits, caps = constraints(plan), thread_caps(plan)
    rates = [_least(thread_cap) for thread_cap in caps]
    shares = fair_shares(limits, [rate for rate, _ in rates])
    stations = _stations(limits, [share.lines_per_ns for share in shares])
    threads = tuple(
        _thread(plan, workload, number, limits, stations, caps[number], share)
        for number, share in enumerate(_named(shares, rates))
    )
    return WorkloadBounds(threads, stations, gb_per_s(largest_total(limits, [rate for rate, _ in rates])))


def gb_per_s(lines_per_ns: float) -> float:
    """Return the GB/s of so many lines."""
    return lines_per_ns * LINE_BYTES


def thread_caps(plan: Plan) -> list[dict[str, float]]:
    """Return for each thread what holds it whatever the stations do: lines per ns, by ``window`` and ``rate``."""
    caps = []
    for number, window in enumerate(plan.threads.window):
        cycle_ns = cycle_and_latency_ns(plan, number)[0]
        caps.append({WINDOW: window / cycle_ns if cycle_ns else float("inf")})
        interval = plan.threads.interval_draw[number]
        if interval != NONE and (mean_ps := _mean(plan.draws.values[interval])):
            caps[-1][RATE] = 1000 / mean_ps
        if compute_ps := _mean(_program_rows(plan, number, plan.program.compute_ps)):
            caps[-1][COMPUTE] = 1000 / compute_ps
    return caps


def _program_rows(plan: Plan, thread: int, column: Sequence[int]) -> Sequence[int]:
    first = plan.threads.first[thread]
    return column[first : first + plan.threads.count[thread]]


def cycle_and_latency_ns(plan: Plan, thread: int) -> tuple[float, float]:
    """Return the least mean time from one line of a slot to the next, and that of the lines' latencies alone.

    A slot issues again when its core time is over and its eviction is in memory.
    """
    first, count = plan.threads.first[thread], plan.threads.count[thread]
    cycle_ps = latency_ps = 0.0
    known: dict[int, int] = {NONE: 0}
    for line in range(first, first + count):
        row, victim = plan.program.transaction[line], plan.program.victim[line]
        for needed in {row, victim} - set(known):
            known[needed] = walk(plan, needed).complete_ps
        latency_ps += known[row]
        core_ps = _mean(plan.draws.values[plan.program.core_draw[line]]) + plan.program.compute_ps[line]
        cycle_ps += max(known[row] + core_ps, known[victim])
    return cycle_ps / count / 1000, latency_ps / count / 1000


def _thread(
    plan: Plan,
    workload: Workload,
    number: int,
    limits: Sequence[Constraint],
    stations: Sequence[StationBound],
    caps: dict[str, float],
    share: Share,
) -> ThreadBound:
    thread = workload.threads[number]
    cycle_ns, latency_ns = cycle_and_latency_ns(plan, number)
    longest = max(limits, key=lambda limit: limit.demand_ns[number])
    bottleneck_ns = longest.demand_ns[number]
    used = max((one for one in stations if one.demand_ns[number]), key=lambda one: one.fair_utilization)
    alone, limit = _least({**caps, longest.station: 1 / bottleneck_ns if bottleneck_ns else float("inf")})
    return ThreadBound(
        label=thread.label,
        background=thread.background,
        window=plan.threads.window[number],
        latency_ns=latency_ns,
        cycle_ns=cycle_ns,
        rate_gb_per_s=gb_per_s(caps[RATE]) if RATE in caps else None,
        bottleneck=longest.station,
        bottleneck_ns=bottleneck_ns,
        alone_gb_per_s=gb_per_s(alone),
        alone_limit=limit,
        fair_gb_per_s=gb_per_s(share.lines_per_ns),
        fair_limit=share.limit,
        fullest=used.name,
        fullest_utilization=used.fair_utilization,
    )


def _named(shares: Sequence[Share], rates: Sequence[tuple[float, str]]) -> list[Share]:
    """Return the shares with the name of what holds a thread that no station holds."""
    pairs = zip(shares, rates, strict=True)
    return [share if share.limit else Share(share.lines_per_ns, name) for share, (_, name) in pairs]


def _stations(limits: Sequence[Constraint], lines_per_ns: Sequence[float]) -> tuple[StationBound, ...]:
    """Return each station once, with the fullest of its constraints."""
    best: dict[str, StationBound] = {}
    for limit in limits:
        use = sum(rate * demand for rate, demand in zip(lines_per_ns, limit.demand_ns, strict=True) if rate)
        if limit.station not in best or use > best[limit.station].fair_utilization:
            best[limit.station] = StationBound(limit.station, limit.kind, limit.demand_ns, use)
    return tuple(best.values())


def _least(caps: dict[str, float]) -> tuple[float, str]:
    name = min(caps, key=lambda key: caps[key])
    return caps[name], name


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)
