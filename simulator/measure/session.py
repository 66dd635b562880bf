"""One run from its first line to its verdict: warm-up, batches, the rule that stops it. The same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from simulator.engine.deadlock import closed_barriers, deadlocked, wait_cycle
from simulator.engine.interface import Engine, Snapshot, Stop
from simulator.engine.plan import NONE, Plan
from simulator.measure.accuracy import Accuracy
from simulator.measure.batches import FEWEST_BATCHES, MOST_BATCHES, BatchPoint, half_width_percent
from simulator.measure.result import Verdict

SMALLEST_BATCH = 50  # lines a foreground thread
SATURATION = 0.05  # served so much slower than lines arrive: beyond what chance does in a window
CHECK_EVENTS = 200_000  # events between two looks for a deadlock
MOST_IDLE_CHECKS = 50
STARVED_INTERVALS = 4  # of its asked rate that must fit into a window in which a thread does nothing


@dataclass
class Session:
    """A run under way.

    Attributes
    ----------
    opened, last : Snapshot or None
        Start and end of the measured window; None: not yet.
    """

    plan: Plan
    engine: Engine
    accuracy: Accuracy
    opened: Snapshot | None = None
    last: Snapshot | None = None
    verdict: Verdict | None = None
    verdict_detail: str | None = None
    cycle: tuple[str, ...] = ()
    _boundaries: list[Snapshot] = field(default_factory=list)
    _idle_checks: int = 0  # looks in a row at which no thread that the run waits for had completed a line

    def run(self) -> None:
        """Run to the verdict."""
        if not self.warm_up():
            return
        self.opened = self.last = self.engine.snapshot()
        self._boundaries = [self.opened]
        self.engine.start_latency_record()
        batch = max(1, min(SMALLEST_BATCH, self.accuracy.lines // FEWEST_BATCHES))
        while self.verdict is None:
            before = self._measured_lines()
            measured = min(before + batch, self.accuracy.lines)
            reached = self._reach([lines + measured for lines in self.opened.thread_lines])
            self.last = self.engine.snapshot()
            if measured == before + batch:  # a shorter rest at the line limit would weigh as much as a whole batch
                self._boundaries.append(self.last)
            if reached:
                self._judge(measured)
            if len(self._boundaries) > 2 * MOST_BATCHES:  # memory stays flat however long the run
                self._boundaries, batch = self._boundaries[::2], 2 * batch
        self._look_for_hidden_deadlock()
        self._look_for_starved_threads()

    def warm_up(self) -> bool:
        """Run every foreground thread through its warm-up lines; False: that never ends, and the verdict says why."""
        return not self._ends_while_warming_up() and self._reach([self.accuracy.warmup] * len(self.plan.threads.label))

    def ci_percent(self, thread: int) -> float | None:
        """Return the half width of a thread's interval in per cent; None when there are too few batches."""
        points = [BatchPoint(point.thread_lines[thread], point.thread_last_ps[thread]) for point in self._boundaries]
        return half_width_percent(points)

    def _look_for_starved_threads(self) -> None:
        """A thread that ran through the whole window without a line makes no steady run, though all others may do well."""
        if self.verdict != "steady" or self.opened is None or self.last is None:
            return
        window_ps = self.last.time_ps - self.opened.time_ps
        table = self.plan.threads
        for thread, label in enumerate(table.label):
            draw = table.interval_draw[thread]
            asked_ps = 0 if draw == NONE else max(self.plan.draws.values[draw])
            idle = self.last.thread_lines[thread] == self.opened.thread_lines[thread]
            if idle and table.repeat[thread] and STARVED_INTERVALS * asked_ps < window_ps:
                self.verdict, self.verdict_detail = "no progress", f"thread {label} completed no line in the whole window"
                return

    def _foreground(self) -> Sequence[int]:
        return [index for index, background in enumerate(self.plan.threads.background) if not background]

    def _measured_lines(self) -> int:
        assert self.opened is not None
        assert self.last is not None
        measured = zip(self.opened.thread_lines, self.last.thread_lines, strict=True)
        lines = [last - first for first, last in measured]
        return min((lines[thread] for thread in self._clocked()), default=0)

    def _clocked(self) -> Sequence[int]:
        """Return the threads that set the pace: those of the foreground that still run, or all if there is no other."""
        foreground = self._foreground()
        running = [thread for thread in foreground if not self._has_finished(thread)]
        return running or foreground or range(len(self.plan.threads.label))

    def _clocked_lines(self) -> list[int]:
        lines = self.engine.snapshot().thread_lines
        return [lines[thread] for thread in self._clocked()]

    def _ends_while_warming_up(self) -> bool:
        """Whether some program is over before the window could open: nothing could be measured of it."""
        table = self.plan.threads
        for thread in self._foreground():
            if not table.repeat[thread] and table.count[thread] <= self.accuracy.warmup:
                self.verdict = "not warmed up"
                lines = f"{table.count[thread]} lines of thread {table.label[thread]}"
                self.verdict_detail = f"the {lines} are over within a warm-up of {self.accuracy.warmup}"
                return True
        return False

    def _judge(self, measured: int) -> None:
        """Stop at the asked interval or at the line limit."""
        finished = all(self._has_finished(thread) for thread in self._foreground()) and bool(self._foreground())
        intervals = [self.ci_percent(thread) for thread in self._clocked()]
        known = [interval for interval in intervals if interval is not None]
        enough = len(known) == len(intervals) and max(known, default=0.0) <= self.accuracy.ci_percent
        if enough and len(self._boundaries) - 1 >= MOST_BATCHES:
            self._judge_open_arrivals()
        elif finished:
            self.verdict, self.verdict_detail = "steady", "every foreground program ran to its end"
        elif measured >= self.accuracy.lines:
            if enough:
                self._judge_open_arrivals()
                return
            self.verdict = "too short"
            unknown = "not known for every thread" if known else "not known"
            widest = f"{max(known):.2f} %" if len(known) == len(intervals) else unknown
            self.verdict_detail = (
                f"after {measured} lines a thread the confidence interval is {widest}, asked for {self.accuracy.ci_percent} %"
            )

    def _judge_open_arrivals(self) -> None:
        """Steady, unless lines arrive faster than they are served, so that they wait ever longer."""
        self.verdict = "steady"
        assert self.opened is not None
        assert self.last is not None
        table = self.plan.threads
        for thread in range(len(table.label)):
            lines = self.last.thread_lines[thread] - self.opened.thread_lines[thread]
            if not table.open[thread] or not lines:
                continue
            arrivals = self.plan.draws.values[table.interval_draw[thread]]
            mean_interval_ps = sum(arrivals) / len(arrivals)
            time_ps = (self.last.thread_last_ps[thread] - self.opened.thread_last_ps[thread]) / lines
            if time_ps > mean_interval_ps * (1 + SATURATION):
                self.verdict = "saturated"
                served = f"a line every {time_ps / 1000:.3g} ns"
                self.verdict_detail = (
                    f"thread {table.label[thread]} is served {served}, and one arrives every {mean_interval_ps / 1000:.3g} ns"
                )

    def _has_finished(self, thread: int) -> bool:
        table = self.plan.threads
        lines = 0 if self.last is None else self.last.thread_lines[thread]
        return not table.repeat[thread] and lines >= table.count[thread]

    def _reach(self, lines: Sequence[int]) -> bool:
        """Advance until every clocked thread has completed its `lines`; False: it never will, and the verdict says why."""
        targets = [0] * len(self.plan.threads.label)
        for thread in self._clocked():
            targets[thread] = lines[thread]
        while True:
            before = self._clocked_lines()
            stop = self.engine.advance(targets, CHECK_EVENTS)
            if stop is Stop.REACHED:
                return True
            self._idle_checks = self._idle_checks + 1 if self._clocked_lines() == before else 0
            self._judge_standstill(stop)
            if self.verdict is not None:
                return False

    def _judge_standstill(self, stop: Stop) -> None:
        self._look_for_hidden_deadlock()
        if self.verdict is not None:
            return
        if stop is Stop.EXHAUSTED:
            self.verdict, self.verdict_detail = "no progress", "no event is left, though lines are still to come"
        elif self._idle_checks >= MOST_IDLE_CHECKS:
            events = MOST_IDLE_CHECKS * CHECK_EVENTS
            self.verdict = "no progress"
            self.verdict_detail = f"{events} events passed and no thread that the run waits for completed a line"

    def _look_for_hidden_deadlock(self) -> None:
        state = self.engine.wait_state()
        stuck = deadlocked(state)
        closed = closed_barriers(state)
        if closed and not stuck:
            barrier, waiter, missing = closed[0]
            self.verdict, self.cycle = "deadlock", (f"thread {waiter}", f"barrier {barrier}", f"thread {missing}")
            self.verdict_detail = f"thread {waiter} waits at barrier {barrier} for thread {missing}, which never comes"
        if not stuck:
            return
        self.verdict, self.cycle = "deadlock", wait_cycle(state, stuck)
        packets = "packet" if len(stuck) == 1 else "packets"
        self.verdict_detail = f"{len(stuck)} {packets} can never move again: " + " waits for ".join((*self.cycle, self.cycle[0]))
