"""Where nodes stand: ladders as boards are drawn, circles else, and no link through a node."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from simulator.machine.load import machine_from_dict
from simulator.machine.spec import Machine
from simulator.plots.layout import Point, cross, node_positions

SQUARE = [(0, 1), (0, 2), (1, 3), (2, 3)]
TWISTED = [(0, 1), (0, 2), (1, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 6), (5, 7), (6, 7)]
SHAPES = {
    "one": (1, []),
    "two": (2, [(0, 1)]),
    "parallel": (2, [(0, 1), (0, 1)]),
    "three": (3, [(0, 1), (1, 2), (0, 2)]),
    "square": (4, SQUARE),
    "full4": (4, list(itertools.combinations(range(4), 2))),
    "twisted": (8, TWISTED),
    "long": (8, [*TWISTED, (1, 6)]),
    "ring6": (6, [(node, (node + 1) % 6) for node in range(6)]),
    "full8": (8, list(itertools.combinations(range(8), 2))),
}


def _machine(nodes: int, links: list[tuple[int, int]]) -> Machine:
    table: dict[str, Any] = {
        "extends": "opteron-k8",
        "schema_version": 1,
        "name": "shape",
        "title": "shape",
        "source": "test",
        "nodes": [{"id": node, "cores": 1, "memory_gib": 1.0, "source": "test"} for node in range(nodes)],
        "links": [{"ends": list(ends), "source": "test"} for ends in links],
    }
    if len(set(links)) < len(links) == 2:  # parallel links share the virtual channels out
        for link, carries in zip(table["links"], (["request", "posted", "probe"], ["response"]), strict=True):
            link["carries"] = carries
    return machine_from_dict(table)


def _distance(spot: Point, start: Point, end: Point) -> float:
    """Distance of a point from a stretch."""
    (x, y), (x0, y0), (x1, y1) = spot, start, end
    share = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2)
    share = min(1.0, max(0.0, share))
    return math.hypot(x - x0 - share * (x1 - x0), y - y0 - share * (y1 - y0))


@pytest.mark.parametrize("shape", SHAPES)
def test_nodes_keep_apart_and_links_keep_off_nodes(shape: str) -> None:
    machine = _machine(*SHAPES[shape])
    places = node_positions(machine)
    assert set(places) == set(machine.node_ids)
    for first, second in itertools.combinations(places.values(), 2):
        assert math.dist(first, second) > 0.99
    for link in machine.links:
        start, end = (places[node] for node in link.ends)
        for node, place in places.items():
            assert node in link.ends or _distance(place, start, end) > 0.3, (link.ends, node)


def _crossings(machine: Machine, places: dict[int, Point]) -> int:
    ways = [(places[link.ends[0]], places[link.ends[1]]) for link in machine.links]
    return sum(cross(first, second) for first, second in itertools.combinations(ways, 2))


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_a_ring_of_four_is_a_square_in_any_order(order: tuple[int, ...]) -> None:
    machine = _machine(4, [(node, order[place - 1]) for place, node in enumerate(order)])
    places = node_positions(machine)
    assert sorted(places.values()) == [(0, -1), (0, 0), (1, -1), (1, 0)]
    assert places[0] == (0, 0)
    assert _crossings(machine, places) == 0


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 5), (0, 3, 1, 5, 2, 4), (0, 2, 4, 6, 7, 5, 3, 1)])
def test_rings_do_not_cross(order: tuple[int, ...]) -> None:
    machine = _machine(len(order), [(node, order[place - 1]) for place, node in enumerate(order)])
    assert _crossings(machine, node_positions(machine)) == 0


def test_four_nodes_with_one_pair_apart_do_not_cross() -> None:
    for apart in itertools.combinations(range(4), 2):
        machine = _machine(4, [pair for pair in itertools.combinations(range(4), 2) if pair != apart])
        assert _crossings(machine, node_positions(machine)) == 0, apart


def test_parallel_links_have_room_for_text() -> None:
    assert node_positions(_machine(*SHAPES["parallel"])) == {0: (0, 0), 1: (1.5, 0)}


def test_the_square_is_a_square() -> None:
    assert node_positions(_machine(*SHAPES["square"])) == {0: (0, 0), 1: (1, 0), 2: (0, -1), 3: (1, -1)}
