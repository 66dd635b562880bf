"""Where a thread of the two-thread test can be: on which core, reading or writing, with its memory on which node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from simulator.errors import InputError
from simulator.machine.routing import path, resolve_routes
from simulator.machine.spec import Machine
from simulator.workload import parse_label
from simulator.workload.thread import Mode

Hops = Mapping[tuple[int, int], int]
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True, order=True)
class Placement:
    """A thread's place; sorted by node, core, mode, memory."""

    node: int
    core: int
    mode: Mode
    memory: int

    @property
    def label(self) -> str:
        """AMD's label, such as ``0.0.w.1``."""
        return f"{self.node}.{self.core}.{self.mode}.{self.memory}"

    def shares_core_with(self, other: Placement) -> bool:
        """Return whether both threads would have to take turns."""
        return (self.node, self.core) == (other.node, other.core)


def all_placements(machine: Machine) -> tuple[Placement, ...]:
    """Return every place on a machine, sorted: each core, reading and writing, with each node that has memory."""
    memories = [node.id for node in machine.nodes if node.controller is not None]
    cores = [(node.id, core) for node in machine.nodes for core in range(node.cores)]
    return tuple(sorted(Placement(*core, mode, memory) for core in cores for mode in get_args(Mode) for memory in memories))


def placement(label: str, machine: Machine) -> Placement:
    """Return the place that a label means; InputError if the machine has no such place."""
    thread = parse_label(label)
    found = Placement(thread.node, thread.core, thread.accesses[0].mode, thread.accesses[0].memory)
    if found not in all_placements(machine):
        raise InputError(f"{machine.name} has no such place", field="thread", value=label, allowed="a core and a memory it has")
    return found


def request_hops(machine: Machine) -> dict[tuple[int, int], int]:
    """Return the hops of a request from each node to each."""
    routes = resolve_routes(machine)
    ids = machine.node_ids
    return {(start, end): len(path(routes.request, start, end)) - 1 for start in ids for end in ids}


def in_words(first: Placement, second: Placement, hops: Hops) -> str:
    """Say who does what where: ``a writer on node 0 with its memory two hops away on node 3 beside a reader on ...``."""
    beginning = f"{_who(first)} on node {first.node} {_with_memory(first, hops)}"
    if first.shares_core_with(second):
        return f"{beginning} taking turns on its core with {_who(second)} {_with_memory(second, hops)}"
    where = f"another core of node {second.node}" if first.node == second.node else f"node {second.node}"
    return f"{beginning} beside {_who(second)} on {where} {_with_memory(second, hops)}"


def _who(thread: Placement) -> str:
    return "a reader" if thread.mode == "r" else "a writer"


def _with_memory(thread: Placement, hops: Hops) -> str:
    distance = hops[thread.node, thread.memory]
    if not distance:
        return "with local memory"
    count = _NUMBERS[distance] if distance < len(_NUMBERS) else str(distance)
    return f"with its memory {count} hop{'s' if distance > 1 else ''} away on node {thread.memory}"
