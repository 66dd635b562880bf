"""The order in which Linux looks for free memory."""

from __future__ import annotations

import pytest

from simulator import load_machine
from simulator.placement.zonelist import zonelists
from tests.machine.builders import ring
from tests.placement.machines import square


def test_own_node_then_by_distance_the_next_one_up_first() -> None:
    assert zonelists(square()) == {
        0: (0, 1, 3, 2),
        1: (1, 2, 0, 3),
        2: (2, 3, 1, 0),
        3: (3, 0, 2, 1),
    }  # node 2's load is the higher


def test_of_equal_nodes_the_one_that_fewer_lists_name_first() -> None:
    """Nodes 3 and 5 are two hops from node 1; node 0's list has begun a distance with 3 already."""
    lists = zonelists(ring(6))
    assert lists[0] == (0, 1, 5, 2, 4, 3)
    assert lists[1] == (1, 2, 0, 5, 3, 4)


def test_a_node_without_cpus_is_taken_before_an_equal_one_with() -> None:
    assert zonelists(square(cores=(1, 1, 1, 0)))[0] == (0, 3, 1, 2)


def test_a_node_without_memory_is_in_no_list_and_has_one() -> None:
    lists = zonelists(square((9, None, 9, 9)))
    assert lists[1] == (2, 0, 3)
    assert all(1 not in order for order in lists.values())


@pytest.mark.parametrize("name", ["quartet", "two-node", "one-node", "xeon-e7-4830v3-4s"])
def test_every_list_has_every_memory_once(name: str) -> None:
    machine = load_machine(name)
    with_memory = {node.id for node in machine.nodes if node.controller is not None}
    for node, order in zonelists(machine).items():
        assert len(order) == len(with_memory)
        assert set(order) == with_memory
        assert order[0] == node or node not in with_memory
