"""The compiled engine is the simpy engine: every counter, time and queue statistic, to the last integer, at every look."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from simulator import list_machines, load_machine
from simulator.engine.compiled import CompiledEngine
from simulator.engine.deadlock import WaitState, closed_barriers, deadlocked, wait_cycle
from simulator.engine.interface import Engine, Snapshot, Stop
from simulator.engine.lower import lower
from simulator.engine.plan import Draws, Plan
from simulator.engine.random_numbers import exponential
from simulator.engine.simpy_engine import SimpyEngine
from simulator.machine.spec import Machine
from simulator.workload import Access, Arrivals, ThreadSpec, TimeSlice, Workload
from tests.oracle.random_systems import System, crowded_rings, systems

EQUAL = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
MOST_LOOKS = 400


def compare(plan: Plan, targets: list[int], stride: int) -> Stop:
    """Run both engines side by side, `stride` events at a time, and compare all there is to see at each look."""
    one, other = SimpyEngine(plan), CompiledEngine(plan)
    one.start_latency_record()
    other.start_latency_record()
    for _ in range(MOST_LOOKS):
        stop = one.advance(targets, stride)
        assert other.advance(targets, stride) is stop
        assert _seen(one) == _seen(other)
        if stop is not Stop.BUDGET:
            break
    assert list(one.latency_histogram()) == list(other.latency_histogram())
    return stop


def _seen(engine: Engine) -> tuple[Snapshot, object]:
    return engine.snapshot(), _comparable(engine.wait_state())


def _comparable(state: WaitState) -> object:
    """Units of a pool have no order; what is made of them must be equal too."""
    kept = {pool: sorted(sorted(unit) for unit in units) for pool, units in state.kept_by.items()}
    stuck = deadlocked(state)
    return state.waiting, state.free, kept, state.members, stuck, wait_cycle(state, stuck), closed_barriers(state)


@given(systems(), st.integers(1, 5), st.integers(40, 4000))
@EQUAL
def test_random_machines_and_programs(system: System, seed: int, stride: int) -> None:
    plan = lower(system.machine, Workload(system.threads), seed)
    event(f"{len(system.machine.nodes)} nodes, {len(system.threads)} threads")
    compare(plan, list(plan.threads.count), stride)


@given(systems(), st.integers(40, 4000))
@settings(EQUAL, max_examples=60)
def test_threads_that_go_on_for_ever(system: System, stride: int) -> None:
    endless = Workload(tuple(replace(thread, repeat=True) for thread in system.threads))
    plan = lower(system.machine, endless)
    compare(plan, [0 if background else 60 for background in plan.threads.background], stride)


@given(crowded_rings())
@settings(EQUAL, max_examples=60)
def test_rings_that_may_deadlock(system: System) -> None:
    plan = lower(system.machine, Workload(system.threads))
    event(compare(plan, list(plan.threads.count), 500).name)


@pytest.mark.parametrize("name", list_machines())
def test_every_shipped_machine_with_mixed_placements(name: str) -> None:
    machine = load_machine(name)
    plan = lower(machine, Workload(tuple(_mixed_threads(machine))))
    assert compare(plan, [0 if background else 400 for background in plan.threads.background], 20_000) is Stop.REACHED


def _mixed_threads(machine: Machine) -> list[ThreadSpec]:
    """A thread on every core: reading or writing all memories in turn, every third one in the background at a rate."""
    homes = [node.id for node in machine.nodes if node.controller is not None]
    threads = []
    for node in machine.nodes:
        for core in range(node.cores):
            number = len(threads)
            accesses = tuple(Access("rw"[(number + turn) % 2], home) for turn, home in enumerate(homes))
            rate = 1.5 if number % 3 == 2 else None
            threads.append(ThreadSpec(node.id, core, accesses, background=rate is not None, rate_gb_per_s=rate))
    return threads


def test_open_arrivals_with_random_service() -> None:
    thread = ThreadSpec(0, 0, (Access("r", 0),), window=500, core_time_ns=0.0, arrivals=Arrivals(mean_interval_ns=17.0))
    plan = lower(load_machine("one-node"), Workload((thread,)))
    dram = plan.controller_port[0]
    values = (*plan.draws.values, exponential(13_000))
    draws = tuple(len(values) - 1 if port == dram else draw for port, draw in enumerate(plan.ports.service_draw))
    plan = replace(plan, draws=Draws(values), ports=replace(plan.ports, service_draw=draws))
    assert compare(plan, [3000], 10_000) is Stop.REACHED


def test_barriers_turns_and_migration() -> None:
    machine = load_machine("two-node")
    program = (Access("r", 0), Access("w", 1), Access("r", 1, node=1, extra_core_time_ns=20.0), Access("w", 0, barrier=0))
    halves = (TimeSlice(1000.0, 0.0, 450.0), TimeSlice(1000.0, 500.0, 450.0))
    shared = [ThreadSpec(1, 1, (Access("r", home),), time_slice=turn) for home, turn in enumerate(halves)]
    workload = Workload((ThreadSpec(0, 0, program), ThreadSpec(0, 1, (Access("r", 1), Access("r", 0, barrier=0))), *shared))
    plan = lower(machine, workload)
    assert compare(plan, [200] * 4, 5_000) is Stop.REACHED


def test_a_barrier_that_never_opens() -> None:
    waits = ThreadSpec(0, 0, (Access("r", 0, barrier=0),))
    ended = ThreadSpec(0, 1, (Access("r", 0, barrier=0),), repeat=False)
    plan = lower(load_machine("two-node"), Workload((waits, ended)))
    assert compare(plan, [5, 1], 1000) is Stop.EXHAUSTED


def test_core_times_far_beyond_the_wheel() -> None:
    """Events a millisecond apart beside events a nanosecond apart."""
    slow = ThreadSpec(0, 0, (Access("r", 1),), core_time_ns=1e6, window=3)
    quick = ThreadSpec(1, 0, (Access("w", 0),), background=True)
    plan = lower(load_machine("two-node"), Workload((slow, quick)))
    assert compare(plan, [6, 0], 1 << 20) is Stop.REACHED


def test_a_rate_within_time_slices() -> None:
    turn = TimeSlice(1000.0, 0.0, 400.0)
    thread = ThreadSpec(0, 0, (Access("w", 1),), rate_gb_per_s=0.5, window=2, time_slice=turn)
    plan = lower(load_machine("two-node"), Workload((thread,)))
    assert compare(plan, [60], 300) is Stop.REACHED
