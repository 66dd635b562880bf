"""The observer that writes a window down.

It follows every transaction from the start of the run, so that those under way when the window opens are known from their issue
on; what is over before that is forgotten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from simulator.engine.plan import NONE, Action, Part, Plan
from simulator.engine.simpy_engine import Observer
from simulator.engine.simpy_engine.parts import Branch, Packet, Pool, Port, Stage, TransactionState
from simulator.observe.records import Hop, Nop, PacketLife, PoolChange, PoolEvent, Span, Trace, TransactionLife


class TooManyEvents(Exception):
    """The window holds more than the recorder may keep."""


@dataclass(slots=True)
class _Periods:
    """When a server was busy, or a pool empty: stretches in order, the last perhaps still open."""

    stretches: deque[tuple[int, int]] = field(default_factory=deque)
    since_ps: int | None = None

    def add(self, start_ps: int, end_ps: int) -> None:
        if self.stretches and self.stretches[-1][1] == start_ps:
            start_ps = self.stretches.pop()[0]
        self.stretches.append((start_ps, end_ps))

    def within(self, start_ps: int, end_ps: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of the stretches that lie in an interval."""
        last = () if self.since_ps is None else ((self.since_ps, end_ps),)
        for first, after in (*self.stretches, *last):
            if first < end_ps and after > start_ps:
                yield max(first, start_ps), min(after, end_ps)

    def forget(self, before_ps: int) -> None:
        while self.stretches and self.stretches[0][1] <= before_ps:
            self.stretches.popleft()


@dataclass(slots=True)
class _PortWatch:
    """What is remembered of a port to say what a line waits for."""

    queues: dict[int, deque[Hop]] = field(default_factory=dict)  # by virtual channel
    busy: _Periods = field(default_factory=_Periods)
    pools: list[_Periods] = field(default_factory=list)

    def forget(self) -> None:
        """Drop what is older than anything that waits."""
        oldest_ps = min((queue[0].queued_ps for queue in self.queues.values() if queue), default=1 << 62)
        for periods in (self.busy, *self.pools):
            periods.forget(oldest_ps)


