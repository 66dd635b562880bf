"""Placements that a symmetry of the machine turns into each other: one of them is enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from simulator.advise.candidate import Candidate, Scene
from simulator.placement.policy import LocalAlloc, Policy, Preferred
from simulator.program import MigratePhase
from simulator.validation.symmetry import Relabelling, symmetries

_MOST_RELABELLINGS = 64  # fully connected machines have thousands
Key = tuple[object, ...]


class Equality:
    """Tells which placements are the same but for the names of nodes.

    Parameters
    ----------
    scene : Scene
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._relabellings = _relabellings(scene)
        self._special = _special(scene)

    @property
    def relabellings(self) -> int:
        """How many ways there are to relabel the nodes that change nothing."""
        return len(self._relabellings)

    def key(self, candidate: Candidate) -> Key:
        """Return what is the same for placements that are equal.

        Where there are too many relabellings, those that move fewest nodes are applied one after the other as long as that
        makes the key smaller. Different placements never get one key; a few equal ones may get two.
        """
        if len(self._relabellings) <= _MOST_RELABELLINGS:
            return min((self._relabelled(candidate, mapping) for mapping in self._relabellings), key=repr)
        small = self._relabellings[:_MOST_RELABELLINGS]
        mapping, key, before = small[0], self._relabelled(candidate, small[0]), None
        while before != key:
            before = key
            for step in small:
                further = {node: step[image] for node, image in mapping.items()}
                other = self._relabelled(candidate, further)
                if repr(other) < repr(key):
                    mapping, key = further, other
        return key

    def _relabelled(self, candidate: Candidate, mapping: Relabelling) -> Key:
        ids = self._scene.machine.node_ids
        place = {node: index for index, node in enumerate(ids)}
        old = [place[node] for node in sorted(ids, key=lambda node: place[mapping[node]])]
        threads = tuple(tuple(counts[index] for index in old) for counts in candidate.threads)
        return (
            threads,
            tuple(_mapped(policy, mapping) for policy in candidate.policies),
            tuple("" if policy is None else _mapped(policy, mapping) for policy in candidate.arrays),
            tuple(mapping[node] for node in self._special_nodes(candidate)),
        )

    def _special_nodes(self, candidate: Candidate) -> list[int]:
        """Return the nodes of threads that do something of their own; threads are numbered as their CPUs are."""
        found = []
        for group, counts in zip(self._scene.groups, candidate.threads, strict=True):
            nodes = [node for node, count in zip(self._scene.machine.node_ids, counts, strict=True) for _ in range(count)]
            found += [nodes[number] for number in sorted(self._special.get(group.name, ())) if number < len(nodes)]
        return found


def _mapped(policy: Policy, mapping: Relabelling) -> str:
    if isinstance(policy, LocalAlloc):
        return str(policy)
    if isinstance(policy, Preferred):
        return str(Preferred(mapping[policy.node]))
    return str(replace(policy, nodes=tuple(sorted(mapping[node] for node in policy.nodes))))


def _special(scene: Scene) -> dict[str, set[int]]:
    """Return the numbers of threads that phases single out: those named, and the first of a group where some take no part."""
    phases = scene.program.phases
    if not any(phase.threads for phase in phases) and not any(isinstance(phase, MigratePhase) for phase in phases):
        return {}
    found: dict[str, set[int]] = {group.name: {0} for group in scene.groups}
    for phase in phases:
        for name in phase.threads or ():
            group, _, number = name.partition(".")
            if number and group in found:
                found[group].add(int(number))
    return found


def _relabellings(scene: Scene) -> tuple[Relabelling, ...]:
    """Return the symmetries of the machine that also keep what the workload fixes; first those that move fewest nodes."""
    machine = scene.machine
    if any(isinstance(phase, MigratePhase) for phase in scene.program.phases):
        return ({node: node for node in machine.node_ids},)  # it names nodes
    system = scene.program.system
    fixed = [one for one in scene.placed if one.group in scene.fixed]
    own = {array.name: array.policy for array in scene.program.arrays if array.name not in scene.arrays}

    def keeps(mapping: Relabelling) -> bool:
        if all(node == image for node, image in mapping.items()):
            return True
        there = sorted((one.group, one.node, str(one.policy)) for one in fixed)
        image = sorted((one.group, mapping[one.node], _mapped(one.policy, mapping)) for one in fixed)
        return (
            there == image
            and not any(own.values())
            and _kept(system.in_use_gib, 0, mapping)
            and _kept(system.node_weights, 1, mapping)
        )

    found = [mapping for mapping in symmetries(machine) if keeps(mapping)]
    return tuple(sorted(found, key=lambda mapping: sum(node != image for node, image in mapping.items())))


def _kept(values: Mapping[int, float], default: float, mapping: Relabelling) -> bool:
    return all(values.get(node, default) == values.get(image, default) for node, image in mapping.items())
