"""Lines handed to an engine while it runs: from what an access does to rows of the Plan's program.

The places of a supplied thread begin with a line of each kind that it may issue: read and written, with its core time and
without, for each memory. Rows that are handed in are made of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulator.engine.deadlock import WaitState
from simulator.engine.interface import Engine, EngineError, Rows, Snapshot, Stop
from simulator.engine.plan import CACHED, NONE, Plan

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Lines:
    """Lines of one thread, in order; every array has one element a line.

    Attributes
    ----------
    home, victim_home : ndarray of int64
        Index of the node whose memory holds the line, and the dirty line that it evicts; NONE (-1): it evicts none.
    writes : ndarray of bool
        Fetched to be written.
    dependent : ndarray of bool
        Waits until no line of its thread is under way, and takes no core time but `compute_ps`: a chased pointer.
    barrier : ndarray of int64
        To pass before it; NONE: none.
    compute_ps : ndarray of int64
        For which the core computes on it, one line of the thread at a time.
    shared, lock : ndarray of int64
        As in :class:`simulator.workload.Access`; NONE: a line that nobody else has; CACHED: in the thread's own caches, so that
        it causes nothing. Shared lines are dependent, and evict none.
    """

    home: Ints
    victim_home: Ints
    writes: Flags
    dependent: Flags
    barrier: Ints
    compute_ps: Ints
    shared: Ints
    lock: Ints

    def __len__(self) -> int:
        return len(self.home)

    def part(self, first: int, end: int) -> Lines:
        """Return some of the lines."""
        cut = slice(first, end)
        return Lines(
            self.home[cut],
            self.victim_home[cut],
            self.writes[cut],
            self.dependent[cut],
            self.barrier[cut],
            self.compute_ps[cut],
            self.shared[cut],
            self.lock[cut],
        )


class LineTable:
    """Makes rows of the program of one supplied thread.

    Parameters
    ----------
    plan : Plan
    thread : int
        Its place in the plan.
    alone : int
        Number of the barrier that only this thread takes part in: passed once none of its lines is under way.
    """

    def __init__(self, plan: Plan, thread: int, alone: int) -> None:
        self._alone = alone
        memories = [node for node, port in enumerate(plan.controller_port) if port != NONE]
        count = 2 * 2 * len(memories)
        first = plan.threads.first[thread]
        rows = np.array([plan.program.transaction, plan.program.victim, plan.program.core_draw, plan.program.path], np.int64)
        by_kind = rows[:, first : first + count].reshape(4, 2, 2, -1)  # writes, dependent, memory
        self._memory = np.full(len(plan.node_ids), NONE)
        self._memory[memories] = np.arange(len(memories))
        self._transaction, self._victim, self._draw, self._path = by_kind
        end = first + count + 2 * plan.shared_lines
        shared = rows[:, first + count : end].reshape(4, -1, 2)  # line, writes
        self._shared_transaction, _, self._shared_draw, self._shared_path = shared

    def rows(self, lines: Lines) -> Rows:
        """Return the rows of lines, columns as in :class:`simulator.engine.plan.Program`."""
        kind = lines.writes.astype(np.int64), lines.dependent.astype(np.int64), self._memory[lines.home]
        victim = np.where(lines.victim_home == NONE, NONE, self._victim[0, 0, self._memory[lines.victim_home]])
        barrier = np.where((lines.barrier == NONE) & lines.dependent, self._alone, lines.barrier)
        columns = self._transaction[kind], victim, self._draw[kind], barrier, self._path[kind], lines.compute_ps
        rows = np.stack((*columns, lines.shared, lines.lock), axis=1).astype(np.int64)
        rows[lines.shared == CACHED, 1] = NONE
        chosen = lines.shared >= 0
        line = lines.shared[chosen], lines.writes[chosen].astype(np.int64)
        rows[chosen, 0], rows[chosen, 1] = self._shared_transaction[line], NONE
        rows[chosen, 2], rows[chosen, 4] = self._shared_draw[line], self._shared_path[line]
        return rows


Feed = Callable[[int, int], tuple[Rows, bool]]


class FedEngine:
    """An engine whose supplied threads get their lines when they want them; otherwise like any other.

    Parameters
    ----------
    engine : Engine
    feed : callable
        Given a thread and the most lines that have room, returns rows, and whether they are its last.
    """

    def __init__(self, engine: Engine, feed: Feed) -> None:
        self._engine, self._feed = engine, feed
        self.name = engine.name

    def advance(self, target_lines: list[int], event_budget: int) -> Stop:
        """Run as any engine does, and hand in lines on the way."""
        while True:
            stop = self._engine.advance(target_lines, event_budget)
            thread = self._engine.hungry()
            if stop is not Stop.HUNGRY or thread is None:
                return stop
            room = self._engine.room(thread)
            if room <= 0:
                raise EngineError("a line is overtaken by more lines of its thread than there are places")
            rows, last = self._feed(thread, room)
            if not len(rows) and not last:
                raise EngineError("a thread was handed no lines, though there are more")
            self._engine.supply(thread, rows, last=last)

    def snapshot(self) -> Snapshot:
        """Return the counters as they stand."""
        return self._engine.snapshot()

    def start_latency_record(self) -> None:
        """Begin to count latencies of foreground lines."""
        self._engine.start_latency_record()

    def latency_histogram(self) -> list[int]:
        """Return foreground lines by latency."""
        return list(self._engine.latency_histogram())

    def path_histogram(self, path: int) -> Sequence[int]:
        """Return the lines of a path by latency."""
        return self._engine.path_histogram(path)

    def wait_state(self) -> WaitState:
        """Return who waits for what."""
        return self._engine.wait_state()
