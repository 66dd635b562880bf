"""Which node a page comes from under each policy, and where it goes when nodes are full."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import load_machine
from simulator.errors import InputError
from simulator.placement import (
    Allocator,
    Bind,
    Interleave,
    LocalAlloc,
    Preferred,
    PreferredMany,
    Segment,
    System,
    Touches,
    WeightedInterleave,
)
from simulator.placement.page_table import HUGE_PAGE_BYTES
from tests.placement.machines import BASE, square, touched


def test_the_notes_example_of_16_kb_on_four_nodes() -> None:
    """AMD 40555 p.24: first touch by one thread puts all four 4 KB pages on its node; interleaved, each node has one."""
    quartet = load_machine("quartet")
    assert touched(quartet, LocalAlloc(), 4, cpu_node=2) == [2, 2, 2, 2]
    assert touched(quartet, Interleave((0, 1, 2, 3)), 4, cpu_node=2) == [0, 1, 2, 3]


def test_local_falls_back_by_distance() -> None:
    assert touched(square((2, 1, 3, 1)), LocalAlloc(), 6) == [0, 0, 1, 3, 2, 2]


def test_a_cpu_without_memory_touches_on_the_nearest_node() -> None:
    assert touched(square((9, None, 9, 9)), LocalAlloc(), 2, cpu_node=1) == [2, 2]


def test_bind_takes_the_closest_of_its_nodes_then_the_next_then_fails() -> None:
    machine = square((2, 2, 2, 2))
    assert touched(machine, Bind((1, 2)), 4) == [1, 1, 2, 2]
    assert touched(machine, Bind((1, 2)), 4, cpu_node=3) == [2, 2, 1, 1]
    with pytest.raises(InputError) as caught:
        touched(machine, Bind((1, 2)), 5)
    text = str(caught.value)
    assert text.startswith("array a: out of memory: no room for another page of 4 KiB under --membind=1,2; free: node 1: 0 of ")
    assert "node 2: 0 of" in text and "node 0" not in text and "node 3" not in text


def test_everything_full_is_out_of_memory_for_local_too() -> None:
    with pytest.raises(InputError, match="out of memory: .* under --localalloc; free: node 0: 0 of .*node 3: 0 of"):
        touched(square((1, 1, 1, 1)), LocalAlloc(), 5)


def test_preferred_falls_back_to_what_is_near_the_preferred_node() -> None:
    assert touched(square((9, 9, 1, 1)), Preferred(2), 4, cpu_node=0) == [2, 3, 1, 1]


def test_preferred_many_takes_the_closest_of_its_nodes_then_any() -> None:
    machine = square((9, 1, 1, 2))
    assert touched(machine, PreferredMany((1, 2)), 4, cpu_node=3) == [2, 1, 3, 3]


def test_interleave_counts_from_the_start_of_the_segment_whatever_the_order() -> None:
    machine = square()
    assert touched(machine, Interleave((0, 3)), 5) == [0, 3, 0, 3, 0]
    assert touched(machine, Interleave((0, 3)), 5, order=[4, 2, 0, 1, 3]) == [0, 3, 0, 3, 0]
    assert touched(machine, Interleave((1, 2, 3)), 4, page_bytes=HUGE_PAGE_BYTES) == [1, 2, 3, 1]


def test_interleave_in_turn_goes_on_from_page_to_page_in_the_order_of_touching() -> None:
    assert touched(square(), Interleave((0, 1, 3), in_turn=True), 4, order=[3, 2, 0, 1]) == [3, 0, 1, 0]


def test_turns_of_a_task_go_on_over_segments_and_policies() -> None:
    allocator = Allocator(square(), System(node_weights={1: 3}))
    nodes = []
    for number, (policy, pages) in enumerate(
        [
            (Interleave((0, 2), in_turn=True), 3),  # 0 2 0
            (Interleave((0, 2), in_turn=True), 1),  # 2
            (WeightedInterleave((1, 3), in_turn=True), 3),  # after node 2 comes 3, then 1 1
            (WeightedInterleave((1, 3), in_turn=True), 2),  # the third page of node 1, then 3
        ]
    ):
        start = BASE + number * HUGE_PAGE_BYTES
        addresses = (start + np.arange(pages) * 4096).astype(np.uint64)
        allocator.touch([Touches(Segment(start, policy), 7, 0, addresses)])
        nodes.append(allocator.table.nodes(addresses).tolist())
    assert nodes == [[0, 2, 0], [2], [3, 1, 1], [1, 3]]


def test_interleave_falls_back_to_what_is_near_the_full_node() -> None:
    assert touched(square((9, 9, 1, 9)), Interleave((0, 2)), 6) == [0, 2, 0, 3, 0, 3]


def test_weighted_interleave_gives_each_node_its_weight_of_pages_in_a_row() -> None:
    """Weights 5 and 2 on nodes 0 and 1: seven pages a cycle, five of them on node 0."""
    weights = System(node_weights={0: 5, 1: 2})
    assert touched(square(), WeightedInterleave((0, 1)), 9, system=weights) == [0, 0, 0, 0, 0, 1, 1, 0, 0]
    assert touched(square(), WeightedInterleave((1, 2, 3)), 5, system=weights) == [1, 1, 2, 3, 1]
    assert touched(square(), WeightedInterleave((2, 3)), 4) == [2, 3, 2, 3]


@pytest.mark.parametrize("weights", [{0: 0}, {0: 256}, {9: 1}])
def test_wrong_weights(weights: dict[int, int]) -> None:
    with pytest.raises(InputError, match="node_weights of node .*: no weight of a node .*allowed: 1 to 255"):
        Allocator(square(), System(node_weights=weights))


def test_huge_pages_need_512_frames_and_leave_the_rest_to_small_ones() -> None:
    machine = square((1023, 700, 9000, 9000))
    assert touched(machine, LocalAlloc(), 4, page_bytes=HUGE_PAGE_BYTES) == [0, 1, 3, 3]
    allocator = Allocator(machine)
    huge = Segment(BASE, LocalAlloc(), HUGE_PAGE_BYTES)
    small = Segment(1 << 40, LocalAlloc())
    far = (BASE + np.arange(3) * HUGE_PAGE_BYTES).astype(np.uint64)
    near = ((1 << 40) + np.arange(600) * 4096).astype(np.uint64)
    allocator.touch([Touches(huge, 0, 0, far), Touches(small, 1, 0, near)])
    assert allocator.table.nodes(far).tolist() == [0, 1, 3]
    assert allocator.table.nodes(near).tolist() == [0] * 511 + [1] * 89  # 1023 - 512 on node 0, then the next


def test_memory_in_use() -> None:
    machine = load_machine("quartet")
    assert touched(machine, LocalAlloc(), 2, system=System(in_use_gib={0: 2.0})) == [1, 1]
    with pytest.raises(InputError, match="in_use_gib of node 0: more than the node has .*allowed: 0 to 2 GiB"):
        Allocator(machine, System(in_use_gib={0: 2.5}))
    with pytest.raises(InputError, match="quartet has no node 4"):
        Allocator(machine, System(in_use_gib={4: 1.0}))


def test_the_first_to_touch_decides_and_touching_again_costs_nothing() -> None:
    allocator = Allocator(square())
    segment = Segment(BASE)
    first = np.array([BASE + 5, BASE + 4096, BASE + 9], dtype=np.uint64)
    assert allocator.touch([Touches(segment, 0, 1, first)]) == 2
    assert allocator.touch([Touches(segment, 1, 3, np.array([BASE, BASE + 8192], dtype=np.uint64))]) == 1
    assert allocator.table.nodes(np.array([BASE, BASE + 4096, BASE + 8192, BASE + 12288], dtype=np.uint64)).tolist() == [
        1,
        1,
        3,
        -1,
    ]


def test_tasks_touch_in_turns_and_the_lower_number_first() -> None:
    allocator = Allocator(square((2, 2, 9, 9)))
    segment = Segment(BASE)
    one = (BASE + np.arange(4) * 4096).astype(np.uint64)
    other = (BASE + np.array([3, 0, 8, 9]) * 4096).astype(np.uint64)
    allocator.touch([Touches(segment, 1, 1, other), Touches(segment, 0, 0, one)])
    # turn 0: page 0 by task 0, 3 by task 1; turn 1: page 1, while 0 is there already; turn 2: page 2 finds node 0 full and takes
    # the last of node 1, so 8, and then 9, go on to node 2
    assert allocator.table.nodes((BASE + np.array([0, 1, 2, 3, 8, 9]) * 4096).astype(np.uint64)).tolist() == [0, 0, 1, 1, 2, 2]
