"""Node interleaving by the BIOS: 4 KiB pages of the physical address space over all nodes, whatever the system asks for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.placement.node_memory import Ints, NodeMemory
from simulator.placement.page_table import FRAMES, NodeIndices

_FIELD = "node_interleaving"


class InterleavedMemory:
    """All memory as one node, its frames of 4 KiB in turn on the nodes with memory.

    Frames are given out in ascending order. A page of 2 MiB starts at a multiple of 2 MiB, so its first 4 KiB lie on the first
    node.

    Parameters
    ----------
    machine : Machine
    in_use_gib : mapping of int to float
        As for :class:`NodeMemory`; only the sum counts.

    Raises
    ------
    InputError
        The nodes with memory are not 2, 4, 8, ... of one size, which the interleaving of K8 processors needs (BIOS and Kernel
        Developer's Guide for AMD Athlon 64 and Opteron processors, 26094, "node interleaving").
    """

    def __init__(self, machine: Machine, in_use_gib: Mapping[int, float] | None = None) -> None:
        memory = NodeMemory(machine, in_use_gib)
        self._nodes = np.array([place for place, size in enumerate(memory.size) if size], dtype=np.int8)
        sizes = {size for size in memory.size if size}
        count = len(self._nodes)
        if len(sizes) > 1 or count < 2 or count & (count - 1):
            have = ", ".join(f"node {node.id}: {node.memory_gib:g} GiB" for node in machine.nodes if node.memory_gib)
            what = f"the BIOS of {machine.name} cannot interleave its nodes ({have})"
            raise InputError(what, field=_FIELD, allowed="2, 4, 8, ... nodes with memory of one size")
        self.free_frames = sum(memory.free)
        self._next = 0

    def take(self, frames: Ints, field: str) -> NodeIndices:
        """Return the node of each frame of 4 KiB of pages of so many frames, taken one after the other.

        Raises
        ------
        InputError
            The memory is full.
        """
        needed = int(frames.sum())
        if needed > self.free_frames:
            what = f"out of memory: needs {needed:,} more pages of 4 KiB; {self.free_frames:,} are free on all nodes together"
            raise InputError(what, field=field, allowed="smaller arrays")
        self.free_frames -= needed
        small = frames == 1
        first = np.zeros(len(frames), dtype=np.int64)
        first[small] = self._next + np.arange(int(small.sum()))
        self._next += int(small.sum())
        return self._nodes[expanded(first, frames) % len(self._nodes)]


def expanded(first: Ints, frames: Ints) -> Ints:
    """Return the frames first, first + 1, ... of each page, one page after the other."""
    if not (frames == FRAMES).any():
        return first
    starts = np.repeat(first - np.concatenate(([0], np.cumsum(frames)[:-1])), frames)
    return starts + np.arange(int(frames.sum()))
