"""What leaves the caches of a core: lines it fetches and dirty lines it writes back, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Addresses = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class LineChunk:
    """Lines that a core fetches, in their order.

    Attributes
    ----------
    line_address : ndarray of uint64, shape (n,)
        First byte of the line.
    is_write : ndarray of bool, shape (n,)
        It is fetched for a store; a load, or a load and store of the same bytes, fetches it to read.
    victim_address : ndarray of uint64, shape (n,)
        First byte of the dirty line that is written back with it; 0 where there is none.
    has_victim : ndarray of bool, shape (n,)
    compute_ps : ndarray of int64, shape (n,)
        Time the core works, hits in its caches included, since its line before.
    """

    line_address: Addresses
    is_write: npt.NDArray[np.bool_]
    victim_address: Addresses
    has_victim: npt.NDArray[np.bool_]
    compute_ps: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.line_address)


@dataclass(frozen=True, eq=False)
class Leftover:
    """What a core has done, and holds, behind its last line.

    Attributes
    ----------
    dirty_address : ndarray of uint64, shape (n,)
        Dirty lines, each of which is still to be written back: those that wait for a fill, oldest first, then those of the
        caches by ascending address.
    compute_ps : int
        Time the core worked since its last line.
    """

    dirty_address: Addresses
    compute_ps: int


@dataclass(frozen=True)
class CacheCounts:
    """What happened in the caches of a core so far. `accesses` counts an access that crosses a line once for each line.

    Attributes
    ----------
    accesses : int
    l1_hits, l2_hits, l3_hits : int
    fills : int
        Lines from memory: accesses that hit nowhere.
    store_fills : int
        Of them, those for a store.
    victims : int
        Dirty lines that left the caches.
    """

    accesses: int
    l1_hits: int
    l2_hits: int
    l3_hits: int
    fills: int
    store_fills: int
    victims: int
