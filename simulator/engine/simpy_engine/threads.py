"""Threads as simpy processes: each window slot issues a line, waits for it and for its core time, and issues the next."""

from __future__ import annotations

from collections.abc import Callable, Generator

from simulator.engine.deadlock import Member
from simulator.engine.interface import LATENCY_BIN_PS, LATENCY_BINS
from simulator.engine.order import Phase, components, event_key
from simulator.engine.plan import NONE, Part, Plan
from simulator.engine.random_numbers import random_bits
from simulator.engine.simpy_engine.clock import Clock, WakeEvent
from simulator.engine.simpy_engine.parts import Slot, ThreadState, TransactionState

ARRIVAL_NUMBERS = 1 << 48  # arrivals draw from the same stream as core times, far behind them


class Threads:
    """All threads of a plan.

    Parameters
    ----------
    plan : Plan
    clock : Clock
    launch : callable
        Called with each new transaction; sends its request.
    """

    def __init__(self, plan: Plan, clock: Clock, launch: Callable[[TransactionState], None]) -> None:
        self._plan, self._clock, self._launch = plan, clock, launch
        self._draws = plan.draws.values
        self._barrier_here = [0] * len(plan.barrier_parties)
        self.threads = [self._build(index) for index in range(len(plan.threads.label))]
        self.below_target = 0
        self.histogram: list[int] | None = None
        self.path_lines = [0] * len(plan.paths.thread)
        self.path_parts_ps = [[0] * len(Part) for _ in plan.paths.thread]

    def start(self) -> None:
        """Start every slot; each wakes for the first time at its thread's start."""
        for thread in self.threads:
            for slot in thread.slots:
                self._clock.start(self._slot_process(slot))
                self._clock.wake(slot.wake, self._plan.threads.start_ps[thread.index])

    def set_targets(self, lines: list[int]) -> None:
        """Say how many lines each thread must have completed before `below_target` is zero."""
        self.below_target = 0
        for thread, target in zip(self.threads, lines, strict=True):
            thread.target = target
            if not self._is_past_target(thread):
                self.below_target += 1

    def complete(self, transaction: TransactionState) -> None:
        """Take note that a line, or an eviction, is complete."""
        slot = transaction.slot
        if self._plan.transactions.victim[transaction.row]:
            slot.victim_out = False
            if slot.waits_for_victim:
                slot.waits_for_victim = False
                self._clock.wake(slot.wake, self._clock.now_ps)
            return
        self._count_line(slot.thread, transaction)
        draw = self._draws[self._plan.program.core_draw[transaction.program_row]]
        core_ps = draw[random_bits(slot.thread.stream, transaction.number) & (len(draw) - 1)]
        self._count_parts(transaction, core_ps)
        self._clock.wake(slot.wake, self._clock.now_ps + core_ps)

    # -- one slot --------------------------------------------------------------------------------------------------------

    def _slot_process(self, slot: Slot) -> Generator[WakeEvent, None, None]:
        while True:
            yield slot.wake.rearm()
            if self._may_issue(slot):
                self._issue(slot)

    def _may_issue(self, slot: Slot) -> bool:
        """Return whether the slot's next line may go now; if not, see to it that the slot is woken when that may change."""
        thread = slot.thread
        if slot.victim_out:
            slot.waits_for_victim = True
            return False
        if not thread.repeat and thread.issued >= thread.count:
            return False
        if self._is_held_by_barrier(thread):
            self._arrive_at_barrier(thread)
        if self._is_held_by_barrier(thread):
            thread.barrier_waiters.append(slot)
            return False
        return self._is_due(slot) and self._is_its_turn(slot)

    def _issue(self, slot: Slot) -> None:
        thread, program, now = slot.thread, self._plan.program, self._clock.now_ps
        number = thread.issued
        row = thread.first + number % thread.count
        thread.issued += 1
        thread.in_flight += 1
        issued_ps = slot.due_ps if thread.open and slot.due_ps is not None else now
        slot.due_ps = None
        self._begin(program.transaction[row], slot, row, number, issued_ps)
        if program.victim[row] != NONE:
            slot.victim_out = True
            self._begin(program.victim[row], slot, row, number, now)

    def _begin(self, transaction: int, slot: Slot, row: int, number: int, issued_ps: int) -> None:
        joins, now = self._plan.transactions.joins[transaction], self._clock.now_ps
        parts_ps = [0] * len(Part)
        parts_ps[Part.SOURCE] = now - issued_ps
        self._launch(TransactionState(transaction, slot, joins, row, number, issued_ps, parts_ps, now))

    def _count_line(self, thread: ThreadState, transaction: TransactionState) -> None:
        now = self._clock.now_ps
        latency_ps = now - transaction.issued_ps
        thread.lines += 1
        thread.in_flight -= 1
        thread.last_ps = now
        thread.latency_ps += latency_ps
        if self.histogram is not None and not thread.background:
            self.histogram[min(latency_ps // LATENCY_BIN_PS, LATENCY_BINS - 1)] += 1
        if thread.lines == self._last_wanted(thread):
            self.below_target -= 1
        if thread.barrier_waiters:
            self._arrive_at_barrier(thread)

    def _count_parts(self, transaction: TransactionState, core_ps: int) -> None:
        """Add up where the line's time went; what is not counted yet passed since its data came."""
        parts_ps = transaction.parts_ps
        parts_ps[Part.PROBES] += self._clock.now_ps - transaction.counted_ps
        parts_ps[Part.CORE] = core_ps
        path = self._plan.program.path[transaction.program_row]
        self.path_lines[path] += 1
        self.path_parts_ps[path] = [sum(pair) for pair in zip(self.path_parts_ps[path], parts_ps, strict=True)]

    def _last_wanted(self, thread: ThreadState) -> int:
        return thread.target if thread.repeat else min(thread.target, thread.count)

    def _is_past_target(self, thread: ThreadState) -> bool:
        return thread.lines >= self._last_wanted(thread)

    # -- pace, turns, barriers -------------------------------------------------------------------------------------------

    def _is_due(self, slot: Slot) -> bool:
        """Keep the thread's rate: a token bucket as deep as its window, or arrivals that wait for nobody."""
        thread = slot.thread
        if thread.interval_draw is None:
            return True
        now = self._clock.now_ps
        if slot.due_ps is None:
            draw = thread.interval_draw
            interval_ps = draw[random_bits(thread.stream, ARRIVAL_NUMBERS + thread.arrivals) & (len(draw) - 1)]
            thread.arrivals += 1
            if not thread.open:
                thread.next_due_ps = max(thread.next_due_ps, now - (thread.window - 1) * interval_ps)
            elif thread.arrivals == 1:
                thread.next_due_ps += interval_ps
            slot.due_ps = thread.next_due_ps
            thread.next_due_ps += interval_ps
        if slot.due_ps > now:
            self._clock.wake(slot.wake, slot.due_ps)
            return False
        return True

    def _is_its_turn(self, slot: Slot) -> bool:
        """Issue only within the thread's time slices."""
        thread, now = slot.thread, self._clock.now_ps
        if not thread.slice_period_ps:
            return True
        into = (now - thread.slice_start_ps) % thread.slice_period_ps
        if into < thread.slice_length_ps:
            return True
        if slot.due_ps is not None and not thread.open and thread.interval_draw is not None:
            slot.due_ps = None  # its place in the rate is outside the slice: ask again when the slice begins
            thread.next_due_ps -= thread.interval_draw[0]
        self._clock.wake(slot.wake, now + thread.slice_period_ps - into)
        return False

    def _is_held_by_barrier(self, thread: ThreadState) -> bool:
        row = thread.first + thread.issued % thread.count
        return self._plan.program.barrier[row] != NONE and thread.barrier_passed != thread.issued

    def _arrive_at_barrier(self, thread: ThreadState) -> None:
        """Count the thread in once all its lines are complete; the last thread to come lets all go."""
        if thread.in_flight or thread.at_barrier or not self._is_held_by_barrier(thread):
            return
        barrier = self._barrier_of(thread)
        thread.at_barrier = True
        self._barrier_here[barrier] += 1
        if self._barrier_here[barrier] < self._plan.barrier_parties[barrier]:
            return
        self._barrier_here[barrier] = 0
        for other in self.threads:
            if other.at_barrier and self._barrier_of(other) == barrier:
                other.at_barrier = False
                other.barrier_passed = other.issued
                waiters, other.barrier_waiters = other.barrier_waiters, []
                for slot in waiters:
                    self._clock.wake(slot.wake, self._clock.now_ps)

    def members(self) -> tuple[Member, ...]:
        """Return where the threads with barriers in their programs stand."""
        labels, barriers = self._plan.threads.label, self._plan.program.barrier
        found = []
        for thread in self.threads:
            own = frozenset(barriers[thread.first : thread.first + thread.count]) - {NONE}
            if own:
                ended = not thread.repeat and thread.issued >= thread.count
                waits_at = self._barrier_of(thread) if thread.at_barrier else None
                found.append(Member(labels[thread.index], waits_at, ended, own))
        return tuple(found)

    def _barrier_of(self, thread: ThreadState) -> int:
        return self._plan.program.barrier[thread.first + thread.issued % thread.count]

    def _build(self, index: int) -> ThreadState:
        table = self._plan.threads
        draw = table.interval_draw[index]
        thread = ThreadState(
            index=index,
            stream=table.stream[index],
            background=bool(table.background[index]),
            window=table.window[index],
            first=table.first[index],
            count=table.count[index],
            repeat=bool(table.repeat[index]),
            interval_draw=None if draw == NONE else self._draws[draw],
            open=bool(table.open[index]),
            slice_period_ps=table.slice_period_ps[index],
            slice_start_ps=table.slice_start_ps[index],
            slice_length_ps=table.slice_length_ps[index],
            next_due_ps=table.start_ps[index],
        )
        component = components(self._plan).thread + index
        keys = [event_key(Phase.ARRIVAL, component, slot) for slot in range(thread.window)]
        thread.slots = [Slot(thread, WakeEvent(key)) for key in keys]
        return thread
