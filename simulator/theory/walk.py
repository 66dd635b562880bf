"""The journeys of a transaction walked without a clock: when each packet would be where if it never waited for anything.

The rules of the stations are those of docs/model.md: a packet with data goes on over the next link when its header is there, its
tail never leaves before it has arrived, and what is consumed waits for the tail. All delays only add, so no line under any
load is faster than this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.engine.plan import NONE, Action, Plan, PortKind


@dataclass(frozen=True)
class Pass:
    """A packet on its way through one port and the delay behind it.

    Attributes
    ----------
    kind, branch : int
        Packet kind and row of the plan's branches.
    start_ps : int
        When its header is at the port.
    end_ps : int
        When its header is at the next stage; where it is consumed, all of it.
    tail_ps : int
        When its tail is there; 0 where that is not later.
    """

    kind: int
    branch: int
    start_ps: int
    end_ps: int
    tail_ps: int = 0


@dataclass(frozen=True)
class TransactionWalk:
    """All packets of one transaction, each a tuple of passes in order.

    Attributes
    ----------
    row : int
        Of the plan's transactions.
    request, dram, reply, done : tuple of Pass
    probes : dict of int to tuple of Pass
        By the probed node's index: the way from the home, whose first passes several ways share.
    answers : dict of int to tuple of Pass
        By the node that answers; the requester's own needs no packet.
    """

    row: int
    request: tuple[Pass, ...]
    dram: tuple[Pass, ...]
    reply: tuple[Pass, ...]
    probes: dict[int, tuple[Pass, ...]]
    answers: dict[int, tuple[Pass, ...]]
    done: tuple[Pass, ...]

    @property
    def accepted_ps(self) -> int:
        """When the home controller has the request."""
        return self.request[-1].end_ps

    @property
    def complete_ps(self) -> int:
        """When the requester has the reply and all answers."""
        return max((self.reply[-1].end_ps, *(self.answered_ps(node) for node in self.probes)))

    @property
    def released_ps(self) -> int:
        """When the home controller has SrcDone."""
        return self.done[-1].end_ps

    def answered_ps(self, node: int) -> int:
        """Return when the requester knows the answer of a probed node."""
        return (self.answers.get(node) or self.probes[node])[-1].end_ps

    def passes(self) -> Iterator[Pass]:
        """Yield every pass of every packet once."""
        shared = {step.branch: step for way in self.probes.values() for step in way}
        for way in (self.request, self.dram, self.reply, tuple(shared.values()), *self.answers.values(), self.done):
            yield from way


def walk(plan: Plan, row: int) -> TransactionWalk:
    """Follow every packet of a transaction that starts at time 0.

    Parameters
    ----------
    plan : Plan
    row : int
        Of its transactions.
    """
    table = plan.transactions
    request = _journey(plan, table.request_kind[row], table.request_stage[row], 0)
    accepted_ps = request[-1].end_ps
    accept_stage = plan.branches.stage[request[-1].branch]
    dram = _pass(plan, table.request_kind[row], plan.stages.first[accept_stage], accepted_ps, 0)
    reply = _journey(plan, table.reply_kind[row], table.reply_stage[row], dram.end_ps)
    probes = _probes(plan, row, accepted_ps)
    answers = {
        node: _journey(plan, table.answer_kind[row], table.answer_stage[row][node], way[-1].end_ps)
        for node, way in probes.items()
        if node != table.requester[row]
    }
    asked = TransactionWalk(row, request, (dram,), reply, probes, answers, ())
    done = _journey(plan, table.done_kind[row], table.done_stage[row], asked.complete_ps)
    return TransactionWalk(row, request, (dram,), reply, probes, answers, done)


def leaving_ps(plan: Plan, kind: int, branch: int) -> tuple[int, int]:
    """Return how long a packet takes to leave a port that takes it at once: its header, and the whole of it."""
    port, service_ps = plan.branches.port[branch], plan.ports.service_ps[plan.branches.port[branch]][kind]
    return (plan.ports.header_ps[port][kind] if _cuts_through(plan, kind, branch) else service_ps), service_ps


def _cuts_through(plan: Plan, kind: int, branch: int) -> bool:
    """Whether the header goes ahead of the line it brings."""
    consumed = plan.stages.action[plan.branches.stage[branch]] != Action.PASS
    is_dram = plan.ports.kind[plan.branches.port[branch]] == PortKind.DRAM
    return bool(plan.kind_data_bytes[kind]) and not consumed and not is_dram


def _pass(plan: Plan, kind: int, branch: int, start_ps: int, tail_ps: int) -> Pass:
    delay_ps = plan.delays.time_ps[plan.branches.delay[branch]]
    header_ps, service_ps = leaving_ps(plan, kind, branch)
    left_ps = max(start_ps + service_ps, tail_ps)
    if service_ps and _cuts_through(plan, kind, branch):
        return Pass(kind, branch, start_ps, start_ps + header_ps + delay_ps, left_ps + delay_ps)
    return Pass(kind, branch, start_ps, left_ps + delay_ps)


def _journey(plan: Plan, kind: int, stage: int, start_ps: int) -> tuple[Pass, ...]:
    """Follow a packet to the first stage that does something with it."""
    way = [_pass(plan, kind, plan.stages.first[stage], start_ps, 0)]
    while (stage := plan.branches.stage[way[-1].branch]) is not None and plan.stages.action[stage] == Action.PASS:
        way.append(_pass(plan, kind, plan.stages.first[stage], way[-1].end_ps, way[-1].tail_ps))
    return tuple(way)


def _probes(plan: Plan, row: int, start_ps: int) -> dict[int, tuple[Pass, ...]]:
    """Follow the probes of a transaction down their tree to every node."""
    table, stages = plan.transactions, plan.stages
    found: dict[int, tuple[Pass, ...]] = {}

    def spread(stage: int, way: tuple[Pass, ...]) -> None:
        time_ps = way[-1].end_ps if way else start_ps
        for branch in range(stages.first[stage], stages.first[stage] + stages.count[stage]):
            onward = (*way, _pass(plan, table.probe_kind[row], branch, time_ps, 0))
            below = plan.branches.stage[branch]
            if stages.action[below] == Action.ANSWER:
                found[stages.node[below]] = onward
            else:
                spread(below, onward)

    if table.probe_stage[row] != NONE:
        spread(table.probe_stage[row], ())
    return dict(sorted(found.items()))
