"""The compiled engine is the simpy engine: every counter, time and queue statistic, to the last integer, at every look."""

from __future__ import annotations

from collections import Counter
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
from simulator.machine.variants import with_nodes
from simulator.workload import Access, Arrivals, ThreadSpec, TimeSlice, Workload
from tests.engine.seeded_systems import seeded_ring, seeded_system
from tests.oracle.random_systems import System, systems

EQUAL = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
SYSTEMS, FEWEST_MACHINES = 240, 200
RINGS = 60
MOST_LOOKS = 400
FEATURES = {  # fewest of the systems with each
    "a node without memory": 100,
    "a node without cores": 60,
    "parallel links": 30,
    "links of two rates": 100,
    "many credits": 30,
    "one credit": 30,
    "a barrier": 60,
    "time slices": 30,
    "random arrivals": 30,
    "even arrivals": 30,
    "random service": 30,
    "a rate": 60,
    "background": 60,
    "sixteen threads": 10,
    "one thread": 10,
}


def compare(plan: Plan, targets: list[int], stride: int) -> Stop:
    """Run both engines side by side, `stride` events at a time, and compare all there is to see at each look.

    The run must reach its targets, unless packets are deadlocked or a barrier never opens.
    """
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
    for path, lines in enumerate(one.snapshot().path_lines):
        assert list(one.path_histogram(path)) == list(other.path_histogram(path))
        assert sum(one.path_histogram(path)) == lines
    state = one.wait_state()
    assert stop is Stop.REACHED or deadlocked(state) or closed_barriers(state)
    return stop


def _seen(engine: Engine) -> tuple[Snapshot, object]:
    return engine.snapshot(), _comparable(engine.wait_state())


def _comparable(state: WaitState) -> object:
    """Units of a pool have no order; what is made of them must be equal too."""
    kept = {pool: sorted(sorted(unit) for unit in units) for pool, units in state.kept_by.items()}
    stuck = deadlocked(state)
    return state.waiting, state.free, kept, state.members, stuck, wait_cycle(state, stuck), closed_barriers(state)


@pytest.mark.parametrize("number", range(SYSTEMS))
def test_seeded_systems(number: int) -> None:
    plan = seeded_system(number).plan()
    compare(plan, list(plan.threads.count), stride=300 + 97 * (number % 37))


def test_what_the_seeded_systems_cover() -> None:
    drawn = [seeded_system(number) for number in range(SYSTEMS)]
    machines = {system.machine.model_dump_json() for system in drawn}
    assert len(machines) >= FEWEST_MACHINES
    assert {len(system.machine.nodes) for system in drawn} == set(range(1, 9))
    assert {len(system.workload.threads) for system in drawn} == set(range(1, 17))
    features = Counter(feature for system in drawn for feature in system.features())
    assert {name: features[name] for name, fewest in FEATURES.items() if features[name] < fewest} == {}
    assert features.keys() == FEATURES.keys()


@given(systems(), st.integers(1, 5), st.integers(300, 4000))
@EQUAL
def test_random_machines_and_programs(system: System, seed: int, stride: int) -> None:
    """The same with machines that hypothesis draws: it looks for small ones where there is a difference."""
    plan = lower(system.machine, Workload(system.threads), seed)
    event(f"{len(system.machine.nodes)} nodes, {len(system.threads)} threads")
    compare(plan, list(plan.threads.count), stride)


@given(systems(), st.integers(2000, 9000))
@settings(EQUAL, max_examples=40)
def test_threads_that_go_on_for_ever(system: System, stride: int) -> None:
    """All reach their 20 lines, though others may be far beyond by then; a machine that stands still must be deadlocked."""
    endless = Workload(tuple(replace(thread, repeat=True) for thread in system.threads))
    plan = lower(_fair(system.machine), endless)
    event(compare(plan, [0 if background else 20 for background in plan.threads.background], stride).name)


def _fair(machine: Machine) -> Machine:
    """Let channels take turns where nobody is probed: under strict priority data can fill a link and shut requests out for ever.

    With probes they cannot: a reader waits for answers, and probes give way to data too.
    """
    if machine.coherence.protocol == "snooped":
        return machine
    return with_nodes(
        machine,
        lambda node: node.model_copy(update={"crossbar": node.crossbar.model_copy(update={"arbitration": "round-robin"})}),
    )


def test_rings_that_may_deadlock() -> None:
    """Some run to their end and some deadlock, with the same packets in the same places."""
    outcomes: Counter[Stop] = Counter()
    for number in range(RINGS):
        plan = seeded_ring(number).plan()
        outcomes[compare(plan, list(plan.threads.count), 500)] += 1
    assert min(outcomes[Stop.REACHED], outcomes[Stop.EXHAUSTED]) >= RINGS // 6
    assert outcomes.total() == outcomes[Stop.REACHED] + outcomes[Stop.EXHAUSTED]


@pytest.mark.parametrize("name", list_machines())
def test_every_shipped_machine_with_mixed_placements(name: str) -> None:
    machine = load_machine(name)
    plan = lower(machine, Workload(tuple(_mixed_threads(machine))))
    lines = min(400, 1600 // len(plan.threads.label))
    assert compare(plan, [0 if background else lines for background in plan.threads.background], 20_000) is Stop.REACHED


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
