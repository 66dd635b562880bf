"""Routes: a machine's tables, or shortest paths, turned into next hops by node number and checked.

Tie rule of ``"shortest"``: among the neighbours that are one hop nearer to the destination the lowest node number is
next; a broadcast tree is breadth first, and a node that several nodes could reach hangs on the lowest-numbered of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from simulator.errors import InputError
from simulator.machine.spec import BroadcastTable, Link, Machine, Table, VirtualChannelName

NextHops = Mapping[tuple[int, int], int]
Trees = Mapping[tuple[int, int], tuple[int, ...]]
_Neighbours = Mapping[int, Collection[int]]
RouteKind = Literal["request", "response", "broadcast"]
CARRIED: Mapping[RouteKind, tuple[VirtualChannelName, ...]] = {  # virtual channels that follow each table
    "request": ("request", "posted"),
    "response": ("response",),
    "broadcast": ("probe",),
}


@dataclass(frozen=True)
class Routes:
    """Routes by node number.

    Parameters
    ----------
    request, response : mapping of (node, destination) to next node
        Without entries for node == destination. Posted requests follow `request`.
    broadcast : mapping of (root, node) to nodes
        Where `node` passes on the probes that `root` sends out; an empty tuple at the leaves.
    """

    request: NextHops
    response: NextHops
    broadcast: Trees


def resolve_routes(machine: Machine) -> Routes:
    """Turn a machine's routing into next hops by node number.

    Raises
    ------
    InputError
        A table of the wrong shape, a next hop that is no neighbour, a route that loops or a node not reached, a broadcast
        tree that reaches a node twice or never, a link on the way without the virtual channel.
    """
    return Routes(_next_hops(machine, "request"), _next_hops(machine, "response"), _trees(machine))


def path(table: NextHops, start: int, end: int) -> tuple[int, ...]:
    """Return the node numbers from `start` to `end`, both included."""
    nodes = [start]
    while nodes[-1] != end:
        nodes.append(table[nodes[-1], end])
        if len(nodes) > len(table) + 2:
            raise ValueError(f"the route {start}->{end} loops")
    return tuple(nodes)


def link_for(machine: Machine, a: int, b: int, channel: VirtualChannelName) -> Link:
    """Return the link that carries a virtual channel from `a` to `b`; of parallel ones the first that does.

    Raises
    ------
    InputError
        No link there carries it.
    """
    links = [link for link in machine.links if set(link.ends) == {a, b} and channel in link.carries]
    if not links:
        raise InputError(f"no link from node {a} to node {b} carries {channel}", field=f"link[{a}-{b}].carries")
    return min(links, key=lambda link: link.ordinal)


def link_key(machine: Machine, link: Link, start: int) -> str:
    """Name the direction of `link` that starts at node `start`: ``0->1``, among parallel links ``0->1#0``."""
    if start not in link.ends:
        raise ValueError(f"node {start} is no end of the link {link.ends}")
    end = link.ends[1] if start == link.ends[0] else link.ends[0]
    parallel = sum(set(other.ends) == set(link.ends) for other in machine.links) > 1
    return f"{start}->{end}#{link.ordinal}" if parallel else f"{start}->{end}"


def neighbours(machine: Machine, channels: Collection[VirtualChannelName] = ()) -> dict[int, tuple[int, ...]]:
    """Return each node's neighbours in ascending order, over links that together carry all `channels`."""
    carried: dict[tuple[int, int], set[str]] = {}
    for link in machine.links:
        for pair in (link.ends, link.ends[::-1]):
            carried.setdefault(pair, set()).update(link.carries)
    reach = {pair for pair, found in carried.items() if found.issuperset(channels)}
    return {node: tuple(sorted(end for start, end in reach if start == node)) for node in machine.node_ids}


def shortest_distances(neighbours: _Neighbours, start: int) -> dict[int, int]:
    """Return the hops from `start` to every node that can be reached, breadth first."""
    found = {start: 0}
    queue = [start]
    for node in queue:
        for other in neighbours[node]:
            if other not in found:
                found[other] = found[node] + 1
                queue.append(other)
    return found


def _next_hops(machine: Machine, kind: Literal["request", "response"]) -> dict[tuple[int, int], int]:
    table = machine.routing.request if kind == "request" else machine.routing.response
    near = neighbours(machine, CARRIED[kind])
    hops = _shortest_hops(machine, kind, near) if table == "shortest" else _table_hops(machine, kind, table)
    for start in machine.node_ids:
        for end in machine.node_ids:
            _check_route(machine, kind, hops, near, start, end)
    return hops


def _shortest_hops(machine: Machine, kind: RouteKind, near: _Neighbours) -> dict[tuple[int, int], int]:
    hops = {}
    for end in machine.node_ids:
        distance = shortest_distances(near, end)
        for node in machine.node_ids:
            if node not in distance:
                raise _unreached(kind, node, end)
            if node != end:
                hops[node, end] = min(other for other in near[node] if distance[other] == distance[node] - 1)
    return hops


