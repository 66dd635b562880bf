# FROZEN: changes would move the ruler. See benchmarks/baseline/__init__.py.
"""Servers, buffers and credits of the baseline."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import simpy
from simpy.resources.resource import Request

from simulator.engine.plan import NONE, Action, Plan, PortKind
from simulator.engine.random_numbers import random_bits, stream_start

Steps = Generator[simpy.Event, Any, None]

CHANNELS = 4
CREDIT_CLASSES = 7
NOP = -1  # in place of a virtual channel
STRICT_RANK = (2, 3, 0, 1)  # by virtual channel: responses, probes, requests, posted requests


class Turn(Request):
    """A request for a server, on behalf of a packet of a virtual channel or of a NOP."""

    def __init__(self, server: Server, channel: int) -> None:
        self.channel = channel
        super().__init__(server)


class Server(simpy.Resource):
    """A `simpy.Resource` that chooses among those who wait: NOPs first, then by virtual channel, strictly or in turn."""

    def __init__(self, environment: simpy.Environment, strict: bool) -> None:
        super().__init__(environment, capacity=1)
        self._strict = strict
        self._last_channel = CHANNELS - 1

    def turn(self, channel: int) -> Turn:
        """Ask for the server."""
        return Turn(self, channel)

    def _rank(self, turn: Turn) -> int:
        if turn.channel == NOP:
            return -1
        return STRICT_RANK[turn.channel] if self._strict else (turn.channel - self._last_channel - 1) % CHANNELS

    def _do_put(self, event: Turn) -> bool:  # type: ignore[override]
        """Grant the server if it is free and this request is the one to serve; return whether to look at the next request."""
        if self.users:
            return False
        if event is not min(self.put_queue, key=self._rank):
            return True
        self.users.append(event)
        if event.channel != NOP:
            self._last_channel = event.channel
        event.succeed()
        return False


class Port:
    """An output: a queue for each virtual channel and one server.

    Parameters
    ----------
    environment : simpy.Environment
    plan : Plan
    row : int
        Its row in the Plan's table of ports.
    """

    def __init__(self, environment: simpy.Environment, plan: Plan, row: int) -> None:
        table = plan.ports
        self.heads = [simpy.Resource(environment, capacity=1) for _ in range(CHANNELS)]
        self.server = Server(environment, strict=bool(table.strict[row]))
        self.header_ps = table.header_ps[row]
        self.is_link = table.kind[row] == PortKind.LINK
        self.is_dram = table.kind[row] == PortKind.DRAM
        self.sent = [0] * len(plan.kind_name)
        self.crcs = 0
        self.busy_ps = 0
        self._kind_bytes, self._kind_writes = plan.kind_bytes, plan.kind_writes
        self._table_ps = table.service_ps[row]
        draw = table.service_draw[row]
        self._draw_ps = None if draw == NONE else plan.draws.values[draw]
        self._stream = stream_start(plan.seed, f"port {table.name[row]}")
        self._served = 0
        self._turnaround_ps = table.turnaround_ps[row]
        self._last_wrote: int | None = None
        self._crc_every_bytes, self._crc_ps = table.crc_every_bytes[row], table.crc_ps[row]
        self._sent_bytes = 0

    def service_ps(self, kind: int) -> int:
        """Take note of a packet whose service begins, and return how long that lasts."""
        self.sent[kind] += 1
        if self._draw_ps is None:
            service_ps = self._table_ps[kind]
        else:
            service_ps = self._draw_ps[random_bits(self._stream, self._served) % len(self._draw_ps)]
        self._served += 1
        if self.is_link:
            service_ps += self.crc_ps(self._kind_bytes[kind])
        elif self.is_dram:
            writes = self._kind_writes[kind]
            if self._last_wrote is not None and self._last_wrote != writes:
                service_ps += self._turnaround_ps
            self._last_wrote = writes
        return service_ps

    def crc_ps(self, size_bytes: int) -> int:
        """Take note of bytes sent, and return the time of the CRCs that fall due with them."""
        before = self._sent_bytes // self._crc_every_bytes
        self._sent_bytes += size_bytes
        due = self._sent_bytes // self._crc_every_bytes - before
        self.crcs += due
        return due * self._crc_ps


class CreditReturn:
    """The NOPs of one link direction: they give buffers freed on this side back to the sender on the other side.

    Parameters
    ----------
    environment : simpy.Environment
    plan : Plan
    row : int
        Row of the port that carries the NOPs.
    port : Port
        That port.
    """

    def __init__(self, environment: simpy.Environment, plan: Plan, row: int, port: Port) -> None:
        table = plan.ports
        self.nops = 0
        self.pools: list[Pool | None] = [None] * CREDIT_CLASSES  # where the credits go, by class
        self._environment, self._port = environment, port
        self._nop_ps, self._nop_bytes = table.nop_ps[row], table.nop_bytes[row]
        self._latency_ps, self._most = table.nop_latency_ps[row], table.nop_releases[row]
        self._owed = [0] * CREDIT_CLASSES
        self._freed = environment.event()
        environment.process(self._send())

    def owe(self, credit_class: int) -> None:
        """Take note of a freed buffer."""
        self._owed[credit_class] += 1
        if not self._freed.triggered:
            self._freed.succeed()

    def _send(self) -> Steps:
        environment, port = self._environment, self._port
        while True:
            if not any(self._owed):
                self._freed = environment.event()
                yield self._freed
            turn = port.server.turn(NOP)
            yield turn
            released = [min(count, self._most) for count in self._owed]
            self._owed = [count - given for count, given in zip(self._owed, released, strict=True)]
            self.nops += 1
            service_ps = self._nop_ps + port.crc_ps(self._nop_bytes)
            port.busy_ps += service_ps
            yield environment.timeout(service_ps)
            environment.process(self._arrive(released))
            yield port.server.release(turn)  # so that a packet that waits goes before the next NOP

    def _arrive(self, released: list[int]) -> Steps:
        yield self._environment.timeout(self._latency_ps)
        for pool, count in zip(self.pools, released, strict=True):
            if pool is not None and count:
                pool.free.put(count)


class Pool:
    """Buffers of one kind.

    Attributes
    ----------
    free : simpy.Container
        How many are free.
    credit_return : CreditReturn or None
        The NOPs by which freed buffers travel back; None: they are free at once.
    """

    def __init__(self, environment: simpy.Environment, capacity: int, credit_class: int) -> None:
        self.free = simpy.Container(environment, init=capacity)
        self.credit_return: CreditReturn | None = None
        self._credit_class = credit_class

    def give_back(self) -> None:
        """Free one buffer."""
        if self.credit_return is None:
            self.free.put(1)
        else:
            self.credit_return.owe(self._credit_class)


@dataclass
class Hold:
    """The buffers that a packet, or the copies of a probe, keep at one place."""

    command: Pool | None = None
    data: Pool | None = None
    copies: int = 1

    def leave_command(self) -> None:
        """A header has left; that of the last copy frees the command buffer."""
        self.copies -= 1
        if self.command is not None and self.copies == 0:
            self.command.give_back()

    def leave_data(self) -> None:
        """The tail has left."""
        if self.data is not None:
            self.data.give_back()


@dataclass
class Branch:
    """A way on: through a port and over a delay to the next stage."""

    port: Port
    command_pool: Pool | None
    data_pool: Pool | None
    delay_ps: int
    stage: Stage


@dataclass
class Stage:
    """A place of arrival."""

    action: Action
    node: int
    branches: list[Branch]


class Stations:
    """Everything that packets pass.

    Parameters
    ----------
    environment : simpy.Environment
    plan : Plan
    """

    def __init__(self, environment: simpy.Environment, plan: Plan) -> None:
        self.ports = [Port(environment, plan, row) for row in range(len(plan.ports.name))]
        self.credit_returns = {
            row: CreditReturn(environment, plan, row, port) for row, port in enumerate(self.ports) if port.is_link
        }
        self.pools = [self._build_pool(environment, plan, row) for row in range(len(plan.pools.name))]
        self.stages = self._build_stages(plan)

    def _build_pool(self, environment: simpy.Environment, plan: Plan, row: int) -> Pool:
        table = plan.pools
        credit_class = table.credit_class[row]
        pool = Pool(environment, table.capacity[row], credit_class)
        if credit_class != NONE:
            pool.credit_return = self.credit_returns[plan.ports.reverse[table.claimant[row]]]
            pool.credit_return.pools[credit_class] = pool
        return pool

    def _build_stages(self, plan: Plan) -> list[Stage]:
        stages = [Stage(Action(action), node, []) for action, node in zip(plan.stages.action, plan.stages.node, strict=True)]
        table = plan.branches
        for stage, first, count in zip(stages, plan.stages.first, plan.stages.count, strict=True):
            for row in range(first, first + count):
                command, data = table.command_pool[row], table.data_pool[row]
                branch = Branch(
                    port=self.ports[table.port[row]],
                    command_pool=None if command == NONE else self.pools[command],
                    data_pool=None if data == NONE else self.pools[data],
                    delay_ps=plan.delays.time_ps[table.delay[row]],
                    stage=stages[table.stage[row]],
                )
                stage.branches.append(branch)
        return stages
