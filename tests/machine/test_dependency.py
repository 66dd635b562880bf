from __future__ import annotations

import pytest

from simulator.machine.dependency import deadlock_cycles
from simulator.machine.load import list_machines, load_machine, machine_from_dict
from simulator.machine.routing import resolve_routes
from simulator.machine.spec import Machine
from tests.machine.builders import build, ring, table
from tests.machine.test_routing import GOLDEN, golden_machine


def cycles(machine: Machine) -> list[tuple[str, ...]]:
    return deadlock_cycles(machine, resolve_routes(machine))


@pytest.mark.parametrize("name", list_machines())
def test_shipped_machines_cannot_deadlock(name: str):
    assert cycles(load_machine(name)) == []


@pytest.mark.parametrize("name", [name for name, entry in GOLDEN.items() if "request" in entry])
def test_the_routes_of_amd_cannot_deadlock(name: str):
    assert cycles(golden_machine(GOLDEN[name])) == []


def test_shortest_paths_on_the_twisted_ladder_could():
    """Which is why some of AMD's routes there are a hop longer than they need be."""
    assert any(cycle[0].startswith("request") for cycle in cycles(golden_machine(GOLDEN["8n-twisted-ladder"], routed=False)))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_small_rings_cannot_deadlock(size: int):
    links = [(0, 1)] if size == 2 else [(node, (node + 1) % size) for node in range(size)]
    assert cycles(build(range(size), links)) == []


def test_a_ring_of_five_can_in_each_class_and_either_direction():
    forward = ("0->1", "1->2", "2->3", "3->4", "4->0")
    backward = ("0->4", "4->3", "3->2", "2->1", "1->0")
    expected = [
        tuple(f"{kind} {step}" for step in steps) for kind in ("request", "response", "probe") for steps in (forward, backward)
    ]
    assert cycles(ring(5)) == expected


def test_a_chain_cannot_deadlock():
    assert cycles(build(range(7), [(node, node + 1) for node in range(6)])) == []


def test_broadcast_trees_alone_can_close_a_circle():
    """A square whose four trees all run clockwise: 0->1->2->3, 1->2->3->0, ..."""
    trees = [[[(node + 1) % 4] if (node + 1) % 4 != root else [] for node in range(4)] for root in range(4)]
    links = [(node, (node + 1) % 4) for node in range(4)]
    routing = {"request": "shortest", "response": "shortest", "broadcast": trees, "source": "test"}
    assert cycles(build(range(4), links, routing=routing)) == [("probe 0->1", "probe 1->2", "probe 2->3", "probe 3->0")]


def test_parallel_links_are_named_with_their_ordinal():
    wanted = table(range(5), [(node, (node + 1) % 5) for node in range(5)] + [(0, 1)])
    wanted["links"][0]["carries"], wanted["links"][5]["carries"] = ["response"], ["request", "posted", "probe"]
    found = cycles(machine_from_dict(wanted))
    assert found[0][0] == "request 0->1#1" and found[2][0] == "response 0->1#0"
