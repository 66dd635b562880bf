"""numactl --hardware of all versions, and after what mail programs do to it, is read exactly or refused with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import numactl
from simulator.interop.formats import read_record, read_text, recognised
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import source_of

FIXTURES = Path(__file__).parent / "fixtures"
OPTERON = (
    (10, 16, 16, 22, 16, 22, 16, 22),
    (16, 10, 22, 16, 22, 16, 22, 16),
    (16, 22, 10, 16, 16, 22, 16, 22),
    (22, 16, 16, 10, 22, 16, 22, 16),
    (16, 22, 16, 22, 10, 16, 16, 22),
    (22, 16, 22, 16, 16, 10, 22, 16),
    (16, 22, 16, 22, 16, 22, 10, 16),
    (22, 16, 22, 16, 22, 16, 16, 10),
)
TABLE = "node distances:\nnode   0   1\n  0:  10  21\n  1:  21  10\n"


def _fixture(name: str) -> str:
    return (FIXTURES / f"numactl-{name}.txt").read_text(encoding="utf-8")


def _read(text: str) -> Record:
    return read_text(source_of(text.encode(), "x"))


def _error(text: str) -> str:
    with pytest.raises(InputError) as caught:
        numactl.read(source_of(text.encode(), "x"))
    return str(caught.value)


def _distances(ids: tuple[int, ...], *rows: tuple[float, ...]) -> tuple[Matrix, ...]:
    return (Matrix(Kind.DISTANCE, Unit.SLIT, ids, ids, rows, "node distances"),)


def test_four_opterons_of_two_dies() -> None:
    record = read_record(FIXTURES / "numactl-opteron-8.txt")
    memory = (8181, 8192, 8190, 8192, 8192, 8192, 8192, 8176)
    nodes = tuple(NodeRecord(node, tuple(range(6 * node, 6 * node + 6)), mib) for node, mib in enumerate(memory))
    assert record == Record("numactl", nodes, _distances(tuple(range(8)), *OPTERON))


def test_a_square_of_four() -> None:
    record = read_record(FIXTURES / "numactl-square-4.txt", "numactl")
    nodes = tuple(NodeRecord(node, (node, node + 4), 4031 if node == 0 else 4040) for node in range(4))
    matrix = _distances((0, 1, 2, 3), (10, 16, 16, 22), (16, 10, 22, 16), (16, 22, 10, 16), (22, 16, 16, 10))
    assert record == Record("numactl", nodes, matrix)


@pytest.mark.parametrize("change", ["\r\n", "tabs", "trailing", "indented", "utf-16", "double"])
def test_the_same_after_a_journey(change: str, tmp_path: Path) -> None:
    text = _fixture("opteron-8")
    changed = {
        "\r\n": text.replace("\n", "\r\n"),
        "tabs": text.replace(": ", ":\t").replace("  ", "\t"),
        "trailing": text.replace("\n", " \t \n"),
        "indented": "".join(f"   {line}\n" for line in text.splitlines()),
        "utf-16": text,
        "double": text.replace("\n", "\r\r\n"),
    }[change]
    (tmp_path / "a").write_bytes(changed.encode("utf-16" if change == "utf-16" else "utf-8"))
    assert read_record(tmp_path / "a") == read_record(FIXTURES / "numactl-opteron-8.txt")


def test_the_table_alone_tells_nothing_of_cpus_and_memory() -> None:
    table = _fixture("opteron-8").partition("node distances:\n")[2]
    assert _read(table) == Record("numactl", tuple(NodeRecord(node) for node in range(8)), _distances(tuple(range(8)), *OPTERON))


def test_old_versions_have_neither_cpus_nor_distances() -> None:
    record = read_record(FIXTURES / "numactl-old.txt")
    assert record.nodes == tuple(NodeRecord(node, None, mib) for node, mib in enumerate((0, 2015, 0, 2031)))
    assert record.matrices == ()
    assert record.warnings == ("nodes 0,2 without memory", "the distances between the nodes are missing: unknown")


def test_sparse_numbers_memory_without_cpus_and_unreachable() -> None:
    record = read_record(FIXTURES / "numactl-sparse.txt")
    assert record.nodes == (NodeRecord(0, (0, 1, 2, 3), 16021), NodeRecord(4, (4, 5, 6, 7), 0), NodeRecord(17, (), 65011))
    assert record.matrices == _distances((0, 4, 17), (10, 21, 70), (21, 10, 80), (255, 255, 10))
    assert record.matrices[0].at(4, 17) == 80
    assert record.warnings == (
        "node 17 without CPUs: only memory for others",
        "node 4 without memory",
        "distance 255 (unreachable) from node 17: harmless, for nothing there asks",
        "the distances are not symmetric: 2 pairs differ (0->17 70, 17->0 255)",
    )


def test_ranges_with_a_count_and_memory_not_available() -> None:
    record = read_record(FIXTURES / "numactl-compress.txt")
    low, high = (*range(6), *range(12, 18)), (*range(6, 12), *range(18, 24))
    assert record.nodes == (NodeRecord(0, low, 48211), NodeRecord(1, high, None))
    assert record.warnings == ()
    assert _read("node 3 cpus: (0)\n").nodes == (NodeRecord(3, ()),)


def test_fake_numa() -> None:
    record = read_record(FIXTURES / "numactl-fake.txt")
    assert record.nodes == (NodeRecord(0, (0, 1, 2, 3, 4, 5), 7011), NodeRecord(1, (0, 1, 2, 3, 4, 5), 7033))
    assert record.warnings == (
        "nodes 0-1 list the same CPUs: fake NUMA (numa=fake) on what is one node of 14044 MiB, or several kinds of memory on it",
        "all nodes are at distance 10 of each other, as of themselves: fake NUMA on one memory, not a NUMA machine",
    )


def test_no_sizes_and_flat_distances() -> None:
    record = read_record(FIXTURES / "numactl-flat.txt")
    assert record.nodes == tuple(NodeRecord(node, (2 * node, 2 * node + 1)) for node in range(4))
    assert record.warnings[0].startswith("the firmware gave no distances")


def test_mail_with_quotes_warnings_and_wrapped_lines() -> None:
    record = read_record(FIXTURES / "numactl-mail.txt")
    assert record.nodes == (NodeRecord(0, tuple(range(0, 32, 2)), 24101), NodeRecord(1, tuple(range(1, 32, 2)), 24190))
    assert record.matrices == _distances((0, 1), (10, 21), (21, 10))
    assert record.warnings == ("the text was quoted as in a mail: the marks are taken off",)


def test_quoted_printable() -> None:
    record = read_record(FIXTURES / "numactl-quoted-printable.txt")
    assert record.nodes == (NodeRecord(0, tuple(range(24)), 32040), NodeRecord(1, (24, 25, 26, 27), 32201))
    assert record.warnings == ("the text was quoted-printable, as mail programs write it: decoded",)


def test_a_broken_header_and_broken_rows() -> None:
    wrapped = _fixture("opteron-8").replace("  4   5   6", "  4\n  5   6").replace(" 16  22 \n", "\n 16  22 \n")
    assert wrapped.count("\n") > _fixture("opteron-8").count("\n") + 3
    assert _read(wrapped) == read_record(FIXTURES / "numactl-opteron-8.txt")


def test_numbers_after_a_blank_line_are_not_of_the_table() -> None:
    assert _read(TABLE + "\n0123 456\n").matrices == _distances((0, 1), (10, 21), (21, 10))


def test_no_numa_is_not_an_error() -> None:
    for text in ("No NUMA available on this system", "$ numactl -H\nNo NUMA available on this system\n"):
        record = _read(text)
        assert record == Record(
            "numactl", None, warnings=("no NUMA available: the system has one node at most, and tells nothing of it",)
        )


def test_no_distances_said_so() -> None:
    record = _read("available: 1 nodes (0)\nnode 0 cpus: 0\nnode 0 size: 5 MB\nNo distance information available.\n")
    assert (record.nodes, record.matrices) == ((NodeRecord(0, (0,), 5),), ())


def test_cut_in_a_row() -> None:
    text = _fixture("opteron-8")
    assert _error(text[: text.index("16  10  22  16") + 6]) == (
        "x: line 29: the row of node 1 has 2 of 8 distances: the text is cut off here"
    )


def test_cut_between_rows() -> None:
    text = _fixture("opteron-8")
    assert _error(text[: text.index("  5:  22")]) == "x: line 32: distances end before the row of node 5"
    assert _error(text[: text.index("node   0")]) == "x: line 26: the table of distances is missing: the text is cut off here"


def test_cut_in_the_nodes() -> None:
    text = _fixture("opteron-8")
    start = text.index("node 6 size")
    assert _error(text[:start]) == "x: line 20: node 6 has no line 'size', as other nodes have: missing or cut off"
    assert _error(text[: start + 20]) == "x: line 21: node 6 has no line 'free', as other nodes have: missing or cut off"
    sizes = "node 0 size: 8192 MB\nnode 1 size: 8192 MB\n"
    assert _error(sizes[:-5]) == "x: line 2: is no size, or one cut off (got '819'); allowed: a number with MB"
    assert (
        _error(text[: text.index("node 6 cpus")]) == "x: line 19: line 1 announces nodes 6-7 too, but the text ends without them"
    )
    assert _error(text[: text.index("node 7 cpus")]) == "x: line 22: line 1 announces node 7 too, but the text ends without it"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node 0 cpus: 0 1 x\n", "x: line 1: is no number or range of CPUs (got 'x'); allowed: 0 to 1048575, such as 0-3"),
        ("node 0 cpus: 0-99999999999\n", "x: line 1: is no number or range of CPUs (got '0-99999999999')"),
        ("node 0 cpus: 1048576\n", "x: line 1: is no number or range of CPUs (got '1048576')"),
        ("node 0 cpus: 7-3\n", "x: line 1: is no number or range of CPUs (got '7-3')"),
        ("node 0 cpus: 3 4 3\n", "x: line 1: CPU 3 is listed twice"),
        ("node 0 cpus: 0-1048575\nnode 1 cpus: 0-1\n", "x: line 2: lists 2 CPUs; allowed: at most 0 more here"),
        ("node 0 cpus: 0-3 (5)\n", "x: line 1: lists 4 CPUs, but counts 5"),
        ("node 0 size: 5 MB\n\nnode 0 size: 5 MB\n", "x: line 3: node 0 size is there twice, first in line 1"),
        (
            "node 0 size: 1000000000000000 MB\n",
            "x: line 1: is no amount of memory (got '1000000000000000'); allowed: 0 to 1,099,",
        ),
        ("node 0 size: 5 GB\n", "x: line 1: is no size, or one cut off (got '5 GB')"),
        ("node 99999 size: 5 MB\n", "x: line 1: is no number of a node (got '99999'); allowed: 0 to 65535"),
        (TABLE.replace("  1:", "  0:"), "x: line 4: the row of node 0 is there twice, first in line 3"),
        (TABLE.replace("  1:", "  2:"), "x: line 4: distances have a row of node 2, but no column"),
        (TABLE.replace("0   1\n", "0   0\n"), "x: line 2: node 0 is listed twice"),
        (TABLE.replace("21  10", "21  10  21"), "x: line 4: the row of node 1 has 3 distances for 2 columns"),
        (TABLE.replace("10  21", "10  2"), "x: line 3: is no distance, or a number cut off (got '2'); allowed: 10 to 255"),
        (TABLE.replace("10  21", "10 256"), "x: line 3: is no distance, or a number cut off (got '256')"),
        ("node 2 size: 7 MB\n" + TABLE, "x: line 5: the distances have no column of node 2"),
        ("nothing of it\n", "x: line 1: has no line of a node and no distances; allowed: the output of numactl --hardware"),
    ],
)
def test_contradictions_are_refused_with_the_line(text: str, message: str) -> None:
    assert _error(text).startswith(message)


def test_nodes_by_the_thousand_are_refused() -> None:
    text = "".join(f"node {node} size: 1 MB\n" for node in range(513))
    assert _error(text) == "x: line 513: there are 513 nodes; allowed: at most 512"


def test_other_tools_are_not_taken_for_numactl() -> None:
    for text in ("Numa node            0       1\n       0        90.1   140.2\n", "Node 0, zone DMA\n", "node\n0: 1\n"):
        assert not numactl.recognises(source_of(text.encode(), "x"))
    assert recognised(source_of(TABLE.encode(), "x")).name == "numactl"
