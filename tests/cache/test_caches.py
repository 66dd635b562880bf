"""The cache model: the same lines, victims and times as its slow double, as worked by hand, and as must be."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from simulator import load_machine
from simulator.cache import CoreCaches, LineChunk, NodeCaches, core_caches
from simulator.errors import InputError
from simulator.machine.spec import CachesSpec
from simulator.traces import AccessChunk, access_chunk
from tests.cache.oracle import Fill, Node, to_millionths

K8 = load_machine("quartet").caches
assert K8 is not None
LINES_OF_L1, LINES_OF_L2 = K8.l1.size_kib * 16, K8.l2.size_kib * 16
CLOCK_GHZ = 2.5
ODD_CLOCK_GHZ = 2.3  # its cycle is no whole number of ps


def tiny(l2_policy: str = "exclusive", l3_policy: str | None = None, **values: Any) -> CachesSpec:
    """Caches of a few sets, so that everything happens soon: L1 of 8 sets, L2 of 8, L3 of 6 sets of different ways."""
    l3 = {"size_kib": 3, "ways": 8, "hit_cycles": 30.3, "policy": l3_policy} if l3_policy else None
    table = {
        "line_bytes": 64,
        "l1": {"size_kib": 1, "ways": 2, "hit_cycles": 3.0},
        "l2": {"size_kib": 2, "ways": 4, "hit_cycles": 12.0, "policy": l2_policy},
        "l3": l3,
        "exposed_share": 0.4,
        "cycles_per_instruction": 0.7,
        "source": "test",
    }
    return CachesSpec.model_validate({**table, **values})


def fills(chunk: LineChunk) -> list[Fill]:
    columns = (chunk.line_address, chunk.is_write, chunk.victim_address, chunk.has_victim, chunk.compute_ps)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    assert not chunk.victim_address[~chunk.has_victim].any()
    return [Fill(address, write, victim if has else None, time) for address, write, victim, has, time in rows]


def addresses(chunk: LineChunk) -> list[int]:
    return (chunk.line_address // 64).tolist()


def random_chunk(rng: np.random.Generator, count: int, unit: Any) -> AccessChunk:
    """Accesses of which some hit everywhere: near ones, far ones, some at the end of the address space."""
    near = rng.integers(0, 64 * 64, count)
    far = rng.integers(0, 64 * 400, count)
    address = np.where(rng.random(count) < 0.6, near, far).astype(np.uint64)
    address = np.where(rng.random(count) < 0.02, np.uint64(2**64 - 64 * 100) + address % np.uint64(64 * 50), address)
    write = rng.random(count) < 0.4
    size = rng.choice([1, 4, 8, 16, 64, 200], count)
    return access_chunk(
        address, write, rng.integers(0, 50, count), size_bytes=size, is_modify=write & (rng.random(count) < 0.3), unit=unit
    )


def oracle_ps(spec: CachesSpec, unit: str, before: int) -> Fraction:
    cycle = Fraction(1000) / Fraction(str(ODD_CLOCK_GHZ))
    per_instruction = to_millionths(Fraction(str(spec.cycles_per_instruction)) * cycle)
    return before * (per_instruction if unit == "instructions" else Fraction(1))


@pytest.mark.parametrize("l2_policy", ["exclusive", "non-inclusive"])
@pytest.mark.parametrize("l3_policy", [None, "victim", "inclusive"])
@pytest.mark.parametrize("unit", ["instructions", "compute_ps"])
def test_random_accesses_give_what_the_slow_double_gives(l2_policy: str, l3_policy: str | None, unit: str) -> None:
    """Three cores take turns at random, in chunks of random lengths; every fill, victim, time and count is the same."""
    spec = tiny(l2_policy, l3_policy)
    rng = np.random.default_rng([17, len(l2_policy), len(l3_policy or ""), len(unit)])
    node, double = NodeCaches(spec, ODD_CLOCK_GHZ, 3), Node(spec, ODD_CLOCK_GHZ, 3)
    seen = 0
    for _ in range(60):
        index = int(rng.integers(3))
        chunk = random_chunk(rng, int(rng.integers(0, 120)), unit)
        expected: list[Fill] = []
        columns = (chunk.address, chunk.size_bytes, chunk.is_write, chunk.is_modify, chunk.before)
        for address, size, write, modify, before in zip(*(column.tolist() for column in columns), strict=True):
            expected += double.cores[index].access(address, size, write, modify, oracle_ps(spec, unit, before))
        assert fills(node.cores[index].run(chunk)) == expected
        seen += sum(fill.victim is not None for fill in expected)
    assert seen > 100
    for core, other in zip(node.cores, double.cores, strict=True):
        counts = core.counts
        assert [counts.l1_hits, counts.l2_hits, counts.l3_hits] == [other.hits[level] for level in (1, 2, 3)]
        assert counts.victims == other.victims
        assert counts.accesses == counts.l1_hits + counts.l2_hits + counts.l3_hits + counts.fills
        leftover = core.flush()
        assert sorted(set(leftover.dirty_address.tolist())) == sorted(set(other.leftover()))
        assert leftover.compute_ps == int(other.time_ps)
    assert (
        node.flush().tolist() == [64 * line for line in sorted(double.l3.dirty_lines())] if double.l3 else not len(node.flush())
    )


def test_by_hand_the_victims_of_two_ways() -> None:
    """Lines 0, 8, 16 share a set of the L1 (2 ways) and one of the L2: the third drives the first out into the L2."""
    core = core_caches(tiny(), CLOCK_GHZ)
    line = 64
    chunk = access_chunk([0 * line, 8 * line, 16 * line, 0 * line, 8 * line], [True, False, False, False, True])
    assert fills(core.run(chunk)) == [Fill(0, True, None, 0), Fill(512, False, None, 0), Fill(1024, False, None, 0)]
    counts = core.counts
    assert (counts.l1_hits, counts.l2_hits, counts.fills, counts.store_fills, counts.victims) == (0, 2, 3, 1, 0)
    assert core.flush().dirty_address.tolist() == [0, 512]


def test_by_hand_a_victim_reaches_memory_with_the_fill_that_drives_it_out() -> None:
    """A set of the L1 and one of the L2 hold 2 + 4 lines; the seventh line drives the first one out, which is dirty."""
    core = core_caches(tiny(), CLOCK_GHZ)
    chunk = access_chunk([512 * index for index in range(8)], [True] + [False] * 7)
    assert [(fill.address, fill.victim) for fill in fills(core.run(chunk))][6:] == [(6 * 512, 0), (7 * 512, None)]


def test_by_hand_a_victim_without_a_fill_goes_with_the_next_one() -> None:
    """L1 of 8 sets, L2 of 16: a hit in set 0 of the L2 lets the L1 drive line 40 into set 8, and that drives dirty line 8 out."""
    core = core_caches(tiny(l2={"size_kib": 2, "ways": 2, "hit_cycles": 12.0, "policy": "exclusive"}), CLOCK_GHZ)
    lines = [0, 16, 8, 24, 40, 56]
    core.run(access_chunk([64 * line for line in lines], [line in (8, 24) for line in lines]))
    assert core.counts.victims == 0
    assert not len(core.run(access_chunk([0])))
    assert (core.counts.l2_hits, core.counts.victims) == (1, 1)
    assert fills(core.run(access_chunk([64, 128]))) == [Fill(64, False, 8 * 64, 1440), Fill(128, False, None, 0)]
    assert core.flush().dirty_address.tolist() == [24 * 64]


def test_by_hand_what_waits_at_the_end_is_left_over_first() -> None:
    core = core_caches(tiny(l2={"size_kib": 2, "ways": 2, "hit_cycles": 12.0, "policy": "exclusive"}), CLOCK_GHZ)
    lines = [0, 16, 24, 8, 40, 56, 0]
    core.run(access_chunk([64 * line for line in lines], [line in (8, 24) for line in lines]))
    assert core.flush().dirty_address.tolist() == [24 * 64, 8 * 64]
    assert not len(core.flush().dirty_address)


def test_the_ring_keeps_the_order_of_victims_that_wait() -> None:
    """Lines that leave without a fill wait; each later fill takes the oldest of them along, and none is lost."""
    spec = tiny()
    rng = np.random.default_rng(5)
    core, total = core_caches(spec, CLOCK_GHZ), 0
    for _ in range(40):
        chunk = core.run(access_chunk(64 * rng.integers(0, 60, 50), rng.random(50) < 0.9))
        total += int(chunk.has_victim.sum())
    waiting = core.counts.victims - total
    held = len(core.flush().dirty_address) - waiting
    assert 0 <= waiting < LINES_OF_L1
    assert 0 < held <= spec.l1.size_kib * 16 + spec.l2.size_kib * 16


def test_a_stream_is_one_fill_a_line() -> None:
    core = core_caches(K8, CLOCK_GHZ)
    lines = 50_000
    chunk = core.run(access_chunk(np.arange(lines * 8) * 8))
    assert addresses(chunk) == list(range(lines))
    assert not chunk.has_victim.any()
    assert core.counts.l1_hits == lines * 7


def test_a_stream_of_stores_writes_one_line_back_for_each_it_fetches() -> None:
    """In the steady state, once L1 and L2 are full of dirty lines; oldest first."""
    core = core_caches(K8, CLOCK_GHZ)
    full = LINES_OF_L1 + LINES_OF_L2
    chunk = core.run(access_chunk(np.arange(3 * full) * 64, True))
    assert chunk.is_write.all()
    assert not chunk.has_victim[:full].any()
    assert chunk.has_victim[full:].all()
    assert (chunk.victim_address[full:] // 64).tolist() == list(range(2 * full))
    assert len(core.flush().dirty_address) == full


def test_an_array_in_the_l2_is_fetched_once() -> None:
    core = core_caches(K8, CLOCK_GHZ)
    array = access_chunk(np.arange(LINES_OF_L2) * 64)
    assert len(core.run(array)) == LINES_OF_L2
    assert len(core.run(array)) == 0
    assert core.counts.l2_hits == LINES_OF_L2


@pytest.mark.parametrize(("extra", "misses"), [(0, False), (1, True)])
def test_an_exclusive_l2_adds_to_the_l1(extra: int, misses: bool) -> None:
    """An array of L1 + L2 stays whole on every further pass; a line more in a set, and least recently used thrashes it."""
    core = core_caches(K8, CLOCK_GHZ)
    array = access_chunk(np.arange(LINES_OF_L1 + LINES_OF_L2 + extra) * 64)
    core.run(array)
    assert bool(len(core.run(array))) is misses


def test_a_non_inclusive_l2_holds_copies() -> None:
    """The L1 adds nothing: an array of L1 + L2 does not stay, one of L2 does."""
    spec = K8.model_copy(update={"l2": K8.l2.model_copy(update={"policy": "non-inclusive"})})
    for lines, stays in ((LINES_OF_L2, True), (LINES_OF_L1 + LINES_OF_L2, False)):
        core = core_caches(spec, CLOCK_GHZ)
        core.run(access_chunk(np.arange(lines) * 64))
        assert (len(core.run(access_chunk(np.arange(lines) * 64))) == 0) is stays


def test_three_lines_of_one_set_thrash_two_ways() -> None:
    """The L1 never hits, the L2 always does; two lines of one set always hit the L1."""
    apart = K8.l1.size_kib * 1024 // K8.l1.ways
    for lines, l1_hits in ((2, 198), (3, 0)):
        core = core_caches(K8, CLOCK_GHZ)
        core.run(access_chunk([index % lines * apart for index in range(200 if lines == 2 else 300)]))
        assert core.counts.l1_hits == l1_hits
        assert core.counts.fills == lines


def test_an_inclusive_l3_takes_lines_out_of_every_core() -> None:
    """A core keeps its line in the L1 only as long as the L3 does; its dirty line goes to memory with another core's fill."""
    node = NodeCaches(tiny(l3_policy="inclusive"), CLOCK_GHZ, 2)
    node.cores[0].run(access_chunk([0], True))
    chunk = node.cores[1].run(access_chunk(np.arange(1, 9) * 6 * 64))  # set 0 of 6 sets of 8 ways
    assert chunk.victim_address[chunk.has_victim].tolist() == [0]
    assert addresses(node.cores[0].run(access_chunk([0]))) == [0]
    assert fills(chunk)[-1].victim == 0


