"""Queues of a trace over time: packets that wait at each port, by what they are, and places taken in each controller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.engine.plan import NONE
from simulator.observe.records import Trace
from simulator.observe.series import Steps, free_units, waiting
from simulator.protocol import CHANNEL_NAMES

PLACES_TAKEN = "places taken"


@dataclass(frozen=True)
class Queue:
    """One queue.

    Attributes
    ----------
    name : str
    mean : float
        Length over the window.
    series : mapping of str to Steps
        Length over time by what waits: a virtual channel, or `PLACES_TAKEN` of a controller.
    capacity : int or None
        None: a port's queue, which has none of its own.
    """

    name: str
    mean: float
    series: Mapping[str, Steps]
    capacity: int | None = None


def longest_queues(trace: Trace) -> list[Queue]:
    """Return every queue that is ever longer than 0, the longest on average first."""
    return sorted([*_ports(trace), *_controllers(trace)], key=lambda queue: (-queue.mean, queue.name))


def _ports(trace: Trace) -> list[Queue]:
    queues = []
    for port, by_channel in waiting(trace).items():
        series: dict[str, Steps] = {CHANNEL_NAMES[channel]: steps for channel, steps in by_channel.items()}
        mean = sum(_mean(steps, trace.closed_ps) for steps in series.values())
        queues.append(Queue(trace.plan.ports.name[port], mean, series))
    return queues


def _controllers(trace: Trace) -> list[Queue]:
    """Return the places taken in every controller's queue, waiting for DRAM or for what comes after."""
    free, plan, queues = free_units(trace), trace.plan, []
    for node, pool in zip(plan.node_ids, plan.controller_pool, strict=True):
        if pool != NONE and pool in free:
            capacity = plan.pools.capacity[pool]
            taken = tuple((time, capacity - units) for time, units in free[pool])
            queues.append(Queue(f"node {node} controller", _mean(taken, trace.closed_ps), {PLACES_TAKEN: taken}, capacity))
    return queues


def _mean(steps: Steps, closed_ps: int) -> float:
    ends = [*(time for time, _ in steps[1:]), closed_ps]
    whole = closed_ps - steps[0][0]
    return sum(value * (end - start) for (start, value), end in zip(steps, ends, strict=True)) / whole
