"""Networks of the engines' stations as Plans: servers of any kind, and customers who pass them in a row and think in between.

A customer is a window slot of a thread, its passage a line, its thinking the core time after it. What the protocol wants besides
takes no time but some ticks: an entrance that gives it the home's buffer, a delay of 1 ps behind each server, its SrcDone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from simulator.engine.plan import (
    NONE,
    Action,
    Branches,
    Delays,
    Draws,
    Part,
    Paths,
    Plan,
    Pools,
    PortKind,
    Ports,
    Program,
    Stages,
    Threads,
    Transactions,
)
from simulator.engine.random_numbers import stream_start
from simulator.protocol import Channel

TICK_PS = 1
PLENTY = 1 << 16
_NO_CRC = 1 << 40


@dataclass(frozen=True)
class NopReturn:
    """Buffers that come back as credits, by NOP packets on the opposite direction."""

    nop_ps: int = 0
    latency_ps: int = TICK_PS
    releases: int = 1 << 10


@dataclass(frozen=True)
class Server:
    """A port and the delay behind it.

    Attributes
    ----------
    service : tuple of int
        Equally likely service times, ps; one value is a constant.
    room : int or None
        Buffers at the place behind it, one of which a customer must have before its service here begins; None: no limit.
    credits : NopReturn or None
        How those buffers come back; None: at once.
    """

    name: str
    service: tuple[int, ...]
    kind: PortKind = PortKind.INTERNAL
    strict: bool = False
    room: int | None = None
    credits: NopReturn | None = None
    wire_ps: int = TICK_PS


@dataclass(frozen=True)
class Customers:
    """Customers of one class.

    Attributes
    ----------
    route : tuple of int
        Servers they pass, by number, in this order.
    count : int
        Customers of a closed class; or those of an open one that may be inside at once.
    think : tuple of int
        Equally likely times between two passages, ps.
    intervals : tuple of int or None
        Equally likely times between arrivals from outside, ps; None: closed.
    """

    name: str
    route: tuple[int, ...]
    count: int
    think: tuple[int, ...] = (TICK_PS,)
    intervals: tuple[int, ...] | None = None
    channel: Channel = Channel.REQUEST


def network_plan(servers: Sequence[Server], classes: Sequence[Customers], seed: int) -> Plan:
    """Lay out a network; server k is port k, class k is thread k."""
    return _Layout(servers, classes, seed).plan()


@dataclass
class _Layout:
    """A Plan under construction. Ports: servers, entrance, the way of the SrcDones, senders of NOPs."""

    servers: Sequence[Server]
    classes: Sequence[Customers]
    seed: int
    draws: list[tuple[int, ...]] = field(default_factory=list)
    stages: list[tuple[Action, int, int]] = field(default_factory=list)  # action, first branch, branches
    branches: list[tuple[int, int, int]] = field(default_factory=list)  # port, pool, stage; the delay is the port's

    def plan(self) -> Plan:
        rooms = [number for number, server in enumerate(self.servers) if server.room is not None]
        self.entrance, self.done_port = len(self.servers), len(self.servers) + 1
        self.pool_of = {number: 1 + row for row, number in enumerate(rooms)}  # pool 0 is the home's
        self.nop_sender = {
            number: self.done_port + 1 + row
            for row, number in enumerate(number for number in rooms if self.servers[number].credits is not None)
        }
        kinds = len(self.classes) + 1
        starts = [self._route(customers) for customers in self.classes]
        done = self._stage(Action.PASS, [(self.done_port, NONE, self._stage(Action.RELEASE, []))])
        return Plan(
            node_ids=(0,),
            kind_name=(*(customers.name for customers in self.classes), "done"),
            kind_bytes=(8,) * kinds,
            kind_data_bytes=(0,) * kinds,
            kind_writes=(0,) * kinds,
            kind_channel=(*(int(customers.channel) for customers in self.classes), int(Channel.RESPONSE)),
            kind_carries_line=(1,) * len(self.classes) + (0,),
            kind_modifies=(0,) * (len(self.classes) + 1),
            ports=self._ports(kinds),
            pools=self._pools(),
            delays=self._delays(),
            stages=Stages(
                action=tuple(int(action) for action, _, _ in self.stages),
                node=(0,) * len(self.stages),
                first=tuple(first for _, first, _ in self.stages),
                count=tuple(count for _, _, count in self.stages),
            ),
            branches=Branches(
                port=tuple(port for port, _, _ in self.branches),
                command_pool=tuple(pool for _, pool, _ in self.branches),
                data_pool=(NONE,) * len(self.branches),
                delay=tuple(port for port, _, _ in self.branches),
                stage=tuple(stage for _, _, stage in self.branches),
            ),
            transactions=self._transactions(starts, done),
            program=self._program(),
            paths=Paths(thread=tuple(range(len(self.classes))), transaction=tuple(range(len(self.classes)))),
            threads=self._threads(),
            draws=Draws(tuple(self.draws)),
            controller_port=(NONE,),
            controller_pool=(NONE,),
            barrier_parties=(),
            shared_lines=0,
            seed=self.seed,
        )

    def _route(self, customers: Customers) -> int:
        """Lay the stages of a class, last first, and return where it sets out."""
        stage = self._stage(Action.COLLECT, [])
        for place, number in reversed(list(enumerate(customers.route))):
            action = Action.PASS if place else Action.ACCEPT  # the home takes its buffer from whoever comes in
            stage = self._stage(action, [(number, self.pool_of.get(number, NONE), stage)])
        return self._stage(Action.PASS, [(self.entrance, 0, stage)])

    def _stage(self, action: Action, branches: Sequence[tuple[int, int, int]]) -> int:
        self.stages.append((action, len(self.branches), len(branches)))
        self.branches.extend(branches)
        return len(self.stages) - 1

    def _draw(self, values: tuple[int, ...]) -> int:
        self.draws.append(values)
        return len(self.draws) - 1

    def _ports(self, kinds: int) -> Ports:
        servers, others = self.servers, 2 + len(self.nop_sender)
        count = len(servers) + others
        reverse = [self.nop_sender.get(number, NONE) for number in range(count)]
        nops = {sender: self.servers[number].credits or NopReturn() for number, sender in self.nop_sender.items()}
        for number, sender in self.nop_sender.items():
            reverse[sender] = number
        service = tuple(((server.service[0],) if len(server.service) == 1 else (0,)) * kinds for server in servers)
        service += ((0,) * kinds,) * others
        drawn = (NONE if len(server.service) == 1 else self._draw(server.service) for server in servers)
        inside = (int(PortKind.INTERNAL),) * 2
        senders = tuple(f"NOPs for {servers[number].name}" for number in self.nop_sender)
        return Ports(
            name=(*(server.name for server in servers), "entrance", "done", *senders),
            kind=(*(int(server.kind) for server in servers), *inside, *(int(PortKind.LINK),) * len(senders)),
            strict=(*(int(server.strict) for server in servers), *(0,) * others),
            service_ps=service,
            header_ps=service,
            service_draw=(*drawn, *(NONE,) * others),
            turnaround_ps=(0,) * count,
            reverse=tuple(reverse),
            nop_ps=tuple(nops[port].nop_ps if port in nops else 0 for port in range(count)),
            nop_latency_ps=tuple(nops[port].latency_ps if port in nops else 0 for port in range(count)),
            nop_bytes=(4,) * count,
            nop_releases=tuple(nops[port].releases if port in nops else 1 for port in range(count)),
            crc_every_bytes=(_NO_CRC,) * count,
            crc_bytes=(0,) * count,
            crc_ps=(0,) * count,
            service_part=(int(Part.SERIALISATION),) * count,
            queue_part=(int(Part.LINK_QUEUE),) * count,
            buffer_part=(int(Part.CREDITS),) * count,
        )

    def _pools(self) -> Pools:
        limited = [self.servers[number] for number in self.pool_of]
        return Pools(
            name=("home", *(f"behind {server.name}" for server in limited)),
            capacity=(PLENTY, *(server.room or 0 for server in limited)),
            claimant=(self.entrance, *self.pool_of),
            credit_class=(NONE, *(NONE if server.credits is None else 0 for server in limited)),
        )

    def _delays(self) -> Delays:
        time_ps = (*(server.wire_ps for server in self.servers), *(TICK_PS,) * (2 + len(self.nop_sender)))
        wire = (int(Part.WIRE),) * len(time_ps)
        return Delays(tuple(map(str, range(len(time_ps)))), time_ps, part=wire, part_ps=time_ps, rest_part=wire)

    def _transactions(self, starts: Sequence[int], done: int) -> Transactions:
        count = len(self.classes)
        none, zero = (NONE,) * count, (0,) * count
        return Transactions(
            name=tuple(customers.name for customers in self.classes),
            requester=zero,
            home=zero,
            victim=zero,
            joins=(1,) * count,
            request_kind=tuple(range(count)),
            request_stage=tuple(starts),
            probe_kind=none,
            probe_stage=none,
            reply_kind=none,
            reply_stage=none,
            answer_kind=none,
            answer_stage=((NONE,),) * count,
            owner_kind=none,
            owner_stage=((NONE,),) * count,
            owner_probe_stage=((NONE,),) * count,
            dry_reply_kind=none,
            dry_reply_stage=none,
            done_kind=(count,) * count,
            done_stage=(done,) * count,
        )

    def _program(self) -> Program:
        each = tuple(range(len(self.classes)))
        none = (NONE,) * len(each)
        think = tuple(self._draw(customers.think) for customers in self.classes)
        zero = (0,) * len(each)
        return Program(each, none, think, none, each, compute_ps=zero, shared=none, lock=zero)

    def _threads(self) -> Threads:
        classes = self.classes
        zero = (0,) * len(classes)
        arrivals = tuple(NONE if one.intervals is None else self._draw(one.intervals) for one in classes)
        return Threads(
            label=tuple(one.name for one in classes),
            stream=tuple(stream_start(self.seed, f"customers {one.name}") for one in classes),
            background=zero,
            window=tuple(one.count for one in classes),
            first=tuple(range(len(classes))),
            count=(1,) * len(classes),
            repeat=(1,) * len(classes),
            supplied=zero,
            start_ps=zero,
            interval_draw=arrivals,
            open=tuple(int(one.intervals is not None) for one in classes),
            slice_period_ps=zero,
            slice_start_ps=zero,
            slice_length_ps=zero,
        )
