"""STREAM: the four rates of each run, new and old heads, its own check."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import stream
from simulator.interop.record import Figure, Unit
from simulator.interop.source import Source, read_source

FIXTURES = Path(__file__).parent / "fixtures"
TEXT = (FIXTURES / "stream-openmp.txt").read_text(encoding="utf-8")


def test_rates_and_threads() -> None:
    source = read_source(FIXTURES / "stream-openmp.txt")
    assert stream.recognises(source)
    record = stream.read(source)
    rates = {"Copy": 41210.5, "Scale": 40800.1, "Add": 45120.9, "Triad": 45300.2}
    assert record.figures == tuple(Figure(name, rate, Unit.MB_PER_S, threads=12) for name, rate in rates.items())
    assert (record.nodes, record.matrices) == (None, ())
    assert record.warnings == ("STREAM does not tell which CPUs asked which node",)


def test_the_old_head_and_no_check() -> None:
    record = stream.read(read_source(FIXTURES / "stream-old.txt"))
    assert [(figure.value, figure.threads) for figure in record.figures] == [
        (4210.2512, None),
        (4100.5, None),
        (4400.75, None),
        (4390.125, None),
    ]
    assert "STREAM's own check of the results is not in the text" in record.warnings


def test_runs_one_after_the_other_keep_their_threads() -> None:
    second = "\n".join(line for line in TEXT.split("\n") if "Number of Threads" not in line)
    figures = stream.read(Source("x", TEXT + second)).figures
    assert [figure.threads for figure in figures] == [12] * 4 + [None] * 4


def test_a_failed_check_is_told() -> None:
    failed = TEXT.replace("Solution Validates: avg", "Failed Validation on array a[], AvgRelAbsErr")
    assert "STREAM's own check of the results failed" in stream.read(Source("x", failed)).warnings


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("41210.5", "inf", "line 10: is no rate (got 'inf')"),
        ("41210.5", "0.0", "line 10: is no rate (got '0.0')"),
        ("     0.031190", "", "line 10: the row of a kernel needs a rate and three times"),
        ("Scale: ", "Scala: ", "line 12: a row of Scale is missing here (got 'Add')"),
        ("Triad: ", "Tri: ", "line 16: the table ends before Triad"),
    ],
)
def test_wrong_tables_say_where(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        stream.read(Source("pasted", TEXT.replace(old, new, 1)))
    assert f"pasted: {message}" in str(caught.value)


def test_cut_off_between_rows_says_so() -> None:
    with pytest.raises(InputError, match="cut: line 11: the table ends before Add"):
        stream.read(Source("cut", TEXT[: TEXT.index("Add:")]))
    assert not stream.recognises(Source("x", "Copy: 1.0\n"))
