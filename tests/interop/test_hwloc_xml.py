"""XML of hwloc: nodes, processors, memory, the right one of several matrices; and what is refused of XML from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import hwloc_document, hwloc_xml
from simulator.interop.record import Kind, NodeRecord, Record, Unit
from simulator.interop.source import Source, read_source

FIXTURES = Path(__file__).parent / "fixtures"
MACHINE = '<object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3">'


def read(name: str) -> Record:
    source = read_source(FIXTURES / name)
    assert hwloc_xml.recognises(source)
    return hwloc_xml.read(source)


def read_text(text: str) -> Record:
    return hwloc_xml.read(Source("pasted.xml", text))


def topology(inside: str, after: str = "", version: str = "2.0") -> str:
    return f'<topology version="{version}">\n{MACHINE}\n{inside}\n</object>\n{after}\n</topology>'


def node(number: int, cpuset: str = "0x1", more: str = "") -> str:
    return f'<object type="NUMANode" os_index="{number}" gp_index="{50 + number}" cpuset="{cpuset}" {more}/>'


def distances(indexes: str, values: str, count: int = 2, **attributes: str) -> str:
    words = {"type": "NUMANode", "kind": "5", "name": "NUMALatency", "indexing": "os", **attributes}
    named = " ".join(f'{name}="{value}"' for name, value in words.items())
    return f'<distances2 nbobjs="{count}" {named}><indexes>{indexes}</indexes><u64values>{values}</u64values></distances2>'


def test_two_packages_of_two_nodes() -> None:
    record = read("hwloc-two-packages.xml")
    assert record.format == "hwloc-xml"
    assert record.packages == 2
    assert record.title == "Invented Processor 6100"
    assert record.nodes == tuple(
        NodeRecord(number, (2 * number, 2 * number + 1), 6144.0 + number, package=number // 2) for number in range(4)
    )


def test_the_firmwares_matrix_comes_first_in_the_order_of_node_numbers() -> None:
    matrix = read("hwloc-two-packages.xml").matrices[0]
    assert (matrix.kind, matrix.unit, matrix.name) == (Kind.DISTANCE, Unit.SLIT, "NUMALatency")
    assert matrix.rows == matrix.columns == (0, 1, 2, 3)
    assert matrix.values == ((10, 18, 16, 22), (18, 10, 22, 19), (16, 22, 10, 17), (22, 19, 17, 10))


def test_a_users_matrix_is_relative_to_its_smallest_value() -> None:
    matrix = read("hwloc-two-packages.xml").matrices[1]
    assert (matrix.unit, matrix.name) == (Unit.RELATIVE, "measured")
    assert matrix.values[0] == (1.0, 1.22, 1.42, 1.6)
    assert matrix.values[3] == (1.6, 1.4, 1.2, 1.0)


def test_matrices_of_other_objects_are_not_taken() -> None:
    record = read("hwloc-two-packages.xml")
    assert [matrix.name for matrix in record.matrices] == ["NUMALatency", "measured"]
    assert "the matrix 'copying' between nodes is left out: hwloc defines no unit for it" in record.warnings


def test_part_of_a_machine() -> None:
    record = read("hwloc-part.xml")
    assert record.nodes == (
        NodeRecord(1, (4, 5), None, package=1),
        NodeRecord(3, (), 3072.0),
        NodeRecord(5, (64, 65), 0.0, package=3),
    )
    assert "not allowed or offline here: CPUs 66; this is a part of the machine" in record.warnings
    assert "not allowed or offline here: nodes 0; this is a part of the machine" in record.warnings
    assert "the file does not tell the memory of node 1" in record.warnings


def test_version_1() -> None:
    record = read("hwloc-old.xml")
    assert record.packages == 2
    assert record.nodes == (NodeRecord(0, (0, 2), 2047.0, package=0), NodeRecord(1, (1, 3), 2048.0, package=1))
    (matrix,) = record.matrices
    assert (matrix.unit, matrix.rows) == (Unit.SLIT, (0, 1))
    assert matrix.values == ((10, 21), (20, 10))


def test_version_1_without_numa_is_one_node() -> None:
    record = read("hwloc-no-numa.xml")
    assert record.nodes == (NodeRecord(0, (0, 1, 2, 3), 512.0),)
    assert "the file has no NUMANode: the whole machine is taken as one node" in record.warnings


def test_version_1_as_version_2_writes_it_names_a_depth_that_the_tree_does_not_have() -> None:
    packages = "".join(f'<object type="Socket" os_index="{number}">{node(number)}</object>' for number in range(2))
    held = '<distances nbobjs="2" relative_depth="3" latency_base="1.0">'
    held += "".join(f'<latency value="{value}"/>' for value in (10, 14, 15, 10)) + "</distances>"
    (matrix,) = read_text(f"<topology>{MACHINE}{held}{packages}</object></topology>").matrices
    assert (matrix.unit, matrix.values) == (Unit.SLIT, ((10, 14), (15, 10)))


def test_version_1_distances_of_as_many_cores_are_none_of_nodes() -> None:
    held = '<distances nbobjs="2" relative_depth="2" latency_base="1.0">'
    held += "".join(f'<latency value="{value}"/>' for value in (1, 7, 7, 1)) + "</distances>"
    core = '<object type="Core" os_index="0"/></object>'
    nodes = "".join(node(number).replace("/>", ">" + core) for number in range(2))
    assert read_text(f"<topology>{MACHINE}{held}{nodes}</object></topology>").matrices == ()


def test_the_package_of_a_node_is_told_only_where_it_is_one() -> None:
    packages = '<object type="Package" os_index="4"/>', '<object type="Package" os_index="5"/>'
    group = '<object type="Group">' + node(0)
    one, two = (read_text(topology(group + inside + "</object>")) for inside in (packages[0], "".join(packages)))
    assert [record.nodes[0].package for record in (one, two) if record.nodes] == [4, None]


def test_the_nearest_initiator_wins_whatever_the_order() -> None:
    values = [
        f'<memattr_value target_obj_gp_index="50" value="{value}" initiator_cpuset="{cpuset}"/>'
        for value, cpuset in ((300, "0x3"), (100, "0x1"))
    ]
    for ordered in (values, values[::-1]):
        attribute = '<memattr name="Latency" flags="6">' + "".join(ordered) + "</memattr>"
        (matrix,) = read_text(topology(node(0) + node(1, "0x2"), attribute)).matrices
        assert (matrix.rows, matrix.columns, matrix.values) == ((0, 1), (0,), ((100.0,), (300.0,)))


def test_nodes_that_are_only_named_are_told() -> None:
    text = topology(node(1)).replace('os_index="0" cpuset', 'os_index="0" nodeset="0x00000007" cpuset', 1)
    assert "the file names nodes 0,2 without describing them" in read_text(text).warnings
    assert not any("without describing" in warning for warning in read("hwloc-two-packages.xml").warnings)


def test_memory_attributes_become_matrices() -> None:
    record = read("hwloc-attributes.xml")
    bandwidth, latency = record.matrices
    assert (bandwidth.kind, bandwidth.unit, bandwidth.name) == (Kind.BANDWIDTH, Unit.MB_PER_S, "Bandwidth")
    assert (bandwidth.rows, bandwidth.columns) == ((0, 1), (0, 1, 2))
    assert bandwidth.values == ((41943.04, None, 9437.184), (None, 31457.28, 8388.608))  # MiB/s times 1.048576
    assert (latency.kind, latency.unit, latency.name) == (Kind.LATENCY, Unit.NS, "ReadLatency")
    assert (latency.rows, latency.columns, latency.values) == ((0,), (1,), ((141.0,),))
    assert "1 values of the memory attribute Bandwidth are left out: their initiators are no nodes" in record.warnings
    assert "the memory attribute 'shininess' is left out: hwloc defines no unit for it" in record.warnings


def test_gp_indexes_name_nodes_too() -> None:
    text = topology(node(4) + node(9), distances("59 54", "10 33 44 10", indexing="gp"))
    matrix = read_text(text).matrices[0]
    assert (matrix.rows, matrix.values) == ((4, 9), ((10, 44), (33, 10)))


def test_a_newer_version_is_read_with_a_warning() -> None:
    assert any("version '4'" in warning for warning in read_text(topology(node(0), version="4.1")).warnings)
    assert not any("version" in warning for warning in read_text(topology(node(0), version="3.0")).warnings)


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("hwloc-*.xml")))
def test_cut_off_anywhere_is_an_error_that_says_where(name: str) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8").rstrip()
    for end in range(60, len(text), 97):
        with pytest.raises(InputError, match=rf"cut: line {text[:end].count(chr(10)) + 1}: .*cut off"):
            hwloc_xml.read(Source("cut", text[:end]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (topology(node(0) + "\n" + node(0)), "line 4: a NUMANode is there twice"),
        (topology('<object type="NUMANode" cpuset="0x1"/>'), "line 3: a NUMANode has no os_index"),
        (topology(node(0, more='local_memory="-1"')), "line 3: local_memory is no whole number"),
        (topology(node(0, more='local_memory="' + "9" * 4000 + '"')), "line 3: local_memory is no whole number"),
        (topology(node(0, "0xf...f")), "line 3: cpuset is infinite"),
        (topology(node(0, "0x1,2")), "line 3: cpuset is no bitmap"),
        (topology(node(0, "")), "line 3: cpuset is no bitmap"),
        (topology(node(0, "0x1" + ",0x0" * 300)), "line 3: cpuset is too long"),
        (topology(node(0) + node(1), distances("0 2", "10 20 20 10")), "line 5: indexes name a node that is not there"),
        (topology(node(0) + node(1), distances("0 0", "10 20 20 10")), "line 5: indexes name a node twice"),
        (topology(node(0) + node(1), distances("0 1", "10 20 20")), "line 5: a matrix of 2 nodes has another number of values"),
        (topology(node(0) + node(1), distances("0 1", "10 20 20 x")), "line 5: a number in u64values is no whole number"),
        (topology(node(0) + node(1), distances("0 1", "10 20 20 10", count=3)), "line 5: indexes are not as many as nbobjs"),
        (topology(node(0), distances("0", "10", count=1) * 65), "line 5: has too many matrices"),
        ("<topology></topology>", "line 1: is no topology with objects"),
        ("<other><topology/></other>", "line 1: is no topology with objects"),
        (topology("</object>"), "line 4: is not well-formed XML: mismatched tag"),
        (topology("\0"), "line 3: is not well-formed XML"),
    ],
)
def test_what_contradicts_itself_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_text(text)
    assert f"pasted.xml: {message}" in str(caught.value)


def test_entities_are_refused_before_they_grow() -> None:
    bomb = "<!DOCTYPE topology [<!ENTITY a0 'lol'>"
    bomb += "".join(f"<!ENTITY a{step} '{f'&a{step - 1};' * 10}'>" for step in range(1, 12)) + "]>"
    for text in (
        bomb + "<topology>&a11;</topology>",
        "<!DOCTYPE topology [<!ENTITY big '" + "x" * 100_000 + "'>]><topology>" + "&big;" * 50_000 + "</topology>",
        "<!DOCTYPE topology [<!ENTITY % more SYSTEM 'http://localhost/x.dtd'> %more;]><topology/>",
        "<!DOCTYPE topology [<!ATTLIST object type CDATA 'Machine'>]><topology><object/></topology>",
    ):
        source = Source("bomb", text)
        assert hwloc_xml.recognises(source)
        with pytest.raises(InputError, match="bomb: line 1: declares (entities|a document type of its own)"):
            hwloc_xml.read(source)


def test_files_that_entities_name_are_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("not to be read")
    text = f"<!DOCTYPE topology [<!ENTITY file SYSTEM '{secret.as_uri()}'>]><topology>&file;</topology>"
    with pytest.raises(InputError) as caught:
        read_text(text)
    assert "not to be read" not in str(caught.value)
    with pytest.raises(InputError, match="undefined entity"):
        read_text(f"<!DOCTYPE topology SYSTEM '{secret.as_uri()}'><topology>&file;</topology>")


def test_depth_elements_and_size_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="nested too deep"):
        read_text("<topology>" + "<object>" * 100_000)
    with pytest.raises(InputError, match="too many elements"):
        read_text("<topology>" + "<a/>" * 200_000)
    monkeypatch.setattr(hwloc_document, "MAX_CHARACTERS", 1000)
    with pytest.raises(InputError, match="too large"):
        read_text(topology(node(0)) + " " * 1000)


def test_only_hwlocs_xml_is_recognised() -> None:
    assert not hwloc_xml.recognises(Source("x", "<html><topology/></html>".replace("topology", "body")))
    assert not hwloc_xml.recognises(Source("x", "a text that says <topology>"))
    assert hwloc_xml.recognises(Source("x", "<?xml version='1.0'?>\n<!-- a comment -->\n<topology>"))
