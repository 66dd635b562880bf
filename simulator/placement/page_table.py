"""Which node holds which page: a two-level table, as sparse as what is touched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

PAGE_BYTES = 4096
HUGE_PAGE_BYTES = 2 << 20
PAGE_SHIFT, REGION_SHIFT = 12, 21
FRAMES = HUGE_PAGE_BYTES // PAGE_BYTES  # pages of 4 KiB in a region, which is as large as a page of 2 MiB
UNTOUCHED = -1

Addresses = NDArray[np.uint64]
NodeIndices = NDArray[np.int8]


class PageTable:
    """Nodes of pages by virtual address.

    A leaf holds the nodes of the 512 pages of 4 KiB in one region of 2 MiB; leaves exist for touched regions only. A page of
    2 MiB fills one leaf, so both page sizes (and 4 KiB interleaving below them) are one structure.

    Parameters
    ----------
    node_ids : sequence of int
        Node numbers; the table keeps a node's place in it.
    """

    def __init__(self, node_ids: Sequence[int]) -> None:
        self.node_ids = tuple(node_ids)
        self._ids = np.array([*node_ids, UNTOUCHED], dtype=np.int32)  # place -1 is the last one
        self._regions = np.empty(0, dtype=np.uint64)
        self._rows = np.empty(0, dtype=np.int64)
        self._leaves = np.empty((0, FRAMES), dtype=np.int8)
        self._used = 0

    def nodes(self, addresses: Addresses) -> NDArray[np.int32]:
        """Return the node of each address, -1 where nothing was touched."""
        return self._ids[self.indices(addresses >> np.uint64(PAGE_SHIFT))]

    def indices(self, pages: Addresses) -> NodeIndices:
        """Return the place in `node_ids` of each page of 4 KiB, by its number; -1 where nothing was touched."""
        if not len(self._regions):
            return np.full(len(pages), UNTOUCHED, dtype=np.int8)
        wanted = pages >> np.uint64(REGION_SHIFT - PAGE_SHIFT)
        place = np.searchsorted(self._regions, wanted)
        place[place == len(self._regions)] = 0
        found = self._leaves[self._rows[place], (pages & np.uint64(FRAMES - 1)).astype(np.intp)]
        found[self._regions[place] != wanted] = UNTOUCHED
        return found

    def map(self, pages: Addresses, indices: NodeIndices) -> None:
        """Put pages of 4 KiB, by number, on nodes, by place in `node_ids`."""
        wanted = pages >> np.uint64(REGION_SHIFT - PAGE_SHIFT)
        self._add_regions(np.setdiff1d(wanted, self._regions))
        place = np.searchsorted(self._regions, wanted)
        self._leaves[self._rows[place], (pages & np.uint64(FRAMES - 1)).astype(np.intp)] = indices

    def count(self, first_page: int, pages: int) -> tuple[int, ...]:
        """Return how many of the touched pages of 4 KiB in a range each node holds, in the order of `node_ids`."""
        low, high = first_page // FRAMES, (first_page + pages - 1) // FRAMES
        first, last = np.searchsorted(self._regions, [low, high + 1])
        found = self._leaves[self._rows[int(first) : int(last)]]
        if len(found) and self._regions[int(first)] == low:
            found[0, : first_page - low * FRAMES] = UNTOUCHED
        if len(found) and self._regions[int(last) - 1] == high:
            found[-1, first_page + pages - high * FRAMES :] = UNTOUCHED
        return tuple(int(np.count_nonzero(found == place)) for place in range(len(self.node_ids)))

    def totals(self) -> dict[int, int]:
        """Return how many pages of 4 KiB each node holds, by its number."""
        found = self._leaves[: self._used]
        return {node: int(np.count_nonzero(found == place)) for place, node in enumerate(self.node_ids)}

    def touched(self, first_page: int, pages: int) -> Addresses:
        """Return the numbers of the touched pages of 4 KiB in a range, ascending."""
        low, high = first_page // FRAMES, (first_page + pages - 1) // FRAMES
        first, last = np.searchsorted(self._regions, [low, high + 1])
        regions = self._regions[int(first) : int(last)]
        leaf, frame = np.nonzero(self._leaves[self._rows[int(first) : int(last)]] != UNTOUCHED)
        found = regions[leaf] * np.uint64(FRAMES) + frame.astype(np.uint64)
        return found[(found >= first_page) & (found < first_page + pages)]

    def copy(self) -> PageTable:
        """Return a table of its own with the same pages."""
        other = PageTable(self.node_ids)
        other._regions, other._rows, other._used = self._regions.copy(), self._rows.copy(), self._used
        other._leaves = self._leaves[: self._used].copy()
        return other

    @property
    def size_bytes(self) -> int:
        """Memory that the table itself takes."""
        return self._leaves.nbytes + self._regions.nbytes + self._rows.nbytes

    def _add_regions(self, new: Addresses) -> None:
        if not len(new):
            return
        rows = np.arange(self._used, self._used + len(new), dtype=np.int64)
        self._used += len(new)
        if self._used > len(self._leaves):
            grown = np.full((max(self._used, 2 * len(self._leaves)), FRAMES), UNTOUCHED, dtype=np.int8)
            grown[: len(self._leaves)] = self._leaves
            self._leaves = grown
        places = np.searchsorted(self._regions, new)
        self._regions, self._rows = np.insert(self._regions, places, new), np.insert(self._rows, places, rows)
