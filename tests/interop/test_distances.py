"""Rows of distances alone make nodes of which nothing else is known, or are refused with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import distances
from simulator.interop.formats import read_record, read_text
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import source_of

FIXTURES = Path(__file__).parent / "fixtures"
FIVE = ((10, 21, 21, 30, 30), (21, 10, 21, 30, 30), (21, 21, 10, 30, 30), (30, 30, 30, 10, 21), (30, 30, 30, 21, 10))


def _read(text: str) -> Record:
    return read_text(source_of(text.encode(), "x"))


def _error(text: str) -> str:
    with pytest.raises(InputError) as caught:
        distances.read(source_of(text.encode(), "x"))
    return str(caught.value)


def test_five_nodes() -> None:
    ids = tuple(range(5))
    matrix = Matrix(Kind.DISTANCE, Unit.SLIT, ids, ids, FIVE, "distance")
    assert read_record(FIXTURES / "distances-5.txt") == Record("distances", tuple(map(NodeRecord, ids)), (matrix,))


def test_a_command_before_the_rows() -> None:
    text = "user@host:~$ cat /sys/devices/system/node/node*/distance\n10 21\n21 10\n"
    assert _read(text).matrices[0].values == ((10, 21), (21, 10))


def test_rows_in_the_order_of_names() -> None:
    """The shell puts node10 before node2; columns are in the order of numbers."""
    rows = [[10 if a == b else 20 + abs(a - b) for b in range(12)] for a in range(12)]
    by_name = sorted(range(12), key=str)
    record = _read("".join(" ".join(map(str, rows[node])) + "\n" for node in by_name))
    assert by_name[:4] == [0, 1, 10, 11]
    assert record.matrices[0].values == tuple(map(tuple, rows))
    assert record.warnings == ("the rows came in the order of the names (node1, node10, node2): put in the order of the numbers",)


def test_wrapped_rows() -> None:
    text = "".join(" ".join(map(str, row[:3])) + "\n" + " ".join(map(str, row[3:])) + "\n" for row in FIVE)
    record = _read(text)
    assert record.matrices[0].values == FIVE
    assert record.warnings == ("the rows were broken over several lines: joined",)


def test_zero_on_the_diagonal() -> None:
    assert _read("0 21\n21 0\n").matrices[0].values == ((10, 21), (21, 10))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("10 41 31 51\n", "x: line 1: one row of 4 is no matrix: the rows of the other 3 nodes are missing; allowed: all rows"),
        ("10 20 20 10\n", "x: line 1: one row of 4 is no matrix"),
        ("10 21 31\n21 10 31\n", "x: line 2: there are 2 rows of 3 distances; allowed: 3 rows"),
        ("10 21 31\n\n21 10\n31 31 10\n", "x: line 3: the row has 2 distances, the first one 3"),
        ("10 21\n21 1\n", "x: line 2: is no distance, or a number cut off (got '1'); allowed: 10 to 255"),
        ("10 21\n21 x\n", "x: line 2: is no distance, or a number cut off (got 'x')"),
        ("$ cat a\n", "x: has no row of distances; allowed: rows of numbers"),
        ("10 " * 513, "x: line 1: has 513 columns; allowed: at most 512"),
    ],
)
def test_what_is_no_square_is_refused(text: str, message: str) -> None:
    assert _error(text).startswith(message)


@pytest.mark.parametrize(
    "text", ["0.00049 1.667\n0.00098 1.667\n", "1 2\n3 4\n", "10 300\n300 10\n", "10 20\nhello\n", "a,b\n10,20\n"]
)
def test_other_numbers_are_not_taken_for_distances(text: str) -> None:
    assert not distances.recognises(source_of(text.encode(), "x"))
