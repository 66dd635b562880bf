"""Can the routes of a machine deadlock? The channel dependency graph of Dally and Seitz.

A packet that holds a buffer of one link direction waits for a buffer of the next one on its way. If these waits form a
circle, packets can block each other for ever (Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor
Interconnection Networks", IEEE Transactions on Computers C-36, 1987). Each virtual channel has buffers of its own, so each
has a graph of its own: requests (posted ones follow the same routes), responses, and probes down all broadcast trees.

Between virtual channels there is an order, request -> probe -> response: a request at its home causes probes and a
response, a probe causes a response, and responses always sink. No class waits for an earlier one, so circles through
several virtual channels need not be looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from simulator.machine.routing import Routes, link_for, link_key, path
from simulator.machine.spec import Machine

if TYPE_CHECKING:
    import networkx as nx

_Channel = Literal["request", "response", "probe"]
_Step = tuple[int, int]  # node, next node


def deadlock_cycles(machine: Machine, routes: Routes) -> list[tuple[str, ...]]:
    """Find circles of link directions in which packets could wait for each other.

    Returns
    -------
    list of tuple of str
        One shortest circle for each knot of dependencies, as names such as ``request 0->1``; empty: the routes cannot deadlock.
    """
    found: list[tuple[str, ...]] = []
    ways: dict[_Channel, Iterator[Sequence[int]]] = {
        "request": _table_ways(machine, routes, "request"),
        "response": _table_ways(machine, routes, "response"),
        "probe": _tree_ways(machine, routes),
    }
    for channel, nodes in ways.items():
        found += [_names(machine, channel, cycle) for cycle in _cycles(_dependencies(nodes))]
    return found


def _table_ways(machine: Machine, routes: Routes, channel: Literal["request", "response"]) -> Iterator[Sequence[int]]:
    table = routes.request if channel == "request" else routes.response
    for start in machine.node_ids:
        for end in machine.node_ids:
            yield path(table, start, end)


def _tree_ways(machine: Machine, routes: Routes) -> Iterator[Sequence[int]]:
    """Yield parent, child, grandchild: a probe holds the first link while it waits for the second."""
    for root in machine.node_ids:
        for node in machine.node_ids:
            for child in routes.broadcast[root, node]:
                for grandchild in routes.broadcast[root, child]:
                    yield node, child, grandchild


def _dependencies(ways: Iterator[Sequence[int]]) -> nx.DiGraph:
    import networkx as nx

    graph = nx.DiGraph()
    for nodes in ways:
        steps = list(zip(nodes, nodes[1:], strict=False))
        graph.add_edges_from(zip(steps, steps[1:], strict=False))
    return graph


def _cycles(graph: nx.DiGraph) -> list[list[_Step]]:
    """Return one shortest cycle of each strongly connected part, starting at its lowest step."""
    import networkx as nx

    found = []
    for part in nx.strongly_connected_components(graph):
        if len(part) > 1:
            inside = graph.subgraph(part)
            found.append(min((_shortest_through(inside, step) for step in sorted(part)), key=len))
    return sorted(found)


def _shortest_through(graph: nx.DiGraph, step: _Step) -> list[_Step]:
    import networkx as nx

    onward = (nx.shortest_path(graph, after, step) for after in sorted(graph.successors(step)) if nx.has_path(graph, after, step))
    return min(([step, *way[:-1]] for way in onward), key=len)


def _names(machine: Machine, channel: _Channel, cycle: Sequence[_Step]) -> tuple[str, ...]:
    return tuple(f"{channel} {link_key(machine, link_for(machine, start, end, channel), start)}" for start, end in cycle)
