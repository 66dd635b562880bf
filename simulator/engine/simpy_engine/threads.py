"""Threads as simpy processes: each window slot issues a line, waits for it and for its core time, and issues the next."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import astuple

from simulator.engine.deadlock import Member
from simulator.engine.interface import LATENCY_BIN_PS, LATENCY_BINS, PATH_BINS
from simulator.engine.order import Phase, components, event_key
from simulator.engine.plan import CACHED, NONE, Part, Plan
from simulator.engine.random_numbers import random_bits
from simulator.engine.simpy_engine.clock import Clock, WakeEvent
from simulator.engine.simpy_engine.parts import SharedLine, Slot, ThreadState, TransactionState

_LOCK_BEGINS, _LOCK_ENDS = 1, 2  # bits of Program.lock
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
        self.program: list[list[int]] = [list(column) for column in astuple(plan.program)]
        self._transaction, self._victim, self._core_draw, self._barrier, self._path, self._compute_ps = self.program[:6]
        self._shared, self._lock = self.program[6:]
        self._shared_lines = [SharedLine() for _ in range(plan.shared_lines)]
        self._locked_by: ThreadState | None = None
        self._waits_for_quiet: list[Slot] = []  # of the thread that has the lock, until no line is under way
        self._stands_still: list[Slot] = []  # slots of other threads
        self._in_flight = 0  # lines of all threads
        self.hungry: ThreadState | None = None
        self._barrier_here = [0] * len(plan.barrier_parties)
        self.threads = [self._build(index) for index in range(len(plan.threads.label))]
        self.below_target = 0
        self.histogram: list[int] | None = None
        self.path_histograms: list[list[int]] = []
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
        draw = self._draws[self._core_draw[transaction.program_row]]
        core_ps = draw[random_bits(slot.thread.stream, transaction.number) & (len(draw) - 1)]
        core_ps += self._compute(slot.thread, self._compute_ps[transaction.program_row])
        self._count_line(slot.thread, transaction)
        if transaction.shared is not None:
            self._take_over(transaction.shared, transaction)
        if self._lock[transaction.program_row] & _LOCK_ENDS:
            self._unlock()
        if transaction.issued_ps == self._clock.now_ps:  # found in its own cache: not twice at one instant
            core_ps = max(core_ps, 1)
        if self._shared[transaction.program_row] != CACHED:
            self._count_parts(transaction, core_ps)
        self._clock.wake(slot.wake, self._clock.now_ps + core_ps)

    def _compute(self, thread: ThreadState, compute_ps: int) -> int:
        """Return how long the line keeps its slot until the core has computed on it, after the lines it still computes on."""
        if not compute_ps:
            return 0
        now = self._clock.now_ps
        thread.computing_until_ps = max(now, thread.computing_until_ps) + compute_ps
        return thread.computing_until_ps - now

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
        if self._has_issued_all(thread):
            self._wait_for_supply(slot)
            return False
        if self._is_held_by_barrier(thread):
            self._arrive_at_barrier(thread)
        if self._is_held_by_barrier(thread):
            if self._computes(thread):
                self._clock.wake(slot.wake, thread.computing_until_ps)
            else:
                thread.barrier_waiters.append(slot)
            return False
        return self._is_due(slot) and self._is_its_turn(slot) and self._may_pass_the_lock(slot)

    def _issue(self, slot: Slot) -> None:
        thread, now = slot.thread, self._clock.now_ps
        number = thread.issued
        row = thread.first + number % thread.count
        thread.issued += 1
        thread.in_flight += 1
        self._in_flight += 1
        issued_ps = slot.due_ps if thread.open and slot.due_ps is not None else now
        slot.due_ps = None
        self._begin(self._transaction[row], slot, row, number, issued_ps)
        if self._victim[row] != NONE:
            slot.victim_out = True
            self._begin(self._victim[row], slot, row, number, now)

    def _begin(self, transaction: int, slot: Slot, row: int, number: int, issued_ps: int) -> None:
        joins, now = self._plan.transactions.joins[transaction], self._clock.now_ps
        parts_ps = [0] * len(Part)
        parts_ps[Part.SOURCE] = now - issued_ps
        line = TransactionState(transaction, slot, joins, row, number, issued_ps, parts_ps, now)
        if self._shared[row] == CACHED:
            self.complete(line)
            return
        if self._shared[row] != NONE:
            line.shared = self._shared_lines[self._shared[row]]
            if self._is_in_own_cache(line.shared, transaction, slot.thread):
                self.complete(line)
                return
        self._launch(line)

    def _count_line(self, thread: ThreadState, transaction: TransactionState) -> None:
        now = self._clock.now_ps
        latency_ps = now - transaction.issued_ps
        thread.lines += 1
        thread.in_flight -= 1
        self._in_flight -= 1
        if self._waits_for_quiet and not self._in_flight:
            self._wake_all(self._waits_for_quiet)
        thread.last_ps = now
        thread.latency_ps += latency_ps
        cached = self._shared[transaction.program_row] == CACHED
        if self.histogram is not None and not thread.background and not cached:
            self.histogram[min(latency_ps // LATENCY_BIN_PS, LATENCY_BINS - 1)] += 1
        if thread.lines == self._last_wanted(thread):
            self.below_target -= 1
        if thread.barrier_waiters:
            self._arrive_at_barrier(thread)
            if self._computes(thread):
                self._come_again(thread)

    def _count_parts(self, transaction: TransactionState, core_ps: int) -> None:
        """Add up where the line's time went; what is not counted yet passed since its data came."""
        parts_ps = transaction.parts_ps
        parts_ps[Part.PROBES] += self._clock.now_ps - transaction.counted_ps
        parts_ps[Part.CORE] = core_ps
        path = self._path[transaction.program_row]
        self.path_lines[path] += 1
        if self.path_histograms:
            latency_ps = self._clock.now_ps - transaction.issued_ps
            self.path_histograms[path][min(latency_ps // LATENCY_BIN_PS, PATH_BINS - 1)] += 1
        self.path_parts_ps[path] = [sum(pair) for pair in zip(self.path_parts_ps[path], parts_ps, strict=True)]

    def _last_wanted(self, thread: ThreadState) -> int:
        if thread.limit is None or thread.more_to_come:
            return thread.target
        return min(thread.target, thread.limit)

    def _has_issued_all(self, thread: ThreadState) -> bool:
        return thread.limit is not None and thread.issued >= thread.limit

    def _is_past_target(self, thread: ThreadState) -> bool:
        return thread.lines >= self._last_wanted(thread)

    # -- shared lines and locks ------------------------------------------------------------------------------------------

    def _is_in_own_cache(self, line: SharedLine, transaction: int, thread: ThreadState) -> bool:
        """Return whether a thread needs nobody for a shared line: it has a copy, and to write it the only one, modified."""
        own = 1 << thread.index
        if self.writes(transaction):
            return line.copies == own and line.owner != NONE
        return bool(line.copies & own)

    def _take_over(self, line: SharedLine, transaction: TransactionState) -> None:
        """Take note that a thread now has a copy of a shared line; that of a write is the only one."""
        own = 1 << transaction.slot.thread.index
        if self.writes(transaction.row):
            line.copies, line.owner = own, self._plan.transactions.requester[transaction.row]
        else:
            line.copies |= own

    def writes(self, transaction: int) -> bool:
        """Return whether a transaction asks for its line in order to write it."""
        return bool(self._plan.kind_modifies[self._plan.transactions.request_kind[transaction]])

    def _may_pass_the_lock(self, slot: Slot) -> bool:
        """Let no line of other threads go while one has the lock, and a line that begins a lock only when all is quiet."""
        thread = slot.thread
        if self._locked_by is not None and self._locked_by is not thread:
            self._stands_still.append(slot)
            return False
        if self._lock[thread.first + thread.issued % thread.count] & _LOCK_BEGINS:
            self._locked_by = thread
            if self._in_flight:
                self._waits_for_quiet.append(slot)
                return False
        return True

    def _unlock(self) -> None:
        self._locked_by = None
        self._wake_all(self._stands_still)

    def _wake_all(self, slots: list[Slot]) -> None:
        for slot in slots:
            self._clock.wake(slot.wake, self._clock.now_ps)
        slots.clear()

    # -- lines handed in -------------------------------------------------------------------------------------------------

    def supply(self, thread: ThreadState, rows: Sequence[Sequence[int]], last: bool) -> None:
        """Put lines into the places of those that are complete."""
        assert thread.limit is not None, "its program is all there"
        assert thread.more_to_come, "its last lines are there"
        for number, row in enumerate(rows, thread.limit):
            place = thread.first + number % thread.count
            for column, value in zip(self.program, row, strict=True):
                column[place] = value
        thread.limit += len(rows)
        thread.more_to_come = not last

    def _wait_for_supply(self, slot: Slot) -> None:
        """Stop the engine, to go on with this very event; a slot with no more lines to come rests."""
        if slot.thread.more_to_come:
            self.hungry = slot.thread
            self._clock.wake(slot.wake, self._clock.now_ps)

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
        return not self._has_issued_all(thread) and self._barrier_of(thread) != NONE and thread.barrier_passed != thread.issued

    def _arrive_at_barrier(self, thread: ThreadState) -> None:
        """Count the thread in once all its lines are complete and computed on; the last thread to come lets all go."""
        if thread.in_flight or thread.at_barrier or not self._is_held_by_barrier(thread):
            return
        if self._computes(thread):
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

    def _come_again(self, thread: ThreadState) -> None:
        """Let the first slot that waits at the barrier ask again when the core has computed."""
        first = min(thread.barrier_waiters, key=lambda slot: slot.wake.key)
        thread.barrier_waiters.remove(first)
        self._clock.wake(first.wake, thread.computing_until_ps)

    def _computes(self, thread: ThreadState) -> bool:
        """Return whether no line of a thread is under way and its core still computes on some."""
        return not thread.in_flight and thread.computing_until_ps > self._clock.now_ps

    def members(self) -> tuple[Member, ...]:
        """Return where the threads with barriers in their programs stand."""
        labels = self._plan.threads.label
        found = []
        for thread in self.threads:
            own = frozenset(self._barrier[thread.first : thread.first + thread.count]) - {NONE}
            if own:
                ended = not thread.more_to_come and self._has_issued_all(thread)
                waits_at = self._barrier_of(thread) if thread.at_barrier else None
                found.append(Member(labels[thread.index], waits_at, ended, own))
        return tuple(found)

    def _barrier_of(self, thread: ThreadState) -> int:
        return self._barrier[thread.first + thread.issued % thread.count]

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
            limit=0 if table.supplied[index] else None if table.repeat[index] else table.count[index],
            more_to_come=bool(table.supplied[index]),
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
