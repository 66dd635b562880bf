"""Lines handed in while the engine runs: the portions they come in change nothing, and both engines agree to the last integer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from simulator import load_machine
from simulator.engine.compiled import CompiledEngine
from simulator.engine.interface import Engine, EngineError, Snapshot, Stop
from simulator.engine.lower import lower
from simulator.engine.plan import CACHED, NONE, Plan
from simulator.engine.simpy_engine import SimpyEngine
from simulator.engine.supply import FedEngine, Lines, LineTable, Rows
from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.workload import Access, HandedIn, ThreadSpec, Workload
from tests.oracle.machines import round_machine

Build = Callable[[Plan], Engine]
ENGINES = [SimpyEngine, CompiledEngine]
PORTION = 4000


def random_lines(count: int, seed: int, memories: int, barrier_every: int = 0) -> Lines:
    random = np.random.default_rng(seed)
    barrier = np.full(count, NONE)
    if barrier_every:
        barrier[::barrier_every] = 0
    return Lines(
        home=random.integers(0, memories, count),
        victim_home=np.where(random.random(count) < 0.4, random.integers(0, memories, count), NONE),
        writes=random.random(count) < 0.5,
        dependent=random.random(count) < 0.2,
        barrier=barrier,
        compute_ps=random.integers(0, 50_000, count),
        shared=np.where(random.random(count) < 0.1, CACHED, NONE),
        lock=np.zeros(count, np.int64),
    )


def same_lines(count: int, **changes: object) -> Lines:
    columns: dict[str, object] = {
        "home": np.zeros(count, np.int64),
        "victim_home": np.full(count, NONE),
        "writes": np.zeros(count, bool),
        "dependent": np.zeros(count, bool),
        "barrier": np.full(count, NONE),
        "compute_ps": np.zeros(count, np.int64),
        "shared": np.full(count, NONE),
        "lock": np.zeros(count, np.int64),
    }
    return Lines(**{**columns, **changes})  # type: ignore[arg-type]


def run_to_the_end(plan: Plan, build: Build, lines: dict[int, Lines], portion: int = PORTION) -> tuple[Snapshot, FedEngine]:
    """Hand in the lines of each thread in portions and run until the last is complete."""
    tables = {thread: LineTable(plan, thread, alone=1 + place) for place, thread in enumerate(lines)}
    at = dict.fromkeys(lines, 0)

    def feed(thread: int, room: int) -> tuple[Rows, bool]:
        first, total = at[thread], len(lines[thread])
        end = at[thread] = min(first + min(room, portion), total)
        return tables[thread].rows(lines[thread].part(first, end)), end == total

    engine = FedEngine(build(plan), feed)
    targets = [len(lines[thread]) if thread in lines else 0 for thread in range(len(plan.threads.label))]
    while (stop := engine.advance(targets, 50_000)) is Stop.BUDGET:
        pass
    assert stop is Stop.REACHED
    return engine.snapshot(), engine


def two_supplied(machine: Machine) -> Plan:
    threads = (
        ThreadSpec(0, 0, (), handed_in=HandedIn((0, 1))),
        ThreadSpec(1, 0, (), handed_in=HandedIn((0, 2))),
        ThreadSpec(2, 0, (Access("w", 1, compute_ns=30.0),)),
    )
    return lower(machine, Workload(threads))


class TestPortions:
    LINES = {thread: random_lines(6000, thread, 4, barrier_every=500) for thread in (0, 1)}

    @pytest.mark.parametrize("portion", [1, 13, 999])
    def test_change_nothing(self, portion: int) -> None:
        plan = two_supplied(load_machine("quartet"))
        whole, _ = run_to_the_end(plan, CompiledEngine, self.LINES)
        assert run_to_the_end(plan, CompiledEngine, self.LINES, portion)[0] == whole
        assert whole.thread_lines[:2] == (6000, 6000)

    def test_engines_are_equal(self) -> None:
        plan = two_supplied(load_machine("quartet"))
        lines = {thread: lines.part(0, 1500) for thread, lines in self.LINES.items()}
        one, other = (run_to_the_end(plan, build, lines, portion=70) for build in ENGINES)
        assert one[0] == other[0]
        assert one[1].wait_state() == other[1].wait_state()


@pytest.mark.parametrize("build", ENGINES)
class TestAgainstAProgram:
    """Lines handed in do what the same lines of a program do."""

    MACHINE = without_jitter(load_machine("quartet"))

    def test_reads_and_writes(self, build: Build) -> None:
        homes = np.array([0, 1, 2, 3, 3] * 60)
        handed = lower(self.MACHINE, Workload((ThreadSpec(0, 0, (), handed_in=HandedIn((1,))),)))
        lines = same_lines(300, home=homes, victim_home=homes, writes=np.ones(300, bool), compute_ps=np.full(300, 21_000))
        accesses = tuple(Access("w", int(home), compute_ns=21.0) for home in homes)
        known = lower(self.MACHINE, Workload((ThreadSpec(0, 0, accesses, repeat=False),)))
        engine = build(known)
        assert engine.advance([300], 10**9) is Stop.REACHED
        got, wanted = run_to_the_end(handed, build, {0: lines})[0], engine.snapshot()
        assert sorted(got.path_lines) == [0] * 4 + sorted(wanted.path_lines)
        assert replace(got, path_lines=(), path_parts_ps=()) == replace(wanted, path_lines=(), path_parts_ps=())

    def test_dependent_lines_take_their_latency(self, build: Build) -> None:
        """One after the other, without core time: the latency of an idle machine each, and what is computed between."""
        machine = round_machine([0, 1], [(0, 1)])
        plan = lower(machine, Workload((ThreadSpec(0, 0, (), handed_in=HandedIn((1,))),)))
        chase = same_lines(40, home=np.array([0, 1] * 20), dependent=np.ones(40, bool), compute_ps=np.full(40, 5_000))
        watched = run_to_the_end(plan, build, {0: chase})[0]
        lone = [
            run_to_the_end(plan, build, {0: same_lines(1, home=np.array([home]), dependent=np.ones(1, bool))})[0].time_ps
            for home in (0, 1)
        ]
        assert watched.thread_latency_ps[0] == pytest.approx(20 * sum(lone), rel=1e-3)  # a SrcDone may be in the way

    def test_a_thread_without_lines_is_done(self, build: Build) -> None:
        plan = lower(self.MACHINE, Workload((ThreadSpec(0, 0, (), handed_in=HandedIn((1,))),)))
        engine = FedEngine(build(plan), lambda thread, room: (np.zeros((0, 8), np.int64), True))
        assert engine.advance([1], 100) is Stop.REACHED

    def test_a_feed_that_gives_nothing_is_a_defect(self, build: Build) -> None:
        plan = lower(self.MACHINE, Workload((ThreadSpec(0, 0, (), handed_in=HandedIn((1,))),)))
        engine = FedEngine(build(plan), lambda thread, room: (np.zeros((0, 8), np.int64), False))
        with pytest.raises(EngineError, match="no lines"):
            engine.advance([1], 100)


@pytest.mark.parametrize("build", ENGINES)
def test_a_core_computes_on_one_line_at_a_time(build: Build) -> None:
    """Four lines in flight, 100 ns of computing on each: one line every 100 ns, however short the latency."""
    machine = round_machine([0], overrides=["core.max_outstanding=8"])
    engine = build(lower(machine, Workload((ThreadSpec(0, 0, (Access("r", 0, compute_ns=100.0),), window=4),))))
    times = []
    for lines in (100, 200):
        engine.advance([lines], 10**9)
        times.append(engine.snapshot().thread_last_ps[0])
    assert times[1] - times[0] == 100 * 100_000
