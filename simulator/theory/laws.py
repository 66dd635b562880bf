"""Operational laws as checks on a run: the utilisation law at every station, Little's law over the foreground's lines.

P. J. Denning, J. P. Buzen, The operational analysis of queueing network models, 1978: U = X S, and J. D. C. Little, A proof for
the queuing formula L = lambda W, 1961: N = X R. Both hold for any run over a window whose ends do not matter; how much they can
matter is the tolerance, worked out for each check from the lines that may be in flight there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.engine.lower import lower
from simulator.engine.plan import Plan
from simulator.machine.resolve import restore
from simulator.machine.spec import Machine
from simulator.measure.result import RunResult
from simulator.theory.demands import thread_loads
from simulator.workload import ThreadSpec, Workload
from simulator.workload.read_back import workload_of

ROUNDING_PERCENT = 0.2  # times are whole ticks
STANDARD_ERRORS = 4.0  # of the mean core time that the window drew
_ENDS = 2  # lines that an end of the measured time can hide, in windows of a thread: in flight, or with packets under way

Relation = Literal["=", ">=", "<="]


@dataclass(frozen=True)
class LawCheck:
    """One law at one place.

    Attributes
    ----------
    law : {'utilization', 'Little'}
    place : str
        ``link 0->1``, ``DRAM 0``, or the threads.
    measured, expected : float
        Both sides: busy share and X S; or lines in flight (the windows) and X R.
    relation : {'=', '>=', '<='}
        How measured should stand to expected: some things only add on one side.
    tolerance_percent : float
        How far they may be apart because the window has ends and core times are random.
    why : str
        What may make the one side larger, where the relation is not ``=``.
    """

    law: Literal["utilization", "Little"]
    place: str
    measured: float
    expected: float
    relation: Relation
    tolerance_percent: float
    why: str = ""

    @property
    def difference_percent(self) -> float:
        """Measured over expected, less 1; 0 where both are 0."""
        if not self.expected:
            return 0.0 if not self.measured else math.inf
        return 100 * (self.measured / self.expected - 1)

    @property
    def holds(self) -> bool:
        """Whether the law holds within the tolerance."""
        too_small = self.difference_percent < -self.tolerance_percent and self.relation != "<="
        too_large = self.difference_percent > self.tolerance_percent and self.relation != ">="
        return not (too_small or too_large)


def check_laws(result: RunResult) -> tuple[LawCheck, ...]:
    """Check every law that can be checked on a result; none where its window is empty.

    Machine and workload are those of the result's provenance. A run must have been going on through the whole window: of one that
    came to a standstill, or whose programs ended in it, the checks may rightly fail.

    Parameters
    ----------
    result : RunResult
    """
    if not result.window_ns or not any(thread.lines for thread in result.threads):
        return ()
    machine, workload = result_machine(result), result_workload(result)
    plan = lower(machine, workload, result.provenance.seed)
    return (*_utilization(result, machine, plan), *_little(result, workload, plan))


def result_machine(result: RunResult) -> Machine:
    """Return the machine that a result is of."""
    return restore(result.provenance.machine, "the result")


def result_workload(result: RunResult) -> Workload:
    """Return the workload that a result is of."""
    return workload_of(result.provenance.workload)


def _utilization(result: RunResult, machine: Machine, plan: Plan) -> list[LawCheck]:
    """Compare each server's busy share with what the completed lines, the NOPs and the CRC asked of it."""
    loads = thread_loads(plan)
    counts = zip(result.threads, plan.threads.count, strict=True)
    programs = [thread.lines / count for thread, count in counts]  # so often each ran through

    def line_share(port: int) -> tuple[float, float]:
        """Return the share of the window that lines asked for, and that which the window's ends may hide."""
        service_ps = [load.service_ps[port] for load in loads]
        asked = sum(times * service for times, service in zip(programs, service_ps, strict=True))
        ends = zip(plan.threads.window, plan.threads.count, service_ps, strict=True)
        hidden = sum((_ENDS * window + (count > 1) * count) / count * service for window, count, service in ends)
        return asked / 1000 / result.window_ns, hidden / 1000 / result.window_ns

    checks = []
    equal_links = len({link.gb_per_s for link in machine.links}) <= 1
    for key, link in result.links.items():
        port = plan.ports.name.index(f"link {key}")
        asked, hidden = line_share(port)
        extra = _times(link.bytes_by_class.flow_control, plan.ports.nop_ps[port], plan.ports.nop_bytes[port])
        extra += _times(link.bytes_by_class.crc, plan.ports.crc_ps[port], plan.ports.crc_bytes[port])
        expected = asked + extra / 1000 / result.window_ns
        why = "" if equal_links else "behind a slower link it also waits for tails"
        checks.append(_check_station(f"link {key}", link.utilization, expected, hidden, why))
    for node in machine.nodes:
        if node.controller is not None:
            asked, hidden = line_share(plan.ports.name.index(f"node {node.id} DRAM"))
            why = "turning round between reads and writes adds to it" if node.controller.turnaround_ns else ""
            utilization = result.controllers[str(node.id)].utilization
            checks.append(_check_station(f"DRAM {node.id}", utilization, asked, hidden, why))
    return checks


