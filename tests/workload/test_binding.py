"""numactl's words: which cores and which memory they mean."""

from __future__ import annotations

import pytest

from simulator.errors import InputError
from simulator.machine.load import machine_from_dict
from simulator.machine.spec import Machine
from simulator.placement.lists import parse_nodes
from simulator.workload.binding import bound_threads
from tests.machine.builders import build, ring, table


def _odd() -> Machine:
    """Nodes 0, 2, 5 in a line: two cores; a core without memory; memory without cores."""
    data = table((0, 2, 5), ((0, 2), (2, 5)))
    data["nodes"][0]["cores"] = 2
    del data["nodes"][1]["memory_gib"]
    data["nodes"][2]["cores"] = 0
    return machine_from_dict(data)


@pytest.mark.parametrize(
    ("text", "nodes"),
    [("0", (0,)), ("3,1", (1, 3)), ("0-2", (0, 1, 2)), ("2,0-1,1", (0, 1, 2)), ("all", (0, 1, 2, 3)), (" 1 , 2", (1, 2))],
)
def test_lists_as_numactl_writes_them(text: str, nodes: tuple[int, ...]) -> None:
    assert parse_nodes(text, ring(4), "--membind") == nodes


@pytest.mark.parametrize(
    "text", ["", ",", "1,", "a", "-1", "1-", "2-1", "0-99999999", "+", "!", "0 1", "\u0661", "0," * 2000 + "0"]
)
def test_no_list(text: str) -> None:
    with pytest.raises(InputError, match="^--membind: not a list of nodes"):
        parse_nodes(text, ring(4), "--membind")


def test_unknown_node() -> None:
    with pytest.raises(InputError, match="mine has no node 4 .*allowed: nodes 0, 1, 2, 3"):
        parse_nodes("0-99999", ring(4), "--cpunodebind")


def test_a_thread_on_every_core() -> None:
    machine = _odd()
    assert [thread.label for thread in bound_threads(machine, (0,), (5,), "w")] == ["0.0.w.5", "0.1.w.5"]
    assert [thread.label for thread in bound_threads(machine, None, (5,))] == ["0.0.r.5", "0.1.r.5", "2.0.r.5"]


def test_memory_is_where_the_thread_runs_or_the_closest_there_is() -> None:
    labels = [thread.label for thread in bound_threads(_odd(), None, None)]
    assert labels == ["0.0.r.0", "0.1.r.0", "2.0.r.5"]  # of equally close memories Linux takes that of a node without cores


def test_of_several_memories_the_closest() -> None:
    labels = [thread.label for thread in bound_threads(ring(4), None, (1, 3))]
    assert labels == [
        "0.0.r.1",
        "1.0.r.1",
        "2.0.r.3",
        "3.0.r.3",
    ]  # 0 and 2 are as far from 1 as from 3: the next one up, as Linux


def test_the_files_distances_decide() -> None:
    matrix = [[10, 40, 30, 20], [40, 10, 30, 30], [30, 30, 10, 30], [20, 30, 30, 10]]
    machine = build(range(4), [(0, 1), (1, 2), (2, 3), (3, 0)], distances={"matrix": matrix, "source": "test"})
    assert bound_threads(machine, (0,), (1, 3))[0].label == "0.0.r.3"


def test_a_node_is_closest_to_itself_whatever_a_file_says() -> None:
    flat = {"matrix": [[10] * 4] * 4, "source": "test"}
    machine = build(range(4), [(0, 1), (1, 2), (2, 3), (3, 0)], distances=flat)
    assert [thread.label for thread in bound_threads(machine, (2, 3), (1, 3))] == ["2.0.r.3", "3.0.r.3"]


def test_nodes_without_cores_or_memory() -> None:
    with pytest.raises(InputError, match="--cpunodebind: node 5 has no cores; allowed: nodes with cores: 0, 2"):
        bound_threads(_odd(), (0, 5), None)
    with pytest.raises(InputError, match="--membind: node 2 has no memory; allowed: nodes with memory: 0, 5"):
        bound_threads(_odd(), None, (2,))
