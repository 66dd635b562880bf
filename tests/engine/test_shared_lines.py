"""Lines that several threads use, and locks of the whole fabric: who waits for whom, and both engines to the last integer."""

from __future__ import annotations

from random import Random

import pytest

from simulator import Accuracy, InputError, load_machine, run
from simulator.engine.compiled import CompiledEngine
from simulator.engine.interface import Engine, Stop
from simulator.engine.lower import lower
from simulator.engine.plan import Part, Plan
from simulator.engine.simpy_engine import SimpyEngine
from simulator.protocol.packets import OWNER_RESPONSE
from simulator.workload import Access, ThreadSpec, Workload, check_workload
from tests.oracle.machines import round_machine

QUARTET = load_machine("quartet")
ENGINES = [SimpyEngine, CompiledEngine]


def random_workload(seed: int) -> Workload:
    """Threads on random cores that read and write private and shared lines; some lock the fabric."""
    random = Random(seed)
    places = random.sample([(node, core) for node in range(4) for core in range(2)], random.randint(2, 8))
    homes = [random.randrange(4) for _ in range(3)]
    threads = []
    for node, core in places:
        accesses = []
        for _ in range(random.randint(1, 6)):
            shared = random.choice([None, 0, 1, 2])
            home = random.randrange(4) if shared is None else homes[shared]
            accesses.append(Access(random.choice("rw"), home, shared=shared, compute_ns=random.choice([0.0, 40.0])))
        if random.random() < 0.3:
            accesses += [Access("w", 0, lock=1), *[Access("r", 1)] * random.randint(0, 2), Access("w", 1, lock=2)]
        if random.random() < 0.2:
            accesses.append(Access("r", 2, lock=3))
        threads.append(ThreadSpec(node, core, tuple(accesses), window=random.randint(1, 4), repeat=random.random() < 0.7))
    return Workload(tuple(threads))


@pytest.mark.parametrize("seed", range(40))
def test_engines_are_equal(seed: int) -> None:
    plan = lower(QUARTET, random_workload(seed), seed)
    engines = [build(plan) for build in ENGINES]
    targets = [10**6] * len(plan.threads.label)
    for _ in range(25):
        stops = [engine.advance(targets, 409) for engine in engines]
        assert stops[0] is stops[1]
        assert engines[0].snapshot() == engines[1].snapshot()


def _sent(plan: Plan, engine: Engine, kind: str) -> int:
    """Packets of a kind that set out: each leaves its node by the SRI."""
    column = plan.kind_name.index(kind)
    sent = engine.snapshot().port_sent
    return sum(row[column] for name, row in zip(plan.ports.name, sent, strict=True) if name.startswith("link "))


class TestOwnership:
    MACHINE = round_machine([0, 1, 2], [(0, 1), (1, 2)], core={"core_time_ns": 0.0, "jitter_ns": 0.0, "write_extra_ns": 0.0})

    def _run(self, *threads: ThreadSpec) -> tuple[Plan, Engine]:
        plan = lower(self.MACHINE, Workload(threads))
        engine = SimpyEngine(plan)
        assert engine.advance([10**6] * len(threads), 10**7) is Stop.REACHED
        return plan, engine

    def test_one_thread_writes_its_own_cache(self) -> None:
        """The first write fetches the line; the other 99 need nobody."""
        writes = ThreadSpec(0, 0, (Access("w", 1, shared=0),) * 100, window=1, repeat=False)
        _, engine = self._run(writes)
        _, lone = self._run(ThreadSpec(0, 0, (Access("w", 1, shared=0),), window=1, repeat=False))
        assert engine.snapshot().thread_lines == (100,)
        assert engine.snapshot().thread_latency_ps == lone.snapshot().thread_latency_ps

    def test_a_modified_line_comes_from_its_owner(self) -> None:
        """Node 0 writes, node 2 reads much later: one line comes over both links from the cache, none from memory of node 1."""
        writer = ThreadSpec(0, 0, (Access("w", 1, shared=0),), repeat=False)
        reader = ThreadSpec(2, 0, (Access("r", 1, shared=0),), start_ns=5000.0, repeat=False)
        plan, engine = self._run(writer, reader)
        assert _sent(plan, engine, OWNER_RESPONSE.name) == 2  # hops from node 0 to node 2
        assert _sent(plan, engine, "RdResponse") == 1  # memory of node 1 to the writer

    def test_readers_keep_their_copies(self) -> None:
        reads = [ThreadSpec(node, 0, (Access("r", 1, shared=0),) * 50, window=1, repeat=False) for node in range(3)]
        plan, engine = self._run(*reads)
        column = plan.kind_name.index("RdBlk")
        sent = zip(plan.ports.name, engine.snapshot().port_sent, strict=True)
        assert sum(row[column] for name, row in sent if name.endswith("DRAM")) == 3

    def test_a_write_takes_the_copies_away(self) -> None:
        reader = ThreadSpec(2, 0, (Access("r", 1, shared=0, compute_ns=1000.0),) * 10, window=1, repeat=False)
        writer = ThreadSpec(0, 0, (Access("w", 1, shared=0, compute_ns=2100.0),) * 5, window=1, repeat=False)
        plan, engine = self._run(reader, writer)
        assert _sent(plan, engine, OWNER_RESPONSE.name) > 2 * 4

    def test_the_home_takes_one_transaction_of_a_line_at_a_time(self) -> None:
        writers = [ThreadSpec(node, 0, (Access("w", 1, shared=0),), window=1, repeat=False) for node in range(3)]
        plan, engine = self._run(*writers)
        parts = [row[Part.SHARED_LINE] for row in engine.snapshot().path_parts_ps]
        assert sorted(part > 0 for part in parts) == [False, True, True]
        assert max(parts) > min(part for part in parts if part)

    def test_a_line_has_one_home(self) -> None:
        with pytest.raises(InputError, match="two homes"):
            check_workload(
                QUARTET, Workload((ThreadSpec(0, 0, (Access("r", 0, shared=1),)), ThreadSpec(1, 0, (Access("r", 1, shared=1),))))
            )


