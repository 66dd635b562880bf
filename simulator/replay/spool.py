"""Lines of one thread on their way to the engine: cut as the engine asks for them, each with what is computed after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from simulator.engine.interface import Rows
from simulator.engine.plan import CACHED, NONE
from simulator.engine.supply import Ints, Lines, LineTable

ALL_THREADS = 0  # number of the barrier between phases


def lines_of(home: Ints, writes: object, victim_home: Ints, compute_before_ps: Ints, *, dependent: bool = False) -> Lines:
    """Return ordinary lines; `compute_before_ps` is computed before each, which a `Spool` makes that after the line before."""
    count = len(home)
    return Lines(
        home=home,
        victim_home=victim_home,
        writes=np.asarray(writes, np.bool_),
        dependent=np.full(count, dependent),
        barrier=np.full(count, NONE),
        compute_ps=compute_before_ps,
        shared=np.full(count, NONE),
        lock=np.zeros(count, np.int64),
    )


def nothing(barrier: int = NONE, compute_before_ps: int = 0, home: int = 0) -> Lines:
    """Return a line in the thread's own cache: it causes no traffic, but passes a barrier, or ends what is computed."""
    return Lines(
        home=np.array([home]),
        victim_home=np.array([NONE]),
        writes=np.array([False]),
        dependent=np.array([True]),
        barrier=np.array([barrier]),
        compute_ps=np.array([compute_before_ps]),
        shared=np.array([CACHED]),
        lock=np.array([0]),
    )


def joined(parts: Sequence[Lines]) -> Lines:
    """Return several stretches of lines as one."""
    return Lines(*(np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(Lines)))


@dataclass
class Spool:
    """Rows of a thread's program, made as they are asked for.

    Parameters
    ----------
    table : LineTable
    stretches : iterator of Lines
        In order. Their `compute_ps` is what the core computes *before* each line; an engine wants what it computes on it.
    first_home : int
        Index of some node with memory, for lines that cause no traffic.

    Attributes
    ----------
    gave_barrier : bool
        Whether the last portion was a line that passes a barrier of all threads.
    """

    table: LineTable
    stretches: Iterator[Lines]
    first_home: int
    gave_barrier: bool = False
    _held: Lines | None = None  # lines whose last one still wants to know what comes after it
    _ended: bool = False

    def portion(self, most: int) -> tuple[Rows, bool]:
        """Return up to so many rows, at least one if any is left, and whether they are the last."""
        while not self._ended and (self._held is None or len(self._held) < 2):
            self._pull()
        assert self._held is not None
        available = len(self._held) if self._ended else len(self._held) - 1
        count = self._up_to_a_barrier(min(most, available))
        self.gave_barrier = bool(self._held.barrier[0] == ALL_THREADS)
        rows = self.table.rows(self._held.part(0, count))
        self._held = self._held.part(count, len(self._held))
        return rows, self._ended and not len(self._held)

    def _up_to_a_barrier(self, most: int) -> int:
        """Return how many lines may go together: one that passes a barrier goes alone, so that its time is seen."""
        assert self._held is not None
        waits = np.flatnonzero(self._held.barrier[:most] == ALL_THREADS)
        if not len(waits):
            return most
        return int(waits[0]) or 1

    def _pull(self) -> None:
        """Take the next stretch, and give the line before it the time that is computed before the stretch's first."""
        stretch = next(self.stretches, None)
        self._ended = stretch is None
        if stretch is None:
            stretch = nothing(home=self.first_home)  # complete when all that is computed is
        if not len(stretch):
            return
        if self._held is None:
            self._held = nothing(home=self.first_home)
            if stretch.compute_ps[0]:  # nothing is issued before the thread has come so far
                self._held = _appended(self._held, nothing(compute_before_ps=int(stretch.compute_ps[0]), home=self.first_home))
                stretch = replace(stretch, compute_ps=np.append(0, stretch.compute_ps[1:]))
        self._held = _appended(self._held, stretch)


def _appended(before: Lines, stretch: Lines) -> Lines:
    """Return both, with the time before each line of the stretch put on the line before it."""
    times = np.concatenate([before.compute_ps[:-1], before.compute_ps[-1:] + stretch.compute_ps[:1], stretch.compute_ps[1:], [0]])
    return replace(joined([before, stretch]), compute_ps=times)
