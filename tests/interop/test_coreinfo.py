"""Coreinfo's masks and costs are read exactly, with one group of processors or several, or refused with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import coreinfo
from simulator.interop.formats import read_record, read_text
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import source_of

FIXTURES = Path(__file__).parent / "fixtures"
MAP = "Logical Processor to NUMA Node Map:\n**--  NUMA Node 0\n--**  NUMA Node 1\n\n"
COSTS = "Approximate Cross-NUMA Node Access Cost (relative to fastest):\n     00  01\n00: 1.0 1.6\n01: 1.6 1.0\n"


def _read(text: str) -> Record:
    return read_text(source_of(text.encode(), "x"))


def _error(text: str) -> str:
    with pytest.raises(InputError) as caught:
        coreinfo.read(source_of(text.encode(), "x"))
    return str(caught.value)


def _costs(*rows: tuple[float, ...]) -> tuple[Matrix, ...]:
    ids = tuple(range(len(rows)))
    return (Matrix(Kind.LATENCY, Unit.RELATIVE, ids, ids, rows, "access cost"),)


def test_the_whole_output() -> None:
    record = read_record(FIXTURES / "coreinfo-whole.txt")
    nodes = tuple(NodeRecord(node, tuple(range(3 * node, 3 * node + 3)), package=node // 2) for node in range(4))
    costs = _costs((1.0, 1.5, 1.6, 2.1), (1.5, 1.1, 2.1, 1.6), (1.6, 2.0, 1.0, 1.5), (2.1, 1.6, 1.5, 1.0))
    warning = "the access costs are not symmetric: 1 pair differs"
    assert record == Record("coreinfo", nodes, costs, packages=2, title="AMD Opteron(tm) Processor 6128", warnings=(warning,))


def test_groups_have_a_line_of_the_mask_each() -> None:
    record = read_record(FIXTURES / "coreinfo-groups.txt")
    assert record.nodes == (
        NodeRecord(0, (0, 1, 2, 3, 4), package=0),
        NodeRecord(1, (5, 6, 7), package=0),
        NodeRecord(2, tuple(range(8, 16)), package=1),
    )
    assert (record.packages, record.matrices) == (2, ())


def test_a_label_that_a_mail_program_put_on_the_next_line() -> None:
    assert _read(MAP.replace("  NUMA", "\nNUMA")) == _read(MAP)


def test_tabs_crlf_and_utf_16() -> None:
    text = (MAP + COSTS).replace("\n", "\r\n\t")
    plain = _read(MAP + COSTS)
    assert plain.matrices == _costs((1.0, 1.6), (1.6, 1.0))
    assert (plain.packages, plain.warnings) == (None, ())
    assert read_text(source_of(("\t" + text).encode("utf-16"), "x")) == plain


def test_no_numa_nodes_is_one_node() -> None:
    record = _read("Logical Processor to NUMA Node Map:\n****  NUMA Node 0\n\nNo NUMA nodes.\n")
    assert (record.nodes, record.matrices) == ((NodeRecord(0, (0, 1, 2, 3)),), ())


def test_costs_that_are_noise() -> None:
    record = _read(MAP + COSTS.replace("1.0 1.6", "1.4 1.1"))
    assert record.matrices == _costs((1.4, 1.1), (1.6, 1.0))
    assert record.warnings == (
        "the access costs are unusable: a node's own memory is not its nearest (noise, or no NUMA below)",
        "the access costs are not symmetric: 1 pair differs",
    )


def test_processors_in_no_node() -> None:
    record = _read(MAP.replace("--**", "--*-") + "Logical Processor to Group Map:\n****  Group 0\n")
    assert record.warnings[0] == "CPUs 3 are in no node"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MAP[: MAP.index("--**")], "x: line 2: the map of nodes ends before CPUs 2-3: cut off"),
        (MAP[: MAP.index("--**") + 4], "x: line 3: a map of processors ends before the name of its mask: cut off"),
        (MAP[: MAP.index("--**") + 3] + "  NUMA Node 1", "x: line 3: the mask has 3 processors, the first one 4"),
        (MAP[:-4] + "\n", "x: line 3: is no name of a node or socket, or one cut off (got 'NUMA Node')"),
        ("Logical Processor to NUMA Node Map:\n", "x: line 1: a map of processors ends before the name of its mask: cut off"),
        (MAP.replace("Node 1", "Node 0"), "x: line 3: number 0 is there twice"),
        (
            MAP.replace("**--  NUMA Node 0\n", "NUMA Node 0:\n**--\n----\n"),
            "x: line 5: number 1 has 1 lines of its mask, the first one 2",
        ),
        (MAP + COSTS[: COSTS.index("01: ")], "x: line 7: costs end before the row of node 1"),
        (MAP + COSTS[:-5], "x: line 8: the row of node 1 has 1 of 2 costs: the text is cut off here"),
        (MAP + COSTS[: COSTS.index("     00")], "x: line 5: the table of costs is missing: the text is cut off here"),
        (MAP + COSTS.replace("1.6 1.0", "1.6 0.9"), "x: line 8: is no cost, or one cut off (got '0.9')"),
        (MAP + COSTS.replace("01: ", "00: "), "x: line 8: the row of node 0 is there twice"),
        (
            MAP[:36] + "NUMA Node 0:\n" + "*\n" * 65,
            "x: line 67: a mask has too many lines; allowed: at most 64, one for each group",
        ),
        ("Coreinfo v3.6\n", "x: line 1: has no Logical Processor to NUMA Node Map; allowed: the output of coreinfo"),
    ],
)
def test_contradictions_are_refused_with_the_line(text: str, message: str) -> None:
    assert _error(text).startswith(message)
