"""Which CPU each thread of a workload runs on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.machine.distances import cpu_numbers
from simulator.machine.spec import Machine
from simulator.placement.numactl import Binding, parse_numactl
from simulator.placement.policy import LocalAlloc, Policy
from simulator.program.spec import MOST_THREADS, Program, ThreadGroup


@dataclass(frozen=True)
class PlacedThread:
    """A thread on its CPU.

    Attributes
    ----------
    name : str
        Group and number: ``worker.0``.
    group : str
    node, core : int
        The core's number on its node.
    cpu : int
        Number as Linux counts, node by node.
    policy : Policy
        For memory without a policy of its own.
    window : int, optional
        Lines in flight; None: the machine's.
    start_ns : float
    flops_per_ns : float, optional
    """

    name: str
    group: str
    node: int
    core: int
    cpu: int
    policy: Policy
    window: int | None
    start_ns: float
    flops_per_ns: float | None


def place_threads(program: Program, machine: Machine, label: str = "workload") -> tuple[PlacedThread, ...]:
    """Put every thread on a CPU of its own.

    Threads with a node and core come first, then groups in the order of their names; each takes CPUs that are still free.

    Returns
    -------
    tuple of PlacedThread
        Sorted by group and number, whatever the order in the file.

    Raises
    ------
    InputError
        A core is not there, two threads want the same, there are more threads than CPUs, or a window is too large.
    """
    places = {cpu: (node, core) for node, cpus in cpu_numbers(machine).items() for core, cpu in enumerate(cpus)}
    free = set(places)
    placed: list[PlacedThread] = []
    fields = {group.name: f"threads[{number + 1}]" for number, group in enumerate(program.threads)}
    try:
        for group in sorted(program.threads, key=lambda group: (group.node is None, group.name)):
            binding = parse_numactl(group.numactl, machine, field=f"{fields[group.name]}.numactl") if group.numactl else Binding()
            cpus = _cpus(group, binding, machine, free, fields[group.name])
            _check_window(group.window, machine, fields[group.name])
            free -= set(cpus)
            placed += [_thread(group, binding, number, cpu, places[cpu]) for number, cpu in enumerate(cpus)]
    except InputError as error:
        raise InputError(error.what, file=label, field=error.field, value=error.value, allowed=error.allowed) from None
    return tuple(sorted(placed, key=lambda thread: (thread.group, int(thread.name.rpartition(".")[2]))))


def named_threads(references: Iterable[str] | None, threads: tuple[PlacedThread, ...], field: str) -> tuple[int, ...]:
    """Return the places in `threads` that groups and names mean, ascending; None means all.

    Raises
    ------
    InputError
        A name means no thread.
    """
    if references is None:
        return tuple(range(len(threads)))
    found: set[int] = set()
    for reference in references:
        meant = {place for place, thread in enumerate(threads) if reference in (thread.name, thread.group)}
        if not meant:
            raise InputError("no such thread", field=field, value=reference, allowed=_some(thread.name for thread in threads))
        found |= meant
    return tuple(sorted(found))


def _thread(group: ThreadGroup, binding: Binding, number: int, cpu: int, place: tuple[int, int]) -> PlacedThread:
    policy = binding.policy or LocalAlloc()
    name = f"{group.name}.{number}"
    return PlacedThread(name, group.name, *place, cpu, policy, group.window, group.start_ns, group.flops_per_ns)


def _cpus(group: ThreadGroup, binding: Binding, machine: Machine, free: set[int], field: str) -> list[int]:
    numbers = cpu_numbers(machine)
    if group.node is not None and group.core is not None:
        return [_core(group.node, group.core, binding, machine, free, field)]
    allowed = [cpu for cpus in numbers.values() for cpu in cpus if binding.cpus is None or cpu in binding.cpus]
    usable = [cpu for cpu in allowed if cpu in free]
    count = len(usable) if group.count is None else group.count
    if group.proc_bind == "spread":
        usable = list(_spread([[cpu for cpu in cpus if cpu in usable] for cpus in numbers.values()]))
    if not 1 <= count <= min(len(usable), MOST_THREADS):
        what = f"{max(count, 1)} threads on {len(usable)} free CPUs: one CPU runs one thread"
        raise InputError(
            what, field=field, value=group.name, allowed=f"1 to {len(usable)} threads here, of {len(allowed)} CPUs in all"
        )
    return usable[:count]


def _core(node: int, core: int, binding: Binding, machine: Machine, free: set[int], field: str) -> int:
    numbers = cpu_numbers(machine)
    if node not in numbers or core >= len(numbers[node]):
        known = _some(f"{node.id}.{core}" for node in machine.nodes for core in range(node.cores))
        raise InputError(f"{machine.name} has no core {core} on node {node}", field=field, allowed=f"node.core {known}")
    cpu = numbers[node][core]
    if binding.cpus is not None and cpu not in binding.cpus:
        raise InputError(f"numactl's words leave out core {core} of node {node}", field=field, allowed="one of the two")
    if cpu not in free:
        raise InputError(f"two threads on core {core} of node {node}", field=field, allowed="one thread a core")
    return cpu


def _spread(rows: list[list[int]]) -> Iterator[int]:
    for place in range(max(map(len, rows), default=0)):
        yield from (row[place] for row in rows if place < len(row))


def _check_window(window: int | None, machine: Machine, field: str) -> None:
    if window is not None and window > machine.core.max_outstanding:
        allowed = f"1 to {machine.core.max_outstanding}"
        raise InputError("window out of range", field=f"{field}.window", value=window, allowed=allowed)


def _some(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(found[:8]) + (f", ... ({len(found)} in all)" if len(found) > 8 else "")
