"""A compiled engine that knows when its state recurs, and then jumps whole periods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from simulator.engine.compiled import recurrence, state
from simulator.engine.compiled.cache import compile_once
from simulator.engine.compiled.engine import CompiledEngine
from simulator.engine.compiled.memory import Vector, word
from simulator.engine.interface import EngineError, Snapshot, Stop
from simulator.engine.plan import Plan

EVENTS_A_LINE = 200_000  # a line that takes more is taken for standstill
LINES_A_CALL = 1000  # so that Ctrl-C is answered soon
MOST_COUNTED = 1 << 62  # counters are read as signed
MOST_STATE_WORDS = 1 << 20


@dataclass(frozen=True)
class Period:
    """How the state recurs: after so many lines of the thread that is its clock."""

    clock: int
    lines: int


class RecurringEngine(CompiledEngine):
    """Runs a plan without random numbers; at first like any engine, then by whole periods.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        prepare_exact()
        self._repeats = np.array([_repeat(plan, thread) for thread in range(len(plan.threads.label))], np.uint64)
        self._scratch = np.zeros(len(self._words), np.uint64)

    def state(self) -> Vector:
        """Return the state as a vector: two are equal where, and only where, all that follows is."""
        out = np.empty(self._most_state_words(), np.uint64)
        length = int(state.write_state(self._words, self._scratch, self._repeats, out))
        return out[:length].view(np.int64)

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
        words, scratch, repeats = self._words, self._scratch, self._repeats
        out, reference = (np.empty(self._most_state_words(), np.uint64) for _ in range(2))
        done, steps = 0, 1
        while done < most_lines:
            length = int(state.write_state(words, scratch, repeats, reference))
            if length > MOST_STATE_WORDS:
                return None
            first = self._lines(clock)
            steps = min(steps, most_lines - done)
            end = recurrence.NOT_YET
            for begun in range(0, steps, LINES_A_CALL):
                numbers = map(np.uint64, (length, clock, min(LINES_A_CALL, steps - begun), EVENTS_A_LINE))
                end = int(recurrence.steps_to_recurrence(words, scratch, repeats, out, reference, *numbers))
                self._check()
                if end != recurrence.NOT_YET:
                    break
            if end == recurrence.CAME_BACK:
                period = Period(clock, self._lines(clock) - first)
                self._let_lines_end(period)
                return period
            if end == recurrence.STOOD_STILL:
                return None
            done, steps = done + steps, 2 * steps
        return None

    def _let_lines_end(self, period: Period) -> None:
        """Advance by periods until all lines that were under way are complete.

        The state says nothing of where they spent their time so far: it comes back, their past may not.
        """
        began_ps = self._memory.header("NOW")
        issued = [state + word("A_ISSUED") for state in self._states()]
        while any(int(self._memory.words[place]) < began_ps for place in issued):
            self._one_period(period)
            issued = [state + word("A_ISSUED") for state in self._states()]

    def run_periods(self, period: Period, count: int) -> int:
        """Advance by whole periods: through the first, and past the others in one jump.

        The engine must stand where `find_period` or `run_periods` left it. All counters are what `advance` would have made them,
        to the last integer, `Snapshot.events` and the latency histogram too.

        Returns
        -------
        int
            Periods run: fewer than `count` where a counter would not fit its word any more.
        """
        recurrence.settle(self._words)
        opened, before = self.snapshot(), self._words.copy()
        self._one_period(period)
        recurrence.settle(self._words)
        more = min(count - 1, _periods_that_fit(opened, self.snapshot()))
        recurrence.jump(self._words, before, np.uint64(more))
        self._check()
        return 1 + more

    def _one_period(self, period: Period) -> None:
        targets = [0] * len(self._plan.threads.label)
        targets[period.clock] = self._lines(period.clock) + period.lines
        if self.advance(targets, EVENTS_A_LINE * period.lines) is not Stop.REACHED:
            raise EngineError("a defect of the compiled engine: a state that had recurred did not recur again")

    def _lines(self, thread: int) -> int:
        return int(self._record("THREAD", thread)[word("T_LINES")])

    def _most_state_words(self) -> int:
        """Return a length that no state can exceed; pages beyond the real length are never touched."""
        size = self._memory.sizes
        threads = size.threads * int(state.THREAD_PART) + size.slots * int(state.SLOT_PART)
        fixed = size.ports * int(state.PORT_PART) + size.pools + size.delays + len(self._plan.barrier_parties)
        return threads + fixed + size.packets * int(state.PACKET_PART)


def _periods_that_fit(before: Snapshot, after: Snapshot) -> int:
    """Return how many more periods like the one between two snapshots no counter would run over from."""
    pairs = zip(_numbers(asdict(before).values()), _numbers(asdict(after).values()), strict=True)
    return min((MOST_COUNTED - last) // (last - first) for first, last in pairs if last > first)


def _numbers(values: Iterable[Any]) -> Iterator[int]:
    for value in values:
        if isinstance(value, int):
            yield value
        else:
            yield from _numbers(value)


@cache
def prepare_exact() -> None:
    """Compile the search and the jump where their code is not kept yet; looked up once a process."""
    compile_once("the exact mode", "jump", recurrence.compile_recurrence)


def _repeat(plan: Plan, thread: int) -> int:
    """Return the shortest number of lines after which a thread's program repeats itself."""
    first, count = plan.threads.first[thread], plan.threads.count[thread]
    table = plan.program
    columns = (table.transaction, table.victim, table.core_draw, table.barrier, table.compute_ps)
    rows = list(zip(*(column[first : first + count] for column in columns), strict=True))
    return next(length for length in range(1, count + 1) if count % length == 0 and rows == rows[:length] * (count // length))
