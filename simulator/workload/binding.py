"""Threads on all cores of some nodes with their memory on some nodes: ``numactl --cpunodebind --membind``.

The words mean what they do in numactl(8) and mbind(2): without ``--cpunodebind`` every node with cores is used; without
``--membind`` memory is where the thread runs; of several nodes given, memory comes from the one closest to the thread. All
arrays are taken to fit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simulator.errors import InputError
from simulator.machine.distances import distances
from simulator.machine.spec import Machine
from simulator.workload.thread import Access, Mode, ThreadSpec

_ITEM = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?", re.ASCII)
_GRAMMAR = "node numbers as numactl writes them: 0, 0,2, 0-3 or all"
_LONGEST = 2000  # characters of a list


def parse_nodes(text: str, machine: Machine, field: str) -> tuple[int, ...]:
    """Read a list of nodes such as ``0,2-3`` or ``all``.

    Parameters
    ----------
    text : str
    machine : Machine
        Whose nodes they are.
    field : str
        The option's name, for messages.

    Returns
    -------
    tuple of int
        In ascending order, each once.

    Raises
    ------
    InputError
        It is no such list, or a node is not there.
    """
    if text.strip() == "all":
        return machine.node_ids
    known = ", ".join(map(str, machine.node_ids))
    found: set[int] = set()
    for item in text[:_LONGEST].split(","):
        match = _ITEM.fullmatch(item.strip())
        if match is None or len(text) > _LONGEST or int(match[1]) > int(match[2] or match[1]):
            raise InputError("not a list of nodes", field=field, value=text, allowed=_GRAMMAR)
        for node in range(int(match[1]), int(match[2] or match[1]) + 1):
            if node not in machine.node_ids:
                raise InputError(f"{machine.name} has no node {node}", field=field, value=text, allowed=f"nodes {known}")
            found.add(node)
    return tuple(sorted(found))


def bound_threads(
    machine: Machine, cpu_nodes: Sequence[int] | None, memory_nodes: Sequence[int] | None, mode: Mode = "r"
) -> tuple[ThreadSpec, ...]:
    """Return a thread on every core of some nodes.

    Parameters
    ----------
    machine : Machine
    cpu_nodes : sequence of int, optional
        Nodes whose cores run a thread each; None: all that have cores.
    memory_nodes : sequence of int, optional
        Nodes that may hold the memory: each thread has its memory on the closest one by the distances of `topo show`, of equally
        close ones on that with the lowest number. None: on its own node.
    mode : {'r', 'w'}

    Raises
    ------
    InputError
        A node of `cpu_nodes` has no cores, or one of `memory_nodes` has no memory.
    """
    for node_id in cpu_nodes or ():
        if not machine.node(node_id).cores:
            allowed = f"nodes with cores: {_listed(node_ids_with_cores(machine))}"
            raise InputError(f"node {node_id} has no cores", field="--cpunodebind", allowed=allowed)
    for node_id in memory_nodes or ():
        if machine.node(node_id).controller is None:
            allowed = f"nodes with memory: {_listed(node_ids_with_memory(machine))}"
            raise InputError(f"node {node_id} has no memory", field="--membind", allowed=allowed)
    nodes = node_ids_with_cores(machine) if cpu_nodes is None else cpu_nodes
    return tuple(
        ThreadSpec(node, core, (Access(mode, memory),))
        for node, memory in zip(nodes, _closest(machine, nodes, memory_nodes), strict=True)
        for core in range(machine.node(node).cores)
    )


def node_ids_with_cores(machine: Machine) -> tuple[int, ...]:
    """Return the nodes that can run a thread, in ascending order."""
    return tuple(node.id for node in machine.nodes if node.cores)


def node_ids_with_memory(machine: Machine) -> tuple[int, ...]:
    """Return the nodes that have memory, in ascending order."""
    return tuple(node.id for node in machine.nodes if node.controller is not None)


def _closest(machine: Machine, nodes: Sequence[int], memory_nodes: Sequence[int] | None) -> list[int]:
    """Return the memory of each node's threads."""
    allowed = node_ids_with_memory(machine) if memory_nodes is None else memory_nodes
    matrix, index = distances(machine).matrix, machine.node_ids.index

    def distance(node: int, memory: int) -> tuple[bool, int, int]:
        return node != memory, matrix[index(node)][index(memory)], memory  # a node is closest to itself whatever a file says

    return [min(allowed, key=lambda memory: distance(node, memory)) for node in nodes]


def _listed(ids: Sequence[int]) -> str:
    return ", ".join(map(str, ids)) or "none"
