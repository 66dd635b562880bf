"""Ports, buffers, delays and links in motion: how a packet gets from one stage to the next.

Each handler below answers one kind of event. What a port does is a small state machine: packets and credits *arrive*, the port
*arbitrates* once a tick after all arrivals, a *service ends*. docs/model.md tells the same in words.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.engine.order import Phase, components, event_key
from simulator.engine.plan import NONE, Plan, PortKind
from simulator.engine.random_numbers import random_bits, stream_start
from simulator.engine.simpy_engine.clock import Clock, StationEvent
from simulator.engine.simpy_engine.parts import CHANNELS, Branch, Delay, Hold, Packet, Pool, Port, Stage, TransactionState
from simulator.protocol import PRIORITY_ORDER

ROUND_ROBIN = tuple(tuple((last + step) % CHANNELS for step in range(1, CHANNELS + 1)) for last in range(CHANNELS))


class Fabric:
    """The stations of a plan.

    Parameters
    ----------
    plan : Plan
    clock : Clock
    act : callable
        Called with a packet and a stage that has an action; says whether the packet goes on by the stage's branches.
    """

    def __init__(self, plan: Plan, clock: Clock, act: Callable[[Packet, Stage], bool]) -> None:
        self._clock, self._act = clock, act
        self._channel = plan.kind_channel
        self._bytes = plan.kind_bytes
        self._has_data = tuple(size > 0 for size in plan.kind_data_bytes)
        self._writes = plan.kind_writes
        self._carries_line = plan.kind_carries_line
        self.ports = self._build_ports(plan)
        self.pools = self._build_pools(plan)
        self.delays = self._build_delays(plan)
        self.stages = self._build_stages(plan)

    # -- moving on -------------------------------------------------------------------------------------------------------

    def enter(self, packet: Packet, stage: Stage) -> None:
        """Let a packet arrive at a stage: act, then go on."""
        if not stage.action or self._act(packet, stage):
            self.leave(packet, stage)

    def leave(self, packet: Packet, stage: Stage) -> None:
        """Queue a packet, or a copy of it, at the port of each branch."""
        branches = stage.branches
        if len(branches) > 1:
            if packet.hold is not None:
                packet.hold.copies = len(branches)
            for branch in branches[1:]:
                self._queue(Packet(packet.kind, packet.transaction, packet.hold, None, packet.tail_ps, packet.came_by), branch)
        if branches:
            self._queue(packet, branches[0])

    def release(self, hold: Hold) -> None:
        """Give back the command buffer that a packet kept until it was consumed."""
        self._leave_command(hold)

    def _queue(self, packet: Packet, branch: Branch) -> None:
        packet.branch = branch
        port = branch.port
        if self._carries_line[packet.kind]:
            packet.transaction.busy_before_ps = port.busy_ps - max(0, port.busy_until_ps - self._clock.now_ps)
        port.count_waiting(self._clock.now_ps)
        port.queues[self._channel[packet.kind]].append(packet)
        port.waiting += 1
        self._ask_arbitration(port)

    def _push(self, delay: Delay, due_ps: int, packet: Packet) -> None:
        if not delay.packets:
            self._clock.schedule(delay.event, due_ps)
        delay.packets.append((due_ps, packet))

    def _on_delay(self, event: StationEvent) -> None:
        delay: Delay = event.owner
        packets, now = delay.packets, self._clock.now_ps
        while packets and packets[0][0] == now:
            packet = packets.popleft()[1]
            assert packet.branch is not None
            if self._carries_line[packet.kind]:
                self._count_passage(packet.transaction, packet.branch)
            self.enter(packet, packet.branch.stage)
        if packets:
            self._clock.schedule(event, packets[0][0])

    # -- where a line's time goes ----------------------------------------------------------------------------------------

    def _count_wait(self, line: TransactionState, port: Port) -> None:
        """Count the time since the line came to the port: while it was busy, behind others; else for want of buffers."""
        now = self._clock.now_ps
        queued_ps = port.busy_ps - line.busy_before_ps
        line.parts_ps[port.queue_part] += queued_ps
        line.parts_ps[port.buffer_part] += now - line.counted_ps - queued_ps
        line.counted_ps = now

    def _count_passage(self, line: TransactionState, branch: Branch) -> None:
        """Count the time since the port let the line go: the fixed delay behind it, and before that the service."""
        now, delay = self._clock.now_ps, branch.delay
        line.parts_ps[delay.part] += delay.part_ps
        line.parts_ps[delay.rest_part] += delay.time_ps - delay.part_ps
        line.parts_ps[branch.port.service_part] += now - line.counted_ps - delay.time_ps
        line.counted_ps = now

    # -- buffers and credits ---------------------------------------------------------------------------------------------

    def _leave_command(self, hold: Hold | None) -> None:
        if hold is None or hold.command is None:
            return
        hold.copies -= 1
        if hold.copies == 0:
            self._give_back(hold.command)

    def _leave_data(self, hold: Hold | None) -> None:
        if hold is not None and hold.data is not None:
            self._give_back(hold.data)

    def _give_back(self, pool: Pool) -> None:
        if pool.credit_class == NONE:
            self._free(pool, 1)
            return
        sender = pool.claimant.reverse
        assert sender is not None
        sender.owed[pool.credit_class] += 1
        sender.owes += 1
        self._ask_arbitration(sender)

    def _free(self, pool: Pool, count: int) -> None:
        pool.count_change(self._clock.now_ps)
        pool.free += count
        self._ask_arbitration(pool.claimant)

    def _take(self, pool: Pool) -> None:
        pool.count_change(self._clock.now_ps)
        pool.free -= 1

    # -- arbitration -----------------------------------------------------------------------------------------------------

    def _ask_arbitration(self, port: Port) -> None:
        if port.busy or port.arbitration_pending or not (port.waiting or port.owes):
            return
        port.arbitration_pending = True
        now = self._clock.now_ps
        self._clock.schedule(port.arbitration, now if port.arbitrated_ps != now else now + 1)

    def _on_arbitration(self, event: StationEvent) -> None:
        port: Port = event.owner
        port.arbitration_pending = False
        port.arbitrated_ps = self._clock.now_ps
        while not port.busy:
            channel = self._next_channel(port) if port.waiting else NONE
            if port.owes and (channel == NONE or not port.last_was_nop):
                self._send_nop(port)
            elif channel != NONE:
                self._grant(port, channel)
            else:
                return

    def _next_channel(self, port: Port) -> int:
        """Return the first virtual channel whose head can go on, or NONE."""
        for channel in PRIORITY_ORDER if port.strict else ROUND_ROBIN[port.last_channel]:
            queue = port.queues[channel]
            if queue:
                branch = queue[0].branch
                assert branch is not None
                if (branch.command_pool is None or branch.command_pool.free) and (
                    branch.data_pool is None or branch.data_pool.free
                ):
                    return channel
        return NONE

    def _grant(self, port: Port, channel: int) -> None:
        now = self._clock.now_ps
        port.count_waiting(now)
        packet = port.queues[channel].popleft()
        port.waiting -= 1
        port.last_channel, port.last_was_nop = channel, False
        port.sent[packet.kind] += 1
        branch = packet.branch
        assert branch is not None
        if self._carries_line[packet.kind]:
            self._count_wait(packet.transaction, port)
        held, packet.hold = packet.hold, None
        if branch.command_pool is not None:
            self._take(branch.command_pool)
            packet.hold = Hold(branch.command_pool, branch.data_pool)
            if branch.data_pool is not None:
                self._take(branch.data_pool)
        service_ps = self._service_ps(port, packet)
        if service_ps:
            self._serve(port, packet, held, service_ps)
        else:
            self._pass_at_once(port, packet, held)

    def _service_ps(self, port: Port, packet: Packet) -> int:
        if port.service_draw is None:
            service_ps = port.service_ps[packet.kind]
        else:
            service_ps = port.service_draw[random_bits(port.stream, port.served) & (len(port.service_draw) - 1)]
        port.served += 1
        if port.is_link:
            return service_ps + self._crc_ps(port, self._bytes[packet.kind])
        if port.is_dram:
            writes = self._writes[packet.kind]
            if port.last_wrote not in (writes, -1):
                service_ps += port.turnaround_ps
            port.last_wrote = writes
        return service_ps

    def _crc_ps(self, port: Port, size_bytes: int) -> int:
        before = port.sent_bytes // port.crc_every_bytes
        port.sent_bytes += size_bytes
        crcs = port.sent_bytes // port.crc_every_bytes - before
        port.crcs += crcs
        return crcs * port.crc_ps

    # -- service ---------------------------------------------------------------------------------------------------------

    def _serve(self, port: Port, packet: Packet, held: Hold | None, service_ps: int) -> None:
        """Occupy the server until the tail has left, and on a way through a crossbar send the header ahead."""
        now = self._clock.now_ps
        end_ps = max(now + service_ps, packet.tail_ps)
        port.busy, port.busy_until_ps = True, end_ps
        port.busy_ps += end_ps - now
        port.leaving, port.serving = held, packet
        self._clock.schedule(port.service_end, end_ps)
        branch = packet.branch
        assert branch is not None
        if port.is_dram or branch.stage.action:
            return
        port.serving = None
        packet.tail_ps, packet.came_by = end_ps + branch.delay.time_ps, port
        if self._has_data[packet.kind]:
            header_ps = now + port.header_ps[packet.kind]
            port.header_leaving, port.leaving = held, Hold(None, held.data if held is not None else None)
            self._clock.schedule(port.header_end, header_ps)
            self._push(branch.delay, header_ps + branch.delay.time_ps, packet)
        else:
            self._push(branch.delay, end_ps + branch.delay.time_ps, packet)

    def _pass_at_once(self, port: Port, packet: Packet, held: Hold | None) -> None:
        """Go through an output without a server; a packet whose tail is still arriving waits for it behind the output."""
        self._leave_command(held)
        if packet.tail_ps > self._clock.now_ps:
            source = packet.came_by
            assert source is not None
            assert source.tail_packet is None
            source.tail_packet, source.tail_hold = packet, held
            self._clock.schedule(source.tail_arrival, packet.tail_ps)
        else:
            self._go_on(packet, held)

    def _go_on(self, packet: Packet, held: Hold | None) -> None:
        self._leave_data(held)
        branch = packet.branch
        assert branch is not None
        packet.tail_ps = 0
        self._push(branch.delay, self._clock.now_ps + branch.delay.time_ps, packet)

    def _on_tail_arrival(self, event: StationEvent) -> None:
        source: Port = event.owner
        packet, held = source.tail_packet, source.tail_hold
        source.tail_packet = source.tail_hold = None
        assert packet is not None
        self._go_on(packet, held)

    def _on_header_end(self, event: StationEvent) -> None:
        port: Port = event.owner
        held, port.header_leaving = port.header_leaving, None
        self._leave_command(held)

    def _on_service_end(self, event: StationEvent) -> None:
        port: Port = event.owner
        held, port.leaving = port.leaving, None
        packet, port.serving = port.serving, None
        port.busy = False
        self._leave_command(held)
        if packet is None:
            self._leave_data(held)
        else:
            self._go_on(packet, held)
        self._ask_arbitration(port)

    # -- flow control ----------------------------------------------------------------------------------------------------

    def _send_nop(self, port: Port) -> None:
        """Give buffers back to the other side: up to `nop_releases` of each class in one packet."""
        now = self._clock.now_ps
        released = tuple(min(count, port.nop_releases) for count in port.owed)
        for credit_class, count in enumerate(released):
            port.owed[credit_class] -= count
        port.owes -= sum(released)
        port.nops += 1
        port.last_was_nop = True
        service_ps = port.nop_ps + self._crc_ps(port, port.nop_bytes)
        arrival_ps = now + service_ps + port.nop_latency_ps
        if not port.nops_flying:
            self._clock.schedule(port.nop_arrival, arrival_ps)
        port.nops_flying.append((arrival_ps, released))
        if service_ps:
            port.busy, port.busy_until_ps = True, now + service_ps
            port.busy_ps += service_ps
            self._clock.schedule(port.service_end, now + service_ps)

    def _on_nop_arrival(self, event: StationEvent) -> None:
        port: Port = event.owner
        flying, now = port.nops_flying, self._clock.now_ps
        sender = port.reverse
        assert sender is not None
        while flying and flying[0][0] == now:
            for pool, count in zip(sender.credit_pools, flying.popleft()[1], strict=True):
                if count and pool is not None:
                    self._free(pool, count)
        if flying:
            self._clock.schedule(event, flying[0][0])

    # -- building --------------------------------------------------------------------------------------------------------

    def _build_ports(self, plan: Plan) -> list[Port]:
        table, first = plan.ports, components(plan)
        ports = []
        for row, name in enumerate(table.name):
            draw = table.service_draw[row]
            port = Port(
                name=name,
                is_link=table.kind[row] == PortKind.LINK,
                is_dram=table.kind[row] == PortKind.DRAM,
                strict=bool(table.strict[row]),
                service_ps=table.service_ps[row],
                header_ps=table.header_ps[row],
                service_draw=None if draw == NONE else plan.draws.values[draw],
                stream=stream_start(plan.seed, f"port {name}"),
                turnaround_ps=table.turnaround_ps[row],
                nop_ps=table.nop_ps[row],
                nop_latency_ps=table.nop_latency_ps[row],
                nop_bytes=table.nop_bytes[row],
                nop_releases=table.nop_releases[row],
                crc_every_bytes=table.crc_every_bytes[row],
                crc_bytes=table.crc_bytes[row],
                crc_ps=table.crc_ps[row],
                service_part=table.service_part[row],
                queue_part=table.queue_part[row],
                buffer_part=table.buffer_part[row],
                sent=[0] * len(plan.kind_name),
            )
            port.arbitration = StationEvent(event_key(Phase.ARBITRATION, first.port + row), port, self._on_arbitration)
            port.service_end = StationEvent(event_key(Phase.SERVICE_END, first.port + row), port, self._on_service_end)
            port.header_end = StationEvent(event_key(Phase.ARRIVAL, first.header + row), port, self._on_header_end)
            port.tail_arrival = StationEvent(event_key(Phase.ARRIVAL, first.tail + row), port, self._on_tail_arrival)
            port.nop_arrival = StationEvent(event_key(Phase.ARRIVAL, first.nop + row), port, self._on_nop_arrival)
            ports.append(port)
        for port, reverse in zip(ports, table.reverse, strict=True):
            port.reverse = None if reverse == NONE else ports[reverse]
        return ports

    def _build_pools(self, plan: Plan) -> list[Pool]:
        table = plan.pools
        pools = []
        for name, capacity, claimant, credit_class in zip(
            table.name, table.capacity, table.claimant, table.credit_class, strict=True
        ):
            pool = Pool(name, capacity, capacity, credit_class)
            pool.claimant = self.ports[claimant]
            if credit_class != NONE:
                pool.claimant.credit_pools[credit_class] = pool
            pools.append(pool)
        return pools

    def _build_delays(self, plan: Plan) -> list[Delay]:
        first = components(plan).delay
        delays = []
        table = plan.delays
        for row, columns in enumerate(zip(table.time_ps, table.part, table.part_ps, table.rest_part, strict=True)):
            delay = Delay(*columns)
            delay.event = StationEvent(event_key(Phase.ARRIVAL, first + row), delay, self._on_delay)
            delays.append(delay)
        return delays

    def _build_stages(self, plan: Plan) -> list[Stage]:
        stages = [Stage(action, node) for action, node in zip(plan.stages.action, plan.stages.node, strict=True)]
        rows = plan.branches
        branches = [
            Branch(
                self.ports[rows.port[row]],
                None if rows.command_pool[row] == NONE else self.pools[rows.command_pool[row]],
                None if rows.data_pool[row] == NONE else self.pools[rows.data_pool[row]],
                self.delays[rows.delay[row]],
                stages[rows.stage[row]],
            )
            for row in range(len(rows.port))
        ]
        for stage, first, count in zip(stages, plan.stages.first, plan.stages.count, strict=True):
            stage.branches = tuple(branches[first : first + count])
        return stages
