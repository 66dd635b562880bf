"""A compiled engine that knows when its state recurs, and then jumps whole periods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.engine.compiled import recurrence, state
from simulator.engine.compiled.engine import CompiledEngine
from simulator.engine.compiled.memory import word
from simulator.engine.interface import Stop
from simulator.engine.plan import Plan

EVENTS_A_LINE = 200_000  # a line that takes more is taken for standstill
MOST_STATE_WORDS = 1 << 20


@dataclass(frozen=True)
class Period:
    """How the state recurs: after so many lines of the thread that is its clock."""

    clock: int
    lines: int


class RecurringEngine(CompiledEngine):
    """Runs a plan without random numbers; at first like any engine, then by whole periods."""

    def find_period(self, clock: int, most_lines: int) -> Period | None:
        """Advance until the state has come back; it stands after a line of the clock then.

        The state of reference is taken anew after 1, 2, 4, ... lines (R. Brent, An improved Monte Carlo factorization
        algorithm, BIT 20, 1980); states are compared word by word, so that the answer is certain and the period the shortest.

        Parameters
        ----------
        clock : int
            The thread whose lines are counted. Its program must repeat.
        most_lines : int
            Lines of the clock to look at.

        Returns
        -------
        Period or None
            None: it does not within so many lines, or some line of the clock never ends.
        """
        assert all(len(set(values)) == 1 for values in self._plan.draws.values), "random numbers are not part of the state"
        words, most = self._words, self._most_state_words()
        scratch, out, reference = np.zeros(len(words), np.uint64), np.empty(most, np.uint64), np.empty(most, np.uint64)
        repeats = np.array([_repeat(self._plan, thread) for thread in range(len(self._plan.threads.label))], np.uint64)
        done, steps = 0, 1
        while done < most_lines:
            length = int(state.write_state(words, scratch, repeats, reference))
            if length > MOST_STATE_WORDS:
                return None
            first = self._lines(clock)
            steps = min(steps, most_lines - done)
            numbers = (np.uint64(value) for value in (length, clock, steps, EVENTS_A_LINE))
            end = int(recurrence.steps_to_recurrence(words, scratch, repeats, out, reference, *numbers))
            if end == recurrence.CAME_BACK:
                return Period(clock, self._lines(clock) - first)
            if end == recurrence.STOOD_STILL:
                return None
            done, steps = done + steps, 2 * steps
        return None

    def run_periods(self, period: Period, count: int) -> None:
        """Advance by whole periods: through the first, and past the others in one jump.

        The engine must stand where `find_period` or `run_periods` left it. All counters are what `advance` would have made them,
        to the last integer, `Snapshot.events` and the latency histogram too.
        """
        recurrence.settle(self._words)
        before = self._words.copy()
        targets = [0] * len(self._plan.threads.label)
        targets[period.clock] = self._lines(period.clock) + period.lines
        stop = self.advance(targets, EVENTS_A_LINE * period.lines)
        assert stop is Stop.REACHED
        recurrence.settle(self._words)
        recurrence.jump(self._words, before, np.uint64(count - 1))
        assert not self._memory.header("BROKEN")

    def _lines(self, thread: int) -> int:
        return int(self._record("THREAD", thread)[word("T_LINES")])

    def _most_state_words(self) -> int:
        """Return a length that no state can exceed; pages beyond the real length are never touched."""
        size = self._memory.sizes
        threads = size.threads * int(state.THREAD_PART) + size.slots * int(state.SLOT_PART)
        fixed = size.ports * int(state.PORT_PART) + size.pools + size.delays + len(self._plan.barrier_parties)
        return threads + fixed + size.packets * int(state.PACKET_PART)


def _repeat(plan: Plan, thread: int) -> int:
    """Return the shortest number of lines after which a thread's program repeats itself."""
    first, count = plan.threads.first[thread], plan.threads.count[thread]
    table = plan.program
    columns = (table.transaction, table.victim, table.core_draw, table.barrier)
    rows = list(zip(*(column[first : first + count] for column in columns), strict=True))
    return next(length for length in range(1, count + 1) if count % length == 0 and rows == rows[:length] * (count // length))