def test_a_victim_l3_gives_its_line_to_the_core_that_wants_it() -> None:
    node = NodeCaches(tiny(l3_policy="victim"), CLOCK_GHZ, 2)
    node.cores[0].run(access_chunk(np.arange(7) * 512))  # 6 lines fit in a set of L1 and L2: line 0 goes to the L3
    assert len(node.cores[1].run(access_chunk([0]))) == 0
    assert node.cores[1].counts.l3_hits == 1
    assert len(node.cores[0].run(access_chunk([0]))) == 1


def test_a_load_and_store_fetches_to_read_and_leaves_the_line_dirty() -> None:
    core = core_caches(K8, CLOCK_GHZ)
    assert fills(core.run(access_chunk([64], is_modify=True))) == [Fill(64, False, None, 0)]
    assert core.flush().dirty_address.tolist() == [64]


def test_an_access_across_lines_touches_each() -> None:
    core = core_caches(K8, CLOCK_GHZ)
    assert fills(core.run(access_chunk([60, 2**64 - 1], before=7, size_bytes=[130, 1]))) == [
        Fill(0, False, None, 7),
        Fill(64, False, None, 0),
        Fill(128, False, None, 0),
        Fill(2**64 - 64, False, None, 7),
    ]


def test_instructions_take_the_cycles_they_are_said_to_take() -> None:
    """Thousands of 0.28 ns: the sum is exact, whatever the chunks; a hit in the L2 costs a load 40 % of 9 cycles of 0.4 ns."""
    core = core_caches(tiny(), CLOCK_GHZ)
    for _ in range(1001):
        core.run(access_chunk([0], before=3, unit="instructions"))
    (fill,) = fills(core.run(access_chunk([6400], before=1, unit="instructions")))
    first = 3 * 280
    assert fill.compute_ps == (3 * 1001 + 1) * 280 - first
    core.run(access_chunk([512 * index for index in range(1, 4)]))
    core.run(access_chunk([0]))
    assert core.counts.l2_hits == 1
    assert core.flush().compute_ps == 1440


