"""How fast threads will probably be: approximate mean value analysis of the whole machine as a closed network. No bound.

Threads are classes of customers, their lines in flight the population; link directions, DRAM and rated data paths are FCFS
stations with constant service. An arriving packet finds what the others have there, and of its own thread's lines all but itself
(Bard 1979, Schweitzer 1979); the packet in service needs its residual life (Reiser 1979; Lazowska et al. 1984, chapter 11). A
line is complete at the later of its data's and its answers' mean times, each with the waits on its way.

What this leaves out: the wait for buffers (it only keeps pools from being more than full), priorities between virtual channels, a
join's mean being later than the later of the means, and bursts. docs/theory.md says how far it is from runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.engine.lower import lower
from simulator.engine.plan import NONE, Plan
from simulator.machine.spec import Machine
from simulator.theory.bounds import thread_caps
from simulator.theory.demands import constraints
from simulator.theory.walk import Pass, TransactionWalk, walk
from simulator.units import LINE_BYTES
from simulator.workload import Workload

TOLERANCE = 1e-7
MOST_ROUNDS = 5_000
_DAMPING = 0.3
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    """Expected means of a thread.

    Attributes
    ----------
    gb_per_s : float
    latency_ns : float
        From issue to completion.
    """

    gb_per_s: float
    latency_ns: float


@dataclass(frozen=True)
class _Line:
    """A line of a thread's program: base times (ns) of its paths, and how often each waits at each port."""

    base_ns: _Floats
    waits: _Floats  # shape (paths, ports)
    core_ns: float
    eviction_ns: float
    eviction_waits: _Floats


def predict(machine: Machine, workload: Workload) -> tuple[Prediction, ...] | None:
    """Predict the rate and latency of each thread; None where the iteration does not settle or a thread can never go.

    Raises
    ------
    InputError
        The workload does not fit the machine.
    """
    plan = lower(machine, workload)
    demand, residual = _services(plan)
    asked: _Floats = np.array([limit.demand_ns for limit in constraints(plan)])  # shape (constraints, threads)
    if np.isinf(asked).any():
        return None
    lines = [_lines(plan, number) for number in range(len(plan.threads.label))]
    window: _Floats = np.array(plan.threads.window, dtype=float)
    most: _Floats = np.array([min(cap.values()) for cap in thread_caps(plan)])
    rate, wait = most / 2, np.zeros_like(demand)
    for _ in range(MOST_ROUNDS):
        found = rate[:, None] * (demand * wait + residual)  # work that each thread's packets make others wait for
        wait += _DAMPING * (found.sum(axis=0) - found / window[:, None] - wait)
        cycle, latency = _times(lines, wait)
        after = rate + _DAMPING * (np.minimum(most, window / cycle) - rate)
        settled = bool((np.abs(after - rate) <= TOLERANCE * most).all())
        rate = after
        if settled:
            break
    else:
        return None
    use = asked @ rate
    rate = rate / np.maximum(1.0, np.where(asked > 0, use[:, None], 0.0).max(axis=0))  # no station or pool is more than full
    return tuple(Prediction(float(one) * LINE_BYTES, float(ns)) for one, ns in zip(rate, latency, strict=True))


def _services(plan: Plan) -> tuple[_Floats, _Floats]:
    """Return by thread and port the service of a line, and the residual work of its packets: sum of S**2 / 2; ns and ns**2."""
    shape = (len(plan.threads.label), len(plan.ports.name))
    demand, residual = np.zeros(shape), np.zeros(shape)
    for limit in constraints(plan):
        if limit.kind != "buffers":
            port = plan.ports.name.index(limit.station)
            demand[:, port] = np.maximum(demand[:, port], limit.demand_ns)
    for number, (first, count) in enumerate(zip(plan.threads.first, plan.threads.count, strict=True)):
        for line in range(first, first + count):
            for row in {plan.program.transaction[line], plan.program.victim[line]} - {NONE}:
                for one in walk(plan, row).passes():
                    port = plan.branches.port[one.branch]
                    residual[number, port] += (plan.ports.service_ps[port][one.kind] / 1000) ** 2 / 2 / count
    return demand, residual


def _lines(plan: Plan, thread: int) -> list[_Line]:
    first = plan.threads.first[thread]
    return [_line(plan, line) for line in range(first, first + plan.threads.count[thread])]


def _line(plan: Plan, line: int) -> _Line:
    draws = plan.draws.values[plan.program.core_draw[line]]
    base, waits = _paths(plan, walk(plan, plan.program.transaction[line]))
    core_ns = (sum(draws) / len(draws) + plan.program.compute_ps[line]) / 1000
    victim = plan.program.victim[line]
    if victim == NONE:
        return _Line(base, waits, core_ns, 0.0, np.zeros(waits.shape[1]))
    eviction, eviction_waits = _paths(plan, walk(plan, victim))
    return _Line(base, waits, core_ns, float(eviction[0]), eviction_waits[0])


def _paths(plan: Plan, line: TransactionWalk) -> tuple[_Floats, _Floats]:
    """Return the time of each path of a transaction without waiting, ns, and where it may wait; the data's path first."""
    ways: list[Sequence[Pass]] = [(*line.request, *line.dram, *line.reply)]
    ways += [(*line.request, *way, *line.answers.get(node, ())) for node, way in line.probes.items()]
    waits = np.zeros((len(ways), len(plan.ports.name)))
    for path, way in enumerate(ways):
        for one in way:
            port = plan.branches.port[one.branch]
            waits[path, port] += plan.ports.service_ps[port][one.kind] > 0
    return np.array([way[-1].end_ps / 1000 for way in ways]), waits


def _times(lines: Sequence[Sequence[_Line]], wait: _Floats) -> tuple[_Floats, _Floats]:
    """Return the mean cycle of a slot and the mean latency of each thread, ns."""
    cycles, latencies = [], []
    for thread, waits in zip(lines, wait, strict=True):
        latency = [float((line.base_ns + line.waits @ waits).max()) for line in thread]
        evicted = [line.eviction_ns + float(line.eviction_waits @ waits) for line in thread]
        rested = (time + line.core_ns for time, line in zip(latency, thread, strict=True))
        cycles.append(sum(map(max, rested, evicted)) / len(thread))
        latencies.append(sum(latency) / len(thread))
    return np.array(cycles), np.array(latencies)
