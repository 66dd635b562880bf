"""The reference engine: a Plan run with simpy.

Threads are simpy processes (threads.py), packets are lean station events (fabric.py); here the two meet in the protocol's
actions, which only look up what the Plan's transaction table says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from simulator.engine.deadlock import Waiting, WaitState
from simulator.engine.interface import LATENCY_BINS, PATH_BINS, Rows, Snapshot, Stop
from simulator.engine.plan import NONE, Action, Part, Plan
from simulator.engine.simpy_engine.clock import Clock
from simulator.engine.simpy_engine.fabric import Fabric
from simulator.engine.simpy_engine.parts import Hold, Packet, Pool, SharedLine, Stage, TransactionState
from simulator.engine.simpy_engine.threads import Threads


class SimpyEngine:
    """Runs one plan from its start.

    Parameters
    ----------
    plan : Plan
    """

    name = "simpy"

    def __init__(self, plan: Plan) -> None:
        self._plan, self._table = plan, plan.transactions
        self._clock = Clock()
        self._fabric = self._build_fabric()
        self._threads = self._build_threads()
        self._actions = {
            Action.ACCEPT: self._accept,
            Action.REPLY: self._reply,
            Action.ANSWER: self._answer,
            Action.COLLECT: self._collect,
            Action.RELEASE: self._release,
        }
        self._under_way: dict[int, TransactionState] = {}
        self._events = 0
        self._threads.start()

    # -- the engine interface --------------------------------------------------------------------------------------------

    def advance(self, target_lines: Sequence[int], event_budget: int) -> Stop:
        """Run until every thread has completed its target of lines (or the end of its program)."""
        threads = self._threads
        threads.hungry = None
        threads.set_targets(list(target_lines))
        self._events += self._clock.run(threads, event_budget)
        if threads.hungry is not None:
            self._events -= 1  # the event that wanted the line is still to come
            self._clock.forget_last_key()
            return Stop.HUNGRY
        if not threads.below_target:
            return Stop.REACHED
        return Stop.BUDGET if self._clock.has_events() else Stop.EXHAUSTED

    def room(self, thread: int) -> int:
        """Return how many lines may be handed to a supplied thread now."""
        state = self._threads.threads[thread]
        under_way = (line.number for line in self._under_way.values() if line.slot.thread is state and line.joins_left)
        oldest = min(under_way, default=state.issued)
        return oldest + state.count - (state.limit or 0)

    def supply(self, thread: int, rows: Rows, *, last: bool) -> None:
        """Hand lines to a supplied thread."""
        assert len(rows) <= self.room(thread), "the places of lines under way are taken"
        self._threads.supply(self._threads.threads[thread], rows.tolist(), last)

    def hungry(self) -> int | None:
        """Return the thread that wants a line it does not have."""
        hungry = self._threads.hungry
        return None if hungry is None else hungry.index

    def snapshot(self) -> Snapshot:
        """Return the counters as they stand."""
        now, fabric, threads = self._clock.now_ps, self._fabric, self._threads.threads
        for port in fabric.ports:
            port.count_waiting(now)
        for pool in fabric.pools:
            pool.count_change(now)
        return Snapshot(
            time_ps=now,
            events=self._events,
            thread_lines=tuple(thread.lines for thread in threads),
            thread_last_ps=tuple(thread.last_ps for thread in threads),
            thread_latency_ps=tuple(thread.latency_ps for thread in threads),
            path_lines=tuple(self._threads.path_lines),
            path_parts_ps=tuple(map(tuple, self._threads.path_parts_ps)),
            port_busy_ps=tuple(port.busy_ps - max(0, port.busy_until_ps - now) for port in fabric.ports),
            port_waiting_ps=tuple(port.waiting_ps for port in fabric.ports),
            port_sent=tuple(tuple(port.sent) for port in fabric.ports),
            port_nops=tuple(port.nops for port in fabric.ports),
            port_crcs=tuple(port.crcs for port in fabric.ports),
            pool_held_ps=tuple(pool.held_ps for pool in fabric.pools),
        )

    def start_latency_record(self) -> None:
        """Begin to count latencies of foreground lines."""
        self._threads.histogram = [0] * LATENCY_BINS
        self._threads.path_histograms = [[0] * PATH_BINS for _ in self._plan.paths.thread]

    def latency_histogram(self) -> Sequence[int]:
        """Return foreground lines by latency, in bins of `LATENCY_BIN_PS`."""
        return self._threads.histogram or []

    def path_histogram(self, path: int) -> Sequence[int]:
        """Return the lines of a path by latency, in bins of `LATENCY_BIN_PS`."""
        return self._threads.path_histograms[path] if self._threads.path_histograms else []

    # -- building: what observed.py replaces -----------------------------------------------------------------------------

    def _build_fabric(self) -> Fabric:
        return Fabric(self._plan, self._clock, self._act)

    def _build_threads(self) -> Threads:
        return Threads(self._plan, self._clock, self._launch)

    # -- the protocol's actions ------------------------------------------------------------------------------------------

    def _launch(self, transaction: TransactionState) -> None:
        self._under_way[id(transaction)] = transaction
        row = transaction.row
        self._send(transaction, self._table.request_kind[row], self._table.request_stage[row])

    def _send(self, transaction: TransactionState, kind: int, stage: int, hold: Hold | None = None) -> None:
        self._fabric.enter(Packet(kind, transaction, hold), self._fabric.stages[stage])

    def _act(self, packet: Packet, stage: Stage) -> bool:
        return self._actions[stage.action](packet, stage)  # type: ignore[index]

    def _accept(self, packet: Packet, stage: Stage) -> bool:
        transaction = packet.transaction
        transaction.home_hold, packet.hold = packet.hold, None
        line = transaction.shared
        if line is not None and line.busy:
            line.waiting.append(packet)
            return False
        self._begin_at_home(transaction)
        return True

    def _begin_at_home(self, transaction: TransactionState) -> None:
        table, row, line = self._table, transaction.row, transaction.shared
        if line is not None:
            line.busy = True
            transaction.owner = line.owner
            transaction.count(Part.SHARED_LINE, self._clock.now_ps)
        if table.probe_stage[row] != NONE:
            self._send(transaction, table.probe_kind[row], table.probe_stage[row])
        elif transaction.owner != NONE:
            transaction.joins_left += 1
            self._send(transaction, table.probe_kind[row], table.owner_probe_stage[row][transaction.owner])

    def _reply(self, packet: Packet, stage: Stage) -> bool:
        row, table = packet.transaction.row, self._table
        if packet.transaction.owner == NONE:
            self._send(packet.transaction, table.reply_kind[row], table.reply_stage[row])
        else:
            self._send(packet.transaction, table.dry_reply_kind[row], table.dry_reply_stage[row])
        return True

    def _answer(self, packet: Packet, stage: Stage) -> bool:
        transaction, node = packet.transaction, stage.node
        row, table = transaction.row, self._table
        if node == transaction.owner and transaction.shared is not None and self._threads.writes(row):
            transaction.shared.copies = 0  # the owner's cache gives it up
        if node == table.requester[row]:
            return self._collect(packet, stage)
        if node == transaction.owner:
            self._send(transaction, table.owner_kind[row], table.owner_stage[row][node], packet.hold)
        else:
            self._send(transaction, table.answer_kind[row], table.answer_stage[row][node], packet.hold)
        return True

    def _collect(self, packet: Packet, stage: Stage) -> bool:
        if packet.hold is not None:
            self._fabric.release(packet.hold)
        transaction = packet.transaction
        transaction.joins_left -= 1
        if transaction.joins_left == 0:
            self._threads.complete(transaction)
            row = transaction.row
            self._send(transaction, self._table.done_kind[row], self._table.done_stage[row])
        return True

    def _release(self, packet: Packet, stage: Stage) -> bool:
        transaction = packet.transaction
        assert transaction.home_hold is not None
        self._fabric.release(transaction.home_hold)
        del self._under_way[id(transaction)]
        if transaction.shared is not None:
            self._let_the_next_begin(transaction.shared)
        return True

    def _let_the_next_begin(self, line: SharedLine) -> None:
        line.busy = False
        if line.waiting:
            packet = line.waiting.popleft()
            assert packet.branch is not None
            self._begin_at_home(packet.transaction)
            self._fabric.leave(packet, packet.branch.stage)

    # -- who waits for whom ----------------------------------------------------------------------------------------------

    def wait_state(self) -> WaitState:
        """Return who waits for what, for the deadlock check."""
        waiting: dict[int, Waiting] = {}
        numbers: dict[int, int] = {}
        by_transaction: dict[int, set[int]] = defaultdict(set)
        by_hold: dict[int, tuple[Hold, set[int]]] = {}
        for port in self._fabric.ports:
            for queue in port.queues:
                ahead = None
                for packet in queue:
                    number = numbers[id(packet)] = len(numbers)
                    waiting[number] = Waiting(port.name, self._plan.kind_name[packet.kind], ahead, _needs(packet))
                    by_transaction[id(packet.transaction)].add(number)
                    if packet.hold is not None:
                        by_hold.setdefault(id(packet.hold), (packet.hold, set()))[1].add(number)
                    ahead = number
        kept: dict[str, list[frozenset[int]]] = defaultdict(list)
        for hold, keepers in by_hold.values():
            for pool in (hold.command, hold.data):
                if pool is not None:
                    kept[pool.name].append(frozenset(keepers))
        for key, transaction in self._under_way.items():
            if transaction.home_hold is not None and transaction.home_hold.command is not None:
                kept[transaction.home_hold.command.name].append(frozenset(by_transaction[key]))
        for pool in self._fabric.pools:  # units whose packets move, or that fly back in a NOP, come free by themselves
            moving = pool.capacity - pool.free - len(kept[pool.name])
            kept[pool.name].extend([frozenset()] * moving)
        free = {pool.name: pool.free for pool in self._fabric.pools}
        return WaitState(waiting, free, {name: tuple(units) for name, units in kept.items()}, self._threads.members())


def _needs(packet: Packet) -> tuple[str, ...]:
    branch = packet.branch
    assert branch is not None
    pools: tuple[Pool | None, ...] = (branch.command_pool, branch.data_pool)
    return tuple(pool.name for pool in pools if pool is not None)
