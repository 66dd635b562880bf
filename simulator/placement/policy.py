"""Memory policies of Linux: which node a new page should come from.

The words are those of set_mempolicy(2), mbind(2) and the kernel's documentation (Documentation/admin-guide/mm/
numa_memory_policy.rst). Nodes are node numbers of the machine, ascending, each once.
"""

from __future__ import annotations

from dataclasses import dataclass

LARGEST_WEIGHT = 255  # a node's weight is one byte in /sys/kernel/mm/mempolicy/weighted_interleave/


@dataclass(frozen=True)
class LocalAlloc:
    """The node of the CPU that touches the page first; when it is full, the nearest with a free page."""

    def __str__(self) -> str:
        return "--localalloc"


@dataclass(frozen=True)
class Bind:
    """Of these nodes the one closest to the toucher that has a free page; out of memory when all are full."""

    nodes: tuple[int, ...]

    def __str__(self) -> str:
        return f"--membind={_listed(self.nodes)}"


@dataclass(frozen=True)
class Preferred:
    """This node; when it is full, the one nearest to it with a free page."""

    node: int

    def __str__(self) -> str:
        return f"--preferred={self.node}"


@dataclass(frozen=True)
class PreferredMany:
    """Of these nodes the one closest to the toucher; when all are full, any other, nearest to the toucher first."""

    nodes: tuple[int, ...]

    def __str__(self) -> str:
        return f"--preferred-many={_listed(self.nodes)}"


@dataclass(frozen=True)
class Interleave:
    """One page a node in turn; when a page's node is full, the one nearest to that node.

    Attributes
    ----------
    nodes : tuple of int
    in_turn : bool
        False: page n of a segment is on node n modulo the number of nodes, whoever touches it, in any order, as for anonymous
        and shared memory. True: each new page of a task goes to the next node, as for page-cache pages of files.
    """

    nodes: tuple[int, ...]
    in_turn: bool = False

    def __str__(self) -> str:
        return f"--interleave={_listed(self.nodes)}"


@dataclass(frozen=True)
class WeightedInterleave:
    """As many pages in a row on each node as its weight says, then the next node. The weights belong to the system.

    Attributes
    ----------
    nodes : tuple of int
    in_turn : bool
        As for :class:`Interleave`.
    """

    nodes: tuple[int, ...]
    in_turn: bool = False

    def __str__(self) -> str:
        return f"--weighted-interleave={_listed(self.nodes)}"


Policy = LocalAlloc | Bind | Preferred | PreferredMany | Interleave | WeightedInterleave


def _listed(nodes: tuple[int, ...]) -> str:
    return ",".join(map(str, nodes))
