"""Moving pages to other nodes, as move_pages(2) and migratepages(8) do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.errors import InputError
from simulator.placement.allocator import Allocator
from simulator.placement.node_memory import Order
from simulator.placement.page_table import PAGE_BYTES, PAGE_SHIFT, Addresses


@dataclass(frozen=True)
class Migration:
    """Pages that were moved, in ascending order of address.

    Attributes
    ----------
    addresses : uint64 array, shape (pages,)
        First address of each page.
    from_nodes, to_nodes : int32 array, shape (pages,)
        Node numbers.
    page_bytes : int
    stayed : int
        Pages that should have moved and found their new node full.
    """

    addresses: Addresses
    from_nodes: NDArray[np.int32]
    to_nodes: NDArray[np.int32]
    page_bytes: int
    stayed: int = 0


def migrate(
    allocator: Allocator, start: int, size_bytes: int, page_bytes: int, from_nodes: Sequence[int], to_nodes: Sequence[int]
) -> Migration:
    """Move the touched pages of a range from some nodes to others.

    The n-th of `from_nodes` goes to the n-th of `to_nodes`, counted round and round, so that relative places are kept where
    the sets are of one size; where they are not, pages on a node of `to_nodes` stay (migratepages(8); do_migrate_pages in
    mm/mempolicy.c of Linux). A page whose new node is full stays where it is. With interleaving by the BIOS nothing moves.

    Parameters
    ----------
    allocator : Allocator
    start, size_bytes : int
        The range, whole pages.
    page_bytes : int
    from_nodes, to_nodes : sequence of int
        Node numbers, ascending.

    Raises
    ------
    InputError
        A node of `to_nodes` has no memory.
    """
    memory, table = allocator.memory, allocator.table
    for node in to_nodes:
        if node not in memory.node_ids or not memory.size[memory.node_ids.index(node)]:
            with_memory = ", ".join(str(node) for node, size in zip(memory.node_ids, memory.size, strict=True) if size)
            raise InputError(f"node {node} has no memory", field="to", allowed=f"nodes with memory: {with_memory}")
    step = page_bytes // PAGE_BYTES
    pages = table.touched(start >> PAGE_SHIFT, size_bytes >> PAGE_SHIFT)[::step]
    old = table.indices(pages)
    if allocator.interleaved is not None:
        return _migration(allocator, pages[:0], old[:0], old[:0], page_bytes, 0)
    new = old.copy()
    for place, node in enumerate(from_nodes):
        if len(from_nodes) != len(to_nodes) and node in to_nodes:
            continue
        new[old == memory.node_ids.index(node)] = memory.node_ids.index(to_nodes[place % len(to_nodes)])
    moving = np.flatnonzero(new != old)
    kept = moving[_fitting(allocator, new[moving], step)]
    if len(kept):
        allocator.give_way(pages[kept], np.full(len(kept), step, dtype=np.int64), new[kept])
    return _migration(allocator, pages[kept], old[kept], new[kept], page_bytes, len(moving) - len(kept))


def _fitting(allocator: Allocator, nodes: NDArray[np.int8], step: int) -> NDArray[np.intp]:
    """Take room for the pages that fit, the first ones on each node, and return which they are."""
    kept = []
    for node in np.unique(nodes):
        mine = np.flatnonzero(nodes == node)[: allocator.memory.free[node] // step]
        zeros = np.zeros(len(mine), dtype=np.int64)
        allocator.memory.take([Order((int(node),), "migration")], zeros, zeros + step, "migration")
        kept.append(mine)
    return np.sort(np.concatenate(kept)) if kept else np.empty(0, dtype=np.intp)


def _migration(
    allocator: Allocator, pages: Addresses, old: NDArray[np.int8], new: NDArray[np.int8], page_bytes: int, stayed: int
) -> Migration:
    ids = np.array(allocator.table.node_ids, dtype=np.int32)
    return Migration(pages << np.uint64(PAGE_SHIFT), ids[old], ids[new], page_bytes, stayed)
