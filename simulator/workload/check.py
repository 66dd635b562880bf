"""Does a workload fit a machine?"""

from __future__ import annotations

from itertools import combinations

from simulator.errors import InputError
from simulator.machine.spec import Machine, Node
from simulator.workload.thread import ThreadSpec, TimeSlice, Workload, check_rate

MOST_OPEN_LINES = 4096  # in flight of a thread with open arrivals
MOST_BARRIERS = 1024
MOST_SHARED_LINES = 4096
MOST_SHARING_THREADS = 64
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
    _check_shared_lines(workload)


def _check_shared_lines(workload: Workload) -> None:
    """Refuse a shared line with two homes, and more threads than the caches' record of a line has room for."""
    home: dict[int, int] = {}
    for thread in workload.threads:
        used = [(access.shared, access.memory) for access in thread.accesses if access.shared is not None]
        for line, memory in (*used, *enumerate(thread.handed_in.shared if thread.handed_in else ())):
            if home.setdefault(line, memory) != memory:
                allowed = f"memory of node {home[line]}, as in its other accesses"
                raise InputError(f"shared line {line} has two homes", field=f"thread {thread.label}", allowed=allowed)
    if home and len(workload.threads) > MOST_SHARING_THREADS:
        allowed = f"{MOST_SHARING_THREADS} threads where lines are shared"
        raise InputError("too many threads", field="threads", value=len(workload.threads), allowed=allowed)


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
    if bool(thread.accesses) == (thread.handed_in is not None):
        raise InputError("a thread needs at least one access, or lines that are handed in", field=field, allowed="one of the two")
    for barrier in () if thread.handed_in is None else thread.handed_in.barriers:
        _check_barrier(barrier, field)
    if thread.arrivals is not None and thread.window is not None and not 1 <= thread.window <= MOST_OPEN_LINES:
        raise InputError("window out of range", field=field, value=thread.window, allowed=f"1 to {MOST_OPEN_LINES}")
    times = [thread.start_ns, thread.core_time_ns or 0.0, *(access.extra_core_time_ns for access in thread.accesses)]
    times += [access.compute_ns for access in thread.accesses]
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
        if access.barrier is not None:
            _check_barrier(access.barrier, field)
        if access.shared is not None and not 0 <= access.shared < MOST_SHARED_LINES:
            allowed = f"0 to {MOST_SHARED_LINES - 1}"
            raise InputError("number of a shared line out of range", field=field, value=access.shared, allowed=allowed)
    _check_locks(thread, field)
    turn = thread.time_slice
    if turn is not None and not (0 < turn.length_ns <= turn.period_ns <= LONGEST_NS and 0 <= turn.start_ns <= LONGEST_NS):
        allowed = "a length above 0 and up to the period, a start from 0"
        raise InputError("not a time slice", field=field, value=turn, allowed=allowed)


def _check_locks(thread: ThreadSpec, field: str) -> None:
    """Refuse a lock that is never given back, and one taken twice."""
    locked = False
    for lock in (access.lock for access in thread.accesses if access.lock):
        if lock not in ((2,) if locked else (1, 3)):
            raise InputError("not a lock", field=field, value=lock, allowed="1 (from) and later 2 (to), or 3 (both)")
        locked = lock == 1
    if locked:
        raise InputError("a lock is never given back", field=field, value=1, allowed="1 (from) and later 2 (to), or 3 (both)")


def _check_barrier(barrier: int, field: str) -> None:
    if not 0 <= barrier < MOST_BARRIERS:
        raise InputError("barrier out of range", field=field, value=barrier, allowed=f"0 to {MOST_BARRIERS - 1}")


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
            allowed = "one thread a core (docs/scheduling.md plays more)"
            raise InputError(f"{names}, which runs one at a time", field="threads", allowed=allowed)
        if _overlap(one.time_slice, other.time_slice):
            raise InputError(f"{names} and their time slices overlap", field="threads", allowed="one period, slices apart")


def _overlap(one: TimeSlice, other: TimeSlice) -> bool:
    """Whether two slices of one period share a moment; slices of different periods always do, sooner or later."""
    if one.period_ns != other.period_ns:
        return True
    apart = (other.start_ns - one.start_ns) % one.period_ns
    return apart < one.length_ns or one.period_ns - apart < other.length_ns
