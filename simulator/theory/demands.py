"""What one line asks of every station: service times of link directions and DRAM, and how long it keeps buffers.

A station is anything that can be full: a server, or a pool of buffers of which each packet keeps one for at least the time that
it needs to get on when nothing is in its way. Bytes that depend on timing enter with the least that is possible: NOPs that each
give back as many buffers as fit, CRC once every so many bytes, DRAM that never turns round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from simulator.engine.plan import NONE, Action, Plan, PortKind
from simulator.theory.walk import Pass, TransactionWalk, leaving_ps, walk

StationKind = Literal["link", "DRAM", "data path", "buffers"]
_KINDS: Mapping[int, StationKind] = {PortKind.LINK: "link", PortKind.DRAM: "DRAM", PortKind.INTERNAL: "data path"}


@dataclass(frozen=True)
class Constraint:
    """A station cannot be more than all the time in use: sum over threads of lines per ns times demand <= 1.

    A link direction has one for each class of buffers that its NOPs give back, for the fullest class decides how many NOPs flow.

    Attributes
    ----------
    station : str
        The name of the port or pool.
    kind : {'link', 'DRAM', 'data path', 'buffers'}
    demand_ns : tuple of float, shape (threads,)
        Time a line of each thread; inf where it needs a buffer of a pool that has none.
    """

    station: str
    kind: StationKind
    demand_ns: tuple[float, ...]


@dataclass
class Load:
    """What something asks of the ports and pools of a plan, all by row.

    Attributes
    ----------
    service_ps : Counter
        By port, NOP and CRC left out.
    sent_bytes : Counter
        By port.
    taken : Counter
        By pool: buffers.
    held_ps : Counter
        By pool: sum over the buffers of the least time each is kept.
    """

    service_ps: Counter[int] = field(default_factory=Counter)
    sent_bytes: Counter[int] = field(default_factory=Counter)
    taken: Counter[int] = field(default_factory=Counter)
    held_ps: Counter[int] = field(default_factory=Counter)

    def add(self, other: Load) -> None:
        """Add what another asks."""
        for mine, its in zip(self._counters(), other._counters(), strict=True):
            mine.update(its)

    def take_off(self, other: Load) -> None:
        """Take off what another asks."""
        for mine, its in zip(self._counters(), other._counters(), strict=True):
            mine.subtract(its)

    def take(self, plan: Plan, pool: int, held_ps: int) -> None:
        """Add a buffer that a packet keeps for so long, and, of a link, the NOP that brings it back."""
        self.taken[pool] += 1
        self.held_ps[pool] += held_ps + _return_ps(plan, pool)

    def times(self, factor: int) -> Load:
        """Return so many times the load."""
        return Load(*(Counter({key: factor * value for key, value in its.items()}) for its in self._counters()))

    def _counters(self) -> tuple[Counter[int], ...]:
        return self.service_ps, self.sent_bytes, self.taken, self.held_ps


def thread_loads(plan: Plan) -> list[Load]:
    """Return what all lines of each thread's program ask together, evictions included."""
    known: dict[int, Load] = {NONE: Load()}
    loads = []
    for first, count in zip(plan.threads.first, plan.threads.count, strict=True):
        load = Load()
        for line in range(first, first + count):
            for row in (plan.program.transaction[line], plan.program.victim[line]):
                if row not in known:
                    known[row] = transaction_load(plan, walk(plan, row))
                load.add(known[row])
        loads.append(load)
    return loads


def transaction_load(plan: Plan, line: TransactionWalk) -> Load:
    """Return what one transaction asks."""
    load = Load()
    for one in line.passes():
        port = plan.branches.port[one.branch]
        load.service_ps[port] += plan.ports.service_ps[port][one.kind]
        load.sent_bytes[port] += plan.kind_bytes[one.kind]
        _add_buffers(plan, line, one, load)
    return load


def constraints(plan: Plan) -> tuple[Constraint, ...]:
    """Return every constraint that a plan's threads are under."""
    return constraints_on(plan, thread_loads(plan), plan.threads.count)


def constraints_on(plan: Plan, loads: Sequence[Load], counts: Sequence[int]) -> tuple[Constraint, ...]:
    """Return every constraint on the rates of some loads, each the load of `counts` lines."""
    found = [constraint for port in range(len(plan.ports.name)) for constraint in _of_port(plan, loads, counts, port)]
    found += [_of_pool(plan, loads, counts, pool) for pool in range(len(plan.pools.name))]
    return tuple(constraint for constraint in found if any(constraint.demand_ns))


