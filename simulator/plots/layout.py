"""Where the nodes of a machine stand in a picture."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence, Set

from simulator.machine.spec import Machine

Point = tuple[float, float]
_Pairs = Set[tuple[int, int]]
_WIDE = 1.5  # between the sides of a ladder that one long link crosses, and between nodes that parallel links join
_MAX_UNTANGLED = 12  # nodes on a circle whose order is chosen for few crossings


def node_positions(machine: Machine) -> dict[int, Point]:
    """Return a place for each node, neighbours 1 apart or `_WIDE`, y upwards.

    Four nodes stand on a square. Opteron boards are drawn as ladders, nodes 2k and 2k+1 on a rung; so is every machine whose
    links then reach at most one rung farther, a single longer one aside, and pass through no node. Others stand on a circle. The
    order on a square or circle is the one with few crossing links; a ring has none.
    """
    ids = machine.node_ids
    pairs = {(min(link.ends), max(link.ends)) for link in machine.links}
    ring = _around(ids, pairs)
    if len(ids) == 4:
        places = _square(ring or _untangled((ids[0], ids[1], ids[3], ids[2]), pairs))
    elif ring is not None and len(ids) > 4:
        places = _circle(ring)
    else:
        places = _ladder(ids, pairs) or _circle(_untangled(ids, pairs))
    if len(pairs) == len(machine.links):
        return places
    return {node: (_WIDE * x, _WIDE * y) for node, (x, y) in places.items()}


def cross(first: tuple[Point, Point], second: tuple[Point, Point]) -> bool:
    """Return whether two stretches cross, other than at their ends."""
    (a, b), (c, d) = first, second
    return _side(a, b, c) * _side(a, b, d) < -1e-9 and _side(c, d, a) * _side(c, d, b) < -1e-9


def _side(start: Point, end: Point, spot: Point) -> float:
    return (end[0] - start[0]) * (spot[1] - start[1]) - (end[1] - start[1]) * (spot[0] - start[0])


def _around(ids: Sequence[int], pairs: _Pairs) -> tuple[int, ...] | None:
    """Return the nodes in the order of a ring, from the lowest to its lower neighbour; None when they are no ring."""
    beside = {node: sorted({*itertools.chain(*(pair for pair in pairs if node in pair))} - {node}) for node in ids}
    if any(len(others) != 2 for others in beside.values()):
        return None
    order = [ids[0], beside[ids[0]][0]]
    while (following := next(node for node in beside[order[-1]] if node != order[-2])) != order[0]:
        order.append(following)
    return tuple(order) if len(order) == len(ids) else None


def _untangled(order: Sequence[int], pairs: _Pairs) -> tuple[int, ...]:
    """Return a cyclic order in which few links cross: nodes change places while that helps."""
    best, least = tuple(order), _crossings(order, pairs)
    if len(order) > _MAX_UNTANGLED:
        return best
    better = True
    while better and least:
        better = False
        for first, second in itertools.combinations(range(1, len(best)), 2):
            trial = list(best)
            trial[first], trial[second] = trial[second], trial[first]
            if (count := _crossings(trial, pairs)) < least:
                best, least, better = tuple(trial), count, True
    return best


def _crossings(order: Sequence[int], pairs: _Pairs) -> int:
    """Return how many links cross when their ends stand around a circle in this order."""
    place = {node: index for index, node in enumerate(order)}
    chords = [sorted((place[first], place[second])) for first, second in pairs]
    return sum(a < c < b < d or c < a < d < b for (a, b), (c, d) in itertools.combinations(chords, 2))


def _square(order: Sequence[int]) -> dict[int, Point]:
    return dict(zip(order, ((0.0, 0.0), (1.0, 0.0), (1.0, -1.0), (0.0, -1.0)), strict=True))


def _ladder(ids: Sequence[int], pairs: _Pairs) -> dict[int, Point] | None:
    rungs = {node: place // 2 for place, node in enumerate(ids)}
    reach = [abs(rungs[first] - rungs[second]) for first, second in pairs]
    if sum(rung > 1 for rung in reach) > 1:
        return None
    width = 1.0 if max(reach, default=0) <= 1 else _WIDE
    ladder = {node: (width * (place % 2), -float(place // 2)) for place, node in enumerate(ids)}
    through = any(ladder[first][0] == ladder[second][0] and abs(rungs[first] - rungs[second]) > 1 for first, second in pairs)
    return None if through else ladder


def _circle(order: Sequence[int]) -> dict[int, Point]:
    radius = 0.5 / math.sin(math.pi / len(order)) if len(order) > 1 else 0.0
    angles = {node: math.pi / 2 - 2 * math.pi * place / len(order) for place, node in enumerate(order)}
    return {node: (round(radius * math.cos(angle), 9), round(radius * math.sin(angle), 9)) for node, angle in angles.items()}
