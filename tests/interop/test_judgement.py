"""Distances and nodes that tell nothing, or cannot be what they seem, are called so."""

from __future__ import annotations

import pytest

from simulator.interop.judgement import asymmetric, judged, share_cpus, tells_hops
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit


def _matrix(*rows: tuple[float | None, ...], unit: Unit = Unit.SLIT) -> Matrix:
    ids = tuple(range(len(rows)))
    return Matrix(Kind.DISTANCE, unit, ids, ids, rows, "m")


def _judged(*rows: tuple[float | None, ...], nodes: tuple[NodeRecord, ...] | None = None) -> Record:
    nodes = nodes or tuple(NodeRecord(node) for node in range(len(rows)))
    return judged(Record("x", nodes, (_matrix(*rows),)))


def test_distances_that_tell_are_left_alone() -> None:
    record = _judged((10, 16, 22), (16, 10, 16), (22, 16, 10))
    assert record.warnings == ()
    assert record.matrices[0].values == ((10, 16, 22), (16, 10, 16), (22, 16, 10))
    assert tells_hops(record.matrices[0])


def test_flat_20_is_linux_not_the_firmware() -> None:
    record = _judged((10, 20, 20), (20, 10, 20), (20, 20, 10))
    assert record.warnings == (
        "the firmware gave no distances: 20 between all nodes is what Linux fills in, and tells nothing of hops",
    )
    assert not tells_hops(record.matrices[0])
    assert tells_hops(_matrix((10, 20, 20), (20, 10, 21), (20, 20, 10)))
    assert _judged((10, 16, 16), (16, 10, 16), (16, 16, 10)).warnings == ()


def test_two_nodes_at_20_may_be_either() -> None:
    assert _judged((10, 20), (20, 10)).warnings[0].startswith("the firmware may have given no distances: 20 ")


def test_all_10_is_fake_numa() -> None:
    record = _judged((10, 10), (10, 10))
    assert record.warnings == (
        "all nodes are at distance 10 of each other, as of themselves: fake NUMA on one memory, not a NUMA machine",
    )
    assert not tells_hops(record.matrices[0])
    assert _judged((10, 20, 10), (21, 10, 30), (10, 30, 10)).warnings[0] == (
        "nodes 0 and 2 are as near to each other as to themselves: not two places"
    )


def test_zeros() -> None:
    record = _judged((0, 21), (0, 0))
    assert record.matrices[0].values == ((10, 21), (None, 10))
    assert record.warnings == (
        "nodes 0-1 at distance 0 of themselves: taken as 10",
        "a distance of 0 between nodes means nothing: unknown",
    )
    assert judged(Record("x", None, (_matrix((0, 2), (2, 0), unit=Unit.RELATIVE),))).matrices[0].values == ((0, 2), (2, 0))


def test_own_distance_other_than_10() -> None:
    assert _judged((11, 21), (21, 10)).warnings == ("node 0 not at distance 10 of itself, as the ACPI tables have it",)


def test_unreachable() -> None:
    nodes = (NodeRecord(0, (0,), 64), NodeRecord(1, (1,), 64), NodeRecord(2, (), 64))
    harmless = _judged((10, 21, 50), (21, 10, 50), (255, 255, 10), nodes=nodes).warnings
    assert harmless[:2] == (
        "node 2 without CPUs: only memory for others",
        "distance 255 (unreachable) from node 2: harmless, for nothing there asks",
    )
    assert harmless[2] == "the distances are not symmetric: 2 pairs differ (0->2 50, 2->0 255)"
    harmful = _judged((10, 255, 50), (21, 10, 50), (50, 50, 10), nodes=nodes).warnings
    assert "distance 255 (unreachable) from node 0: memory that cannot be reached" in harmful
    unknown = _judged((10, 255), (255, 10)).warnings
    assert unknown == ("distance 255 (unreachable) from nodes 0-1: memory that cannot be reached",)


def test_asymmetry() -> None:
    matrix = _matrix((10, 21, 31), (22, 10, 31), (31, None, 10))
    assert asymmetric(matrix) == [(0, 1)]
    assert judged(Record("x", None, (matrix,))).warnings == (
        "the distances are not symmetric: 1 pair differs (0->1 21, 1->0 22)",
    )


def test_memory_in_the_middle_of_a_cell_machine() -> None:
    nodes = (NodeRecord(0, (0,)), NodeRecord(1, (1,)), NodeRecord(2, (2,)), NodeRecord(3, ()))
    near = _judged((10, 17, 20, 14), (17, 10, 20, 14), (20, 20, 10, 14), (14, 14, 14, 10), nodes=nodes).warnings
    assert near[-1] == "node 3 (no CPUs) is nearer to every node than any other node: memory spread over all, not a place"
    far = _judged((10, 17, 20, 17), (17, 10, 20, 14), (20, 20, 10, 14), (17, 14, 14, 10), nodes=nodes).warnings
    assert far == ("node 3 without CPUs: only memory for others",)


def test_shared_cpus() -> None:
    nodes = (NodeRecord(0, (0, 1), 100), NodeRecord(1, (2,), 50), NodeRecord(4, (1, 3), 25))
    assert share_cpus(nodes)
    assert judged(Record("x", nodes, (_matrix((10,)),))).warnings == (
        "nodes 0,4 list the same CPUs: fake NUMA (numa=fake) on what is one node of 175 MiB, or several kinds of memory on it",
    )
    assert not share_cpus((NodeRecord(0, (0,)), NodeRecord(1, (1,)), NodeRecord(2), NodeRecord(3, ())))


def test_nodes_that_lack_something() -> None:
    nodes = (NodeRecord(0, (), 0), NodeRecord(1, (0,), 0), NodeRecord(2, None, 0), NodeRecord(3, (), 5), NodeRecord(4, (), None))
    assert judged(Record("x", nodes, (_matrix((10,)),))).warnings == (
        "nodes 3-4 without CPUs: only memory for others",
        "nodes 1-2 without memory",
        "node 0 with neither CPUs nor memory",
    )


@pytest.mark.parametrize(
    ("packages", "start"), [(None, "one node only: "), (1, "one node only: "), (2, "one node only, though 2 sockets: ")]
)
def test_one_node_may_hide_more(packages: int | None, start: str) -> None:
    warnings = judged(Record("x", (NodeRecord(0, (0,), 5),), packages=packages)).warnings
    assert warnings == (f"{start}node interleaving in the firmware or a virtual machine may hide more",)


def test_no_distances_are_unknown_distances() -> None:
    assert judged(Record("x", (NodeRecord(0), NodeRecord(1)))).warnings == (
        "the distances between the nodes are missing: unknown",
    )
    assert judged(Record("x")).warnings == ()


@pytest.mark.parametrize("memory_mib", [4096.0, None, 0.0])
def test_memory_near_to_all_is_spread_over_them_unless_there_is_none(memory_mib: float | None) -> None:
    rows = ((10, 40, 40, 14), (40, 10, 40, 14), (40, 40, 10, 14), (14, 14, 14, 10))
    nodes = (*(NodeRecord(node, (node,), 100.0) for node in range(3)), NodeRecord(3, (), memory_mib))
    warnings = judged(Record("x", nodes, (_matrix(*rows),))).warnings
    said = "node 3 (no CPUs) is nearer to every node than any other node: memory spread over all, not a place"
    assert (said in warnings) is (memory_mib != 0)
