"""All-to-all reading: every node reads equally from every node, itself included.

AMD quotes 14.9 GB/s for a square of four at 2 GT/s (P. Conway, B. Hughes, The AMD Opteron Northbridge Architecture, IEEE Micro
2007, and Hot Chips 18, 2006; quoted here from secondary sources). The bound is set by the busiest link direction.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.machine.routing import link_key, resolve_routes
from simulator.machine.spec import Machine
from simulator.theory.routed_bytes import line_bytes, total_bytes
from simulator.units import LINE_BYTES
from simulator.workload import Access, ThreadSpec, Workload


@dataclass(frozen=True)
class AllToAllBound:
    """Most data that all nodes together can read.

    Attributes
    ----------
    link_gb_per_s, dram_gb_per_s : float
        Set by the busiest link direction (no flow control, no CRC), and by the DRAM of the nodes. Without links the first is inf.
    busiest_link : str or None
    """

    link_gb_per_s: float
    dram_gb_per_s: float
    busiest_link: str | None

    @property
    def gb_per_s(self) -> float:
        """The smaller of the two."""
        return min(self.link_gb_per_s, self.dram_gb_per_s)


def all_to_all_bound(machine: Machine) -> AllToAllBound:
    """Bound the rate from routed bytes: one round is one line from every node with cores to every node with memory."""
    routes = resolve_routes(machine)
    readers = [node.id for node in machine.nodes if node.cores]
    homes = [node for node in machine.nodes if node.controller is not None]
    round_bytes = total_bytes(line_bytes(machine, routes, "r", reader, home.id) for reader in readers for home in homes)
    rates = {link_key(machine, link, end): link.gb_per_s for link in machine.links for end in link.ends}
    data = len(readers) * len(homes) * LINE_BYTES
    times = {key: round_bytes.get(key, 0) / rate for key, rate in rates.items()}
    busiest = max(times, key=lambda key: times[key], default=None)
    slowest_dram_ns = max(node.controller.read_ns for node in homes if node.controller is not None) * len(readers)
    return AllToAllBound(
        link_gb_per_s=data / times[busiest] if busiest is not None and times[busiest] else float("inf"),
        dram_gb_per_s=data / slowest_dram_ns if slowest_dram_ns else float("inf"),
        busiest_link=busiest,
    )


def all_to_all_workload(machine: Machine) -> Workload:
    """Return a reader on every core, with as many lines in flight as the core allows and no core time, over all memories in turn.

    Cores start at different memories, so that they do not all ask the same node at once.
    """
    homes = [node.id for node in machine.nodes if node.controller is not None]
    threads = []
    for node in machine.nodes:
        for core in range(node.cores):
            turned = homes[(node.id + core) % len(homes) :] + homes[: (node.id + core) % len(homes)]
            accesses = tuple(Access("r", home) for home in turned)
            window, core_time_ns = machine.core.max_outstanding, machine.core.background_core_time_ns
            threads.append(ThreadSpec(node.id, core, accesses, window=window, core_time_ns=core_time_ns))
    return Workload(tuple(threads))
