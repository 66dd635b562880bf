"""From the lines that leave a core's caches to the nodes whose memories hold them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from simulator.cache import CoreCaches, LineChunk
from simulator.engine.plan import NONE
from simulator.engine.supply import Ints, Lines
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.placement.page_table import PageTable
from simulator.replay.spool import lines_of
from simulator.traces import AccessChunk
from simulator.units import LINE_BYTES

Addresses = npt.NDArray[np.uint64]


@dataclass
class Homes:
    """Looks addresses up, and counts which memory a thread's lines are in.

    Parameters
    ----------
    machine : Machine

    Attributes
    ----------
    lines_by_node : ndarray of int64, shape (nodes,)
        Lines fetched from each node's memory.
    """

    machine: Machine
    lines_by_node: Ints = field(init=False)
    _index: Ints = field(init=False)

    def __post_init__(self) -> None:
        ids = np.array(self.machine.node_ids, np.int64)
        self._index = np.full(int(ids.max()) + 1, NONE)
        self._index[ids] = np.arange(len(ids))
        self.lines_by_node = np.zeros(len(ids), np.int64)

    def index(self, nodes: npt.NDArray[np.int32]) -> Ints:
        """Return the index of nodes, by number."""
        return self._index[nodes]

    def count(self, home: Ints) -> None:
        """Count lines that are fetched."""
        self.lines_by_node += np.bincount(home, minlength=len(self.lines_by_node))

    def of(self, table: PageTable, addresses: Addresses) -> Ints:
        """Return the index of the node that holds each address.

        Raises
        ------
        InputError
            Its page was never touched: a trace is not what it was when its pages were placed.
        """
        nodes = table.nodes(addresses)
        if len(nodes) and nodes.min() < 0:
            raise InputError("a trace has changed between the two times that it was read", allowed="traces that stay as they are")
        return self.index(nodes)

    def lines(self, chunk: LineChunk, table: PageTable, *, dependent: bool = False) -> Lines:
        """Return what a core fetches and writes back, with homes."""
        home = self.of(table, chunk.line_address)
        victim = np.full(len(chunk), NONE)
        victim[chunk.has_victim] = self.of(table, chunk.victim_address[chunk.has_victim])
        self.count(home)
        return lines_of(home, chunk.is_write, victim, chunk.compute_ps, dependent=dependent)


def without_caches(chunk: AccessChunk) -> LineChunk:
    """Return the accesses as lines: each is fetched, and one that is written is written back with it."""
    line = chunk.address // np.uint64(LINE_BYTES) * np.uint64(LINE_BYTES)
    return LineChunk(line, chunk.is_write, line, chunk.is_write, chunk.before)


def through_caches(chunk: AccessChunk, caches: CoreCaches | None) -> LineChunk:
    """Return what leaves the caches; all that goes in where a machine's file describes none."""
    return without_caches(chunk) if caches is None else caches.run(chunk)
