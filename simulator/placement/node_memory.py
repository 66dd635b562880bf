"""The memory of each node: what is free, and where pages go as nodes fill up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.placement.page_table import PAGE_BYTES, PAGE_SHIFT, NodeIndices

_GIB = 1 << 30
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Order:
    """Nodes that a page may come from, best first, by place in the machine's nodes; what asks for it, for messages."""

    nodes: tuple[int, ...]
    policy: str


class NodeMemory:
    """Free frames of 4 KiB of each node.

    Parameters
    ----------
    machine : Machine
    in_use_gib : mapping of int to float
        GiB that something else has, by node number.

    Raises
    ------
    InputError
        More is in use than a node has, or there is no such node.

    Notes
    -----
    A page of 2 MiB takes 512 frames, which are taken to lie together wherever as many are free: memory is not fragmented.
    """

    def __init__(self, machine: Machine, in_use_gib: Mapping[int, float] | None = None) -> None:
        self.node_ids = machine.node_ids
        self.size = [int((node.memory_gib or 0) * _GIB) >> PAGE_SHIFT for node in machine.nodes]
        self.free = list(self.size)
        for node, gib in (in_use_gib or {}).items():
            self._use(machine, node, gib)

    def take(self, orders: Sequence[Order], wanted: Ints, frames: Ints, field: str) -> NodeIndices:
        """Take pages one after the other, each from the first node of its order that has room for it.

        Parameters
        ----------
        orders : sequence of Order
        wanted : int array, shape (pages,)
            Which order each page follows.
        frames : int array, shape (pages,)
            Frames each page needs.
        field : str
            What the pages are for, for messages.

        Returns
        -------
        int8 array, shape (pages,)
            Places of nodes.

        Raises
        ------
        InputError
            All nodes of a page's order are full. Pages before it are taken.
        """
        nodes = np.empty(len(wanted), dtype=np.int8)
        done = 0
        while done < len(wanted):  # once more whenever a node has become full
            target = self._targets(orders, wanted[done:], frames[done:])
            stop = self._until_full(target, frames[done:])
            nodes[done : done + stop] = target[:stop]
            for node, taken in enumerate(np.bincount(target[:stop], frames[done : done + stop], minlength=len(self.free))):
                self.free[node] -= int(taken)
            done += stop
            if stop == 0:
                raise self._out_of_memory(orders[int(wanted[done])], int(frames[done]), field)
        return nodes

    def give_back(self, nodes: NodeIndices, frames: Ints) -> None:
        """Free pages on these nodes."""
        for node, given in enumerate(np.bincount(nodes, frames, minlength=len(self.free))):
            self.free[node] += int(given)

    def _targets(self, orders: Sequence[Order], wanted: Ints, frames: Ints) -> NodeIndices:
        """Return the first node with room now; -1 where there is none."""
        sizes = np.unique(frames)
        best = np.full((len(orders), len(sizes)), -1, dtype=np.int8)
        for number, order in enumerate(orders):
            for column, size in enumerate(sizes):
                best[number, column] = next((node for node in order.nodes if self.free[node] >= size), -1)
        return best[wanted, np.searchsorted(sizes, frames)]

    def _until_full(self, target: NodeIndices, frames: Ints) -> int:
        """Return how many pages go to their targets before one finds its node full."""
        homeless = np.flatnonzero(target < 0)
        stop = int(homeless[0]) if len(homeless) else len(target)
        for node, free in enumerate(self.free):
            pages = np.flatnonzero(target[:stop] == node)
            fitting = int(np.searchsorted(np.cumsum(frames[pages]), free, side="right"))
            if fitting < len(pages):
                stop = int(pages[fitting])
        return stop

    def _out_of_memory(self, order: Order, frames: int, field: str) -> InputError:
        size = f"{frames * PAGE_BYTES // 1024:,} KiB"
        nodes = sorted(order.nodes)
        room = ", ".join(f"node {self.node_ids[node]}: {_gib(self.free[node])} of {_gib(self.size[node])} GiB" for node in nodes)
        what = f"out of memory: no room for another page of {size} under {order.policy}; free: {room}"
        return InputError(what, field=field, allowed="smaller arrays, more nodes, or a policy that falls back to other nodes")

    def _use(self, machine: Machine, node: int, gib: float) -> None:
        field = f"in_use_gib of node {node}"
        if node not in self.node_ids:
            known = ", ".join(map(str, self.node_ids))
            raise InputError(f"{machine.name} has no node {node}", field=field, allowed=f"nodes {known}")
        index = self.node_ids.index(node)
        frames = int(gib * _GIB) >> PAGE_SHIFT
        if not 0 <= frames <= self.size[index]:
            raise InputError("more than the node has", field=field, value=gib, allowed=f"0 to {_gib(self.size[index])} GiB")
        self.free[index] -= frames


def _gib(frames: int) -> str:
    return f"{frames * PAGE_BYTES / _GIB:.6g}"
