"""What `topo list`, `topo show` and `topo check` give as JSON; `numasim schema` prints their schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from simulator.machine.dependency import deadlock_cycles
from simulator.machine.distances import Distances, cpu_numbers, distances
from simulator.machine.fitted import fitted_values
from simulator.machine.routing import resolve_routes
from simulator.machine.spec import Machine
from simulator.machine.topology import Matrix, hops, shortest_hops, summarise


class _Report(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MachineEntry(_Report):
    """A machine in a few numbers."""

    name: str
    title: str
    source: str
    nodes: int
    cores: int
    links: int


class TopoList(_Report):
    """The machines that ship with numasim, by name."""

    schema_version: Literal[1] = 1
    machines: tuple[MachineEntry, ...]


class DistanceReport(_Report):
    """The distance matrix: row = from, column = to, in the order of `nodes`."""

    origin: Literal["slit", "hops"] = Field(description="slit: the file gives it; hops: 10 + 2 x hops of the request route")
    nodes: tuple[int, ...]
    matrix: Matrix


class HopReport(_Report):
    """Hops: row = from, column = to, in ascending order of nodes."""

    matrix: Matrix
    diameter: int
    average: float = Field(description="over all ordered pairs, a node and itself included")
    average_remote: float | None = Field(description="over ordered pairs of different nodes; null on one node")


class FittedReport(_Report):
    """A value chosen by looking at published bars."""

    path: str
    value: int | float | str
    allowed: tuple[float, float] | tuple[str, ...]


MOST_PAIRS_NODES = 8  # nodes up to which every pair is measured


class IdleRead(_Report):
    """The time of one read on the machine at rest."""

    node: int
    memory: int
    hops: int
    label: str
    latency_ns: float


class TopoShow(_Report):
    """A machine in full."""

    schema_version: Literal[1] = 1
    machine: MachineEntry
    cpus: dict[str, tuple[int, ...]] = Field(description="CPU numbers by node, as Linux counts")
    distances: DistanceReport
    routed_hops: HopReport = Field(description="as requests are routed")
    shortest_hops: HopReport = Field(description="the fewest there could be")
    fitted: tuple[FittedReport, ...]
    idle_reads: tuple[IdleRead, ...] = Field(
        description="every pair of a small machine; of a large one, a pair for each number of hops"
    )
    warnings: tuple[str, ...]
    resolved: dict[str, Any] = Field(description="every node and link with all its constants")


class TopoCheck(_Report):
    """A machine file that holds, and what to be warned of."""

    schema_version: Literal[1] = 1
    machine: MachineEntry
    diameter: int
    average_hops: float
    fitted_values: int
    warnings: tuple[str, ...]


def machine_entry(machine: Machine) -> MachineEntry:
    """Return a machine in a few numbers."""
    return MachineEntry(
        name=machine.name,
        title=machine.title,
        source=machine.source,
        nodes=len(machine.nodes),
        cores=sum(node.cores for node in machine.nodes),
        links=len(machine.links),
    )


def warnings_of(machine: Machine) -> tuple[str, ...]:
    """Return what is legal but should be known: routes that can deadlock."""
    cycles = deadlock_cycles(machine, resolve_routes(machine))
    return tuple(f"the routes can deadlock: {' -> '.join((*cycle, cycle[0]))}" for cycle in cycles)


def topo_show(machine: Machine, idle_reads: Sequence[IdleRead]) -> TopoShow:
    """Describe a machine in full."""
    routes = resolve_routes(machine)
    found = distances(machine, routes)
    return TopoShow(
        machine=machine_entry(machine),
        cpus={str(node): numbers for node, numbers in cpu_numbers(machine).items()},
        distances=_distances(machine, found),
        routed_hops=_hops(hops(machine, routes)),
        shortest_hops=_hops(shortest_hops(machine)),
        fitted=tuple(FittedReport(path=fit.path, value=fit.value, allowed=fit.allowed) for fit in fitted_values(machine)),
        idle_reads=tuple(idle_reads),
        warnings=warnings_of(machine),
        resolved=machine.model_dump(mode="json"),
    )


def topo_check(machine: Machine) -> TopoCheck:
    """Sum up a machine that holds."""
    summary = summarise(hops(machine))
    return TopoCheck(
        machine=machine_entry(machine),
        diameter=summary.diameter,
        average_hops=summary.average,
        fitted_values=len(fitted_values(machine)),
        warnings=warnings_of(machine),
    )


def _distances(machine: Machine, found: Distances) -> DistanceReport:
    return DistanceReport(origin=found.origin, nodes=machine.node_ids, matrix=found.matrix)


def _hops(matrix: Matrix) -> HopReport:
    summary = summarise(matrix)
    return HopReport(matrix=matrix, diameter=summary.diameter, average=summary.average, average_remote=summary.average_remote)