def _of_port(plan: Plan, loads: Sequence[Load], counts: Sequence[int], port: int) -> Iterator[Constraint]:
    """Yield the constraints of a server: packets, the CRC that follows them, and the NOPs that packets of the other way need."""
    ports, pools = plan.ports, plan.pools
    kind = _KINDS[ports.kind[port]]
    crc_ps = ports.crc_ps[port] / ports.crc_every_bytes[port]  # a byte
    base_ps = [load.service_ps[port] + load.sent_bytes[port] * crc_ps for load in loads]
    returns = [
        pool
        for pool, claimant in enumerate(pools.claimant)
        if pools.credit_class[pool] != NONE and claimant == ports.reverse[port] and any(load.taken[pool] for load in loads)
    ]
    nop_ps = ports.nop_ps[port] + ports.nop_bytes[port] * crc_ps
    for pool in returns if returns and nop_ps else [NONE]:
        nops = [0.0 if pool == NONE else load.taken[pool] / ports.nop_releases[port] for load in loads]
        per_line = zip(base_ps, nops, counts, strict=True)
        demand_ns = tuple((base + nop * nop_ps) / count / 1000 for base, nop, count in per_line)
        yield Constraint(ports.name[port], kind, demand_ns)


def _of_pool(plan: Plan, loads: Sequence[Load], counts: Sequence[int], pool: int) -> Constraint:
    capacity = plan.pools.capacity[pool]
    demand_ns = tuple(
        _shared(load.held_ps[pool] / count / 1000, capacity) if load.taken[pool] else 0.0
        for load, count in zip(loads, counts, strict=True)
    )
    return Constraint(plan.pools.name[pool], "buffers", demand_ns)


def _shared(time_ns: float, capacity: int) -> float:
    return time_ns / capacity if capacity else float("inf")


def _add_buffers(plan: Plan, line: TransactionWalk, one: Pass, load: Load) -> None:
    """Count the buffers that a pass takes."""
    branches = plan.branches
    delay_ps = plan.delays.time_ps[branches.delay[one.branch]]
    held = least_held_ps(leaving_ps(plan, one.kind, one.branch), delay_ps, _onward_ps(plan, line, one))
    for pool, held_ps in zip((branches.command_pool[one.branch], branches.data_pool[one.branch]), held, strict=True):
        if pool != NONE:
            load.take(plan, pool, held_ps)


def least_held_ps(leaving: tuple[int, int], delay_ps: int, onward: tuple[int, int]) -> tuple[int, int]:
    """Return how long a packet keeps command and data buffer at least: until header and tail have left the place they are in.

    Parameters
    ----------
    leaving, onward : tuple of int
        Time, once there, until header and whole have left the port before the buffers, and the one behind.
    delay_ps : int
        Between them.
    """
    return leaving[0] + delay_ps + onward[0], max(leaving[1] + delay_ps, leaving[0] + delay_ps + onward[1])


def _onward_ps(plan: Plan, line: TransactionWalk, one: Pass) -> tuple[int, int]:
    """Return how long it takes at least to leave the next place, once there: the header (the last copy's), and the whole."""
    stages, table = plan.stages, plan.transactions
    stage = plan.branches.stage[one.branch]
    if stages.action[stage] == Action.ACCEPT:  # the queue entry, until SrcDone has come
        return line.released_ps - line.accepted_ps, 0
    if stages.action[stage] == Action.ANSWER:  # the probe's buffer, until the answer is in the crossbar
        node = stages.node[stage]
        if node == table.requester[line.row]:
            return 0, 0
        start = stages.first[table.answer_stage[line.row][node]]
        return leaving_ps(plan, table.answer_kind[line.row], start)
    if stages.action[stage] != Action.PASS:
        return 0, 0
    ways = range(stages.first[stage], stages.first[stage] + stages.count[stage])
    left = [leaving_ps(plan, one.kind, branch) for branch in ways]
    return max(header for header, _ in left), max(whole for _, whole in left)


def _return_ps(plan: Plan, pool: int) -> int:
    """Return how long a NOP takes to bring a buffer back; nothing inside a node."""
    if plan.pools.credit_class[pool] == NONE:
        return 0
    sender = plan.ports.reverse[plan.pools.claimant[pool]]
    return plan.ports.nop_ps[sender] + plan.ports.nop_latency_ps[sender]