def test_time_that_is_taken_does_not_come_again() -> None:
    core = core_caches(K8, 2.0)
    core.run(access_chunk([0, 8], before=[1, 20]))
    assert core.take_time_ps() == 20
    assert core.take_time_ps() == 0
    assert fills(core.run(access_chunk([64], before=5)))[0].compute_ps == 5


def test_stores_wait_for_no_hit_and_recorded_times_hold_the_waiting() -> None:
    for write, unit, expected in ((True, "compute_ps", 3), (False, "time_ns", 3000), (False, "compute_ps", 1443)):
        core = core_caches(tiny(), CLOCK_GHZ)
        core.run(access_chunk([512 * index for index in range(4)]))
        core.run(access_chunk([0], write, before=3, unit=unit))
        assert core.counts.l2_hits == 1
        assert core.flush().compute_ps == expected


def test_own_cycles_per_instruction() -> None:
    core = core_caches(K8, 2.0, cycles_per_instruction=3.0)
    assert fills(core.run(access_chunk([0], before=2, unit="instructions")))[0].compute_ps == 3000
    with pytest.raises(InputError, match=r"cycles_per_instruction: is out of range \(got -1\); allowed: above 0 to 1000"):
        core_caches(K8, 2.0, cycles_per_instruction=-1)


def test_a_time_beyond_all_measure_is_refused() -> None:
    core = core_caches(K8, 2.0)
    with pytest.raises(InputError, match="time_ns: an access comes too long after the one before it"):
        core.run(access_chunk([0], before=2**62, unit="time_ns"))
    assert isinstance(core, CoreCaches)
    assert len(core.run(access_chunk([0]))) == 1


def test_chunks_of_any_length_give_the_same() -> None:
    rng = np.random.default_rng(3)
    whole = random_chunk(rng, 3000, "instructions")
    expected = fills(core_caches(tiny(), CLOCK_GHZ).run(whole))
    core = core_caches(tiny(), CLOCK_GHZ)
    parts = [fills(core.run(whole.part(slice(start, start + 7)))) for start in range(0, 3000, 7)]
    assert [fill for part in parts for fill in part] == expected


def test_the_machine_says_what_the_caches_are() -> None:
    assert (K8.l1.size_kib, K8.l1.ways, K8.l2.size_kib, K8.l2.ways, K8.l2.policy, K8.l3) == (64, 2, 1024, 16, "exclusive", None)
    with pytest.raises(
        InputError, match=r"caches\.l1\.size_kib: is no whole number of sets \(got 1\); allowed: a multiple of 3 ways"
    ):
        load_machine("quartet", ["caches.l1.ways=3", "caches.l1.size_kib=1"])
