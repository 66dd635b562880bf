"""Which nodes of a machine can change places without any change of the machine, and which placements are so the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from simulator.machine.routing import Routes, resolve_routes
from simulator.machine.spec import Machine
from simulator.validation.placement import Placement

Relabelling = Mapping[int, int]
PairKey = tuple[Placement, Placement]


def symmetries(machine: Machine) -> tuple[Relabelling, ...]:
    """Return every way to relabel the nodes that keeps nodes, links, routes and broadcast trees as they are.

    The one that changes nothing is the first. Of the eight symmetries of the Quartet's square its routing tables keep four.
    """
    routes = resolve_routes(machine)
    found = [mapping for mapping in _keeping_links(machine) if _keeps_routes(routes, mapping)]
    return tuple(sorted(found, key=lambda mapping: tuple(mapping[node] for node in machine.node_ids)))


def pair_key(first: Placement, second: Placement, relabellings: Sequence[Relabelling]) -> PairKey:
    """Return what is the same for all pairs that a symmetry, another core of the node, or the other order turns into this one."""
    orders = ((first, second), (second, first))
    return min(_relabelled(one, other, mapping) for mapping in relabellings for one, other in orders)


def _relabelled(one: Placement, other: Placement, mapping: Relabelling) -> PairKey:
    core = int(one.node == other.node and one.core != other.core)
    return (
        Placement(mapping[one.node], 0, one.mode, mapping[one.memory]),
        Placement(mapping[other.node], core, other.mode, mapping[other.memory]),
    )


def _keeping_links(machine: Machine) -> Iterator[dict[int, int]]:
    """Yield the relabellings that keep nodes and links, built up node by node."""
    kinds = {node.id: _constants(node, {"id"}) for node in machine.nodes}
    links: dict[tuple[int, int], list[str]] = {}
    for link in machine.links:
        for ends in (link.ends, link.ends[::-1]):
            links.setdefault(ends, []).append(_constants(link, {"ends"}))
    ids = machine.node_ids

    def fits(mapping: dict[int, int], node: int, image: int) -> bool:
        same_links = (links.get((node, old)) == links.get((image, new)) for old, new in mapping.items())
        return image not in mapping.values() and kinds[node] == kinds[image] and all(same_links)

    def extend(mapping: dict[int, int]) -> Iterator[dict[int, int]]:
        if len(mapping) == len(ids):
            yield mapping
            return
        node = ids[len(mapping)]
        for image in ids:
            if fits(mapping, node, image):
                yield from extend({**mapping, node: image})

    return extend({})


def _keeps_routes(routes: Routes, mapping: Relabelling) -> bool:
    hops = (routes.request, routes.response)
    return all(
        table[mapping[start], mapping[end]] == mapping[step] for table in hops for (start, end), step in table.items()
    ) and all(
        set(routes.broadcast[mapping[root], mapping[node]]) == {mapping[child] for child in children}
        for (root, node), children in routes.broadcast.items()
    )


def _constants(block: BaseModel, without: set[str]) -> str:
    """Return the values of a part of a machine, without where they come from."""
    return json.dumps(_stripped(block.model_dump(mode="json", exclude=without)), sort_keys=True)


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _stripped(part) for key, part in value.items() if key not in ("source", "fitted")}
    return value
