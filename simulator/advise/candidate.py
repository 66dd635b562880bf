"""One placement among those that are tried: threads on nodes, and memory policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.errors import InputError
from simulator.machine.distances import cpu_numbers
from simulator.machine.spec import Machine
from simulator.placement.numactl import parse_numactl, parse_policy
from simulator.placement.policy import LocalAlloc, Policy
from simulator.program import Program, ThreadGroup
from simulator.program.check import array_names
from simulator.program.threads import PlacedThread, place_threads

Counts = tuple[int, ...]


@dataclass(frozen=True)
class Candidate:
    """A placement.

    Attributes
    ----------
    threads : tuple of tuple of int
        How many threads of each group that may move are on each node, in the machine's order of nodes.
    policies : tuple of Policy
        Of the memory of each such group that has no policy of its own.
    arrays : tuple of Policy or None
        Policies of their own, of the arrays that such groups use.
    """

    threads: tuple[Counts, ...]
    policies: tuple[Policy, ...]
    arrays: tuple[Policy | None, ...]


@dataclass(frozen=True)
class Scene:
    """A workload on a machine, and what of it may move.

    Attributes
    ----------
    machine : Machine
    program : Program
    label : str
        What messages call the workload.
    fixed : tuple of str
        Groups that stay where they are.
    placed : tuple of PlacedThread
        Where the file has its threads.
    groups : tuple of ThreadGroup
        Those that may move, by name.
    arrays : tuple of str
        Arrays that they use, by name.
    own : Candidate
        The file's own placement.
    """

    machine: Machine
    program: Program
    label: str
    fixed: tuple[str, ...]
    placed: tuple[PlacedThread, ...] = field(init=False)
    groups: tuple[ThreadGroup, ...] = field(init=False)
    arrays: tuple[str, ...] = field(init=False)
    own: Candidate = field(init=False)

    def __post_init__(self) -> None:
        names = [group.name for group in self.program.threads]
        for name in self.fixed:
            if name not in names:
                raise InputError("no such threads", file=self.label, field="--fixed", value=name, allowed=", ".join(names))
        groups = sorted((one for one in self.program.threads if one.name not in self.fixed), key=lambda one: one.name)
        if not groups:
            raise InputError("nothing is left to be placed", file=self.label, field="--fixed", allowed="fewer groups")
        self._set("placed", place_threads(self.program, self.machine, self.label))
        self._set("groups", tuple(groups))
        self._set("arrays", self._used_arrays())
        self._set("own", self._own())

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def free(self) -> Counts:
        """Cores of each node that no fixed thread has."""
        taken = [thread.node for thread in self.placed if thread.group in self.fixed]
        return tuple(node.cores - taken.count(node.id) for node in self.machine.nodes)

    @property
    def totals(self) -> Counts:
        """Number of threads of each group that may move."""
        return tuple(sum(counts) for counts in self.own.threads)

    def moves(self, thread: str) -> bool:
        """Return whether a thread, or the group of that name, may move."""
        return thread.rpartition(".")[0] not in self.fixed and thread not in self.fixed

    def cpus(self, candidate: Candidate) -> dict[str, tuple[int, ...]]:
        """Return the CPUs of each group that may move: of each node the lowest that are free, group by group."""
        taken = {thread.cpu for thread in self.placed if thread.group in self.fixed}
        free = {node: [cpu for cpu in cpus if cpu not in taken] for node, cpus in cpu_numbers(self.machine).items()}
        found = {}
        for group, counts in zip(self.groups, candidate.threads, strict=True):
            found[group.name] = tuple(
                free[node].pop(0) for node, count in zip(self.machine.node_ids, counts, strict=True) for _ in range(count)
            )
        return found

    def program_of(self, candidate: Candidate) -> Program:
        """Return the workload with its threads and memory placed so; the file's own placement is the file's workload."""
        if candidate == self.own:
            return self.program
        cpus = self.cpus(candidate)
        policies = {group.name: policy for group, policy in zip(self.groups, candidate.policies, strict=True)}
        own = dict(zip(self.arrays, candidate.arrays, strict=True))
        threads = []
        for group in self.program.threads:
            pinned = cpus.get(group.name) or tuple(one.cpu for one in self.placed if one.group == group.name)
            policy = policies.get(group.name) or self._policy(group)
            words = f"--physcpubind={','.join(map(str, sorted(pinned)))} {policy}"
            bind = group.proc_bind if group.name in self.fixed else "close"
            changed = {"node": None, "core": None, "numactl": words, "count": len(pinned), "proc_bind": bind}
            threads.append(group.model_copy(update=changed))
        arrays = [
            array.model_copy(update={"policy": None if own[array.name] is None else str(own[array.name])})
            if array.name in own
            else array
            for array in self.program.arrays
        ]
        return self.program.model_copy(update={"threads": tuple(threads), "arrays": tuple(arrays)})

    def _used_arrays(self) -> tuple[str, ...]:
        used: set[str] = set()
        for phase in self.program.phases:
            if phase.threads is None or any(self.moves(name) for name in phase.threads):
                used.update(array_names(phase))
        return tuple(sorted(used))

    def _own(self) -> Candidate:
        nodes = {group.name: [one.node for one in self.placed if one.group == group.name] for group in self.groups}
        given = {array.name: array.policy for array in self.program.arrays}
        return Candidate(
            tuple(tuple(nodes[group.name].count(node) for node in self.machine.node_ids) for group in self.groups),
            tuple(self._policy(group) for group in self.groups),
            tuple(self._array_policy(given[name]) for name in self.arrays),
        )

    def _policy(self, group: ThreadGroup) -> Policy:
        binding = parse_numactl(group.numactl, self.machine) if group.numactl else None
        return LocalAlloc() if binding is None or binding.policy is None else binding.policy

    def _array_policy(self, words: str | None) -> Policy | None:
        return None if words is None else parse_policy(words, self.machine, field="policy")


def with_policies(candidate: Candidate, policies: Sequence[Policy]) -> Candidate:
    """Return the same threads, with these policies of the groups and none of arrays."""
    return replace(candidate, policies=tuple(policies), arrays=(None,) * len(candidate.arrays))