def _times(size_bytes: int, packet_ps: int, packet_bytes: int) -> float:
    return size_bytes / packet_bytes * packet_ps if packet_bytes else 0.0


def _check_station(place: str, measured: float, expected: float, hidden: float, why: str) -> LawCheck:
    tolerance = ROUNDING_PERCENT + (100 * hidden / expected if expected else 0.0)
    return LawCheck("utilization", place, measured, expected, ">=" if why else "=", tolerance, why)


def _little(result: RunResult, workload: Workload, plan: Plan) -> list[LawCheck]:
    """Compare the lines that foreground threads keep in flight with X R; R is latency and core time.

    A result has the mean latency of the foreground as a whole, so the law is summed over its threads.
    """
    chosen = [number for number, thread in enumerate(workload.threads) if not thread.background]
    lines = [result.threads[number].lines for number in chosen]
    if result.latency_ns is None or not all(lines) or not all(_is_closed(workload.threads[number]) for number in chosen):
        return []
    cores = [_core_ps(plan, number) for number in chosen]
    core_ns = sum(count * mean for count, (mean, _) in zip(lines, cores, strict=True)) / 1000
    spread_ns = math.sqrt(sum(count * variance for count, (_, variance) in zip(lines, cores, strict=True))) / 1000
    slots = sum(plan.threads.window[number] for number in chosen)
    present_ns = sum(lines) * result.latency_ns.mean + core_ns
    ends = sum(plan.threads.window[number] / count for number, count in zip(chosen, lines, strict=True))
    tolerance = ROUNDING_PERCENT + 100 * (_ENDS * ends + STANDARD_ERRORS * spread_ns / present_ns)
    writes = any(access.mode == "w" for number in chosen for access in workload.threads[number].accesses)
    why = "a slot also waits for its own eviction" if writes else ""
    place = " ".join(workload.threads[number].label for number in chosen)
    return [LawCheck("Little", place, slots, present_ns / result.window_ns, ">=" if writes else "=", tolerance, why)]


def _is_closed(thread: ThreadSpec) -> bool:
    """Whether all slots of a thread always have a line in flight or in its core time."""
    paced = (thread.rate_gb_per_s, thread.arrivals, thread.time_slice, *(access.barrier for access in thread.accesses))
    computes = any(access.compute_ns for access in thread.accesses)  # then lines of a thread also wait for each other
    return thread.repeat and not computes and all(pace is None for pace in paced)


def _core_ps(plan: Plan, thread: int) -> tuple[float, float]:
    """Return mean and variance of the core time after a line."""
    first = plan.threads.first[thread]
    draws = [plan.draws.values[draw] for draw in plan.program.core_draw[first : first + plan.threads.count[thread]]]
    means = [_mean(values) for values in draws]
    variances = [_mean([(value - mean) ** 2 for value in values]) for values, mean in zip(draws, means, strict=True)]
    return _mean(means), _mean(variances)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
