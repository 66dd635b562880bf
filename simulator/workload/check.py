"""Does a workload fit a machine?"""

from __future__ import annotations

from itertools import combinations

from simulator.errors import InputError
from simulator.machine.spec import Machine, Node
from simulator.workload.thread import ThreadSpec, TimeSlice, Workload, check_rate

MOST_OPEN_LINES = 4096  # in flight of a thread with open arrivals
MOST_BARRIERS = 1024
LONGEST_NS = 1e9


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
    if not 0 <= thread.core < node.cores:
        cores = f"cores 0 to {node.cores - 1} of node {node.id}"
        allowed = cores if node.cores else f"a node with cores; node {node.id} has none"
        raise InputError(f"{machine.name} has no core {thread.core} on node {node.id}", field=field, allowed=allowed)
    _check_numbers(thread, field)
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


def _check_numbers(thread: ThreadSpec, field: str) -> None:
    if not thread.accesses:
        raise InputError("a thread needs at least one access", field=field)
    if thread.arrivals is not None and thread.window is not None and not 1 <= thread.window <= MOST_OPEN_LINES:
        raise InputError("window out of range", field=field, value=thread.window, allowed=f"1 to {MOST_OPEN_LINES}")
    times = [thread.start_ns, thread.core_time_ns or 0.0, *(access.extra_core_time_ns for access in thread.accesses)]
    if thread.arrivals is not None:
        times.append(thread.arrivals.mean_interval_ns)
    for time_ns in times:
        if not 0 <= time_ns <= LONGEST_NS:
            raise InputError("time out of range", field=field, value=time_ns, allowed=f"0 to {LONGEST_NS:g} ns")
    if thread.arrivals is not None and thread.arrivals.mean_interval_ns <= 0:
        raise InputError("arrivals need an interval above 0", field=field, value=thread.arrivals.mean_interval_ns)
    for access in thread.accesses:
        if access.mode not in ("r", "w"):
            raise InputError("not a mode", field=field, value=access.mode, allowed="r, w")
        if access.barrier is not None and not 0 <= access.barrier < MOST_BARRIERS:
            raise InputError("barrier out of range", field=field, value=access.barrier, allowed=f"0 to {MOST_BARRIERS - 1}")
    turn = thread.time_slice
    if turn is not None and not (0 < turn.length_ns <= turn.period_ns <= LONGEST_NS and 0 <= turn.start_ns <= LONGEST_NS):
        allowed = "a length above 0 and up to the period, a start from 0"
        raise InputError("not a time slice", field=field, value=turn, allowed=allowed)


def _node(machine: Machine, node_id: int, field: str) -> Node:
    try:
        return machine.node(node_id)
    except KeyError:
        known = ", ".join(map(str, machine.node_ids))
        raise InputError(f"{machine.name} has no node {node_id}", field=field, allowed=f"nodes {known}") from None


def _check_shared_cores(workload: Workload) -> None:
    for one, other in combinations(workload.threads, 2):
        if (one.node, one.core) != (other.node, other.core):
            continue
        names = f"threads {one.label} and {other.label} are on one core"
        if one.time_slice is None or other.time_slice is None:
            raise InputError(f"{names}, and scheduling does not exist yet", field="threads", allowed="one thread a core")
        if _overlap(one.time_slice, other.time_slice):
            raise InputError(f"{names} and their time slices overlap", field="threads", allowed="one period, slices apart")


def _overlap(one: TimeSlice, other: TimeSlice) -> bool:
    """Whether two slices of one period share a moment; slices of different periods always do, sooner or later."""
    if one.period_ns != other.period_ns:
        return True
    apart = (other.start_ns - one.start_ns) % one.period_ns
    return apart < one.length_ns or one.period_ns - apart < other.length_ns
