"""Where the nodes of a machine stand in a picture."""

from __future__ import annotations

import math

from simulator.machine.spec import Machine

Point = tuple[float, float]
_WIDE = 1.5  # between the sides of a ladder that one long link crosses


def node_positions(machine: Machine) -> dict[int, Point]:
    """Return a place for each node, neighbours 1 apart, y upwards.

    Opteron boards are drawn as ladders, nodes 2k and 2k+1 on a rung; so is every machine whose links then reach at most one
    rung farther, a single longer one aside, and pass through no node. Others stand on a circle.
    """
    ids = machine.node_ids
    pairs = {(min(link.ends), max(link.ends)) for link in machine.links}
    is_ring = len(ids) > 4 and all(sum(node in pair for pair in pairs) == 2 for node in ids)
    rungs = {node: place // 2 for place, node in enumerate(ids)}
    reach = [abs(rungs[first] - rungs[second]) for first, second in pairs]
    if is_ring or sum(rung > 1 for rung in reach) > 1:
        return _circle(ids)
    width = 1.0 if max(reach, default=0) <= 1 else _WIDE
    ladder = {node: (width * (place % 2), -float(place // 2)) for place, node in enumerate(ids)}
    through = any(ladder[first][0] == ladder[second][0] and abs(rungs[first] - rungs[second]) > 1 for first, second in pairs)
    return _circle(ids) if through else ladder


def _circle(ids: tuple[int, ...]) -> dict[int, Point]:
    radius = 0.5 / math.sin(math.pi / len(ids)) if len(ids) > 1 else 0.0
    angles = {node: math.pi / 2 - 2 * math.pi * place / len(ids) for place, node in enumerate(ids)}
    return {node: (round(radius * math.cos(angle), 9), round(radius * math.sin(angle), 9)) for node, angle in angles.items()}
