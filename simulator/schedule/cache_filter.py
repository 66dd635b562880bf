"""The lines that a core fetches for a process: its accesses run through the machine's caches, undisturbed and after others."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from simulator.cache import CoreCaches, LineChunk, core_caches
from simulator.errors import InputError
from simulator.machine.spec import CachesSpec, Machine
from simulator.program.orders import Strided
from simulator.schedule.footprint import Footprint
from simulator.traces import access_chunk
from simulator.units import LINE_BYTES, PS_PER_NS

_FAR_AWAY = 1 << 46  # addresses of whatever else runs on the core
_WARM_PASSES = 12  # so many accesses a line of a reused region leave 1 line in 160,000 untouched
_CHUNK = 1 << 16
_FIRST_CHUNK = 1 << 10
_MOST_ACCESSES = 4_000_000
_FEWEST_LINES = 64


@dataclass(frozen=True)
class FilteredLines:
    """Lines that a process's core fetches when nothing disturbs its caches.

    Attributes
    ----------
    compute_ns : tuple of float
        For which the core works after each line.
    evicts : tuple of bool
        Whether a dirty line is written back with each.
    instructions_per_line : float
    """

    compute_ns: tuple[float, ...]
    evicts: tuple[bool, ...]
    instructions_per_line: float

    @property
    def mean_compute_ns(self) -> float:
        """Mean time that the core works for a line."""
        return sum(self.compute_ns) / len(self.compute_ns)


class CacheFilter:
    """What the caches of one core of a machine let through; each answer is found once.

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

    def __init__(self, machine: Machine, sample_lines: int = 1000) -> None:
        self._sample_lines = sample_lines
        if machine.caches is None:
            allowed = "a [caches] table"
            raise InputError("the machine's file describes no caches", field="caches", value=machine.name, allowed=allowed)
        self._spec: CachesSpec = machine.caches
        self._clock_ghz = machine.processor.clock_ghz
        self._steady: dict[Footprint, FilteredLines] = {}
        self._fills: dict[tuple[Footprint, int], int] = {}
        self._warmed: dict[Footprint, tuple[CoreCaches, int]] = {}

    @property
    def lines(self) -> int:
        """How many lines L1 and L2 of a core hold together."""
        return (self._spec.l1.size_kib + self._spec.l2.size_kib) * 1024 // LINE_BYTES

    def steady(self, footprint: Footprint) -> FilteredLines:
        """Return the lines of a process with warm caches.

        Raises
        ------
        InputError
            The process fetches next to nothing.
        """
        if footprint not in self._steady:
            self._steady[footprint] = self._sample(footprint)
        return self._steady[footprint]

    def lines_to_fetch_again(self, footprint: Footprint, fetched_by_others: int | None) -> int:
        """Return how many lines a process fetches that it would not have, had others not used its core.

        The caches are warmed by its accesses twice; the second time lines of others pass through before it goes on. Their
        number is rounded to the nearest power of two, and below 64 to none.

        Parameters
        ----------
        footprint : Footprint
        fetched_by_others : int, optional
            Lines that others fetched into the core's caches since the process ran; None: nothing of it is left.
        """
        most = 1 << (2 * self.lines).bit_length()  # more than enough to drive out all
        others = most if fetched_by_others is None else min(fetched_by_others, most)
        if others < _FEWEST_LINES:
            return 0
        return max(0, self._fills_after(footprint, 1 << round(float(np.log2(others)))) - self._fills_after(footprint, 0))

    def _fills_after(self, footprint: Footprint, others: int) -> int:
        key = footprint, others
        if key not in self._fills:
            caches, start = self._warm(footprint)
            if others:
                caches.run(access_chunk(Strided(_FAR_AWAY, others, LINE_BYTES, others).addresses(0, others)))
            before = caches.counts.fills
            stop = start + self._pass(footprint)
            for first in range(start, stop, _CHUNK):
                caches.run(footprint.accesses(first, min(first + _CHUNK, stop)))
            self._fills[key] = caches.counts.fills - before
        return self._fills[key]

    def _sample(self, footprint: Footprint) -> FilteredLines:
        caches, start = self._warm(footprint)
        done = start
        caches.take_time_ps()
        chunks: list[LineChunk] = []
        size = _FIRST_CHUNK
        while sum(map(len, chunks)) < self._sample_lines:
            if done - start > _MOST_ACCESSES:
                what = f"fetches fewer than {self._sample_lines} lines in {_MOST_ACCESSES:,} accesses"
                raise InputError(what, field=f"footprint {footprint.name}", allowed="a region beyond the caches with some share")
            chunks.append(caches.run(footprint.accesses(done, done + size)))
            done, size = done + size, min(2 * size, _CHUNK)
        compute_ps = np.concatenate([chunk.compute_ps for chunk in chunks])
        evicts = np.concatenate([chunk.has_victim for chunk in chunks])
        compute_ps[0] += caches.take_time_ps()  # what is left at the end comes before the first line of the next round
        instructions = (done - start) * footprint.instructions_per_access
        return FilteredLines(tuple((compute_ps / PS_PER_NS).tolist()), tuple(evicts.tolist()), instructions / len(compute_ps))

    def _warm(self, footprint: Footprint) -> tuple[CoreCaches, int]:
        """Return caches as they are once accesses change them no more, and the number of these accesses."""
        if footprint not in self._warmed:
            caches, done, wanted = core_caches(self._spec, self._clock_ghz), 0, self._pass(footprint)
            while done < wanted or (caches.counts.fills < 2 * self.lines and done < _MOST_ACCESSES):
                caches.run(footprint.accesses(done, done + _CHUNK))
                done += _CHUNK
            self._warmed[footprint] = caches, done
        caches, done = self._warmed[footprint]
        return deepcopy(caches), done

    def _pass(self, footprint: Footprint) -> int:
        """Return how many accesses use each line that the caches can hold."""
        reused = footprint.reused_lines(self.lines * LINE_BYTES)
        wanted = max([_CHUNK, *(round(_WARM_PASSES * lines / share) for lines, share in reused if share)])
        return min(wanted, _MOST_ACCESSES)
