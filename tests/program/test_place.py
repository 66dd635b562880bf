"""Where the threads and pages of a workload are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import InputError
from simulator.program import parse_program, place
from tests.placement.machines import square
from tests.program.workloads import QUARTET, nodes, placed, program

INIT = {"pattern": "init", "arrays": ["a"]}
READ = {"pattern": "sequential", "array": "a"}


# -- threads ---------------------------------------------------------------------------------------------------------------------


def _cpus(*groups: dict[str, Any]) -> dict[str, int]:
    return {thread.name: thread.cpu for thread in placed(READ, threads=list(groups)).threads}


def test_a_thread_on_every_cpu() -> None:
    found = placed(READ).threads
    assert [(one.name, one.node, one.core, one.cpu) for one in found] == [
        (f"w.{cpu}", cpu // 2, cpu % 2, cpu) for cpu in range(8)
    ]


def test_close_fills_nodes_and_spread_takes_them_in_turn() -> None:
    assert list(_cpus({"name": "w", "count": 3}).values()) == [0, 1, 2]
    assert list(_cpus({"name": "w", "count": 5, "proc_bind": "spread"}).values()) == [0, 2, 4, 6, 1]


def test_numactls_words_bind_threads() -> None:
    assert list(_cpus({"name": "w", "numactl": "--cpunodebind=1,3"}).values()) == [2, 3, 6, 7]
    assert list(_cpus({"name": "w", "numactl": "--physcpubind=7,1", "count": 1}).values()) == [1]


def test_groups_share_the_cpus_whatever_their_order_in_the_file() -> None:
    groups = [{"name": "z", "count": 2}, {"name": "b", "node": 0, "core": 1}, {"name": "a", "count": 2}]
    assert _cpus(*groups) == _cpus(*reversed(groups)) == {"a.0": 0, "a.1": 2, "b.0": 1, "z.0": 3, "z.1": 4}


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([{"name": "w", "count": 9}], r"threads\[1\]: 9 threads on 8 free CPUs: one CPU runs one thread .*1 to 8 threads"),
        ([{"name": "v"}, {"name": "w"}], r"threads\[2\]: 1 threads on 0 free CPUs"),
        ([{"name": "v", "node": 0, "core": 0}, {"name": "w", "node": 0, "core": 0}], "two threads on core 0 of node 0"),
        ([{"name": "w", "node": 0, "core": 2}], r"quartet has no core 2 on node 0; allowed: node.core 0.0, 0.1, 1.0"),
        ([{"name": "w", "node": 9, "core": 0}], "quartet has no core 0 on node 9"),
        ([{"name": "w", "node": 0, "core": 0, "numactl": "-N 1"}], "numactl's words leave out core 0 of node 0"),
        ([{"name": "w", "numactl": "--membind=7"}], r"threads\[1\].numactl: --membind: quartet has no node 7"),
        ([{"name": "w", "window": 9}], r"threads\[1\].window: window out of range .*1 to 8"),
    ],
)
def test_threads_that_do_not_fit(groups: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        placed(READ, threads=groups)
    assert str(caught.value).startswith("workload: ")


def test_phases_of_threads_that_are_not_there() -> None:
    with pytest.raises(
        InputError, match=r"workload: phases\[1\].threads: no such thread .*got 'w.8'.*w.0, w.1, w.2, w.3, w.4, w.5, w.6, w.7"
    ):
        placed({**READ, "threads": ["w.8"]})


# -- pages -----------------------------------------------------------------------------------------------------------------------


def test_the_notes_example_of_16_kb_on_four_nodes() -> None:
    """AMD 40555 p.24, as a workload: a 16 KB structure is on the node of its first toucher, or a page on each node."""
    serial = placed({**INIT, "threads": ["w.2"]}, READ, size=16384)
    assert nodes(serial) == [1, 1, 1, 1]
    interleaved = placed({**INIT, "threads": ["w.2"]}, READ, size=16384, threads=[{"name": "w", "numactl": "--interleave=all"}])
    assert nodes(interleaved) == [0, 1, 2, 3]


def test_each_thread_touches_its_part() -> None:
    assert nodes(placed(INIT, READ)) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    assert nodes(placed(READ)) == nodes(placed(INIT, READ))


def test_the_array_policy_goes_before_the_threads() -> None:
    arrays = [
        {"name": "a", "size_kib": 16.0, "policy": "--membind=3"},
        {"name": "b", "size_kib": 16.0},
        {"name": "c", "size_kib": 16.0, "policy": "--localalloc"},
    ]
    table = {
        "name": "t",
        "arrays": arrays,
        "threads": [{"name": "w", "node": 0, "core": 0, "numactl": "--preferred=2"}],
        "phases": [{"pattern": "init", "arrays": ["a", "b", "c"]}],
    }
    found = place(parse_program(table), QUARTET)
    assert [nodes(found, name) for name in "abc"] == [[3] * 4, [2] * 4, [0] * 4]


def test_arrays_of_each_thread() -> None:
    arrays = [{"name": "a", "size_kib": 8.0, "per_thread": True}]
    own = placed(INIT, arrays=arrays, threads=[{"name": "w", "count": 3}])
    assert [one.name for one in own.arrays] == ["a[w.0]", "a[w.1]", "a[w.2]"]
    assert [nodes(own, one.name) for one in own.arrays] == [[0, 0], [0, 0], [1, 1]]
    by_one = placed({**INIT, "threads": ["w.2"]}, arrays=arrays, threads=[{"name": "w", "count": 3}])
    assert [nodes(by_one, one.name) for one in by_one.arrays] == [[1, 1]] * 3


def test_page_cache_pages_are_interleaved_in_turn() -> None:
    """Two threads touch a page each of parts of three pages: by place each page has its node, in turn each thread counts."""
    threads = [{"name": "w", "count": 2, "numactl": "--interleave=0,1"}]
    by_place = placed(READ, threads=threads, arrays=[{"name": "a", "size_kib": 24.0}])
    in_turn = placed(READ, threads=threads, arrays=[{"name": "a", "size_kib": 24.0, "backing": "page-cache"}])
    assert nodes(by_place) == [0, 1, 0, 1, 0, 1]
    assert nodes(in_turn) == [0, 1, 0, 0, 1, 0]


def test_weights_and_memory_in_use_come_from_the_system() -> None:
    system = {"node_weights": {"0": 3}, "in_use_gib": {"1": 2.0}}
    threads = [{"name": "w", "count": 1, "numactl": "--weighted-interleave=0,1"}]
    assert nodes(placed(READ, system=system, threads=threads, size=32768)) == [0, 0, 0, 3, 0, 0, 0, 3]


def test_interleaving_by_the_bios() -> None:
    found = placed({**INIT, "threads": ["w.0"]}, size=32768, system={"node_interleaving": True})
    assert nodes(found) == [0, 1, 2, 3] * 2
    assert found.free_pages is None


def test_out_of_memory_says_so_with_numbers() -> None:
    arrays = [{"name": "a", "size_gib": 2.5, "policy": "--membind=1"}]
    with pytest.raises(
        InputError, match="workload: array a: out of memory: no room .* under --membind=1; free: node 1: 0 of 2 GiB"
    ):
        placed(READ, arrays=arrays)


def test_within_a_phase_threads_touch_page_by_page_in_turn() -> None:
    """Two readers of all of an array in opposite halves would race; here they take turns, and the lower number is first."""
    machine = square((3, 9, 9, 9))
    arrays = [{"name": "a", "size_kib": 16.0}, {"name": "b", "size_kib": 16.0}]
    threads = [{"name": "v", "node": 0, "core": 0}, {"name": "w", "node": 1, "core": 0, "numactl": "--preferred=0"}]
    mix = {"pattern": "mix", "streams": [{"pattern": "sequential", "array": "a"}, {"pattern": "sequential", "array": "b"}]}
    found = placed(mix, machine=machine, arrays=arrays, threads=threads)
    # v: a0 b0 a1 b1, w: a2 b2 a3 b3; in turns a0 a2 b0 | b2 ...: node 0 is full after three pages
    assert (nodes(found, "a"), nodes(found, "b")) == ([0, 1, 0, 1], [0, 1, 1, 1])


def test_bursts_are_touched_in_their_order() -> None:
    """Two pages of a, one of b, and round again: node 0 has room for the first two."""
    page = {"pattern": "stride", "stride_bytes": 4096}
    mix = {"pattern": "mix", "streams": [{**page, "array": "a", "burst": 2}, {**page, "array": "b"}]}
    found = placed(mix, machine=square((2, 9, 9, 9)), size=8192, threads=[{"name": "w", "count": 1}])
    assert (nodes(found, "a"), nodes(found, "b")) == ([0, 0], [1, -1])


def test_init_touches_array_after_array() -> None:
    init = {"pattern": "init", "arrays": ["b", "a"]}
    found = placed(init, machine=square((2, 9, 9, 9)), size=8192, threads=[{"name": "w", "count": 1}])
    assert (nodes(found, "b"), nodes(found, "a")) == ([0, 0], [1, 1])


def test_arrays_lie_on_boundaries_of_their_pages() -> None:
    arrays = [{"name": "a", "size_kib": 4.0}, {"name": "b", "size_kib": 4.0, "page": "2MiB"}, {"name": "c", "size_kib": 4.0}]
    starts = [one.start for one in placed(INIT, arrays=arrays).arrays]
    assert starts[0] % 4096 == 0
    assert starts[1] % (2 << 20) == 0
    assert starts[2] >= starts[1] + (2 << 20)


def test_migration_changes_the_page_table_from_its_phase_on() -> None:
    move = {"pattern": "migrate", "arrays": ["a"], "from_nodes": "0", "to_nodes": "3"}
    found = placed({**INIT, "threads": ["w.0"]}, READ, move, READ, size=8192)
    assert [nodes(found, step=step) for step in range(4)] == [[0, 0], [0, 0], [0, 0], [3, 3]]
    assert {step: [len(one.addresses) for one in moves] for step, moves in found.migrations.items()} == {2: [2]}


def test_iterations_repeat_all_but_the_leading_init_phases() -> None:
    found = placed(INIT, READ, {**READ, "array": "b"}, iterations=3)
    assert [step.phase_number for step in found.steps] == [0, 1, 2, 1, 2, 1, 2]


def test_pages_that_only_a_later_iteration_touches_are_placed_too() -> None:
    phase = {**READ, "pattern": "random", "lines": 3}
    found = placed(phase, size=200 * 4096, threads=[{"name": "w", "count": 1}], iterations=4)
    table = found.tables[-1][1]
    assert all((table.nodes(chunk.address) == 0).all() for chunk in found.chunks(0))
    assert 3 < found.pages(found.arrays[0])[0] <= 12


def test_a_machine_it_does_not_fit() -> None:
    with pytest.raises(InputError, match=r"workload: arrays\[1\].policy: --membind: mine has no node 7"):
        place(program(READ, arrays=[{"name": "a", "size_kib": 4.0, "policy": "-m 7"}]), square())


@pytest.mark.parametrize("phase", [READ, {**READ, "pattern": "random"}, {**READ, "pattern": "pointer-chase"}])
def test_a_terabyte_is_refused_before_it_is_laid_out_page_by_page(phase: dict[str, Any]) -> None:
    threads = [{"name": "w", "node": 0, "core": 0}]
    with pytest.raises(InputError, match="array a: out of memory"):
        placed(phase, machine=square((9, 9, 9, 9)), arrays=[{"name": "a", "size_gib": 1024.0}], threads=threads)


@given(
    size=st.integers(1, 200_000),
    division=st.sampled_from(["part", "whole"]),
    pattern=st.sampled_from(["sequential", "stride", "random", "pointer-chase"]),
    lines=st.none() | st.integers(1, 3000),
    stride=st.integers(64, 20_000),
    repeat=st.integers(1, 3),
    page=st.sampled_from(["4KiB", "2MiB"]),
    backing=st.sampled_from(["anonymous", "page-cache"]),
    policy=st.sampled_from(["-l", "-m 1,2", "-p 3", "-P 1,3", "-i all", "-w 0,2"]),
    count=st.integers(1, 8),
    iterations=st.integers(1, 3),
)
def test_every_page_that_is_accessed_is_placed_where_it_may_be_and_no_other(**drawn: Any) -> None:
    array = {
        "name": "a",
        "size_bytes": drawn["size"],
        "page": drawn["page"],
        "backing": drawn["backing"],
        "policy": drawn["policy"],
    }
    phase = {key: drawn[key] for key in ("division", "pattern", "repeat")} | {"array": "a"}
    phase |= {"stride_bytes": drawn["stride"]} if drawn["pattern"] == "stride" else {}
    phase |= {"lines": drawn["lines"]} if drawn["lines"] else {}
    found = placed(phase, arrays=[array], threads=[{"name": "w", "count": drawn["count"]}], iterations=drawn["iterations"])
    accessed: set[int] = set()
    for thread in range(drawn["count"]):
        for chunk in found.chunks(thread):
            accessed |= set((chunk.address // found.arrays[0].array.page_bytes).tolist())
    first = found.arrays[0].start // found.arrays[0].array.page_bytes
    where = nodes(found)
    assert {first + page for page, node in enumerate(where) if node >= 0} == accessed
    allowed = {"-m 1,2": {1, 2}, "-p 3": {3}, "-P 1,3": {1, 3}, "-w 0,2": {0, 2}}.get(drawn["policy"], {0, 1, 2, 3})
    assert set(where) - {-1} <= allowed
    assert found.free_pages is not None
    frames = found.arrays[0].array.page_bytes // 4096
    assert sum(found.free_pages.values()) + len(accessed) * frames == 4 << 19
