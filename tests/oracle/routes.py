"""Routes worked out anew from a machine's raw tables: shares no code with simulator.machine.routing.

Tables are indexed by a node's place among the ascending node numbers and hold node numbers. ``"shortest"`` goes, at every
node, to the lowest-numbered neighbour that is one hop nearer to the destination; in a broadcast tree every node hangs on the
lowest-numbered neighbour that is one hop nearer to the root.
"""

from __future__ import annotations

from simulator.machine.spec import Link, Machine


def way(machine: Machine, channel: str, start: int, end: int) -> list[int]:
    """Return the nodes from `start` to `end`, both included, of a packet on a virtual channel."""
    table = machine.routing.response if channel == "response" else machine.routing.request
    place = {node: index for index, node in enumerate(sorted(machine.node_ids))}
    nodes = [start]
    while nodes[-1] != end:
        here = nodes[-1]
        if table == "shortest":
            nearer = hops(machine, channel, end)[here] - 1
            onward = min(node for node in _near(machine, channel, here) if hops(machine, channel, end)[node] == nearer)
        else:
            onward = table[place[here]][place[end]]
        nodes.append(onward)
        assert len(nodes) <= len(machine.nodes), f"the route {start}->{end} does not end"
    return nodes


def children(machine: Machine, root: int, node: int) -> list[int]:
    """Return the nodes to which `node` passes on the probes of `root`."""
    table = machine.routing.broadcast
    if table != "shortest":
        place = {number: index for index, number in enumerate(sorted(machine.node_ids))}
        return list(table[place[root]][place[node]])
    distance = hops(machine, "probe", root)
    parent = {}
    for other in machine.node_ids:
        if other != root:
            nearer = [near for near in _near(machine, "probe", other) if distance[near] == distance[other] - 1]
            parent[other] = min(nearer)
    return sorted(other for other, above in parent.items() if above == node)


def hops(machine: Machine, channel: str, end: int) -> dict[int, int]:
    """Return the distance of every node to `end`, by repeated relaxation."""
    far = len(machine.nodes)
    distance = {node: 0 if node == end else far for node in machine.node_ids}
    for _ in machine.nodes:
        for node in machine.node_ids:
            distance[node] = min([distance[node], *(distance[near] + 1 for near in _near(machine, channel, node))])
    return distance


def link_of(machine: Machine, start: int, end: int, channel: str) -> Link:
    """Return the link from `start` to `end` that carries a virtual channel."""
    return next(link for link in machine.links if set(link.ends) == {start, end} and channel in link.carries)


def key_of(machine: Machine, start: int, end: int, channel: str) -> str:
    """Return the name of that link's direction as results have it."""
    link = link_of(machine, start, end, channel)
    parallel = [other for other in machine.links if set(other.ends) == {start, end}]
    return f"{start}->{end}" + (f"#{link.ordinal}" if len(parallel) > 1 else "")


def _near(machine: Machine, channel: str, node: int) -> set[int]:
    kinds = {"request": {"request", "posted"}}.get(channel, {channel})
    carried: dict[int, set[str]] = {}
    for link in machine.links:
        if node in link.ends:
            other = link.ends[0] if link.ends[1] == node else link.ends[1]
            carried.setdefault(other, set()).update(link.carries)
    return {other for other, found in carried.items() if kinds <= found}
