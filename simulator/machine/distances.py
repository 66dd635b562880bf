"""Distances between nodes as operating systems print them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from simulator.machine.routing import Routes
from simulator.machine.spec import Machine
from simulator.machine.topology import Matrix, hops

LOCAL = 10  # the distance of a node to itself, by ACPI
PER_HOP = 2  # as firmware counts that derives distances from hops
_MB_PER_GIB = 1024


@dataclass(frozen=True)
class Distances:
    """A distance matrix, row = from, in ascending order of nodes, and where it comes from."""

    matrix: Matrix
    origin: Literal["slit", "hops"]

    @property
    def explanation(self) -> str:
        """Where the numbers come from, in words."""
        if self.origin == "slit":
            return "as the machine file gives them (SLIT)"
        return f"{LOCAL} + {PER_HOP} x hops of the request route; the machine file gives none (no SLIT)"


def distances(machine: Machine, routes: Routes | None = None) -> Distances:
    """Return the distances of the file where it has them, else 10 + 2 x hops as requests are routed."""
    if machine.distances is not None:
        return Distances(machine.distances.matrix, "slit")
    return Distances(tuple(tuple(LOCAL + PER_HOP * hop for hop in row) for row in hops(machine, routes)), "hops")


def cpu_numbers(machine: Machine) -> dict[int, tuple[int, ...]]:
    """Number the cores as Linux does on these machines: consecutively, node by node."""
    numbers, first = {}, 0
    for node in machine.nodes:
        numbers[node.id] = tuple(range(first, first + node.cores))
        first += node.cores
    return numbers


def numactl_text(machine: Machine, found: Distances) -> str:
    """Lay out a machine as ``numactl --hardware`` does. The free memory that it also prints a model does not have."""
    ids, cpus = machine.node_ids, cpu_numbers(machine)
    lines = [f"available: {len(ids)} nodes ({_ranges(ids)})"]
    for node in machine.nodes:
        lines.append(f"node {node.id} cpus: {' '.join(map(str, cpus[node.id]))}".rstrip())
        lines.append(f"node {node.id} size: {round((node.memory_gib or 0) * _MB_PER_GIB)} MB")
    lines.append("node distances:")
    lines.append("node " + " ".join(f"{node:3d}" for node in ids))
    lines += [f"{node:3d}: " + " ".join(f"{value:3d}" for value in row) for node, row in zip(ids, found.matrix, strict=True)]
    return "\n".join(lines) + "\n"


def _ranges(ids: Iterable[int]) -> str:
    """Write numbers as ``0-3,8``."""
    runs: list[list[int]] = []
    for number in ids:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
