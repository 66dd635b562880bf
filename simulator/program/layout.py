"""Where the arrays of a workload lie in its virtual address space."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.placement.page_table import PAGE_BYTES
from simulator.program.spec import ArraySpec, Program
from simulator.program.threads import PlacedThread
from simulator.units import LINE_BYTES

_FIRST_ADDRESS = 1 << 32


@dataclass(frozen=True)
class PlacedArray:
    """An array in virtual memory.

    Attributes
    ----------
    name : str
        ``a``, or ``a[worker.0]`` where every thread has its own.
    array : ArraySpec
    owner : int, optional
        Place of the thread that it belongs to; None: shared.
    start : int
        First address, a multiple of the page size.
    """

    name: str
    array: ArraySpec
    owner: int | None
    start: int

    @property
    def lines(self) -> int:
        """Size in cache lines."""
        return self.array.bytes // LINE_BYTES

    @property
    def pages(self) -> int:
        """Size in its own pages."""
        return -(-self.array.bytes // self.array.page_bytes)


def lay_out(program: Program, threads: tuple[PlacedThread, ...]) -> tuple[PlacedArray, ...]:
    """Place all arrays one behind the other, by name, with an unused page of 4 KiB between them.

    The gap keeps arrays whose size is a power of two from falling on the same sets of a cache line by line.
    """
    placed = []
    address = _FIRST_ADDRESS
    for array in sorted(program.arrays, key=lambda array: array.name):
        for owner in range(len(threads)) if array.per_thread else (None,):
            start = -(-address // array.page_bytes) * array.page_bytes
            name = array.name if owner is None else f"{array.name}[{threads[owner].name}]"
            placed.append(PlacedArray(name, array, owner, start))
            address = start + -(-array.bytes // array.page_bytes) * array.page_bytes + PAGE_BYTES
    return tuple(placed)
