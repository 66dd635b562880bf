"""What a core sends out while it runs something: a repeating sequence of lines for the line-level engine."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.schedule.cache_filter import CacheFilter
from simulator.schedule.footprint import Footprint
from simulator.workload import Access, ThreadSpec


@dataclass(frozen=True, eq=False)
class Traffic:
    """Lines, over and over; equal only to itself, so that it is looked up fast.

    Attributes
    ----------
    name : str
    compute_ns : tuple of float
        For which the core works on each line.
    evicts : tuple of bool
        Whether a dirty line is written back with it.
    dependent : bool
        A line waits for the one before it and takes no core time beside `compute_ns`; else the core's window and core time.
    """

    name: str
    compute_ns: tuple[float, ...]
    evicts: tuple[bool, ...]
    dependent: bool

    def thread(self, node: int, core: int, memory: int) -> ThreadSpec:
        """Return the thread that sends it.

        A line that drives out a dirty one is the engine's written line, a fill and a victim; any other is a read.
        """
        accesses = tuple(
            Access("w" if evicts else "r", memory, compute_ns=compute_ns)
            for compute_ns, evicts in zip(self.compute_ns, self.evicts, strict=True)
        )
        window, core_time_ns = (1, 0.0) if self.dependent else (None, None)
        return ThreadSpec(node, core, accesses, window=window, core_time_ns=core_time_ns)


@dataclass(frozen=True)
class ProcessTraffic:
    """What a process sends out.

    Attributes
    ----------
    working : Traffic
        While it works with warm caches.
    refilling : Traffic
        While it fetches again what others have driven out: the same lines one after the other, since the work between them is
        that of `working`.
    instructions_per_line : float
        Of `working`.
    """

    working: Traffic
    refilling: Traffic
    instructions_per_line: float


def process_traffic(caches: CacheFilter, footprint: Footprint) -> ProcessTraffic:
    """Return what a process with this footprint sends out.

    Parameters
    ----------
    caches : CacheFilter
    footprint : Footprint

    Raises
    ------
    InputError
        It fetches next to nothing.
    """
    lines = caches.steady(footprint)
    evicts = _spread(footprint.write_share)
    return ProcessTraffic(
        Traffic(footprint.name, lines.compute_ns, lines.evicts, footprint.dependent),
        Traffic(f"{footprint.name}, refilling", (0.0,) * len(evicts), evicts, footprint.dependent),
        lines.instructions_per_line,
    )


def _spread(share: float, period: int = 100) -> tuple[bool, ...]:
    """Return a pattern of which this share is True, evenly spread: what is driven out is as dirty as what is stored."""
    count = round(share * period)
    return tuple((place + 1) * count // period > place * count // period for place in range(period))
