"""Machines for tests: nodes with so many CPUs and memory."""

from __future__ import annotations

from simulator.host.topology import Host, HostNode

GIB = 1 << 30


def host(*cpus: tuple[int, ...], free: tuple[int, ...] | None = None, cache: int | None = 8 << 20, left: int = 64 * GIB) -> Host:
    """Return a machine whose nodes have these CPUs."""
    sizes = free or (8 * GIB,) * len(cpus)
    nodes = tuple(HostNode(number, each, size, cache) for number, (each, size) in enumerate(zip(cpus, sizes, strict=True)))
    return Host(nodes, left)
