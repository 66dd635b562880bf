"""The machine as graphs, for users to analyse, and its distances in hops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.machine.routing import Routes, link_key, neighbours, path, resolve_routes, shortest_distances
from simulator.machine.spec import Machine, Node

if TYPE_CHECKING:
    import networkx as nx

Matrix = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class DistanceSummary:
    """Distances of a machine in hops.

    Parameters
    ----------
    diameter : int
        Hops between the two nodes farthest apart.
    average : float
        Over all ordered pairs, a node and itself included; 1.00 on the square.
    average_remote : float or None
        Over ordered pairs of two different nodes; None on a machine of one node.
    """

    diameter: int
    average: float
    average_remote: float | None


def node_graph(machine: Machine) -> nx.Graph:
    """Return the nodes and which of them are linked.

    Returns
    -------
    networkx.Graph
        Nodes are node numbers with `cores`, `memory_gib` (None without memory) and `has_memory`. Edges have `links` (how many
        in parallel), `gb_per_s` (one direction, all of them together) and `latency_ns` (of the fastest).
    """
    import networkx as nx

    graph = nx.Graph(name=machine.name)
    for node in machine.nodes:
        graph.add_node(node.id, cores=node.cores, memory_gib=node.memory_gib, has_memory=node.controller is not None)
    for link in machine.links:
        old = graph.get_edge_data(*link.ends, default={"links": 0, "gb_per_s": 0.0, "latency_ns": math.inf})
        graph.add_edge(
            *link.ends,
            links=old["links"] + 1,
            gb_per_s=old["gb_per_s"] + link.gb_per_s,
            latency_ns=min(old["latency_ns"], link.latency_ns),
        )
    return graph


def component_graph(machine: Machine) -> nx.MultiDiGraph:
    """Return the components that a packet passes, one edge a direction.

    An edge's `latency_ns` is the fixed delay of that step without waiting and serialisation, as the engines take it: a pass of
    the crossbar belongs to the edge into it, the DRAM service of a read to the edge into the DRAM. So the sum along a path is
    the data path of an idle machine less the time that packets occupy links. `gb_per_s` is the rate of the step, infinite
    where nothing is ever busy; networkx takes it as a capacity.

    Returns
    -------
    networkx.MultiDiGraph
        Nodes are names such as ``core 0.1``, ``SRI 0``, ``XBar 0``, ``MCT 0``, ``DRAM 0`` with `kind` and `node`. Edges of links
        have their direction (``0->1``, ``0->1#1``) as key and as `link`, and `carries`.
    """
    import networkx as nx

    graph = nx.MultiDiGraph(name=machine.name)
    for node in machine.nodes:
        _add_node(graph, node, machine.coherence.lookup_ns)
    for link in machine.links:
        for start, end in (link.ends, link.ends[::-1]):
            key = link_key(machine, link, start)
            latency = link.latency_ns + machine.node(end).crossbar.latency_ns
            attributes = {"latency_ns": latency, "gb_per_s": link.gb_per_s, "link": key, "carries": link.carries}
            graph.add_edge(f"XBar {start}", f"XBar {end}", key=key, **attributes)
    return graph


def _add_node(graph: nx.MultiDiGraph, node: Node, lookup_ns: float) -> None:
    sri, crossbar = f"SRI {node.id}", f"XBar {node.id}"
    graph.add_node(sri, kind="SRI", node=node.id)
    graph.add_node(crossbar, kind="XBar", node=node.id)
    rate = node.sri.data_gb_per_s or math.inf
    graph.add_edge(sri, crossbar, latency_ns=node.sri.latency_ns + node.crossbar.latency_ns, gb_per_s=rate)
    graph.add_edge(crossbar, sri, latency_ns=node.sri.latency_ns, gb_per_s=rate)
    for number in range(node.cores):
        core = f"core {node.id}.{number}"
        graph.add_node(core, kind="core", node=node.id)
        graph.add_edge(core, sri, latency_ns=0.0, gb_per_s=math.inf)
        graph.add_edge(sri, core, latency_ns=0.0, gb_per_s=math.inf)
    if node.controller is None:
        return
    mct, dram, controller = f"MCT {node.id}", f"DRAM {node.id}", node.controller
    graph.add_node(mct, kind="MCT", node=node.id)
    graph.add_node(dram, kind="DRAM", node=node.id)
    graph.add_edge(crossbar, mct, latency_ns=controller.entry_ns + lookup_ns, gb_per_s=math.inf)
    graph.add_edge(mct, dram, latency_ns=controller.read_ns, gb_per_s=controller.peak_gb_per_s)
    graph.add_edge(dram, mct, latency_ns=controller.path_ns, gb_per_s=controller.peak_gb_per_s)
    graph.add_edge(mct, crossbar, latency_ns=node.crossbar.latency_ns, gb_per_s=math.inf)


def hops(machine: Machine, routes: Routes | None = None) -> Matrix:
    """Return the hops of a request, row = from, column = to, in ascending order of nodes.

    Raises
    ------
    InputError
        The machine's routes do not hold; see :func:`simulator.machine.routing.resolve_routes`.
    """
    table = (routes or resolve_routes(machine)).request
    ids = machine.node_ids
    return tuple(tuple(len(path(table, start, end)) - 1 for end in ids) for start in ids)


def shortest_hops(machine: Machine) -> Matrix:
    """Return the fewest hops there could be, whatever the routing tables say, as :func:`hops` does."""
    near, ids = neighbours(machine), machine.node_ids
    found = [shortest_distances(near, start) for start in ids]
    return tuple(tuple(row[end] for end in ids) for row in found)


def summarise(matrix: Sequence[Sequence[int]]) -> DistanceSummary:
    """Return diameter and averages of a matrix of hops."""
    size, total = len(matrix), sum(map(sum, matrix))
    remote = total / (size * (size - 1)) if size > 1 else None
    return DistanceSummary(max(map(max, matrix)), total / size**2, remote)
