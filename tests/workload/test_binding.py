"""numactl's words: which cores and which memory they mean."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.errors import InputError
from simulator.machine.load import machine_from_dict
from simulator.machine.spec import Machine
from simulator.placement import parse_numactl
from simulator.placement.lists import parse_nodes
from simulator.workload import ThreadSpec
from simulator.workload.binding import bound_threads
from simulator.workload.thread import Mode
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


def _bound(machine: Machine, words: str = "", mode: Mode = "r", **others: Any) -> tuple[ThreadSpec, ...]:
    binding = parse_numactl(words, machine)
    return bound_threads(machine, binding.cpus, binding.policy, mode, **others)


def _labels(machine: Machine, words: str = "", mode: Mode = "r") -> list[str]:
    return [thread.label for thread in _bound(machine, words, mode)]


def _pages(thread: ThreadSpec) -> list[int]:
    """Return the nodes of a thread's pages; each page has its 64 lines together."""
    memories = [access.memory for access in thread.accesses]
    pages = memories[::64]
    assert memories == [page for page in pages for _ in range(64)]
    return pages


def test_a_thread_on_every_core() -> None:
    assert _labels(_odd(), "-N 0 -m 5", "w") == ["0.0.w.5", "0.1.w.5"]
    assert _labels(_odd(), "-m 5") == ["0.0.r.5", "0.1.r.5", "2.0.r.5"]


def test_threads_on_these_cpus() -> None:
    """--physcpubind: "Only execute process on cpus"; CPUs are numbered node by node."""
    assert _labels(_odd(), "-C 2,0") == ["0.0.r.0", "2.0.r.5"]
    assert _labels(_odd(), "-C !0") == ["0.1.r.0", "2.0.r.5"]


def test_memory_is_where_the_thread_runs_or_the_closest_there_is() -> None:
    local = ["0.0.r.0", "0.1.r.0", "2.0.r.5"]  # of equally close memories Linux takes that of a node without cores
    assert _labels(_odd()) == _labels(_odd(), "--localalloc") == local


def test_of_several_memories_the_closest() -> None:
    near = ["0.0.r.1", "1.0.r.1", "2.0.r.3", "3.0.r.3"]  # 0 and 2 are as far from 1 as from 3: the next one up, as Linux
    assert _labels(ring(4), "-m 1,3") == _labels(ring(4), "--preferred-many=1,3") == near


def test_a_preferred_node_is_everybodys() -> None:
    assert _labels(ring(4), "--preferred=2") == [f"{node}.0.r.2" for node in range(4)]


def test_interleaved_pages_one_after_the_other() -> None:
    """--interleave: "Memory will be allocated using round robin on nodes"; the n-th thread starts n pages further."""
    threads = _bound(ring(4), "--interleave=0,1,3", "w")
    assert [_pages(thread) for thread in threads] == [[0, 1, 3], [1, 3, 0], [3, 0, 1], [0, 1, 3]]
    assert {access.mode for thread in threads for access in thread.accesses} == {"w"}


def test_interleaving_over_one_node_is_that_node() -> None:
    assert _labels(ring(4), "-i 2") == [f"{node}.0.r.2" for node in range(4)]


def test_weighted_pages() -> None:
    first, second, *_ = _bound(ring(4), "--weighted-interleave=0,2", node_weights={0: 3, 1: 9})
    assert (_pages(first), _pages(second)) == ([0, 0, 0, 2], [0, 0, 2, 0])
    assert [_pages(thread) for thread in _bound(ring(4), "-w 0,2")[:2]] == [[0, 2], [2, 0]]
    with pytest.raises(InputError, match="node_weights of node 7: no weight of a node"):
        _bound(ring(4), "-w 0,2", node_weights={7: 1})


def test_the_files_distances_decide() -> None:
    matrix = [[10, 40, 30, 20], [40, 10, 30, 30], [30, 30, 10, 30], [20, 30, 30, 10]]
    machine = build(range(4), [(0, 1), (1, 2), (2, 3), (3, 0)], distances={"matrix": matrix, "source": "test"})
    assert _labels(machine, "-N 0 -m 1,3") == ["0.0.r.3"]


def test_a_node_is_closest_to_itself_whatever_a_file_says() -> None:
    flat = {"matrix": [[10] * 4] * 4, "source": "test"}
    machine = build(range(4), [(0, 1), (1, 2), (2, 3), (3, 0)], distances=flat)
    assert _labels(machine, "-N 2,3 -m 1,3") == ["2.0.r.3", "3.0.r.3"]
