"""Idle latency: one thread with one slot on an otherwise idle machine."""

from __future__ import annotations

from simulator.engine.build import build_engine
from simulator.engine.lower import lower
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.units import ns_from_ps
from simulator.workload import Access, ThreadSpec, Workload
from simulator.workload.thread import Mode

IDLE_ACCURACY = Accuracy(ci_percent=0.2, lines=1000, warmup=20)


def idle_latency_ns(machine: Machine, node: int, memory: int, mode: Mode = "r") -> float:
    """Return the mean latency of lines issued one at a time: time a line with one slot, less core time.

    Parameters
    ----------
    machine : Machine
    node, memory : int
        Node ids of the core and of the memory.
    mode : {'r', 'w'}

    Returns
    -------
    float
        Nanoseconds.

    Raises
    ------
    InputError
        The node has no core, or the memory is not there.
    """
    result = run(machine, one_slot(node, memory, mode), IDLE_ACCURACY)
    assert result.latency_ns is not None
    return result.latency_ns.mean


def zero_load_ps(machine: Machine, node: int, memory: int, mode: Mode = "r") -> int:
    """Return the time of the very first line on a machine at rest, from issue to completion.

    Parameters
    ----------
    machine, node, memory, mode
        As for `idle_latency_ns`.

    Returns
    -------
    int
        Picoseconds.
    """
    plan = lower(machine, one_slot(node, memory, mode))
    engine = build_engine(plan)
    engine.advance([1], 1_000_000)
    return engine.snapshot().thread_last_ps[0]


def zero_load_ns(machine: Machine, node: int, memory: int, mode: Mode = "r") -> float:
    """Return `zero_load_ps` in nanoseconds.

    Parameters
    ----------
    machine, node, memory, mode
        As for `idle_latency_ns`.
    """
    return ns_from_ps(zero_load_ps(machine, node, memory, mode))


def one_slot(node: int, memory: int, mode: Mode) -> Workload:
    """Return a thread on core 0 of `node` that has one line in flight."""
    return Workload((ThreadSpec(node, 0, (Access(mode, memory),), window=1),))
