from __future__ import annotations

import math

import networkx as nx
import pytest

from simulator.machine.load import load_machine, machine_from_dict
from simulator.machine.topology import component_graph, hops, node_graph, shortest_hops, summarise
from tests.machine.builders import SQUARE, build, table


def test_node_graph_of_the_square():
    graph = node_graph(load_machine(SQUARE))
    assert sorted(graph.edges) == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert graph.nodes[3] == {"cores": 2, "memory_gib": 2.0, "has_memory": True}
    assert graph.edges[0, 1] == {"links": 1, "gb_per_s": 4.0, "latency_ns": 7.55}
    assert nx.diameter(graph) == 2


def test_parallel_links_are_one_edge_of_the_node_graph():
    wanted = table([0, 1], [(0, 1), (0, 1)])
    wanted["links"][0] |= {"carries": ["response"], "latency_ns": 5}
    wanted["links"][1] |= {"carries": ["request", "posted", "probe"]}
    machine = machine_from_dict(wanted)
    assert node_graph(machine).edges[0, 1] == {"links": 2, "gb_per_s": 8.0, "latency_ns": 5.0}
    graph = component_graph(machine)
    assert sorted(graph["XBar 0"]["XBar 1"]) == ["0->1#0", "0->1#1"]
    assert graph.edges["XBar 1", "XBar 0", "1->0#0"]["carries"] == ("response",)


def test_component_graph_of_the_square():
    graph = component_graph(load_machine(SQUARE))
    kinds = [kind for _, kind in graph.nodes(data="kind")]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"core": 8, "SRI": 4, "XBar": 4, "MCT": 4, "DRAM": 4}
    links = {link for *_, link in graph.edges(data="link") if link}
    assert links == {"0->1", "1->0", "0->2", "2->0", "1->3", "3->1", "2->3", "3->2"}
    assert nx.is_strongly_connected(graph)


def test_delays_along_the_component_graph_are_those_of_an_idle_read():
    """SRI, crossbar, controller entry, DRAM, its path, crossbar, SRI; a hop adds link and crossbar both ways."""
    quartet = load_machine(SQUARE)
    graph, node, link = component_graph(quartet), quartet.nodes[0], quartet.links[0]
    assert node.controller is not None

    def there_and_back(core: str, dram: str) -> float:
        ways = [nx.shortest_path_length(graph, start, end, weight="latency_ns") for start, end in ((core, dram), (dram, core))]
        return sum(ways)

    local = 2 * node.sri.latency_ns + 2 * node.crossbar.latency_ns
    local += node.controller.entry_ns + node.controller.read_ns + node.controller.path_ns
    hop = 2 * (link.latency_ns + node.crossbar.latency_ns)
    assert there_and_back("core 0.1", "DRAM 0") == pytest.approx(local)
    assert there_and_back("core 0.0", "DRAM 1") == pytest.approx(local + hop)
    assert there_and_back("core 0.0", "DRAM 3") == pytest.approx(local + 2 * hop)


def test_rates_are_capacities_for_networkx():
    machine = load_machine(SQUARE, ["sri.data_gb_per_s=3.5"])
    graph = nx.DiGraph()
    for start, end, rate in component_graph(machine).edges(data="gb_per_s"):
        graph.add_edge(start, end, capacity=rate)
    assert nx.maximum_flow_value(graph, "DRAM 0", "XBar 3") == pytest.approx(6.4)  # the DRAM, not two links of 4
    assert nx.maximum_flow_value(graph, "DRAM 0", "core 3.0") == pytest.approx(3.5)
    assert math.isinf(component_graph(load_machine(SQUARE)).edges["SRI 0", "XBar 0", 0]["gb_per_s"])


def test_a_node_without_memory_has_no_controller():
    wanted = table([0, 1], [(0, 1)])
    del wanted["nodes"][0]["memory_gib"]
    machine = machine_from_dict(wanted)
    graph = component_graph(machine)
    assert "MCT 0" not in graph and "DRAM 0" not in graph and "MCT 1" in graph
    assert node_graph(machine).nodes[0] == {"cores": 1, "memory_gib": None, "has_memory": False}


def test_hops_are_those_of_the_request_route():
    rows = [[0, 1, 1], [0, 1, 2], [1, 1, 2]]  # 0 to 2 by way of 1, though they are neighbours
    trees = [[[1, 2], [], []], [[], [0, 2], []], [[], [], [0, 1]]]
    routing = {"request": rows, "response": "shortest", "broadcast": trees, "source": "test"}
    machine = build([0, 1, 2], [(0, 1), (1, 2), (0, 2)], routing=routing)
    assert hops(machine) == ((0, 1, 2), (1, 0, 1), (2, 1, 0))
    assert shortest_hops(machine) == ((0, 1, 1), (1, 0, 1), (1, 1, 0))


def test_averages_of_the_square_and_of_one_node():
    square = summarise(hops(load_machine(SQUARE)))
    assert (square.diameter, square.average, square.average_remote) == (2, 1.0, pytest.approx(4 / 3))
    single = summarise(hops(load_machine("one-node")))
    assert (single.diameter, single.average, single.average_remote) == (0, 0.0, None)
