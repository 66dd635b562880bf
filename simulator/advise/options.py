"""What there is to choose from: memory policies, threads on nodes, and small changes of a placement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import TypeVar

from simulator.advise.candidate import Candidate, Counts, Scene, with_policies
from simulator.machine.spec import Machine
from simulator.machine.topology import hops
from simulator.placement.policy import Bind, Interleave, LocalAlloc, Policy, Preferred

Value = TypeVar("Value")
_ALL_SUBSETS = 4  # nodes with memory, up to which every set of them is tried


def memory_nodes(machine: Machine) -> tuple[int, ...]:
    """Return the nodes with memory."""
    return tuple(node.id for node in machine.nodes if node.controller is not None)


def policies(scene: Scene) -> tuple[Policy, ...]:
    """Return the memory policies that are tried, simplest first.

    Local; one node; interleaving over every set of nodes. Machines of more than four nodes have too many sets: pairs, each node
    with its neighbours, and all.
    """
    if scene.program.system.node_interleaving:
        return (LocalAlloc(),)
    nodes = memory_nodes(scene.machine)
    return (LocalAlloc(), *(Bind((node,)) for node in nodes), *map(Interleave, _sets(scene.machine, nodes)))


def simplicity(policy: Policy | None) -> tuple[int, int]:
    """Return what sorts policies from simple to involved."""
    kinds = (type(None), LocalAlloc, Bind, Preferred, Interleave)
    rank = next((place for place, kind in enumerate(kinds) if isinstance(policy, kind)), len(kinds))
    return rank, len(getattr(policy, "nodes", ()))


def _sets(machine: Machine, nodes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    if len(nodes) <= _ALL_SUBSETS:
        return tuple(chosen for size in range(2, len(nodes) + 1) for chosen in combinations(nodes, size))
    far = distances(machine)
    near = [tuple(other for other in nodes if far[node, other] <= 1) for node in nodes]
    found = [*combinations(nodes, 2), *(chosen for chosen in near if len(chosen) > 1), tuple(nodes)]
    return tuple(dict.fromkeys(found))


def distances(machine: Machine) -> dict[tuple[int, int], int]:
    """Return the hops between any two nodes, by number."""
    ids, rows = machine.node_ids, hops(machine)
    return {(start, end): rows[row][column] for row, start in enumerate(ids) for column, end in enumerate(ids)}


def all_threads(totals: Sequence[int], free: Counts) -> Iterator[tuple[Counts, ...]]:
    """Yield every way to have so many threads of each group on the free cores of the nodes."""
    if not totals:
        yield ()
        return
    for counts in _counts(totals[0], free):
        left = tuple(cores - count for cores, count in zip(free, counts, strict=True))
        for rest in all_threads(totals[1:], left):
            yield (counts, *rest)


def _counts(total: int, free: Sequence[int]) -> Iterator[Counts]:
    if not free:
        if total == 0:
            yield ()
        return
    for count in range(min(total, free[0]), -1, -1):
        if total - count <= sum(free[1:]):
            for rest in _counts(total - count, free[1:]):
                yield (count, *rest)


def everything(scene: Scene) -> Iterator[Candidate]:
    """Yield every placement; policies of arrays where there is more than one array to choose for."""
    choices = policies(scene)
    for_arrays = (None, *choices) if len(scene.arrays) > 1 and len(choices) > 1 else (None,)
    for threads in all_threads(scene.totals, scene.free):
        for of_groups in product(choices, repeat=len(scene.groups)):
            for of_arrays in product(for_arrays, repeat=len(scene.arrays)):
                yield Candidate(threads, of_groups, of_arrays)


def node_major(scene: Scene) -> tuple[Counts, ...]:
    """Return one thread a node, then a second one a node, and so on, group by group."""
    free = list(scene.free)
    found = []
    for total in scene.totals:
        counts = [0] * len(free)
        while sum(counts) < total:
            place = min((counts[n], n) for n, cores in enumerate(free) if cores)[1]
            counts[place] += 1
            free[place] -= 1
        found.append(tuple(counts))
    return tuple(found)


def core_major(scene: Scene, first: int) -> tuple[Counts, ...]:
    """Return all cores of one node filled, then those of the node nearest to it, and so on."""
    ids, far = scene.machine.node_ids, distances(scene.machine)
    order = sorted(range(len(ids)), key=lambda place: (far[first, ids[place]], place))
    free = list(scene.free)
    found = []
    for total in scene.totals:
        counts = [0] * len(free)
        for place in order:
            counts[place] = min(free[place], total - sum(counts))
            free[place] -= counts[place]
        found.append(tuple(counts))
    return tuple(found)


def starts(scene: Scene) -> list[Candidate]:
    """Return the named strategies, the likeliest first: threads as in the file, node-major, core-major; each under policies."""
    nodes = [node.id for node, cores in zip(scene.machine.nodes, scene.free, strict=True) if cores]
    placements = [scene.own.threads, node_major(scene), *(core_major(scene, node) for node in nodes)]
    choices = policies(scene)
    with_memory = memory_nodes(scene.machine)
    found = [scene.own]
    for threads in placements:
        used = tuple(node for n, node in enumerate(scene.machine.node_ids) if any(counts[n] for counts in threads))
        mine = tuple(node for node in used if node in with_memory)
        first = [
            LocalAlloc(),
            Interleave(with_memory),
            *([Interleave(mine)] if len(mine) > 1 else []),
            *(Bind((node,)) for node in mine),
        ]
        found += [_uniform(scene, threads, policy) for policy in first if policy in choices or isinstance(policy, Interleave)]
    if len(choices) > 1:
        found += [_uniform(scene, threads, policy) for threads in placements for policy in choices]
    return list(dict.fromkeys(found))


def _uniform(scene: Scene, threads: tuple[Counts, ...], policy: Policy) -> Candidate:
    return with_policies(replace(scene.own, threads=threads), [policy] * len(scene.groups))


def neighbours(scene: Scene, candidate: Candidate) -> Iterator[Candidate]:
    """Yield what differs by one step: a thread on another node, two threads that change places, another policy."""
    for threads in _moved(scene, candidate.threads):
        yield replace(candidate, threads=threads)
    choices = policies(scene)
    for place, policy in product(range(len(scene.groups)), choices):
        yield replace(candidate, policies=_with(candidate.policies, place, policy))
    if len(scene.arrays) > 1 and len(choices) > 1:
        for place, own in product(range(len(scene.arrays)), (None, *choices)):
            yield replace(candidate, arrays=_with(candidate.arrays, place, own))


def _moved(scene: Scene, threads: tuple[Counts, ...]) -> Iterator[tuple[Counts, ...]]:
    used = [sum(counts) for counts in zip(*threads, strict=True)]
    for group, (start, end) in product(range(len(threads)), permutations(range(len(scene.free)), 2)):
        if threads[group][start] == 0:
            continue
        moved = _with(threads, group, _shifted(threads[group], start, end))
        if used[end] < scene.free[end]:
            yield moved
        for other in range(group + 1, len(threads)):
            if threads[other][end]:
                yield _with(moved, other, _shifted(threads[other], end, start))


def _shifted(counts: Counts, start: int, end: int) -> Counts:
    return tuple(count - (place == start) + (place == end) for place, count in enumerate(counts))


def _with(values: tuple[Value, ...], place: int, value: Value) -> tuple[Value, ...]:
    return (*values[:place], value, *values[place + 1 :])
