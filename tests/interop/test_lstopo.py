"""Console text of lstopo: where the processors of a node stand in old and new versions, numbers of all kinds, distances."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import lstopo
from simulator.interop.record import Kind, NodeRecord, Record, Unit
from simulator.interop.source import Source, read_source

FIXTURES = Path(__file__).parent / "fixtures"
LOGICAL = "Machine (2048MB total)\n  Package L#0\n    NUMANode L#0 (2048MB)\n    Core L#0 + PU L#0\n    Core L#1 + PU L#1\n"


def read(name: str) -> Record:
    source = read_source(FIXTURES / name)
    assert lstopo.recognises(source)
    return lstopo.read(source)


def read_text(text: str) -> Record:
    return lstopo.read(Source("pasted", text))


def test_new_form_has_processors_beside_the_node() -> None:
    record = read("lstopo-new.txt")
    assert record.packages == 2
    assert record.nodes == (
        NodeRecord(0, (1, 5), 7168.0, package=0),
        NodeRecord(1, (2, 3), 14336.0, package=1),
        NodeRecord(2, (0, 4), 7000.0, package=0),
        NodeRecord(7, (), None),
    )
    assert "memory is rounded to whole GB" in record.warnings
    assert "all processors are those of other nodes: node 7 under the machine itself is taken as without CPUs" in record.warnings


def test_logical_indexes_of_distances_become_the_systems_numbers() -> None:
    (matrix,) = read("lstopo-new.txt").matrices
    assert (matrix.kind, matrix.unit, matrix.name) == (Kind.DISTANCE, Unit.SLIT, "NUMALatency")
    assert matrix.rows == matrix.columns == (0, 1, 2, 7)
    assert matrix.values == ((10, 31, 12, 42), (31, 10, 30, 43), (12, 30, 10, 41), (255, 255, 255, 10))


def test_old_form_has_processors_under_the_node() -> None:
    record = read("lstopo-old.txt")
    assert record.packages == 2
    assert record.nodes == (
        NodeRecord(0, (0, 1), 8192.0, package=0),
        NodeRecord(1, (2, 3), 16384.0, package=1),
        NodeRecord(3, (), 4.0),
    )
    (matrix,) = record.matrices
    assert (matrix.unit, matrix.rows) == (Unit.RELATIVE, (0, 1, 3))
    assert matrix.values == ((1.0, 1.6, 2.2), (1.6, 1.0, 1.6), (2.2, 1.6, 1.0))


def test_physical_numbers() -> None:
    record = read("lstopo-physical.txt")
    assert record.nodes == (NodeRecord(3, (2, 3), 4608.0), NodeRecord(5, (8, 9), 4608.0))
    assert record.packages is None


def test_logical_numbers_are_kept_with_a_warning() -> None:
    record = read_text(LOGICAL)
    assert record.nodes == (NodeRecord(0, (0, 1), 2048.0, package=0),)
    assert "the numbers are hwloc's own (lstopo -l), maybe not the operating system's" in record.warnings


def test_verbose_form() -> None:
    record = read("lstopo-verbose.txt")
    assert record.title == "Invented CPU 9"
    assert record.nodes == (NodeRecord(0, (0, 1), 1024.0, package=2), NodeRecord(1, (0, 1), 2048.0, package=2))
    assert not record.matrices


def test_distances_alone() -> None:
    record = read("lstopo-distances.txt")
    assert record.nodes == (NodeRecord(0), NodeRecord(4), NodeRecord(6))
    (matrix,) = record.matrices  # that of the packages is none of nodes
    assert matrix.values == ((10, 25, 15), (26, 10, 20), (15, 20, 10))
    logical = (FIXTURES / "lstopo-distances.txt").read_text().replace("by physical", "by logical")
    assert any("numbered by hwloc" in warning for warning in read_text(logical).warnings)


def test_a_node_of_a_package_has_all_its_processors_though_nodes_in_it_have_them_too() -> None:
    inner = "    L3 L#{0} (8MB)\n      NUMANode L#{0} (P#{0} 512MB)\n      Core L#{0} + PU L#{0} (P#{0})\n"
    text = "Machine (3072MB total)\n  Package L#0\n    NUMANode L#2 (P#2 2048MB)\n" + inner.format(0) + inner.format(1)
    record = read_text(text)
    assert [node.cpus for node in record.nodes or ()] == [(0,), (1,), (0, 1)]


def test_without_processing_units_the_cpus_are_unknown() -> None:
    record = read_text("Machine (1024MB)\n  NUMANode L#0 (P#0 1024MB)\n  Core L#0\n")
    assert record.nodes == (NodeRecord(0, None, 1024.0),)
    assert "the text shows no processing units: CPUs are unknown" in record.warnings


def test_without_nodes_the_machine_is_one() -> None:
    record = read_text("Machine (2000MB) + Socket L#0\n  Core L#0 + PU L#0 (P#0)\n  Core L#1 + PU L#1 (P#2)\n")
    assert record.nodes == (NodeRecord(0, (0, 2), 2000.0),)


def test_cut_off_inside_an_object_says_where() -> None:
    text = (FIXTURES / "lstopo-physical.txt").read_text()
    for end, line in ((text.index("P#3 (46") + 7, 7), (text.rindex("PU P") + 4, 9), (text.index("P#5") + 2, 3)):
        with pytest.raises(InputError, match=rf"pasted: line {line}: a (NUMANode|PU) has no number, or the text is cut off here"):
            read_text(text[:end])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("     0    15    10    25\n", "", "line 4: is no row of 0 with 3 values"),
        ("20    26    10\n", "20    26\n", "line 5: is no row of 4 with 3 values"),
        (" index     6     0     4\n", " index     6     6     4\n", "line 2: has no line of the 3 indexes here"),
        ("between 3 NUMANodes", "between 3000 NUMANodes", "line 1: is a matrix of too many nodes, or none"),
        ("25\n", "2x\n", "line 4: is no row of 0 with 3 values"),
    ],
)
def test_wrong_matrices_say_where(old: str, new: str, message: str) -> None:
    text = (FIXTURES / "lstopo-distances.txt").read_text()
    assert old in text
    with pytest.raises(InputError) as caught:
        read_text(text.replace(old, new, 1))
    assert f"pasted: {message}" in str(caught.value)


def test_a_matrix_that_ends_too_early_says_so() -> None:
    lines = (FIXTURES / "lstopo-distances.txt").read_text().split("\n")
    with pytest.raises(InputError, match="pasted: line 4: the matrix ends before the row of 4"):
        read_text("\n".join(lines[:4]))


def test_a_node_twice_is_refused() -> None:
    with pytest.raises(InputError, match="node 0 is listed twice"):
        read_text(LOGICAL + LOGICAL)


def test_other_texts_are_not_recognised() -> None:
    assert not lstopo.recognises(Source("x", "Machine learning with a PU L#0\n"))
    assert not lstopo.recognises(Source("x", "available: 2 nodes (0-1)\n"))
