"""The lines that would do it on the real machine: numactl, taskset, and OpenMP's places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulator.advise.candidate import Candidate, Scene
from simulator.machine.distances import cpu_numbers
from simulator.machine.spec import Machine
from simulator.placement.policy import LocalAlloc, Policy


def command_lines(scene: Scene, candidate: Candidate) -> tuple[str, ...]:
    """Return a line of numactl for each group that may move; one of taskset where memory is local; and OpenMP's places.

    Lines that start with ``#`` say whose the next ones are.
    """
    found: list[str] = []
    cpus = scene.cpus(candidate)
    for group, policy in zip(scene.groups, candidate.policies, strict=True):
        chosen = cpus[group.name]
        if len(scene.groups) > 1:
            found.append(f"# {group.name}")
        found.append(f"numactl {cpu_words(scene.machine, chosen)} {policy} ./{group.name}")
        if isinstance(policy, LocalAlloc):
            found.append(f"taskset --cpu-list {ranges(chosen)} ./{group.name}")
        if len(chosen) > 1:
            places = ",".join(f"{{{cpu}}}" for cpu in chosen)
            found.append(f'export OMP_PROC_BIND=true OMP_PLACES="{places}"')
    return tuple(found)


def array_notes(scene: Scene, candidate: Candidate) -> tuple[str, ...]:
    """Say which arrays need a policy of their own, which numactl cannot give, or lose the one that the file says."""
    given = dict(zip(scene.arrays, scene.own.arrays, strict=True))
    notes = []
    for name, policy in zip(scene.arrays, candidate.arrays, strict=True):
        if policy is not None:
            notes.append(
                f"array {name}: {policy} of its own, which numactl cannot say for one array: mbind(2) on its range, "
                f"or libnuma's {_libnuma(policy)}"
            )
        elif given[name] is not None:
            notes.append(f"array {name}: without the {given[name]} that the file gives it")
    return tuple(notes)


def cpu_words(machine: Machine, cpus: Sequence[int]) -> str:
    """Return numactl's words for CPUs: nodes where they are all of some nodes' CPUs, else the CPUs."""
    numbers = cpu_numbers(machine)
    nodes = [node for node, own in numbers.items() if own and set(own) <= set(cpus)]
    if sum(len(numbers[node]) for node in nodes) == len(cpus):
        return f"--cpunodebind={ranges(nodes)}"
    return f"--physcpubind={ranges(cpus)}"


def ranges(numbers: Iterable[int]) -> str:
    """Write numbers as numactl and taskset read them: ``0-3,8``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _libnuma(policy: Policy) -> str:
    if isinstance(policy, LocalAlloc):
        return "numa_setlocal_memory()"
    return "numa_interleave_memory()" if "interleave" in str(policy) else "numa_tonode_memory()"
