"""What a machine does to processes that share its cores: caches that are refilled, and nodes whose memory they get."""

from __future__ import annotations

from typing import Protocol

from simulator.machine.spec import Machine
from simulator.placement.zonelist import zonelists
from simulator.schedule.cache_filter import CacheFilter
from simulator.schedule.footprint import Footprint
from simulator.schedule.traffic import ProcessTraffic, process_traffic


class Memory(Protocol):
    """What the system has to know of processes and memory."""

    def traffic(self, footprint: Footprint) -> ProcessTraffic:
        """Return what a process sends out."""

    def lines_to_fetch_again(self, footprint: Footprint, fetched_by_others: int | None) -> int:
        """Return how many lines a process has lost; None: all that it can."""

    def nearest(self, node: int) -> int:
        """Return the node whose memory a process on this node gets."""


class MachineMemory:
    """Caches and nodes of a machine.

    Parameters
    ----------
    machine : Machine
    sample_lines : int
        Lines of a process that stand for all of them.

    Raises
    ------
    InputError
        The machine's file describes no caches.
    """

    def __init__(self, machine: Machine, sample_lines: int) -> None:
        self._caches = CacheFilter(machine, sample_lines)
        self._traffic: dict[Footprint, ProcessTraffic] = {}
        self._nearest = {node: nodes[0] for node, nodes in zonelists(machine).items()}

    def traffic(self, footprint: Footprint) -> ProcessTraffic:
        """Return what a process sends out.

        Raises
        ------
        InputError
            It fetches next to nothing.
        """
        if footprint not in self._traffic:
            self._traffic[footprint] = process_traffic(self._caches, footprint)
        return self._traffic[footprint]

    def lines_to_fetch_again(self, footprint: Footprint, fetched_by_others: int | None) -> int:
        """Return how many lines a process has lost; see :meth:`CacheFilter.lines_to_fetch_again`."""
        return self._caches.lines_to_fetch_again(footprint, fetched_by_others)

    def nearest(self, node: int) -> int:
        """Return the node whose memory a process on this node gets; its own, if it has any."""
        return self._nearest[node]
