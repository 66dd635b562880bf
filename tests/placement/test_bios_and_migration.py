"""Interleaving by the BIOS, and pages that move."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import load_machine
from simulator.errors import InputError
from simulator.placement import Allocator, Bind, Interleave, LocalAlloc, Segment, System, Touches
from simulator.placement.migration import Migration, migrate
from simulator.placement.page_table import HUGE_PAGE_BYTES
from tests.placement.machines import BASE, square, touched

BIOS = System(node_interleaving=True)


def test_the_bios_interleaves_4_kib_whatever_the_policy() -> None:
    quartet = load_machine("quartet")
    assert touched(quartet, Bind((2,)), 6, system=BIOS) == [0, 1, 2, 3, 0, 1]
    assert touched(quartet, LocalAlloc(), 6, cpu_node=3, system=BIOS, order=[5, 4, 3, 2, 1, 0]) == [1, 0, 3, 2, 1, 0]


def test_a_page_of_2_mib_lies_on_all_nodes() -> None:
    allocator = Allocator(load_machine("quartet"), BIOS)
    small = np.array([1 << 40], dtype=np.uint64)
    huge = np.array([BASE, BASE + HUGE_PAGE_BYTES], dtype=np.uint64)
    allocator.touch([Touches(Segment(1 << 40), 0, 0, small), Touches(Segment(BASE, page_bytes=HUGE_PAGE_BYTES), 1, 0, huge)])
    inside = (BASE + np.arange(0, 2 * HUGE_PAGE_BYTES, 4096)).astype(np.uint64)
    assert allocator.table.nodes(inside).tolist() == [0, 1, 2, 3] * 256
    assert allocator.interleaved is not None
    assert allocator.interleaved.free_frames == 4 * (1 << 19) - 1 - 1024


def test_the_bios_goes_on_where_it_was() -> None:
    allocator = Allocator(load_machine("quartet"), BIOS)
    addresses = (BASE + np.arange(6) * 4096).astype(np.uint64)
    for part in (addresses[:3], addresses[3:]):
        allocator.touch([Touches(Segment(BASE), 0, 0, part)])
    assert allocator.table.nodes(addresses).tolist() == [0, 1, 2, 3, 0, 1]


def test_the_bios_needs_nodes_of_one_size_a_power_of_two_of_them() -> None:
    with pytest.raises(InputError, match=r"node_interleaving: the BIOS of mine cannot interleave .*2, 4, 8"):
        Allocator(square((9, 9, 9, 8)), BIOS)
    with pytest.raises(InputError, match="cannot interleave"):
        Allocator(square((9, 9, 9, None)), BIOS)
    with pytest.raises(InputError, match="cannot interleave"):
        Allocator(load_machine("one-node"), BIOS)
    assert touched(square((9, None, None, 9)), LocalAlloc(), 3, system=BIOS) == [0, 3, 0]


def test_out_of_memory_with_the_bios() -> None:
    with pytest.raises(InputError, match="array a: out of memory: needs 37 more pages of 4 KiB; 36 are free on all nodes"):
        touched(square((9, 9, 9, 9)), LocalAlloc(), 37, system=BIOS)


def _moved(
    sizes: tuple[int, ...], policy: object, pages: int, from_nodes: tuple[int, ...], to_nodes: tuple[int, ...]
) -> tuple[Migration, list[int], list[int]]:
    allocator = Allocator(square(sizes))
    addresses = (BASE + np.arange(pages) * 4096).astype(np.uint64)
    allocator.touch([Touches(Segment(BASE, policy), 0, 0, addresses)])  # type: ignore[arg-type]
    migration = migrate(allocator, BASE, pages * 4096, 4096, from_nodes, to_nodes)
    return migration, allocator.table.nodes(addresses).tolist(), allocator.memory.free


def test_each_node_moves_to_its_counterpart() -> None:
    """migratepages(8): relative places are kept where both sets are of one size; a swap needs no room."""
    migration, nodes, free = _moved((2, 2, 9, 9), Interleave((0, 1)), 4, (0, 1), (2, 3))
    assert (nodes, free) == ([2, 3, 2, 3], [2, 2, 7, 7])
    assert (migration.from_nodes.tolist(), migration.to_nodes.tolist()) == ([0, 1, 0, 1], [2, 3, 2, 3])
    assert migration.addresses.tolist() == [BASE + 4096 * page for page in range(4)]


def test_fewer_new_nodes_are_taken_round_and_round_and_pages_there_stay() -> None:
    _, nodes, _ = _moved((9, 9, 9, 9), Interleave((0, 1, 2, 3)), 8, (0, 1, 2, 3), (1, 2))
    assert nodes == [1, 1, 2, 2, 1, 1, 2, 2]  # 0 -> 1, 3 -> 2; what is on 1 and 2 stays
    _, nodes, _ = _moved((9, 9, 9, 9), LocalAlloc(), 3, (1,), (2,))
    assert nodes == [0, 0, 0]


def test_a_full_node_takes_no_more() -> None:
    migration, nodes, free = _moved((9, 2, 9, 9), LocalAlloc(), 5, (0, 1, 2, 3), (1,))
    assert (nodes, free, migration.stayed) == ([1, 1, 0, 0, 0], [6, 0, 9, 9], 3)


def test_a_node_without_memory_takes_none() -> None:
    allocator = Allocator(square((9, None, 9, 9)))
    with pytest.raises(InputError, match="node 1 has no memory; allowed: nodes with memory: 0, 2, 3"):
        migrate(allocator, BASE, 4096, 4096, (0,), (1,))


def test_huge_pages_move_whole() -> None:
    allocator = Allocator(load_machine("quartet"))
    addresses = (BASE + np.arange(2) * HUGE_PAGE_BYTES).astype(np.uint64)
    allocator.touch([Touches(Segment(BASE, page_bytes=HUGE_PAGE_BYTES), 0, 0, addresses)])
    migration = migrate(allocator, BASE, 2 * HUGE_PAGE_BYTES, HUGE_PAGE_BYTES, (0,), (3,))
    assert migration.addresses.tolist() == addresses.tolist()
    assert set(allocator.table.nodes((BASE + np.arange(0, 2 * HUGE_PAGE_BYTES, 4096)).astype(np.uint64)).tolist()) == {3}
    assert allocator.memory.free == [1 << 19, 1 << 19, 1 << 19, (1 << 19) - 1024]


def test_with_the_bios_nothing_moves() -> None:
    allocator = Allocator(load_machine("quartet"), BIOS)
    addresses = np.array([BASE], dtype=np.uint64)
    allocator.touch([Touches(Segment(BASE), 0, 0, addresses)])
    assert len(migrate(allocator, BASE, 4096, 4096, (0,), (3,)).addresses) == 0
    assert allocator.table.nodes(addresses).tolist() == [0]
