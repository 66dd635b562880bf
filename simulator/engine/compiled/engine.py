"""The compiled engine: the same Plan, the same counters to the last integer, in machine code made by numba."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from simulator.engine.compiled import kernel
from simulator.engine.compiled.cache import compile_once
from simulator.engine.compiled.memory import Memory, Vector, word
from simulator.engine.compiled.words import BUDGET, EXHAUSTED, REACHED, STARVED
from simulator.engine.deadlock import Member, Waiting, WaitState
from simulator.engine.interface import LATENCY_BINS, EngineError, Rows, Snapshot, Stop
from simulator.engine.plan import NONE, Plan

_CHANNELS = 4
_STOPS = {REACHED: Stop.REACHED, EXHAUSTED: Stop.EXHAUSTED, BUDGET: Stop.BUDGET, STARVED: Stop.HUNGRY}


class CompiledEngine:
    """Runs one plan from its start.

    Parameters
    ----------
    plan : Plan
    """

    name = "compiled"

    def __init__(self, plan: Plan) -> None:
        prepare()
        self._plan = plan
        self._memory = Memory(plan)
        self._words = self._memory.words.view(np.uint64)
        for thread, window in enumerate(plan.threads.window):
            first = self._record("THREAD", thread)[word("T_SLOTS")]
            for slot in range(window):
                place = np.uint64(first + slot * word("SLOT_WORDS"))
                kernel.first_wake(self._words, place, np.uint64(plan.threads.start_ps[thread]))

    # -- the engine interface --------------------------------------------------------------------------------------------

    def advance(self, target_lines: Sequence[int], event_budget: int) -> Stop:
        """Run until every thread has completed its target of lines (or the end of its program)."""
        stop = int(kernel.advance(self._words, np.array(target_lines, np.uint64), np.uint64(event_budget)))
        self._check()
        return _STOPS[stop]

    def room(self, thread: int) -> int:
        """Return how many lines may be handed to a supplied thread now."""
        words, record = self._memory.words, self._record("THREAD", thread)
        oldest = int(record[word("T_ISSUED")])
        for state in self._states():
            under_way = words[state + word("A_JOINS")] and self._thread_of(state) == thread
            if under_way:
                oldest = min(oldest, int(words[state + word("A_NUMBER")]))
        return oldest + int(record[word("T_COUNT")]) - int(record[word("T_LIMIT")])

    def supply(self, thread: int, rows: Rows, *, last: bool) -> None:
        """Hand lines to a supplied thread."""
        assert len(rows) <= self.room(thread), "the places of lines under way are taken"
        record, table = self._record("THREAD", thread), self._plan.threads
        first, count = table.first[thread], table.count[thread]
        numbers = int(record[word("T_LIMIT")]) + np.arange(len(rows))
        program = self._memory.records("PROGRAM", len(self._plan.program.transaction))
        program[first + numbers % count] = self._memory.program_rows(rows)
        record[word("T_LIMIT")] += len(rows)
        record[word("T_MORE")] = not last

    def hungry(self) -> int | None:
        """Return the thread that wants a line it does not have."""
        hungry = self._memory.header("HUNGRY")
        return None if hungry == NONE else (hungry - self._memory.at("THREAD", 0)) // word("THREAD_WORDS")

    def _thread_of(self, state: int) -> int:
        slot = int(self._memory.words[state + word("A_SLOT")])
        thread = int(self._memory.words[slot + word("L_THREAD")])
        return (thread - self._memory.at("THREAD", 0)) // word("THREAD_WORDS")

    def snapshot(self) -> Snapshot:
        """Return the counters as they stand."""
        memory, size = self._memory, self._memory.sizes
        now = memory.header("NOW")
        threads, ports, pools = (
            memory.records("THREAD", size.threads),
            memory.records("PORT", size.ports),
            memory.records("POOL", size.pools),
        )
        paths = memory.records("PATH", len(self._plan.paths.thread))
        waiting = ports[:, word("P_WAITING_PS")] + ports[:, word("P_WAITING")] * (now - ports[:, word("P_CHANGED")])
        in_use = pools[:, word("Q_CAPACITY")] - pools[:, word("Q_FREE")]
        sent = word("P_BY_KIND") + 2 * size.kinds
        return Snapshot(
            time_ps=now,
            events=memory.header("EVENTS"),
            thread_lines=_integers(threads[:, word("T_LINES")]),
            thread_last_ps=_integers(threads[:, word("T_LAST")]),
            thread_latency_ps=_integers(threads[:, word("T_LATENCY")]),
            path_lines=_integers(paths[:, word("Y_LINES")]),
            path_parts_ps=tuple(_integers(row) for row in paths[:, word("Y_PARTS") : word("Y_HISTOGRAM")]),
            port_busy_ps=_integers(ports[:, word("P_BUSY_PS")] - np.maximum(0, ports[:, word("P_BUSY_UNTIL")] - now)),
            port_waiting_ps=_integers(waiting),
            port_sent=tuple(_integers(row) for row in ports[:, sent : sent + size.kinds]),
            port_nops=_integers(ports[:, word("P_NOPS")]),
            port_crcs=_integers(ports[:, word("P_CRCS")]),
            pool_held_ps=_integers(pools[:, word("Q_HELD_PS")] + in_use * (now - pools[:, word("Q_CHANGED")])),
        )

    def start_latency_record(self) -> None:
        """Begin to count latencies of foreground lines."""
        self._memory.words[word("RECORDING")] = 1

    def latency_histogram(self) -> Sequence[int]:
        """Return foreground lines by latency, in bins of `LATENCY_BIN_PS`."""
        start = self._memory.header("HISTOGRAM_AT")
        return self._memory.words[start : start + LATENCY_BINS].tolist()  # type: ignore[no-any-return]

    def path_histogram(self, path: int) -> Sequence[int]:
        """Return the lines of a path by latency, in bins of `LATENCY_BIN_PS`."""
        return self._record("PATH", path)[word("Y_HISTOGRAM") :].tolist()  # type: ignore[no-any-return]

    # -- who waits for whom ----------------------------------------------------------------------------------------------

    def wait_state(self) -> WaitState:
        """Return who waits for what, for the deadlock check."""
        words, plan, memory = self._memory.words, self._plan, self._memory
        waiting: dict[int, Waiting] = {}
        by_transaction: dict[int, set[int]] = defaultdict(set)
        by_hold: dict[int, set[int]] = defaultdict(set)
        for port, name in enumerate(plan.ports.name):
            for channel in range(_CHANNELS):
                ahead = None
                for packet in self._queue(port, channel):
                    number = len(waiting)
                    kind = plan.kind_name[int(words[packet + word("K_KIND")])]
                    waiting[number] = Waiting(name, kind, ahead, self._needs(packet))
                    by_transaction[int(words[packet + word("K_STATE")])].add(number)
                    by_hold[int(words[packet + word("K_HOLD")])].add(number)
                    ahead = number
        kept: dict[int, list[frozenset[int]]] = defaultdict(list)
        for hold, keepers in by_hold.items():
            for pool in self._pools_of(hold):
                kept[pool].append(frozenset(keepers))
        for state in self._states():
            for pool in self._pools_of(int(words[state + word("A_HOME")])):
                kept[pool].append(frozenset(by_transaction[state]))
        free: dict[str, int] = {}
        kept_by: dict[str, tuple[frozenset[int], ...]] = {}
        for row, name in enumerate(plan.pools.name):
            place = memory.at("POOL", row)
            free[name] = int(words[place + word("Q_FREE")])
            moving = plan.pools.capacity[row] - free[name] - len(kept[place])
            kept_by[name] = (*kept[place], *([frozenset[int]()] * moving))
        return WaitState(waiting, free, kept_by, self._members())

    def _queue(self, port: int, channel: int) -> Iterator[int]:
        words = self._memory.words
        packet = int(words[self._memory.at("PORT", port) + word("P_HEAD") + channel])
        while packet != NONE:
            yield packet
            packet = int(words[packet + word("K_NEXT")])

    def _needs(self, packet: int) -> tuple[str, ...]:
        words = self._memory.words
        branch = int(words[packet + word("K_BRANCH")])
        pools = (int(words[branch + word("B_COMMAND")]), int(words[branch + word("B_DATA")]))
        first, length = self._memory.at("POOL", 0), self._memory.length("POOL")
        return tuple(self._plan.pools.name[(pool - first) // length] for pool in pools if pool != NONE)

    def _pools_of(self, hold: int) -> Iterator[int]:
        if hold != NONE:
            for field in ("H_COMMAND", "H_DATA"):
                pool = int(self._memory.words[hold + word(field)])
                if pool != NONE:
                    yield pool

    def _states(self) -> Iterator[int]:
        """Yield the transactions under way."""
        start, fresh = self._memory.header("STATE_AT"), self._memory.header("STATE_FRESH")
        for state in range(start, fresh, word("STATE_WORDS")):
            if self._memory.words[state + word("A_ROW")] != NONE:
                yield state

    def _members(self) -> tuple[Member, ...]:
        threads = self._plan.threads
        program = self._memory.records("PROGRAM", len(self._plan.program.transaction))
        found = []
        for thread, label in enumerate(threads.label):
            first, count = threads.first[thread], threads.count[thread]
            barriers = program[first : first + count, word("G_BARRIER")].tolist()
            own = frozenset(barriers) - {NONE}
            if own:
                record = self._record("THREAD", thread)
                issued, limit = int(record[word("T_ISSUED")]), int(record[word("T_LIMIT")])
                waits_at = barriers[issued % count] if record[word("T_AT_BARRIER")] else None
                ended = not record[word("T_MORE")] and limit != NONE and issued >= limit
                found.append(Member(label, waits_at, ended, own))
        return tuple(found)

    def _check(self) -> None:
        if self._memory.header("BROKEN"):
            raise EngineError("a defect of the compiled engine: an event was scheduled twice, or a table is too small")

    def _record(self, table: str, row: int) -> Vector:
        place = self._memory.at(table, row)
        return self._memory.words[place : place + self._memory.length(table)]


@cache
def prepare() -> None:
    """Compile the kernel where its code is not kept yet; looked up once a process."""
    compile_once("the engine", "advance", kernel.compile_advance)


def _integers(column: Vector) -> tuple[int, ...]:
    return tuple(column.tolist())
