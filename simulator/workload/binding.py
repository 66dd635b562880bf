"""Threads where numactl would run them, with their memory where its policies put it: ``numactl --physcpubind --interleave ...``.

The words mean what they do in numactl(8) and mbind(2). All arrays are taken to fit, each thread's in a part of the memory of
its own. Where a policy spreads pages, a thread goes through one page after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from simulator.machine.distances import cpu_numbers
from simulator.machine.spec import Machine
from simulator.placement.choice import Chooser, Turn
from simulator.placement.page_table import PAGE_BYTES
from simulator.placement.policy import Interleave, LocalAlloc, Policy, WeightedInterleave
from simulator.units import LINE_BYTES
from simulator.workload.thread import Access, Mode, ThreadSpec


def bound_threads(
    machine: Machine,
    cpus: Sequence[int] | None = None,
    policy: Policy | None = None,
    mode: Mode = "r",
    node_weights: Mapping[int, int] | None = None,
) -> tuple[ThreadSpec, ...]:
    """Return a thread on each of some CPUs.

    Parameters
    ----------
    machine : Machine
    cpus : sequence of int, optional
        Numbers as of :func:`simulator.machine.distances.cpu_numbers`; None: all.
    policy : Policy, optional
        Of all memory; None: local. Of several nodes that it allows each thread's memory is on the closest, by the distances of
        `topo show`, of equally close ones on that which Linux tries first (:mod:`simulator.placement.zonelist`). Where it
        interleaves, a thread takes the lines of a page of 4 KiB from each node in turn; the n-th thread starts n pages
        further than the first, as if all pages were those of one array, so that threads do not go in step.
    mode : {'r', 'w'}
    node_weights : mapping of int to int, optional
        For weighted interleaving, by node; 1 where none is given.

    Raises
    ------
    InputError
        A weight is out of range, or its node is not there.
    """
    places = {cpu: (node, core) for node, numbers in cpu_numbers(machine).items() for core, cpu in enumerate(numbers)}
    chooser = Chooser(machine, node_weights)
    threads = []
    for number, cpu in enumerate(sorted(places) if cpus is None else cpus):
        node, core = places[cpu]
        memories = _memories(machine, chooser, policy or LocalAlloc(), node, number, node_weights or {})
        threads.append(ThreadSpec(node, core, tuple(_accesses(memories, mode))))
    return tuple(threads)


def node_ids_with_cores(machine: Machine) -> tuple[int, ...]:
    """Return the nodes that can run a thread, in ascending order."""
    return tuple(node.id for node in machine.nodes if node.cores)


def node_ids_with_memory(machine: Machine) -> tuple[int, ...]:
    """Return the nodes that have memory, in ascending order."""
    return tuple(node.id for node in machine.nodes if node.controller is not None)


def _memories(
    machine: Machine, chooser: Chooser, policy: Policy, node: int, first_page: int, weights: Mapping[int, int]
) -> list[int]:
    """Return the nodes of a thread's pages until they come again."""
    pages = 1
    if isinstance(policy, Interleave):
        pages = len(policy.nodes)
    elif isinstance(policy, WeightedInterleave):
        pages = sum(weights.get(one, 1) for one in policy.nodes)
    orders = chooser.choose(policy, node, np.arange(first_page, first_page + pages, dtype=np.int64), Turn())
    return [machine.node_ids[chooser.orders[order].nodes[0]] for order in orders.tolist()]


def _accesses(memories: Sequence[int], mode: Mode) -> Iterator[Access]:
    lines = PAGE_BYTES // LINE_BYTES if len(set(memories)) > 1 else 1
    for memory in memories if lines > 1 else memories[:1]:
        yield from [Access(mode, memory)] * lines
