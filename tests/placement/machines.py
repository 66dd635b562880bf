"""Small machines, and pages touched on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.machine.load import machine_from_dict
from simulator.machine.spec import Machine
from simulator.placement import Allocator, Policy, Segment, System, Touches
from simulator.placement.page_table import PAGE_BYTES
from tests.machine.builders import table

BASE = 1 << 32
GIB_OF_A_PAGE = PAGE_BYTES / (1 << 30)


def square(pages: Sequence[float | None] = (1 << 18,) * 4, cores: Sequence[int] = (1, 1, 1, 1)) -> Machine:
    """Return a ring of four nodes whose memories have so many pages of 4 KiB; None is a node without memory."""
    data = table(range(4), [(node, (node + 1) % 4) for node in range(4)])
    for node, size, count in zip(data["nodes"], pages, cores, strict=True):
        node["cores"] = count
        if size is None:
            del node["memory_gib"]
        else:
            node["memory_gib"] = (size + 0.5) * GIB_OF_A_PAGE
    return machine_from_dict(data)


def touched(
    machine: Machine,
    policy: Policy,
    pages: int,
    cpu_node: int = 0,
    *,
    system: System | None = None,
    page_bytes: int = PAGE_BYTES,
    order: Sequence[int] | None = None,
) -> list[int]:
    """Touch the pages of a segment and return the node of each, by its place."""
    allocator = Allocator(machine, system)
    places = np.arange(pages) if order is None else np.array(order)
    addresses = (BASE + places * page_bytes).astype(np.uint64)
    allocator.touch([Touches(Segment(BASE, policy, page_bytes, "array a"), 0, cpu_node, addresses)])
    return [int(node) for node in allocator.table.nodes((BASE + np.arange(pages) * page_bytes).astype(np.uint64))]
