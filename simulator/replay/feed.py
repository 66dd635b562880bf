"""Driving an engine from the first line of every thread to the last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from simulator.engine.deadlock import closed_barriers, deadlocked, wait_cycle
from simulator.engine.interface import Engine, Rows, Snapshot, Stop
from simulator.engine.supply import FedEngine
from simulator.replay.spool import Spool

EVENTS_A_LOOK = 500_000
MOST_IDLE_LOOKS = 50
Verdict = Literal["finished", "deadlock", "no progress"]
Progress = Callable[[int], None]  # told the lines that are complete


class Feeder:
    """Hands lines to an engine and looks at its counters whenever all threads have passed a barrier.

    Parameters
    ----------
    engine : Engine
        At its start.
    spools : sequence of Spool
        The lines of each thread of the plan.

    Attributes
    ----------
    engine : FedEngine
    barriers : list of Snapshot
        The counters when each barrier had opened.
    """

    def __init__(self, engine: Engine, spools: Sequence[Spool]) -> None:
        self._engine, self._spools = engine, spools
        self.engine = FedEngine(engine, self._feed)
        self.barriers: list[Snapshot] = []
        self._passed = [0] * len(spools)
        self._waits = [False] * len(spools)

    def _feed(self, thread: int, room: int) -> tuple[Rows, bool]:
        """Give a thread lines. One that asks again after it was given a barrier has just passed it."""
        if self._waits[thread]:
            self._passed[thread] += 1
            if self._passed[thread] > len(self.barriers):
                self.barriers.append(self._engine.snapshot())
        rows, last = self._spools[thread].portion(room)
        self._waits[thread] = self._spools[thread].gave_barrier
        return rows, last


def to_the_end(running: FedEngine, threads: int, progress: Progress | None) -> tuple[Verdict, str | None]:
    """Run every thread to its end; return the verdict and what stood in the way."""
    idle, lines = 0, 0
    while True:
        stop = running.advance([1 << 62] * threads, EVENTS_A_LOOK)
        done = sum(running.snapshot().thread_lines)
        if progress is not None:
            progress(done)
        if stop is Stop.REACHED:
            return "finished", None
        idle, lines = (idle + 1 if done == lines else 0), done
        state = running.wait_state()
        if stuck := deadlocked(state):
            cycle = wait_cycle(state, stuck)
            return "deadlock", "packets can never move again: " + " waits for ".join((*cycle, cycle[0]))
        if closed := closed_barriers(state):
            _, waiter, missing = closed[0]
            return "deadlock", f"thread {waiter} waits at a barrier for thread {missing}, which never comes"
        if stop is Stop.EXHAUSTED:
            return "no progress", "no event is left, though lines are still to come"
        if idle >= MOST_IDLE_LOOKS:
            return "no progress", f"{MOST_IDLE_LOOKS * EVENTS_A_LOOK} events passed and no line was complete"
