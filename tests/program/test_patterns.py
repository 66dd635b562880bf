"""What a thread accesses: which lines, in which order, how written, with what computing between."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import InputError
from simulator.program import CHUNK_LINES
from simulator.program.orders import Chain, Random, Strided
from tests.program.workloads import lines, nodes, placed

ONE = [{"name": "w", "node": 0, "core": 0}]
TWO = [{"name": "w", "count": 2}]


def test_sequential_reads_its_part() -> None:
    found = placed({"pattern": "sequential", "array": "b"}, size=640, threads=TWO)
    assert [lines(found, thread) for thread in (0, 1)] == [
        [("b", n, "r") for n in range(5)],
        [("b", n, "r") for n in range(5, 10)],
    ]


def test_whole_repeat_and_lines() -> None:
    phase = {"pattern": "sequential", "array": "b", "division": "whole", "repeat": 2, "lines": 3}
    assert [line for _, line, _ in lines(placed(phase, size=256, threads=TWO), 1)] == [0, 1, 2, 0, 1, 2]
    wrapped = placed({**phase, "lines": 6, "repeat": 1}, size=256, threads=ONE)
    assert [line for _, line, _ in lines(wrapped)] == [0, 1, 2, 3, 0, 1]


def test_stride_takes_the_line_of_each_address() -> None:
    found = placed({"pattern": "stride", "array": "a", "stride_bytes": 200}, size=1024, threads=ONE)
    assert [line for _, line, _ in lines(found)] == [0, 3, 6, 9, 12, 15]


def test_writes_are_spread_evenly_and_their_share_is_exact() -> None:
    found = placed({"pattern": "sequential", "array": "a", "read_fraction": 0.6}, size=640, threads=ONE)
    assert "".join(mode for _, _, mode in lines(found)) == "rrwrwrrwrw"


def test_random_lines_differ_by_thread_iteration_and_seed_and_come_again() -> None:
    phase = {"pattern": "random", "array": "a", "division": "whole", "lines": 50}
    found = placed(phase, threads=TWO, iterations=2)
    draws = [tuple(chunk.address.tolist()) for thread in (0, 1) for chunk in found.chunks(thread)]
    assert len(set(draws)) == 4
    assert draws == [
        tuple(chunk.address.tolist()) for thread in (0, 1) for chunk in placed(phase, threads=TWO, iterations=2).chunks(thread)
    ]
    other = placed(phase, threads=TWO, iterations=2, seed=2)
    assert not set(draws) & {tuple(chunk.address.tolist()) for thread in (0, 1) for chunk in other.chunks(thread)}


def test_a_chain_is_walked_one_line_at_a_time_and_starts_elsewhere_for_each_thread() -> None:
    phase = {"pattern": "pointer-chase", "array": "a", "division": "whole"}
    found = placed(phase, size=64 * 1000, threads=TWO)
    first, second = ([line for _, line, _ in lines(found, thread)] for thread in (0, 1))
    assert sorted(first) == list(range(1000))
    assert second == first[500:] + first[:500]
    assert [chunk.window for chunk in found.chunks(0)] == [1]
    steps = np.abs(np.diff(first))
    assert 200 < steps.mean() < 470  # of a random permutation: a third of the range


@given(st.integers(1, 3000), st.integers(0, 2**64 - 1), st.integers(0, 5000))
def test_a_chain_is_a_permutation_and_any_part_of_it_can_be_made_alone(size: int, key: int, first: int) -> None:
    chain = Chain(4096, size, size, key)
    whole = chain.addresses(0, size)
    assert sorted(whole.tolist()) == [4096 + 64 * line for line in range(size)]
    assert chain.addresses(first, first + 10).tolist() == [int(whole[number % size]) for number in range(first, first + 10)]


def test_random_lines_are_evenly_likely() -> None:
    found = (Random(0, 16, 1, 7).addresses(0, 160_000) // 64).astype(int)
    counts = np.bincount(found, minlength=16)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 37.7  # chi squared, 15 degrees of freedom, one in a thousand


@given(
    order=st.one_of(
        st.builds(
            Strided, st.integers(0, 300).map(lambda n: 64 * n), st.integers(1, 400), st.integers(64, 9000), st.integers(1, 500)
        ),
        st.builds(Random, st.integers(0, 300).map(lambda n: 64 * n), st.integers(1, 400), st.just(1), st.integers(0, 9)),
        st.builds(Chain, st.integers(0, 300).map(lambda n: 64 * n), st.integers(1, 400), st.integers(1, 500), st.integers(0, 9)),
    ),
    accesses=st.integers(1, 700),
    most=st.integers(1, 300),
)
def test_first_touches_are_those_of_the_accesses(order: Any, accesses: int, most: int) -> None:
    seen: dict[int, int] = {}
    for number, address in enumerate(order.addresses(0, accesses).tolist()):
        seen.setdefault(address // 4096, number)
    numbers, addresses = order.first_touches(accesses, 4096, most)
    assert numbers.tolist() == sorted(seen.values())[:most]
    assert (addresses // np.uint64(4096)).tolist() == sorted(seen, key=lambda page: seen[page])[:most]


@pytest.mark.parametrize(
    ("kernel", "reads", "wanted"),
    [
        ("copy", ["a"], [("a", 0, "r"), ("c", 0, "w"), ("a", 1, "r"), ("c", 1, "w")]),
        ("scale", ["c"], [("c", 0, "r"), ("c", 0, "w"), ("c", 1, "r"), ("c", 1, "w")]),
        ("add", ["a", "b"], [("a", 0, "r"), ("b", 0, "r"), ("c", 0, "w"), ("a", 1, "r"), ("b", 1, "r"), ("c", 1, "w")]),
        ("triad", ["b", "a"], [("b", 0, "r"), ("a", 0, "r"), ("c", 0, "w"), ("b", 1, "r"), ("a", 1, "r"), ("c", 1, "w")]),
    ],
)
def test_streams_kernels(kernel: str, reads: list[str], wanted: list[tuple[str, int, str]]) -> None:
    found = placed({"pattern": kernel, "reads": reads, "writes": "c"}, size=128, threads=ONE)
    assert lines(found) == wanted


def test_a_mix_takes_its_streams_in_turn_and_the_first_sets_the_length() -> None:
    streams = [
        {"pattern": "sequential", "array": "a", "burst": 2},
        {"pattern": "sequential", "array": "b", "read_fraction": 0.0},
    ]
    found = placed({"pattern": "mix", "streams": streams, "lines": 5}, size=128, threads=ONE)
    assert lines(found) == [
        *(("a", 0, "r"), ("a", 1, "r"), ("b", 0, "w")),
        *(("a", 0, "r"), ("a", 1, "r"), ("b", 1, "w")),
        *(("a", 0, "r"), ("b", 0, "w")),
    ]


def test_computing_before_a_line() -> None:
    phase = {
        "pattern": "sequential",
        "array": "a",
        "compute_ns": 1.5,
        "accesses_per_line": 8,
        "access_ns": 0.25,
        "flops_per_byte": 0.5,
    }
    found = placed(phase, size=64, threads=[{**ONE[0], "flops_per_ns": 4.0}])
    assert [chunk.compute_ps.tolist() for chunk in found.chunks(0)] == [[1500 + 8 * 250 + 8000]]
    with pytest.raises(
        InputError, match=r"phases\[1\].flops_per_byte: nothing says how fast w.0 computes; allowed: flops_per_ns"
    ):
        placed(phase, size=64, threads=ONE)


def test_rates_and_windows() -> None:
    found = placed({"pattern": "sequential", "array": "a", "gb_per_s": 0.5, "window": 2}, size=64, threads=ONE)
    assert [(chunk.gb_per_s, chunk.window) for chunk in found.chunks(0)] == [(0.5, 2)]


def test_init_is_silent_unless_it_shall_take_part() -> None:
    init = {"pattern": "init", "arrays": ["a", "b"], "threads": ["w.0"]}
    silent = placed(init, size=128, threads=TWO)
    assert list(silent.chunks(0)) == []
    assert (nodes(silent, "a"), nodes(silent, "b"), nodes(silent, "c")) == ([0], [0], [-1])
    loud = placed({**init, "traffic": True}, size=128, threads=TWO)
    assert lines(loud) == [("a", 0, "w"), ("a", 1, "w"), ("b", 0, "w"), ("b", 1, "w")]


def test_barriers_are_for_all_threads_and_the_first_phase_needs_none() -> None:
    init = {"pattern": "init", "arrays": ["a"]}
    read = {"pattern": "sequential", "array": "a"}
    found = placed(init, read, {**read, "threads": ["w.0"]}, {**read, "barrier": False}, read, size=640, threads=TWO)
    marks = [[(chunk.step, chunk.barrier, len(chunk)) for chunk in found.chunks(thread)] for thread in (0, 1)]
    assert marks[0] == [(1, False, 5), (2, True, 10), (3, False, 5), (4, True, 5)]
    assert marks[1] == [(1, False, 5), (2, True, 0), (3, False, 5), (4, True, 5)]


def test_a_part_without_lines_only_waits() -> None:
    read = {"pattern": "sequential", "array": "a"}
    found = placed(read, read, size=64, threads=TWO)
    assert [[(chunk.step, chunk.barrier, len(chunk)) for chunk in found.chunks(thread)] for thread in (0, 1)] == [
        [(1, True, 0)],
        [(0, False, 1), (1, True, 1)],
    ]


def test_chunks_are_short_and_only_the_first_has_the_barrier() -> None:
    size = 64 * (2 * CHUNK_LINES + 10)
    read = {"pattern": "sequential", "array": "a"}
    found = placed({"pattern": "init", "arrays": ["a"], "traffic": True}, read, size=size, threads=ONE)
    by_step = {step: list(chunks) for step, chunks in groupby(found.chunks(0), key=lambda chunk: chunk.step)}
    assert [[len(chunk) for chunk in by_step[step]] for step in (0, 1)] == [[CHUNK_LINES, CHUNK_LINES, 10]] * 2
    assert [chunk.barrier for chunk in by_step[1]] == [True, False, False]
    kernel = placed({"pattern": "triad", "reads": ["a", "b"], "writes": "c"}, size=size, threads=ONE)
    assert sum(len(chunk) for chunk in kernel.chunks(0)) == 3 * size // 64
    assert max(len(chunk) for chunk in kernel.chunks(0)) <= CHUNK_LINES


def test_shared_lines_and_split_locks() -> None:
    phase = {"pattern": "shared-line", "array": "a", "lines": 3, "read_fraction": 0.5}
    found = placed(phase, size=128, threads=TWO)
    assert [chunk.kind for chunk in found.chunks(1)] == ["shared-line"]
    assert lines(found, 0) == lines(found, 1) == [("a", 0, "r"), ("a", 0, "w"), ("a", 0, "r")]
    padded = placed({**phase, "padded": True}, size=128, threads=TWO)
    assert [{line for _, line, _ in lines(padded, thread)} for thread in (0, 1)] == [{0}, {1}]
    with pytest.raises(InputError, match=r"phases\[1\].array: the array is too small .*at least 128 B"):
        placed({**phase, "padded": True}, size=64, threads=TWO)
    lock = placed({"pattern": "split-lock", "array": "a", "locks": 2, "compute_ns": 3.0}, size=128, threads=TWO)
    assert [chunk.kind for chunk in lock.chunks(0)] == ["split-lock"]
    assert lines(lock, 1) == [("a", 0, "w")] * 2
    assert next(lock.chunks(1)).compute_ps.tolist() == [3000, 3000]
    with pytest.raises(InputError, match="too small"):
        placed({"pattern": "split-lock", "array": "a", "locks": 2}, size=64, threads=TWO)
    own = [{"name": "a", "size_kib": 4.0, "per_thread": True}]
    with pytest.raises(InputError, match="nobody shares a line of such an array"):
        placed(phase, arrays=own, threads=TWO)


def test_migration_copies_each_line_from_node_to_node_and_costs_a_fixed_time_a_page() -> None:
    init = {"pattern": "init", "arrays": ["a"], "threads": ["w.0"]}
    move = {"pattern": "migrate", "arrays": ["a"], "to_nodes": "2", "threads": ["w.1"]}
    found = placed(init, move, size=8192, threads=TWO, system={"page_move_ns": 2000.0})
    assert list(found.chunks(0)) == []
    (chunk,) = found.chunks(1)
    assert (chunk.kind, chunk.barrier, len(chunk)) == ("migrate", False, 2 * 2 * 64)
    assert lines(found, 1) == [("a", line, mode) for line in range(128) for mode in "rw"]
    assert chunk.home_node is not None
    assert chunk.home_node.tolist() == [0, 2] * 128
    assert {number: time for number, time in enumerate(chunk.compute_ps.tolist()) if time} == {0: 2_000_000, 128: 2_000_000}


def test_a_pass_over_much_memory_takes_little() -> None:
    """256 GiB, in a workload that no node holds: chunks are made without the array."""
    order = Strided(1 << 40, 1 << 32, 64, 1 << 32)
    assert order.addresses((1 << 32) - 2, (1 << 32) + 1).tolist() == [
        (1 << 40) + (1 << 38) - 128,
        (1 << 40) + (1 << 38) - 64,
        1 << 40,
    ]
    chain = Chain(1 << 40, (1 << 32) - 5, (1 << 32) - 5, 3)
    assert len(set(chain.addresses(1 << 31, (1 << 31) + 1000).tolist())) == 1000