def test_false_sharing_costs() -> None:
    """Four writers of one line take it from each other; each with a line of its own finds it in its cache."""
    accuracy = Accuracy(lines=4000, ci_percent=2.0)

    def time_ns(lines: list[int]) -> float:
        threads = (ThreadSpec(node, 0, (Access("w", 0, shared=line),), window=1) for node, line in enumerate(lines))
        times = [thread.time_per_line_ns for thread in run(QUARTET, Workload(tuple(threads)), accuracy).threads]
        return sum(time for time in times if time is not None) / len(times)

    assert time_ns([0, 0, 0, 0]) > 1.5 * time_ns([0, 1, 2, 3])


class TestLock:
    @staticmethod
    def _times(lock: bool) -> dict[str, float]:
        locked = (Access("w", 0, lock=1), Access("w", 1, lock=2)) if lock else (Access("w", 0), Access("w", 1))
        threads = [ThreadSpec(0, 0, (*locked, Access("r", 0, compute_ns=400.0)), window=1)]
        threads += [ThreadSpec(node, 0, (Access("w", node),)) for node in range(1, 4)]
        result = run(QUARTET, Workload(tuple(threads)), Accuracy(lines=3000, ci_percent=2.0))
        return {thread.label: thread.time_per_line_ns or 0.0 for thread in result.threads}

    def test_stalls_threads_that_have_nothing_to_do_with_it(self) -> None:
        quiet, stalled = self._times(lock=False), self._times(lock=True)
        for label in ("1.0.w.1", "2.0.w.2", "3.0.w.3"):
            assert stalled[label] > 1.2 * quiet[label]

    def test_nothing_else_is_under_way_meanwhile(self) -> None:
        """The locked line finds an idle machine, however many others run."""
        machine = round_machine([0, 1], [(0, 1)])
        alone = SimpyEngine(lower(machine, Workload((ThreadSpec(0, 0, (Access("r", 1, lock=3),), window=1, repeat=False),))))
        alone.advance([1], 10**6)
        crowd = [ThreadSpec(1, core, (Access("w", 1),), window=1) for core in range(2)]
        locker = ThreadSpec(0, 0, (Access("r", 1, lock=3),), window=1, start_ns=900.0, repeat=False)
        plan = lower(machine, Workload((locker, *crowd)))
        engine = SimpyEngine(plan)
        assert engine.advance([1, 0, 0], 10**6) is Stop.REACHED
        evictions_apart = engine.snapshot().thread_latency_ps[0] - alone.snapshot().thread_latency_ps[0]
        assert 0 <= evictions_apart < 30_000  # lines of others are complete, their evictions may not be

    @pytest.mark.parametrize("locks", [(1,), (2,), (1, 1), (3, 2), (5,)])
    def test_must_be_given_back(self, locks: tuple[int, ...]) -> None:
        accesses = tuple(Access("r", 0, lock=lock) for lock in locks)
        with pytest.raises(InputError, match="lock"):
            check_workload(QUARTET, Workload((ThreadSpec(0, 0, accesses),)))
