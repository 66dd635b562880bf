"""likwid-topology of old and new versions is read exactly, drawing or not, or refused with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import likwid
from simulator.interop.formats import read_record, read_text
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import source_of

FIXTURES = Path(__file__).parent / "fixtures"
GRAPHIC = (FIXTURES / "likwid-graphic.txt").read_text(encoding="utf-8")
NUMA = (
    "NUMA domains:\t\t2\nDomain:\t\t\t0\nProcessors:\t\t( 0 2 1 3 )\nDistances:\t\t10 21\nTotal memory:\t\t512 MB\n"
    "Domain:\t\t\t1\nProcessors:\t\t( )\nDistances:\t\t21 10\nTotal memory:\t\t256.5 MB\n"
)


def _read(text: str) -> Record:
    return read_text(source_of(text.encode(), "x"))


def _error(text: str) -> str:
    with pytest.raises(InputError) as caught:
        likwid.read(source_of(text.encode(), "x"))
    return str(caught.value)


def test_two_sockets_of_two_dies_with_the_drawing() -> None:
    record = read_record(FIXTURES / "likwid-graphic.txt")
    memory = (8011.5, 8064, 8064, 8060.25)
    nodes = tuple(NodeRecord(node, (node, node + 4), memory[node], package=node % 2) for node in range(4))
    ids, rows = (0, 1, 2, 3), ((10, 16, 16, 22), (16, 10, 22, 16), (16, 22, 10, 16), (22, 16, 16, 10))
    matrix = Matrix(Kind.DISTANCE, Unit.SLIT, ids, ids, rows, "Distances")
    assert record == Record("likwid", nodes, (matrix,), packages=2, title="AMD Opteron(tm) Processor 6176")


def test_without_the_drawing_it_is_the_same() -> None:
    assert _read(GRAPHIC[: GRAPHIC.index("Graphical")]) == _read(GRAPHIC)


def test_old_versions_have_memory_in_one_line() -> None:
    record = read_record(FIXTURES / "likwid-old.txt")
    assert record.nodes == (NodeRecord(0, tuple(range(6)), 6133.75), NodeRecord(1, tuple(range(6, 12)), 6144))
    assert record.matrices[0].values == ((10, 22), (22, 10))
    assert (record.packages, record.title, record.warnings) == (None, None, ())


def test_processors_are_sorted_and_may_be_none() -> None:
    record = _read(NUMA)
    assert record.nodes == (NodeRecord(0, (0, 1, 2, 3), 512), NodeRecord(1, (), 256.5))
    assert record.warnings == ("node 1 without CPUs: only memory for others",)


def test_a_cut_table_of_threads_tells_fewer_sockets() -> None:
    record = _read("HWThread Thread Core Socket Available\n0 0 0 0 *\n1 0 1 1 *\n2 0\n" + NUMA)
    assert (record.packages, [node.package for node in record.nodes or ()]) == (2, [None, None])


def test_wrapped_lists() -> None:
    assert _read(NUMA.replace("2 1 3", "2\n1 3").replace("10 21", "10\n21")) == _read(NUMA)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GRAPHIC[: GRAPHIC.index("NUMA Topology")], "x: line 32: the section NUMA Topology has no domain: missing or cut off"),
        (NUMA[: NUMA.rindex("Domain:")], "x: line 5: line 1 announces 2 domains, but there are 1: the text is cut off"),
        (NUMA[: NUMA.rindex("Distances:")], "x: line 7: domain 1 has no line of its total memory: missing or cut off"),
        (NUMA[: NUMA.rindex("Total")], "x: line 8: domain 1 has no line of its total memory: missing or cut off"),
        (NUMA[: NUMA.rindex("Proc")], "x: line 6: domain 1 has no line of its processors: missing or cut off"),
        (NUMA[: NUMA.rindex(".5")], "x: line 9: is no amount of memory, or one cut off (got '256')"),
        (NUMA.replace("21 10", "21"), "x: line 8: domain 1 has 1 distances for 2 domains"),
        (NUMA.replace("21 10", "21 1"), "x: line 8: is no distance, or a number cut off (got '1')"),
        (NUMA.replace("( 0 2", "( 0 x"), "x: line 3: is no number or range of CPUs (got 'x')"),
        (NUMA.replace("( 0 2", "( 0 0"), "x: line 3: CPU 0 is listed twice"),
        (NUMA.replace("\t1\n", "\t0\n"), "x: line 6: domain 0 is there twice"),
        (NUMA.replace("Distances:", "Processors:"), "x: line 4: domain 0 has two lines of its processors"),
    ],
)
def test_contradictions_are_refused_with_the_line(text: str, message: str) -> None:
    assert _error(text).startswith(message)
