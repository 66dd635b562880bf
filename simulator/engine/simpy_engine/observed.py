"""The reference engine with somebody watching.

Each method below does what its parent does and tells the observer. The engine that nobody watches has no trace of this, and no
slower path; and an observer that changes nothing changes no counter.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.engine.plan import NONE, Plan
from simulator.engine.simpy_engine.clock import Clock
from simulator.engine.simpy_engine.engine import SimpyEngine
from simulator.engine.simpy_engine.fabric import Fabric
from simulator.engine.simpy_engine.observer import Observer
from simulator.engine.simpy_engine.parts import Branch, Delay, Hold, Packet, Pool, Port, Stage, TransactionState
from simulator.engine.simpy_engine.threads import Threads


class ObservedEngine(SimpyEngine):
    """Runs one plan from its start and tells an observer.

    Parameters
    ----------
    plan : Plan
    observer : Observer
    """

    def __init__(self, plan: Plan, observer: Observer) -> None:
        self._observer = observer
        super().__init__(plan)

    @property
    def now_ps(self) -> int:
        """Time of the last event."""
        return self._clock.now_ps

    def advance_to(self, time_ps: int) -> None:
        """Process every event that is not later than `time_ps`."""
        while (next_ps := self._clock.next_ps) is not None and next_ps <= time_ps:
            self._events += self._clock.run(_Endless(), 1)

    def _build_fabric(self) -> Fabric:
        return _ObservedFabric(self._plan, self._clock, self._act, self._observer)

    def _build_threads(self) -> Threads:
        return _ObservedThreads(self._plan, self._clock, self._launch, self._observer)

    def _launch(self, transaction: TransactionState) -> None:
        self._observer.issued(self._clock.now_ps, transaction)
        super()._launch(transaction)

    def _begin_at_home(self, transaction: TransactionState) -> None:
        self._observer.begins_at_home(self._clock.now_ps, transaction)
        super()._begin_at_home(transaction)


class _Endless:
    """A goal that is never reached: only a budget of events ends the run."""

    below_target = 1
    hungry = None


class _ObservedThreads(Threads):
    def __init__(self, plan: Plan, clock: Clock, launch: Callable[[TransactionState], None], observer: Observer) -> None:
        self._observer = observer
        super().__init__(plan, clock, launch)

    def complete(self, transaction: TransactionState) -> None:
        self._observer.completed(self._clock.now_ps, transaction)
        super().complete(transaction)

    def _count_parts(self, transaction: TransactionState, core_ps: int) -> None:
        self._observer.rests(self._clock.now_ps, transaction, core_ps)
        super()._count_parts(transaction, core_ps)


class _ObservedFabric(Fabric):
    def __init__(self, plan: Plan, clock: Clock, act: Callable[[Packet, Stage], bool], observer: Observer) -> None:
        self._observer = observer
        self._inside: Packet | None = None  # the packet whose arrival is being dealt with
        super().__init__(plan, clock, act)

    def enter(self, packet: Packet, stage: Stage) -> None:
        now = self._clock.now_ps
        outer, self._inside = self._inside, packet
        self._observer.arrived(now, packet, stage, outer)
        super().enter(packet, stage)
        if not stage.branches:
            self._observer.consumed(now, packet)
        self._inside = outer

    def _queue(self, packet: Packet, branch: Branch) -> None:
        super()._queue(packet, branch)
        assert self._inside is not None
        self._observer.queued(self._clock.now_ps, packet, branch, self._inside)

    def _grant(self, port: Port, channel: int) -> None:
        self._observer.granted(self._clock.now_ps, port.queues[channel][0], port)
        super()._grant(port, channel)

    def _serve(self, port: Port, packet: Packet, held: Hold | None, service_ps: int) -> None:
        super()._serve(port, packet, held, service_ps)
        now, tail_ps = self._clock.now_ps, port.busy_until_ps
        goes_ahead = port.serving is None and self._has_data[packet.kind]
        self._observer.served(now, packet, port, now + port.header_ps[packet.kind] if goes_ahead else tail_ps, tail_ps)

    def _pass_at_once(self, port: Port, packet: Packet, held: Hold | None) -> None:
        now = self._clock.now_ps
        self._observer.served(now, packet, port, now, max(now, packet.tail_ps))
        super()._pass_at_once(port, packet, held)

    def _push(self, delay: Delay, due_ps: int, packet: Packet) -> None:
        self._observer.left(self._clock.now_ps, packet, due_ps)
        super()._push(delay, due_ps, packet)

    def _count_wait(self, line: TransactionState, port: Port) -> None:
        self._observer.waited(self._clock.now_ps, line, port, port.busy_ps - line.busy_before_ps)
        super()._count_wait(line, port)

    def _count_passage(self, line: TransactionState, branch: Branch) -> None:
        self._observer.passed(self._clock.now_ps, line, branch)
        super()._count_passage(line, branch)

    def _take(self, pool: Pool) -> None:
        super()._take(pool)
        self._observer.took(self._clock.now_ps, pool)

    def _free(self, pool: Pool, count: int) -> None:
        super()._free(pool, count)
        self._observer.returned(self._clock.now_ps, pool, count)

    def _give_back(self, pool: Pool) -> None:
        if pool.credit_class != NONE:
            self._observer.owed(self._clock.now_ps, pool)
        super()._give_back(pool)

    def _send_nop(self, port: Port) -> None:
        super()._send_nop(port)
        now, (arrival_ps, released) = self._clock.now_ps, port.nops_flying[-1]
        self._observer.sent_nop(now, port, port.busy_until_ps if port.busy else now, arrival_ps, released)
