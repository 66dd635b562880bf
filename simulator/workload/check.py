"""Does a workload fit a machine?"""

from __future__ import annotations

from simulator.errors import InputError
from simulator.machine.spec import Machine, Node
from simulator.workload.thread import ThreadSpec, Workload, check_rate


def check_workload(machine: Machine, workload: Workload) -> None:
    """Refuse a workload that the machine cannot run.

    Raises
    ------
    InputError
        No thread at all; a core, node or memory that is not there; a window beyond the core's; two threads on one core that
        do not take turns.
    """
    if not workload.threads:
        raise InputError("a run needs at least one thread", field="threads", allowed="labels such as 0.0.r.0")
    for thread in workload.threads:
        _check_thread(machine, thread)
    _check_shared_cores(workload)


def _check_thread(machine: Machine, thread: ThreadSpec) -> None:
    field = f"thread {thread.label}"
    node = _node(machine, thread.node, field)
    if thread.core >= node.cores:
        cores = f"cores 0 to {node.cores - 1} of node {node.id}"
        allowed = cores if node.cores else f"a node with cores; node {node.id} has none"
        raise InputError(f"{machine.name} has no core {thread.core} on node {node.id}", field=field, allowed=allowed)
    if thread.rate_gb_per_s is not None:
        check_rate(thread.rate_gb_per_s, field)
    if thread.window is not None and not 1 <= thread.window <= machine.core.max_outstanding and thread.arrivals is None:
        raise InputError("window out of range", field=field, value=thread.window, allowed=f"1 to {machine.core.max_outstanding}")
    for access in thread.accesses:
        if access.node is not None and _node(machine, access.node, field).cores == 0:
            raise InputError("a line is issued from a node without cores", field=field, value=access.node)
        for memory in {access.memory, access.memory if access.victim_memory is None else access.victim_memory}:
            if _node(machine, memory, field).controller is None:
                with_memory = ", ".join(str(n.id) for n in machine.nodes if n.controller is not None)
                raise InputError(f"node {memory} has no memory", field=field, allowed=f"memory of nodes {with_memory}")


def _node(machine: Machine, node_id: int, field: str) -> Node:
    try:
        return machine.node(node_id)
    except KeyError:
        known = ", ".join(map(str, machine.node_ids))
        raise InputError(f"{machine.name} has no node {node_id}", field=field, allowed=f"nodes {known}") from None


def _check_shared_cores(workload: Workload) -> None:
    seen: dict[tuple[int, int], ThreadSpec] = {}
    for thread in workload.threads:
        other = seen.get((thread.node, thread.core))
        seen[thread.node, thread.core] = thread
        if other is not None and (other.time_slice is None or thread.time_slice is None):
            raise InputError(
                f"threads {other.label} and {thread.label} are on one core, and scheduling does not exist yet",
                field="threads",
                allowed="one thread a core",
            )
