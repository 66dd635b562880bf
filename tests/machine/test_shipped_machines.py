"""The machines that ship: what the K8 ones may differ in, AMD's own routes, distances, and nodes without memory."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from simulator import outside
from simulator.machine.distances import distances
from simulator.machine.fitted import fitted_values
from simulator.machine.load import list_machines, load_machine
from simulator.machine.routing import resolve_routes
from simulator.machine.topology import hops, node_graph, shortest_hops, summarise
from tests.machine.test_routing import GOLDEN

_FOLDER = Path(str(outside.shipped_folder("topologies")))
_FREE = {"sri": (), "crossbar": (), "controller": ("peak_gb_per_s",), "link": ("width_bits", "rate_gt_per_s", "ends", "ordinal")}
GOLDEN_MACHINES = {
    "opteron-2p": "2n",
    "quartet": "4n-square",
    "opteron-8385-4p": "4n-square",
    "opteron-4p-kite": "4n-kite",
    "opteron-4p-fc": "4n-fully-connected",
    "opteron-8p-ladder": "8n-straight-ladder",
    "opteron-8p-twisted-ladder": "8n-twisted-ladder",
    "opteron-8p-fc": "8n-fully-connected",
}
AVERAGES = {  # hops as requests are routed, a node and itself included
    "one-node": 0.0,
    "opteron-2p": 0.5,
    "quartet": 1.0,
    "opteron-4p-kite": 0.875,
    "opteron-4p-fc": 0.75,
    "opteron-8p-ladder": 1.75,
    "opteron-8p-twisted-ladder": 1.625,
    "opteron-8p-fc": 0.875,
    "sun-x4600-m2": 1.5,
    "opteron-6172-4p": 1.25,
}


def _file(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


K8 = [name for name in list_machines() if _file(name).get("extends") == "opteron-k8"]


def _numbers(block: Any, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    return block.model_dump(exclude={"source", "fitted", *leave_out}) if block is not None else {}


def test_the_k8_machines_are_there() -> None:
    assert {"athlon64-x2", "opteron-2p", "opteron-8p-twisted-ladder", "quartet", "sun-x4600-m2"} <= set(K8)
    assert len(K8) == 11


@pytest.mark.parametrize("name", K8)
def test_no_k8_file_gives_a_fitted_constant(name: str) -> None:
    """Neither machine-wide nor in a node or link."""
    base, own = _file("opteron-k8"), _file(name)
    for block, fields in ((block, set(table.get("fitted", {}))) for block, table in base.items() if isinstance(table, dict)):
        places = [own.get(block, {}), *(node.get(block, {}) for node in own["nodes"])]
        places += own.get("links", []) if block == "link" else []
        for place in places:
            assert not fields & set(place)
            assert "fitted" not in place


@pytest.mark.parametrize("name", K8)
def test_k8_machines_differ_from_the_quartet_in_topology_rates_and_clock_only(name: str) -> None:
    machine, quartet = load_machine(name), load_machine("quartet")
    assert _numbers(machine.core) == _numbers(quartet.core)
    assert _numbers(machine.coherence) == _numbers(quartet.coherence)
    for node in machine.nodes:
        for block in ("sri", "crossbar", "controller"):
            ours, theirs = getattr(node, block), getattr(quartet.nodes[0], block)
            assert _numbers(ours, _FREE[block]) == _numbers(theirs, _FREE[block])
    for link in machine.links:
        assert _numbers(link, _FREE["link"]) == _numbers(quartet.links[0], _FREE["link"])
    assert {fit.path: fit.value for fit in fitted_values(machine)}.items() <= {
        fit.path: fit.value for fit in fitted_values(quartet)
    }.items()


@pytest.mark.parametrize("name", GOLDEN_MACHINES)
def test_routes_are_amds(name: str) -> None:
    machine, entry = load_machine(name), GOLDEN[GOLDEN_MACHINES[name]]
    assert [list(link.ends) for link in machine.links] == entry["links"]
    routes, ids = resolve_routes(machine), machine.node_ids
    for table, found in (("request", routes.request), ("response", routes.response)):
        assert [[start if start == end else found[start, end] for end in ids] for start in ids] == entry[table]
    assert [[list(routes.broadcast[root, node]) for node in ids] for root in ids] == entry["broadcast"]


@pytest.mark.parametrize("name", AVERAGES)
def test_average_distances_as_routed(name: str) -> None:
    assert summarise(hops(load_machine(name))).average == AVERAGES[name]


def test_the_x4600_is_the_golden_one_with_four_ways_a_hop_longer() -> None:
    machine, entry = load_machine("sun-x4600-m2"), GOLDEN["8n-x4600-m2"]
    assert [degree for _, degree in sorted(node_graph(machine).degree)] == entry["degrees"]
    routed, shortest = hops(machine), shortest_hops(machine)
    assert summarise(shortest).average == entry["average"]
    longer = {(a, b): routed[a][b] - shortest[a][b] for a in range(8) for b in range(8) if routed[a][b] != shortest[a][b]}
    assert longer == {(1, 2): 1, (2, 1): 1, (4, 7): 1, (7, 4): 1}
    assert distances(machine).matrix == tuple(tuple(10 + 2 * far for far in line) for line in shortest)


def test_the_eight_dies_of_magny_cours() -> None:
    machine = load_machine("opteron-6172-4p")
    assert {degree for _, degree in node_graph(machine).degree} == {4}
    assert distances(machine).matrix == tuple(tuple(10 + 6 * far for far in line) for line in shortest_hops(machine))
    inside = {link.ends for link in machine.links if link.width_bits == 24}
    assert inside == {(0, 1), (2, 3), (4, 5), (6, 7)}
    assert {(link.width_bits, link.gb_per_s) for link in machine.links if link.ends not in inside} == {(8, 6.4)}


def test_two_dies_of_the_threadripper_have_no_memory() -> None:
    machine = load_machine("threadripper-2990wx")
    assert [(node.cores, node.memory_gib is not None, node.controller is not None) for node in machine.nodes] == [
        (8, True, True),
        (8, False, False),
        (8, True, True),
        (8, False, False),
    ]


@pytest.mark.parametrize(
    ("name", "cores", "protocol"),
    [
        ("opteron-8385-4p", 16, "snooped"),
        ("opteron-6172-4p", 48, "probe-filtered"),
        ("threadripper-2990wx", 32, "probe-filtered"),
        ("xeon-e5-2650v3-2s", 20, "snooped"),
        ("core-i7-8700k", 6, "snooped"),
        ("athlon64-x2", 2, "snooped"),
    ],
)
def test_cores_and_protocols(name: str, cores: int, protocol: str) -> None:
    machine = load_machine(name)
    assert (sum(node.cores for node in machine.nodes), machine.coherence.protocol) == (cores, protocol)


def test_what_was_calibrated_to_a_published_number_says_so() -> None:
    assert [fit.path for fit in fitted_values(load_machine("xeon-e5-2650v3-2s"))] == ["link.latency_ns"]
    assert [fit.path for fit in fitted_values(load_machine("threadripper-2990wx"))] == ["controller.path_ns", "link.latency_ns"]
    for name in ("opteron-8385-4p", "opteron-6172-4p", "core-i7-8700k"):
        assert fitted_values(load_machine(name)) == []