def _table_hops(machine: Machine, kind: RouteKind, table: Table) -> dict[tuple[int, int], int]:
    ids, field = machine.node_ids, f"routing.{kind}"
    _check_rows(table, ids, field)
    hops = {}
    for node, row in zip(ids, table, strict=True):
        _check_rows(row, ids, f"{field}, row of node {node}")
        for end, onward in zip(ids, row, strict=True):
            if node != end:
                hops[node, end] = onward
            elif onward != node:
                what = "has another node where it must have itself"
                raise InputError(what, field=_cell(kind, node, end), value=onward, allowed=str(node))
    return hops


def _check_rows(rows: Collection[object], ids: tuple[int, ...], field: str) -> None:
    if len(rows) != len(ids):
        allowed = f'{len(ids)}, one for each of the nodes {", ".join(map(str, ids))}; or "shortest"'
        raise InputError("has the wrong number of entries", field=field, value=len(rows), allowed=allowed)


def _check_route(machine: Machine, kind: RouteKind, hops: NextHops, near: _Neighbours, start: int, end: int) -> None:
    """Follow a route to its end."""
    nodes = [start]
    while nodes[-1] != end:
        node = nodes[-1]
        onward = hops[node, end]
        if onward not in near[node]:
            raise _no_way(machine, kind, _cell(kind, node, end), node, onward)
        if onward in nodes:
            way = "->".join(map(str, (*nodes, onward)))
            raise InputError(f"route loops: {way}", field=_cell(kind, start, end), allowed="a way to the destination")
        nodes.append(onward)


def _no_way(machine: Machine, kind: RouteKind, field: str, node: int, onward: int) -> InputError:
    """Say why `kind` cannot go from `node` to `onward`."""
    adjacent = neighbours(machine)[node]
    if onward in adjacent:
        missing = [name for name in CARRIED[kind] if onward not in neighbours(machine, (name,))[node]]
        what = f"the link {node}-{onward} does not carry {' and '.join(missing)}"
        return InputError(what, field=field, allowed=f"{' and '.join(CARRIED[kind])} in its `carries`")
    what = f"is not a neighbour of node {node}" if onward in machine.node_ids else "is not a node of this machine"
    return InputError(what, field=field, value=onward, allowed=f"neighbours {', '.join(map(str, adjacent)) or 'none'}")


def _unreached(kind: RouteKind, start: int, end: int) -> InputError:
    carried = " and ".join(CARRIED[kind])
    return InputError(f"node {end} cannot be reached from node {start} over links that carry {carried}", field="links")


def _cell(kind: RouteKind, node: int, end: int) -> str:
    return f"routing.{kind}, node {node} to {end}"


def _trees(machine: Machine) -> dict[tuple[int, int], tuple[int, ...]]:
    table = machine.routing.broadcast
    near = neighbours(machine, CARRIED["broadcast"])
    trees = _shortest_trees(machine, near) if table == "shortest" else _table_trees(machine, table)
    for root in machine.node_ids:
        _check_tree(machine, trees, near, root)
    return trees


def _shortest_trees(machine: Machine, near: _Neighbours) -> dict[tuple[int, int], tuple[int, ...]]:
    trees: dict[tuple[int, int], tuple[int, ...]] = {}
    for root in machine.node_ids:
        distance = shortest_distances(near, root)
        children: dict[int, list[int]] = {node: [] for node in machine.node_ids}
        for node in machine.node_ids:
            if node not in distance:
                raise _unreached("broadcast", root, node)
            if node != root:
                children[min(other for other in near[node] if distance[other] == distance[node] - 1)].append(node)
        trees.update({(root, node): tuple(below) for node, below in children.items()})
    return trees


def _table_trees(machine: Machine, table: BroadcastTable) -> dict[tuple[int, int], tuple[int, ...]]:
    ids, field = machine.node_ids, "routing.broadcast"
    _check_rows(table, ids, field)
    for root, row in zip(ids, table, strict=True):
        _check_rows(row, ids, f"{field}, tree of node {root}")
    return {(root, node): below for root, row in zip(ids, table, strict=True) for node, below in zip(ids, row, strict=True)}


def _check_tree(machine: Machine, trees: Trees, near: _Neighbours, root: int) -> None:
    """See that the tree of `root` reaches every node exactly once."""
    field = f"routing.broadcast, tree of node {root}"
    reached, queue = {root}, [root]
    for node in queue:
        for child in trees[root, node]:
            if child not in near[node]:
                raise _no_way(machine, "broadcast", f"{field}, at node {node}", node, child)
            if child in reached:
                raise InputError(f"reaches node {child} twice", field=field, allowed="every node exactly once")
            reached.add(child)
            queue.append(child)
    missed = [node for node in machine.node_ids if node not in reached]
    if missed:
        what = f"never reaches node {', '.join(map(str, missed))}"
        raise InputError(what, field=field, allowed="every node exactly once")
