from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.errors import InputError
from simulator.machine.load import load_machine, machine_from_dict
from simulator.machine.routing import link_for, link_key, path, resolve_routes
from simulator.machine.spec import Machine
from simulator.machine.topology import hops, node_graph, shortest_hops, summarise
from tests.machine.builders import build, ring, table

GOLDEN = tomllib.loads((Path(__file__).parents[1] / "golden" / "topologies.toml").read_text())


def golden_machine(entry: dict[str, Any], routed: bool = True) -> Machine:
    blocks: dict[str, Any] = {}
    if routed and "request" in entry:
        blocks["routing"] = {key: entry[key] for key in ("request", "response", "broadcast")} | {"source": "golden"}
    return build(range(entry["nodes"]), entry["links"], **blocks)


@pytest.mark.parametrize("entry", GOLDEN.values(), ids=GOLDEN.keys())
def test_golden_topology(entry: dict[str, Any]):
    machine = golden_machine(entry)
    routed, shortest = summarise(hops(machine)), summarise(shortest_hops(machine))
    assert [degree for _, degree in sorted(node_graph(machine).degree)] == entry["degrees"]
    assert (routed.diameter, shortest.diameter) == (entry["diameter"], entry["diameter"])
    assert shortest.average == pytest.approx(entry["average"])
    assert routed.average == pytest.approx(entry.get("average_routed", entry["average"]))
    assert routed.average_remote == pytest.approx(entry["average_remote_routed"], abs=5e-4)


@pytest.mark.parametrize("entry", GOLDEN.values(), ids=GOLDEN.keys())
def test_shortest_routes_of_a_golden_topology_are_shortest(entry: dict[str, Any]):
    machine = golden_machine(entry, routed=False)
    assert hops(machine) == shortest_hops(machine)


def test_the_square_routes_as_amd_sets_it():
    routes = resolve_routes(load_machine("quartet"))
    assert path(routes.request, 0, 3) == (0, 2, 3)
    assert path(routes.request, 3, 0) == (3, 1, 0)
    assert path(routes.response, 1, 2) == (1, 3, 2)
    assert path(routes.response, 2, 1) == (2, 0, 1)
    assert path(routes.request, 2, 2) == (2,)
    assert routes.broadcast[0, 0] == (1, 2) and routes.broadcast[0, 2] == (3,) and routes.broadcast[0, 3] == ()


def test_each_direction_of_the_square_carries_two_pairs():
    machine = load_machine("quartet")
    routes = resolve_routes(machine)
    carried: dict[tuple[int, int], int] = {}
    for start in range(4):
        for end in range(4):
            way = path(routes.request, start, end)
            for step in zip(way, way[1:], strict=False):
                carried[step] = carried.get(step, 0) + 1
    assert len(carried) == 8 and set(carried.values()) == {2}


def test_ties_of_shortest_go_to_the_lowest_next_node():
    routes = resolve_routes(ring(4))  # 0-1-2-3-0
    assert path(routes.request, 0, 2) == (0, 1, 2)
    assert path(routes.request, 1, 3) == (1, 0, 3)
    assert path(routes.request, 2, 0) == (2, 1, 0)
    assert path(routes.request, 3, 1) == (3, 0, 1)


def test_ties_of_a_tree_go_to_the_lowest_parent():
    routes = resolve_routes(ring(4))
    assert {node: routes.broadcast[0, node] for node in range(4)} == {0: (1, 3), 1: (2,), 2: (), 3: ()}
    assert {node: routes.broadcast[3, node] for node in range(4)} == {3: (0, 2), 0: (1,), 1: (), 2: ()}


def test_tables_go_by_position_and_hold_node_numbers():
    rows = [[0, 8], [0, 8]]
    routing = {"request": rows, "response": rows, "broadcast": [[[8], []], [[], [0]]], "source": "test"}
    routes = resolve_routes(build([8, 0], [(0, 8)], routing=routing))
    assert routes.request == {(0, 8): 8, (8, 0): 0}
    assert routes.broadcast == {(0, 0): (8,), (0, 8): (), (8, 0): (), (8, 8): (0,)}


def test_one_node_has_nothing_to_route():
    routes = resolve_routes(load_machine("one-node"))
    assert (routes.request, routes.response, routes.broadcast) == ({}, {}, {(0, 0): ()})


def parallel() -> Machine:
    wanted = table([0, 1, 2], [(0, 1), (1, 0), (1, 2)])
    wanted["links"][0]["carries"], wanted["links"][1]["carries"] = ["response"], ["request", "posted", "probe"]
    return machine_from_dict(wanted)


def test_which_of_parallel_links_carries_a_channel():
    machine = parallel()
    assert link_for(machine, 0, 1, "response").ordinal == 0
    assert link_for(machine, 1, 0, "request").ordinal == 1
    assert link_for(machine, 2, 1, "probe").ends == (1, 2)
    with pytest.raises(InputError, match="no link from node 0 to node 2 carries probe"):
        link_for(machine, 0, 2, "probe")


def test_names_of_link_directions():
    machine = parallel()
    assert [link_key(machine, link, link.ends[0]) for link in machine.links] == ["0->1#0", "0->1#1", "1->2"]
    assert link_key(machine, machine.links[1], 1) == "1->0#1"
    with pytest.raises(ValueError, match="node 2 is no end"):
        link_key(machine, machine.links[0], 2)


def test_shortest_routes_keep_to_links_of_their_channel():
    wanted = table([0, 1, 2], [(0, 1), (1, 2), (0, 2)])
    wanted["links"][2]["carries"] = ["request", "posted", "probe"]
    routes = resolve_routes(machine_from_dict(wanted))
    assert path(routes.request, 0, 2) == (0, 2)
    assert path(routes.response, 0, 2) == (0, 1, 2)


@st.composite
def connected(draw: st.DrawFn) -> Machine:
    """Draw a connected machine with sparse node numbers: a random tree and some links more."""
    ids = sorted(draw(st.sets(st.integers(0, 30), min_size=1, max_size=9)))
    links = {(ids[draw(st.integers(0, index - 1))], ids[index]) for index in range(1, len(ids))}
    pairs = [(low, high) for low in ids for high in ids if low < high]
    links |= draw(st.sets(st.sampled_from(pairs), max_size=8)) if pairs else set()
    return build(draw(st.permutations(ids)), sorted(links))


@settings(max_examples=60, deadline=None)
@given(connected())
def test_shortest_routes_of_any_machine_reach_every_node_once(machine: Machine):
    routes = resolve_routes(machine)
    assert hops(machine, routes) == shortest_hops(machine)
    for root in machine.node_ids:
        children = [child for node in machine.node_ids for child in routes.broadcast[root, node]]
        assert sorted([root, *children]) == list(machine.node_ids)
