"""Where nodes stand: ladders as boards are drawn, circles else, and no link through a node."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from simulator.machine.load import machine_from_dict
from simulator.machine.spec import Machine
from simulator.plots.layout import Point, node_positions

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
    if len(set(links)) < len(links):  # parallel links share the virtual channels out
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


def test_the_square_is_a_square() -> None:
    assert node_positions(_machine(*SHAPES["square"])) == {0: (0, 0), 1: (1, 0), 2: (0, -1), 3: (1, -1)}
