"""The page table: what it says, and that it is as sparse as what is touched."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simulator.placement import PageTable

PAGES = st.integers(0, (1 << 52) - 1) | st.integers(1000, 3000)


@given(st.lists(st.tuples(PAGES, st.integers(0, 2)), max_size=60), st.lists(PAGES, max_size=30))
def test_it_is_a_dictionary(pairs: list[tuple[int, int]], others: list[int]) -> None:
    table, wanted = PageTable((4, 7, 9)), {}
    for start in range(0, len(pairs), 7):
        batch = dict(pairs[start : start + 7])
        wanted.update(batch)
        table.map(np.array(list(batch), dtype=np.uint64), np.array(list(batch.values()), dtype=np.int8))
    asked = [*wanted, *others]
    addresses = np.array([page * 4096 + page % 4096 for page in asked], dtype=np.uint64)
    assert table.nodes(addresses).tolist() == [(4, 7, 9, -1)[wanted.get(page, -1)] for page in asked]
    for first, pages in ((1000, 1500), (0, 1 << 52), (1030, 1)):
        inside = {page: node for page, node in wanted.items() if first <= page < first + pages}
        assert table.touched(first, pages).tolist() == sorted(inside)
        assert table.count(first, pages) == tuple(list(inside.values()).count(node) for node in range(3))


def test_a_copy_does_not_follow() -> None:
    table = PageTable((0, 1))
    table.map(np.array([5], dtype=np.uint64), np.array([0], dtype=np.int8))
    copy = table.copy()
    table.map(np.array([5, 6, 1 << 30], dtype=np.uint64), np.array([1, 1, 1], dtype=np.int8))
    assert copy.indices(np.array([5, 6, 1 << 30], dtype=np.uint64)).tolist() == [0, -1, -1]
    copy.map(np.array([7], dtype=np.uint64), np.array([1], dtype=np.int8))
    assert table.indices(np.array([7], dtype=np.uint64)).tolist() == [-1]


def test_memory_is_that_of_what_is_touched() -> None:
    """A thousand pages all over 64 bits: no more than a leaf of 512 bytes each, twice for growth."""
    table = PageTable((0, 1))
    for page in range(1000):
        table.map(np.array([page << 40], dtype=np.uint64), np.array([1], dtype=np.int8))
    assert table.size_bytes < 1000 * 2 * 600
    dense = PageTable((0, 1))
    dense.map(np.arange(1 << 20, dtype=np.uint64), np.zeros(1 << 20, dtype=np.int8))
    assert dense.size_bytes < 1.1 * (1 << 20)  # a byte a page of 4 KiB
