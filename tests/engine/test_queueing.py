"""One DRAM as a queue that theory knows: Poisson arrivals, exponential or constant service, the mean wait in closed form.

Buffers on the way are plenty, so that the stream reaches DRAM as it arrived, later by a constant. Means are over independent
seeds; the theory must lie within their 99 % interval, and the interval must be narrow enough to mean something.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, replace

import pytest

from simulator.engine.build import build_engine
from simulator.engine.interface import Snapshot
from simulator.engine.lower import lower
from simulator.engine.plan import Draws, Plan
from simulator.engine.random_numbers import exponential
from simulator.machine.spec import Machine
from simulator.workload import Access, Arrivals, ThreadSpec, Workload
from tests.oracle.machines import READ, round_machine

PLENTY = (
    "sri.to_crossbar.request=4096",
    "sri.to_crossbar.response=4096",
    "crossbar.to_sri.probe=4096",
    "controller.queue=4096",
    "controller.to_crossbar.probe=4096",
    "controller.to_crossbar.response=4096",
    "controller.to_crossbar.response_data=4096",
    "controller.turnaround_ns=0.0",
)
SLOTS = 400  # never all in use
ALONE_NS = 69 - READ  # a local line without DRAM
T_99_11 = 3.1058  # Student's t, 11 degrees of freedom, 99 %
SEEDS = range(1, 13)


@dataclass(frozen=True)
class Queue:
    """What one run saw of DRAM: ns, and shares of time."""

    wait_ns: float
    latency_ns: float
    busy: float
    waiting: float
    rate_per_ns: float


def machine() -> Machine:
    """Return one node without limits but its DRAM."""
    return round_machine([0], overrides=PLENTY)


def plan_for(load: float, seed: int, *, random_service: bool) -> Plan:
    """Lower a Poisson stream of reads that keeps DRAM busy for a share `load` of the time."""
    thread = ThreadSpec(0, 0, (Access("r", 0),), window=SLOTS, core_time_ns=0.0, arrivals=Arrivals(READ / load))
    plan = lower(machine(), Workload((thread,)), seed)
    if not random_service:
        return plan
    draws = Draws((*plan.draws.values, exponential(READ * 1000)))
    service = [-1] * len(plan.ports.name)
    service[plan.controller_port[0]] = len(draws.values) - 1
    return replace(plan, draws=draws, ports=replace(plan.ports, service_draw=tuple(service)))


def observe(plan: Plan, warmup: int, lines: int) -> Queue:
    """Run a plan and look at its DRAM after the warm-up."""
    engine, port = build_engine(plan), plan.controller_port[0]
    snapshots: list[Snapshot] = []
    for target in (warmup, warmup + lines):
        engine.advance([target], 10**9)
        snapshots.append(engine.snapshot())
    first, last = snapshots
    served = sum(last.port_sent[port]) - sum(first.port_sent[port])
    window_ps = last.time_ps - first.time_ps
    waiting_ps = last.port_waiting_ps[port] - first.port_waiting_ps[port]
    done = last.thread_lines[0] - first.thread_lines[0]
    return Queue(
        wait_ns=waiting_ps / served / 1000,
        latency_ns=(last.thread_latency_ps[0] - first.thread_latency_ps[0]) / done / 1000,
        busy=(last.port_busy_ps[port] - first.port_busy_ps[port]) / window_ps,
        waiting=waiting_ps / window_ps,
        rate_per_ns=served / window_ps * 1000,
    )


def interval(values: list[float]) -> tuple[float, float]:
    """Return mean and half width over the seeds."""
    assert len(values) == len(SEEDS)
    return statistics.fmean(values), T_99_11 * statistics.stdev(values) / math.sqrt(len(values))


def check(values: list[float], theory: float, *, narrow: float) -> None:
    """See that theory lies in an interval of at most that relative half width."""
    mean, half = interval(values)
    assert half <= narrow * theory
    assert abs(mean - theory) <= half


@pytest.mark.parametrize(("random_service", "factor"), [(True, 1.0), (False, 0.5)], ids=["M/M/1", "M/D/1"])
def test_half_loaded(random_service: bool, factor: float) -> None:
    """Wait = service x load / (1 - load), half of it with constant service (Pollaczek and Khinchine)."""
    load = 0.5
    queues = [observe(plan_for(load, seed, random_service=random_service), 200, 1500) for seed in SEEDS]
    wait_ns = factor * READ * load / (1 - load)
    check([queue.wait_ns for queue in queues], wait_ns, narrow=0.2)  # the two services differ by half
    check([queue.busy for queue in queues], load, narrow=0.05)
    # the wait of an open thread is the only thing its latency adds
    check([queue.latency_ns for queue in queues], ALONE_NS + READ + wait_ns, narrow=0.05)


def test_littles_law_holds_exactly_for_whole_programs() -> None:
    """All that waited has been served: the time integral of the queue is the sum of the waits, and so of the latencies."""
    thread = ThreadSpec(
        0, 0, (Access("r", 0),) * 300, window=SLOTS, core_time_ns=0.0, arrivals=Arrivals(READ / 0.8), repeat=False
    )
    plan = lower(machine(), Workload((thread,)))
    engine = build_engine(plan)
    engine.advance([300], 10**9)
    end = engine.snapshot()
    assert end.thread_lines == (300,)
    assert end.port_waiting_ps[plan.controller_port[0]] == end.thread_latency_ps[0] - 300 * (ALONE_NS + READ) * 1000
    assert end.port_busy_ps[plan.controller_port[0]] == 300 * READ * 1000


@pytest.mark.slow
@pytest.mark.parametrize(("random_service", "factor"), [(True, 1.0), (False, 0.5)], ids=["M/M/1", "M/D/1"])
@pytest.mark.parametrize("load", [0.3, 0.5, 0.8])
def test_other_loads_and_narrower(load: float, random_service: bool, factor: float) -> None:
    lines = 15_000 if load > 0.5 else 5_000
    queues = [observe(plan_for(load, seed, random_service=random_service), 1000, lines) for seed in SEEDS]
    check([queue.wait_ns for queue in queues], factor * READ * load / (1 - load), narrow=0.1)
    check([queue.waiting / queue.rate_per_ns for queue in queues], factor * READ * load / (1 - load), narrow=0.1)
