"""Zero-load latency by route: the later of the data's path and the slowest probe's path, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.engine.lower import lower
from simulator.engine.plan import Plan
from simulator.machine.spec import Machine
from simulator.measure.idle import one_slot, zero_load_ps
from simulator.theory.walk import Pass, TransactionWalk, walk
from simulator.workload.thread import Mode


@dataclass(frozen=True)
class Step:
    """Part of a path.

    Attributes
    ----------
    place : str
        The port or the fixed delay, as results name them.
    packet : str
        Which packet is under way.
    time_ps : int
    """

    place: str
    packet: str
    time_ps: int


@dataclass(frozen=True)
class ZeroLoad:
    """A line on a machine at rest whose packets never wait.

    Attributes
    ----------
    latency_ps : int
        From issue to completion: the sum of `steps`.
    steps : tuple of Step
        Along the path that decides; where data and an answer come together it is that of the data.
    decided_by : str
        ``data``, or ``answer of node N``.
    data_ps : int
        When the line is there.
    answers_ps : dict of int to int
        By node: when its answer is there.
    eviction_ps : int or None
        Of a line written: when the line that it evicts is in memory and the requester knows.
    """

    latency_ps: int
    steps: tuple[Step, ...]
    decided_by: str
    data_ps: int
    answers_ps: dict[int, int]
    eviction_ps: int | None


def zero_load(machine: Machine, node: int, memory: int, mode: Mode = "r") -> ZeroLoad:
    """Work out the latency of a line, with the path that decides it.

    Parameters
    ----------
    machine : Machine
    node, memory : int
        Node ids of the core and of the memory.
    mode : {'r', 'w'}

    Raises
    ------
    InputError
        The node has no core, or the memory is not there.
    """
    plan = lower(machine, one_slot(node, memory, mode))
    line, evictions = walk(plan, plan.program.transaction[0]), [row for row in plan.program.victim if row >= 0]
    answers = {index: line.answered_ps(index) for index in line.probes}
    slowest = max(answers, key=lambda index: answers[index], default=None)
    by_data = slowest is None or line.reply[-1].end_ps >= answers[slowest]
    way = _data_way(line) if by_data or slowest is None else _answer_way(line, slowest)
    return ZeroLoad(
        latency_ps=line.complete_ps,
        steps=_steps(plan, way),
        decided_by="data" if by_data or slowest is None else f"answer of node {plan.node_ids[slowest]}",
        data_ps=line.reply[-1].end_ps,
        answers_ps={plan.node_ids[index]: time_ps for index, time_ps in answers.items()},
        eviction_ps=walk(plan, evictions[0]).complete_ps if evictions else None,
    )


def own_queueing_ps(machine: Machine, node: int, memory: int, mode: Mode = "r") -> int:
    """Return how long a first line waits for its own packets, NOPs included: the engine's first line less `zero_load`.

    Parameters
    ----------
    machine, node, memory, mode
        As for `zero_load`.
    """
    return zero_load_ps(machine, node, memory, mode) - zero_load(machine, node, memory, mode).latency_ps


def _data_way(line: TransactionWalk) -> Sequence[Pass]:
    return (*line.request, *line.dram, *line.reply)


def _answer_way(line: TransactionWalk, node: int) -> Sequence[Pass]:
    return (*line.request, *line.probes[node], *line.answers.get(node, ()))


def _steps(plan: Plan, way: Sequence[Pass]) -> tuple[Step, ...]:
    """Split each pass into the port, which serves, and the delay behind it; what takes no time is left out."""
    steps = []
    for one in way:
        branches, packet = plan.branches, plan.kind_name[one.kind]
        delay_ps = plan.delays.time_ps[branches.delay[one.branch]]
        steps.append(Step(plan.ports.name[branches.port[one.branch]], packet, one.end_ps - one.start_ps - delay_ps))
        steps.append(Step(f"{plan.delays.name[branches.delay[one.branch]]}, delay", packet, delay_ps))
    return tuple(step for step in steps if step.time_ps)