class Recorder(Observer):
    """Records a run, to be opened and closed around a window.

    Parameters
    ----------
    plan : Plan
    most_events : int
        Most hops, changes of pools and NOPs of the window.
    """

    def __init__(self, plan: Plan, most_events: int) -> None:
        self._plan, self._left = plan, most_events
        self._port = {name: row for row, name in enumerate(plan.ports.name)}
        self._pool = {name: row for row, name in enumerate(plan.pools.name)}
        self._free = list(plan.pools.capacity)
        self._empty = [_Periods() for _ in plan.pools.name]
        self._watches = [_PortWatch() for _ in plan.ports.name]
        for pool, claimant in enumerate(plan.pools.claimant):
            self._watches[claimant].pools.append(self._empty[pool])
        self._under_way: dict[TransactionState, TransactionLife] = {}
        self._packets: dict[Packet, PacketLife] = {}
        self._granted: Hop | None = None
        self._opened_ps: int | None = None
        self._free_at_open: tuple[int, ...] = ()
        self._over: list[TransactionLife] = []
        self._resting: deque[TransactionLife] = deque()  # over, but perhaps still in their core time when the window opens
        self._pool_events: list[PoolEvent] = []
        self._nops: deque[Nop] = deque()

    def open(self, now_ps: int) -> None:
        """Keep what happens from now on."""
        self._opened_ps, self._free_at_open = now_ps, tuple(self._free)

    def close(self, now_ps: int) -> Trace:
        """Return the window."""
        assert self._opened_ps is not None
        resting = (life for life in self._resting if _rests_until(life) > (self._opened_ps or 0))
        lives = [*resting, *self._over, *self._under_way.values()]
        lives.sort(key=lambda life: (life.issued_ps, life.thread, life.number, life.eviction))
        nops = tuple(nop for nop in self._nops if nop.arrival_ps > self._opened_ps)
        return Trace(self._plan, self._opened_ps, now_ps, tuple(lives), tuple(self._pool_events), nops, self._free_at_open)

    def _count(self) -> None:
        if self._opened_ps is not None:
            self._left -= 1
            if self._left < 0:
                raise TooManyEvents

    # -- transactions ----------------------------------------------------------------------------------------------------

    def issued(self, now_ps: int, transaction: TransactionState) -> None:
        """Begin a life."""
        state, thread = transaction, transaction.slot.thread
        eviction = bool(self._plan.transactions.victim[state.row])
        slot = thread.slots.index(state.slot)
        life = TransactionLife(state.row, eviction, thread.index, slot, state.number, state.issued_ps, now_ps)
        if now_ps > state.issued_ps:
            life.spans.append(Span(state.issued_ps, now_ps, Part.SOURCE))
        self._under_way[transaction] = life

    def completed(self, now_ps: int, transaction: TransactionState) -> None:
        """Note the time."""
        life = self._under_way.get(transaction)
        if life is not None:  # None: found in the thread's own cache; nobody is asked, and nothing is recorded
            life.completed_ps = now_ps

    def rests(self, now_ps: int, line: TransactionState, core_ps: int) -> None:
        """Add what a line's slot does from the arrival of the data on."""
        life = self._under_way.get(line)
        if life is None:
            return
        life.data_ps, life.core_ps = line.counted_ps, core_ps
        if now_ps > line.counted_ps:
            life.spans.append(Span(line.counted_ps, now_ps, Part.PROBES))
        if core_ps:
            life.spans.append(Span(now_ps, now_ps + core_ps, Part.CORE))

    def begins_at_home(self, now_ps: int, transaction: TransactionState) -> None:
        """Add the wait for the transaction of the same line before it."""
        if transaction.shared is not None and now_ps > transaction.counted_ps:
            home = self._plan.transactions.home[transaction.row]
            span = Span(transaction.counted_ps, now_ps, Part.SHARED_LINE, node=home)
            self._under_way[transaction].spans.append(span)

    def waited(self, now_ps: int, line: TransactionState, port: Port, queued_ps: int) -> None:
        """Cut the time at a port where its server began or ended to be busy."""
        row, start_ps = self._port[port.name], line.counted_ps
        spans, hop = self._under_way[line].spans, self._granted
        assert hop is not None
        for busy_ps, idle_ps in self._watches[row].busy.within(start_ps, now_ps):
            if busy_ps > start_ps:
                spans.append(self._want(start_ps, busy_ps, port, hop))
            spans.append(Span(busy_ps, idle_ps, Part(port.queue_part), row))
            start_ps = idle_ps
        if now_ps > start_ps:
            spans.append(self._want(start_ps, now_ps, port, hop))

    def _want(self, start_ps: int, end_ps: int, port: Port, hop: Hop) -> Span:
        """Return the time of an idle port; say which pool was empty."""
        needs = [pool for pool in (hop.command_pool, hop.data_pool) if pool != NONE]
        lacks = [pool for pool in needs if any(True for _ in self._empty[pool].within(start_ps, end_ps))]
        return Span(start_ps, end_ps, Part(port.buffer_part), hop.port, lacks=lacks[0] if lacks else NONE)

    def passed(self, now_ps: int, line: TransactionState, branch: Branch) -> None:
        """Add the service and the parts of the delay."""
        delay, row, node = branch.delay, self._port[branch.port.name], branch.stage.node
        leaves_ps = now_ps - delay.time_ps
        changes_ps = leaves_ps + delay.part_ps
        stretches = (
            (line.counted_ps, leaves_ps, branch.port.service_part),
            (leaves_ps, changes_ps, delay.part),
            (changes_ps, now_ps, delay.rest_part),
        )
        spans = self._under_way[line].spans
        spans += [Span(start_ps, end_ps, Part(part), row, node) for start_ps, end_ps, part in stretches if end_ps > start_ps]

    # -- packets ---------------------------------------------------------------------------------------------------------

    def arrived(self, now_ps: int, packet: Packet, stage: Stage, cause: Packet | None) -> None:
        """Note a new packet, or where a known one is; SrcDone ends a transaction."""
        life = self._packets.get(packet)
        if life is None:
            life = self._begin(now_ps, packet, None if cause is None else self._packets[cause])
        life.node = stage.node
        if stage.action == Action.RELEASE:
            transaction = self._under_way.pop(packet.transaction)
            transaction.over_ps = now_ps
            if self._opened_ps is not None:
                self._over.append(transaction)
            elif _rests_until(transaction) > now_ps:
                self._resting.append(transaction)
                self._resting = deque(life for life in self._resting if _rests_until(life) > now_ps)

    def _begin(self, now_ps: int, packet: Packet, cause: PacketLife | None) -> PacketLife:
        transaction = self._under_way[packet.transaction]
        if cause is not None and cause.transaction is not transaction:  # what ended has let this one begin at its home
            cause = transaction.packets[0]
        life = PacketLife(transaction, packet.kind, cause, now_ps, NONE if cause is None else cause.node)
        transaction.packets.append(life)
        self._packets[packet] = life
        return life

    def consumed(self, now_ps: int, packet: Packet) -> None:
        """Forget the engine's packet."""
        self._packets.pop(packet).gone_ps = now_ps

    def queued(self, now_ps: int, packet: Packet, branch: Branch, cause: Packet) -> None:
        """Begin a hop."""
        self._count()
        life = self._packets.get(packet) or self._begin(now_ps, packet, self._packets[cause])
        port = self._port[branch.port.name]
        hop = Hop(life, port, self._row(branch.command_pool), self._row(branch.data_pool), now_ps)
        life.hops.append(hop)
        channel = self._plan.kind_channel[packet.kind]
        self._watches[port].queues.setdefault(channel, deque()).append(hop)

    def granted(self, now_ps: int, packet: Packet, port: Port) -> None:
        """Note that the wait is over."""
        watch = self._watches[self._port[port.name]]
        watch.forget()
        hop = watch.queues[self._plan.kind_channel[packet.kind]].popleft()
        hop.granted_ps = now_ps
        self._granted = hop

    def served(self, now_ps: int, packet: Packet, port: Port, header_ps: int, tail_ps: int) -> None:
        """Note when header and tail leave."""
        hop = self._packets[packet].hops[-1]
        hop.header_ps, hop.tail_ps, hop.serves = header_ps, tail_ps, port.busy
        if port.busy:
            self._watches[hop.port].busy.add(now_ps, tail_ps)

    def left(self, now_ps: int, packet: Packet, arrival_ps: int) -> None:
        """Note when it arrives."""
        self._packets[packet].hops[-1].arrival_ps = arrival_ps

    # -- buffers and credits ---------------------------------------------------------------------------------------------

    def took(self, now_ps: int, pool: Pool) -> None:
        """Note a unit less."""
        assert self._granted is not None
        self._granted.taken.append((self._pool[pool.name], pool.free))
        self._change(now_ps, pool, PoolChange.TAKEN, 1, self._granted)

    def owed(self, now_ps: int, pool: Pool) -> None:
        """Note a unit that is on its way back."""
        self._change(now_ps, pool, PoolChange.OWED, 1)

    def returned(self, now_ps: int, pool: Pool, count: int) -> None:
        """Note units that are back."""
        self._change(now_ps, pool, PoolChange.BACK, count)

    def _change(self, now_ps: int, pool: Pool, change: PoolChange, count: int, hop: Hop | None = None) -> None:
        row = self._pool[pool.name]
        empty, free = self._empty[row], pool.free
        if empty.since_ps is not None and free:
            empty.add(empty.since_ps, now_ps)
        empty.since_ps = None if free else (now_ps if empty.since_ps is None else empty.since_ps)
        self._free[row] = free
        if self._opened_ps is not None:
            self._count()
            self._pool_events.append(PoolEvent(now_ps, row, change, count, free, hop))

    def sent_nop(self, now_ps: int, port: Port, end_ps: int, arrival_ps: int, released: tuple[int, ...]) -> None:
        """Note the packet, and that the link is busy with it."""
        self._count()
        row = self._port[port.name]
        self._nops.append(Nop(row, now_ps, end_ps, arrival_ps, released))
        if end_ps > now_ps:
            self._watches[row].busy.add(now_ps, end_ps)
        while self._opened_ps is None and self._nops[0].arrival_ps < now_ps:
            self._nops.popleft()

    def _row(self, pool: Pool | None) -> int:
        return NONE if pool is None else self._pool[pool.name]


def _rests_until(life: TransactionLife) -> int:
    return (life.completed_ps or 0) + (life.core_ps or 0)
