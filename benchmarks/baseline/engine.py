# FROZEN: changes would move the ruler. See benchmarks/baseline/__init__.py.
"""The baseline engine: one simpy process a packet, one a window slot. Events at one instant come in the order of scheduling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import simpy
from simpy.core import EmptySchedule

from benchmarks.baseline.stations import Branch, Hold, Stage, Stations, Steps, Turn
from simulator.engine.plan import NONE, Action, Plan
from simulator.engine.random_numbers import random_bits


@dataclass(frozen=True)
class Counters:
    """Counters of a run since its start; each means what it means in `simulator.engine.interface.Snapshot`."""

    time_ps: int
    events: int
    thread_lines: tuple[int, ...]
    port_busy_ps: tuple[int, ...]
    port_sent: tuple[tuple[int, ...], ...]
    port_nops: tuple[int, ...]
    port_crcs: tuple[int, ...]


@dataclass
class Thread:
    """A thread under way."""

    row: int
    next_due_ps: int
    issued: int = 0
    lines: int = 0
    target: int = 0


@dataclass
class Line:
    """A transaction under way; `complete` happens when the reply and all answers are at the requester."""

    row: int
    joins_left: int
    complete: simpy.Event
    home_hold: Hold = field(default_factory=Hold)


@dataclass
class Packet:
    """A packet at one place; `tail_ps` is when its last byte is there."""

    kind: int
    line: Line
    hold: Hold = field(default_factory=Hold)
    tail_ps: int = 0


class BaselineEngine:
    """Runs one plan from its start.

    Parameters
    ----------
    plan : Plan

    Raises
    ------
    NotImplementedError
        The plan has barriers, open arrivals or time slices, which no benchmark uses.
    """

    def __init__(self, plan: Plan) -> None:
        if plan.barrier_parties or any(plan.threads.open) or any(plan.threads.slice_period_ps):
            raise NotImplementedError("the baseline runs closed threads, without barriers and time slices")
        self._plan, self._table = plan, plan.transactions
        self._environment = simpy.Environment()
        self._stations = Stations(self._environment, plan)
        self._events = 0
        self._below_target = 0
        self._threads = [Thread(row, start_ps) for row, start_ps in enumerate(plan.threads.start_ps)]
        for thread in self._threads:
            for _ in range(plan.threads.window[thread.row]):
                self._environment.process(self._slot(thread))

    def advance(self, target_lines: Sequence[int]) -> bool:
        """Run until every thread has completed its target of lines; return False if no event was left before that."""
        self._below_target = 0
        for thread, target in zip(self._threads, target_lines, strict=True):
            thread.target = target
            self._below_target += thread.lines < target
        step = self._environment.step
        while self._below_target:
            try:
                step()
            except EmptySchedule:
                return False
            self._events += 1
        return True

    def snapshot(self) -> Counters:
        """Return the counters as they stand."""
        ports, returns = self._stations.ports, self._stations.credit_returns
        return Counters(
            time_ps=int(self._environment.now),
            events=self._events,
            thread_lines=tuple(thread.lines for thread in self._threads),
            port_busy_ps=tuple(port.busy_ps for port in ports),
            port_sent=tuple(tuple(port.sent) for port in ports),
            port_nops=tuple(returns[row].nops if row in returns else 0 for row in range(len(ports))),
            port_crcs=tuple(port.crcs for port in ports),
        )

    # -- threads ---------------------------------------------------------------------------------------------------------

    def _slot(self, thread: Thread) -> Steps:
        """Carry one line at a time: issue it, wait until it is complete and its core time has passed, and again."""
        environment, threads, program = self._environment, self._plan.threads, self._plan.program
        row = thread.row
        yield environment.timeout(threads.start_ps[row])
        while threads.repeat[row] or thread.issued < threads.count[row]:
            if threads.interval_draw[row] != NONE:
                yield environment.timeout(self._until_due_ps(thread))
            number = thread.issued
            thread.issued += 1
            access = threads.first[row] + number % threads.count[row]
            line = self._issue(program.transaction[access])
            victim = None if program.victim[access] == NONE else self._issue(program.victim[access])
            yield line.complete
            self._count_line(thread)
            core_ps = self._plan.draws.values[program.core_draw[access]]
            yield environment.timeout(core_ps[random_bits(threads.stream[row], number) % len(core_ps)])
            if victim is not None:
                yield victim.complete

    def _issue(self, row: int) -> Line:
        line = Line(row, self._table.joins[row], self._environment.event())
        self._send(Packet(self._table.request_kind[row], line), self._table.request_stage[row])
        return line

    def _count_line(self, thread: Thread) -> None:
        thread.lines += 1
        if thread.lines == thread.target:
            self._below_target -= 1

    def _until_due_ps(self, thread: Thread) -> int:
        """Keep the thread's rate: a token bucket as deep as its window."""
        threads, now = self._plan.threads, int(self._environment.now)
        interval_ps = self._plan.draws.values[threads.interval_draw[thread.row]][0]
        due_ps = max(thread.next_due_ps, now - (threads.window[thread.row] - 1) * interval_ps)
        thread.next_due_ps = due_ps + interval_ps
        return max(0, due_ps - now)

    # -- packets ---------------------------------------------------------------------------------------------------------

    def _send(self, packet: Packet, stage: int) -> None:
        """Start a packet on its journey."""
        self._environment.process(self._travel(packet, self._arrive(packet, self._stations.stages[stage])))

    def _travel(self, packet: Packet, branch: Branch | None) -> Steps:
        """Carry a packet to the end of its journey, port by port."""
        environment = self._environment
        while branch is not None:
            port, channel = branch.port, self._plan.kind_channel[packet.kind]
            with port.heads[channel].request() as head:
                yield head
                if branch.command_pool is not None:
                    yield branch.command_pool.free.get(1)
                if branch.data_pool is not None:
                    yield branch.data_pool.free.get(1)
                turn = port.server.turn(channel)
                yield turn
            yield from self._leave(packet, branch, turn)
            yield environment.timeout(branch.delay_ps)
            branch = self._arrive(packet, branch.stage)

    def _leave(self, packet: Packet, branch: Branch, turn: Turn) -> Steps:
        """Be served, and free what the packet held before: its command buffer with the header, its data buffer with the tail."""
        environment, port = self._environment, branch.port
        held, packet.hold = packet.hold, Hold(branch.command_pool, branch.data_pool)
        service_ps = port.service_ps(packet.kind)
        until_tail_ps = max(0, packet.tail_ps - int(environment.now))
        packet.tail_ps = 0
        if service_ps == 0:
            port.server.release(turn)
            held.leave_command()
            if until_tail_ps:
                yield environment.timeout(until_tail_ps)
            held.leave_data()
            return
        service_ps = max(service_ps, until_tail_ps)
        port.busy_ps += service_ps
        if self._cuts_through(packet, branch):
            environment.process(self._leave_with_tail(branch, turn, held, service_ps))
            packet.tail_ps = int(environment.now) + service_ps + branch.delay_ps
            yield environment.timeout(port.header_ps[packet.kind])
            held.leave_command()
        else:
            yield environment.timeout(service_ps)
            port.server.release(turn)
            held.leave_command()
            held.leave_data()

    def _leave_with_tail(self, branch: Branch, turn: Turn, held: Hold, service_ps: int) -> Steps:
        yield self._environment.timeout(service_ps)
        branch.port.server.release(turn)
        held.leave_data()

    def _cuts_through(self, packet: Packet, branch: Branch) -> bool:
        """Return whether the header goes ahead: with data, unless the journey ends behind the port."""
        return self._plan.kind_data_bytes[packet.kind] > 0 and branch.stage.action is Action.PASS and not branch.port.is_dram

    # -- the protocol's actions ------------------------------------------------------------------------------------------

    def _arrive(self, packet: Packet, stage: Stage) -> Branch | None:
        """Do what the protocol does at a stage, send copies down all branches but the first, and return the first."""
        if stage.action is not Action.PASS:
            self._act(packet, stage)
        if not stage.branches:
            return None
        packet.hold.copies = len(stage.branches)
        for branch in stage.branches[1:]:
            copy = Packet(packet.kind, packet.line, packet.hold, packet.tail_ps)
            self._environment.process(self._travel(copy, branch))
        return stage.branches[0]

    def _act(self, packet: Packet, stage: Stage) -> None:
        table, line = self._table, packet.line
        row = line.row
        if stage.action is Action.ACCEPT:
            line.home_hold, packet.hold = packet.hold, Hold()
            if table.probe_stage[row] != NONE:
                self._send(Packet(table.probe_kind[row], line), table.probe_stage[row])
        elif stage.action is Action.REPLY:
            self._send(Packet(table.reply_kind[row], line), table.reply_stage[row])
        elif stage.action is Action.ANSWER and stage.node != table.requester[row]:
            self._send(Packet(table.answer_kind[row], line, packet.hold), table.answer_stage[row][stage.node])
        elif stage.action is Action.RELEASE:
            line.home_hold.leave_command()
        else:  # COLLECT, and the requester's own answer, which needs no packet
            self._collect(packet)

    def _collect(self, packet: Packet) -> None:
        table, line = self._table, packet.line
        packet.hold.leave_command()
        line.joins_left -= 1
        if line.joins_left == 0:
            line.complete.succeed()
            self._send(Packet(table.done_kind[line.row], line), table.done_stage[line.row])
