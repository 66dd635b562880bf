"""First touch: each new page goes to the node that the policy says, as long as there is room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simulator.machine.spec import Machine
from simulator.placement.bios import InterleavedMemory, expanded
from simulator.placement.choice import Chooser, Turn
from simulator.placement.node_memory import Ints, NodeMemory
from simulator.placement.page_table import PAGE_BYTES, PAGE_SHIFT, Addresses, NodeIndices, PageTable
from simulator.placement.policy import LocalAlloc, Policy


@dataclass(frozen=True)
class System:
    """What the operating system and the BIOS are set to.

    Attributes
    ----------
    node_interleaving : bool
        The BIOS interleaves 4 KiB pages of the physical address space over all nodes.
    node_weights : mapping of int to int
        Weights for weighted interleaving, as in /sys/kernel/mm/mempolicy/weighted_interleave/; 1 where none is given.
    in_use_gib : mapping of int to float
        Memory of a node that something else has.
    """

    node_interleaving: bool = False
    node_weights: Mapping[int, int] = field(default_factory=dict)
    in_use_gib: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Segment:
    """A part of the virtual address space with one policy and page size: a VMA.

    Attributes
    ----------
    start : int
        Its first address, a multiple of the page size; pages are counted from here.
    policy : Policy
    page_bytes : int
        4 KiB or 2 MiB.
    name : str
        For messages.
    """

    start: int
    policy: Policy = LocalAlloc()
    page_bytes: int = PAGE_BYTES
    name: str = "memory"


@dataclass(frozen=True)
class Touches:
    """Pages that one task touches in one segment.

    Attributes
    ----------
    segment : Segment
    task : int
        Number of the task: of two that touch in the same turn the lower one is first.
    cpu_node : int
        Node it runs on.
    addresses : uint64 array, shape (touches,)
        An address in each page; pages that are there already, or come again, cost nothing.
    turns : int array, shape (touches,), optional
        When: all tasks' first touches, then all second ones; None: 0, 1, 2, ...
    """

    segment: Segment
    task: int
    cpu_node: int
    addresses: Addresses
    turns: Ints | None = None


class Allocator:
    """Places pages at their first touch.

    Parameters
    ----------
    machine : Machine
    system : System

    Attributes
    ----------
    table : PageTable
        Where pages are now.
    """

    def __init__(self, machine: Machine, system: System | None = None) -> None:
        system = system or System()
        self.table = PageTable(machine.node_ids)
        self._chooser = Chooser(machine, system.node_weights)
        self._turns: dict[int, Turn] = {}
        self.interleaved = InterleavedMemory(machine, system.in_use_gib) if system.node_interleaving else None
        self.memory = NodeMemory(machine, system.in_use_gib)

    def touch(self, touches: Sequence[Touches]) -> int:
        """Place what was not touched before, in turns: page by page, round robin over the tasks.

        Returns
        -------
        int
            New pages.

        Raises
        ------
        InputError
            Out of memory.
        """
        new = _first_touches(touches, self.table)
        if not len(new.pages):
            return 0
        frames = np.array([touch.segment.page_bytes // PAGE_BYTES for touch in touches], dtype=np.int64)[new.source]
        small = expanded(new.pages.astype(np.int64), frames).astype(np.uint64)
        names = ", ".join(sorted({touches[number].segment.name for number in np.unique(new.source)}))
        if self.interleaved is not None:
            self.table.map(small, self.interleaved.take(frames, names))
        else:
            wanted = self._choose(touches, new)
            nodes = self.memory.take(self._chooser.orders, wanted, frames, names)
            self.table.map(small, np.repeat(nodes, frames))
        return len(new.pages)

    def _choose(self, touches: Sequence[Touches], new: _New) -> Ints:
        wanted = np.empty(len(new.pages), dtype=np.int64)
        for number, touch in enumerate(touches):
            mine = np.flatnonzero(new.source == number)
            segment = touch.segment
            places = (new.pages[mine].astype(np.int64) - (segment.start >> PAGE_SHIFT)) // (segment.page_bytes // PAGE_BYTES)
            turn = self._turns.setdefault(touch.task, Turn())
            wanted[mine] = self._chooser.choose(segment.policy, touch.cpu_node, places, turn)
        return wanted

    def give_way(self, pages: Addresses, frames: Ints, nodes: NodeIndices) -> None:
        """Move pages, by the number of their first 4 KiB, to nodes where their frames have been taken, and free the old ones."""
        small = expanded(pages.astype(np.int64), frames).astype(np.uint64)
        self.memory.give_back(self.table.indices(pages), frames)
        self.table.map(small, np.repeat(nodes, frames))


@dataclass(frozen=True)
class _New:
    """Pages to be placed, in order: number of the first 4 KiB, and by which of the touches."""

    pages: Addresses
    source: NDArray[np.int64]


def _first_touches(touches: Sequence[Touches], table: PageTable) -> _New:
    pages, source, turns, tasks = [], [], [], []
    for number, touch in enumerate(touches):
        start = np.uint64(touch.segment.start)
        size = np.uint64(touch.segment.page_bytes)
        first = (start + (touch.addresses - start) // size * size) >> np.uint64(PAGE_SHIFT)
        pages.append(first)
        source.append(np.full(len(first), number, dtype=np.int64))
        turns.append(np.arange(len(first)) if touch.turns is None else touch.turns)
        tasks.append(np.full(len(first), touch.task, dtype=np.int64))
    if not pages:
        return _New(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64))
    ranks = np.unique(np.concatenate(tasks), return_inverse=True)[1]
    order = np.argsort(np.concatenate(turns) * (int(ranks.max(initial=0)) + 1) + ranks, kind="stable")
    ordered, sources = np.concatenate(pages)[order], np.concatenate(source)[order]
    _, first_places = np.unique(ordered, return_index=True)
    kept = np.sort(first_places)
    kept = kept[table.indices(ordered[kept]) < 0]
    return _New(ordered[kept], sources[kept])
