"""The canonical order of events at one instant.

Key = (phase, component, slot), unique among pending events. Phase 0: arrivals, credit and buffer returns, slots that wake.
Phase 1: service ends. Phase 2: arbitration, at most once a port and tick, after everything that could matter to it.
Component ids come from the place in the machine, never from the order in which objects were made.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from simulator.engine.plan import Plan

_SLOT_BITS = 16
_COMPONENT_BITS = 32


class Phase(IntEnum):
    """What comes first at one instant."""

    ARRIVAL = 0
    SERVICE_END = 1
    ARBITRATION = 2


def event_key(phase: Phase, component: int, slot: int = 0) -> int:
    """Pack phase, component and slot into one integer that sorts like the triple.

    Parameters
    ----------
    phase : Phase
    component : int
        Below 2**32, see `components`.
    slot : int
        Below 2**16: window slot of a thread, else 0.
    """
    return (((int(phase) << _COMPONENT_BITS) | component) << _SLOT_BITS) | slot


@dataclass(frozen=True)
class Components:
    """First component id of each group; ids follow the rows of the Plan's tables."""

    delay: int
    tail: int
    nop: int
    header: int
    thread: int
    port: int


def components(plan: Plan) -> Components:
    """Number every source of events of a plan.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    Components
        First ids of delays, tails, NOPs, headers, threads and ports, in this order; the n-th of a group is first + n.
    """
    delays, ports, threads = len(plan.delays.name), len(plan.ports.name), len(plan.threads.label)
    delay = 1  # simpy's own start events have priority 0; nothing of ours shares it
    tail = delay + delays
    nop = tail + ports
    header = nop + ports
    thread = header + ports
    return Components(delay=delay, tail=tail, nop=nop, header=header, thread=thread, port=thread + threads)
