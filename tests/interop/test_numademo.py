"""numademo: bandwidths of pairs where the text names the node that asks and the node that answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import numademo
from simulator.interop.record import Kind, NodeRecord, Unit
from simulator.interop.source import Source, read_source

FIXTURES = Path(__file__).parent / "fixtures"
TEXT = (FIXTURES / "numademo.txt").read_text(encoding="utf-8")


def test_pairs() -> None:
    source = read_source(FIXTURES / "numademo.txt")
    assert numademo.recognises(source)
    record = numademo.read(source)
    (matrix,) = record.matrices
    assert (matrix.kind, matrix.unit, matrix.name) == (Kind.BANDWIDTH, Unit.MB_PER_S, "memset")
    assert (matrix.rows, matrix.columns) == ((0, 1), (0, 1))
    assert matrix.values == ((6150.5, 3600.25), (3610.5, 6050.75))
    assert record.nodes == (NodeRecord(0), NodeRecord(1))


def test_what_names_no_pair_becomes_figures() -> None:
    names = {figure.name: figure.value for figure in numademo.read(Source("x", TEXT)).figures}
    assert names["memory on node 0 memset"] == 6090.25  # before any heading: who asks is not told
    assert names["local allocation memset (running on node 0)"] == 6140.5
    assert len(names) == 7


def test_without_headings_there_is_no_matrix() -> None:
    record = numademo.read(Source("x", TEXT[: TEXT.index("running on node 0")]))
    assert (record.matrices, record.nodes) == ((), None)
    assert record.warnings[0].startswith("no result names the node that asks")


def test_a_pair_that_was_not_measured_is_unknown() -> None:
    (matrix,) = numademo.read(Source("x", TEXT[: TEXT.index("alloc on node 0")])).matrices
    assert matrix.values == ((6150.5, 3600.25), (None, 6050.75))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" Max 3650.20 MB/s Min 3500.30 MB/s\nlocal alloc", "\nlocal alloc", "line 11: is a result cut off"),
        ("Avg 6150.50", "Avg 0.00", "line 9: is no rate (got '0.00')"),
        ("Avg 6150.50", "Avg nan", "line 9: is no rate (got 'nan')"),
        ("alloc on node 1", "local memory", "line 11: node 0 asks node 0 twice"),
    ],
)
def test_errors_say_where(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError) as caught:
        numademo.read(Source("pasted", TEXT.replace(old, new, 1)))
    assert message in str(caught.value)
