"""The CSV file of measured numbers: what it may hold, what it says of what it may not, and that it comes back as written."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import InputError
from simulator.interop import measured_csv
from simulator.interop.measured import COLUMNS, LARGEST, SMALLEST, UNITS, Measurement, Quantity, measurements_csv
from simulator.interop.measured_csv import read_measurements, recognises
from simulator.interop.source import Source, read_source
from simulator.validation.comparison_report import cell_title
from simulator.workload import parse_label

HEADER = ",".join(COLUMNS)


def read(text: str) -> tuple[Measurement, ...]:
    return read_measurements(Source("f.csv", text))


def test_columns_are_the_fields() -> None:
    assert sorted(COLUMNS) == sorted(field.name for field in fields(Measurement))
    assert set(UNITS) == set(Quantity)


def test_a_whole_row() -> None:
    (row,) = read(f"{HEADER}\nstream,0,3,4,0.75,bandwidth,5.25,GB/s,1.5\n")
    assert row == Measurement("stream", Quantity.BANDWIDTH, 5.25, "GB/s", 0, 3, "4", 0.75, 1.5)


def test_only_three_columns_are_needed_in_any_order() -> None:
    assert read("unit,value,quantity\nns,90,latency\n") == (Measurement("measured", Quantity.LATENCY, 90.0, "ns"),)
    (row,) = read("quantity,value,unit,threads\ntime_per_line,41,ns,0.0.w.1   1.0.w.0\n")
    assert row.threads == "0.0.w.1 1.0.w.0"
    (row,) = read("quantity,value,unit,threads\nbandwidth,4,GB/s,08\n")
    assert row.threads == "8"


def test_as_spreadsheets_and_r_write_it(tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    text = '"experiment","quantity","value","unit","threads"\r\n"by ""chase"", idle","latency","9.5e1","ns",""\r\n\r\n'
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    source = read_source(path)
    assert recognises(source)
    (row,) = read_measurements(source)
    assert (row.experiment, row.value, row.threads) == ('by "chase", idle', 95.0, "")


def test_what_is_recognised() -> None:
    assert recognises(Source("f", f"\n\n{HEADER}\n"))
    assert recognises(Source("f", "nonsense,quantity,value,unit"))  # the message about the column helps more than "no tool"
    for text in ("", "quantity,value\n", "quantity;value;unit\n", '"quantity,value,unit\n', "available: 2 nodes (0-1)\n"):
        assert not recognises(Source("f", text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\n", "f.csv: is empty"),
        (HEADER, "f.csv: has a header and no rows"),
        ("quantity,value,units\nlatency,90,ns", "line 1: has an unknown column (got 'units'); allowed: experiment, from_node"),
        ("quantity,value,value,unit\n", "line 1: has a column twice (got 'value')"),
        ("quantity,value\nlatency,90", "line 1: has no column unit"),
        ("quantity,value,unit\nlatency,90", "line 2: has another number of cells than the header (got 2); allowed: 3"),
        ("quantity,value,unit\nlatency,90,ns,1", "line 2: has another number of cells than the header (got 4)"),
        ('quantity,value,unit\n"latency,90,ns', "line 2: is not CSV: unexpected end of data"),
        ("quantity,value,unit\n\nspeed,90,ns", "line 3, column quantity: is wrong (got 'speed'); allowed: latency, bandwidth"),
        ("quantity,value,unit\nlatency,90,us", "column unit: is wrong (got 'us'); allowed: ns"),
        ("quantity,value,unit\nbandwidth,90,ns", "column unit: is wrong (got 'ns'); allowed: GB/s, MB/s"),
        ("quantity,value,unit\nrelative_latency,1.1,ns", "column unit: is wrong (got 'ns'); allowed: nothing"),
        *(
            (f"quantity,value,unit\nlatency,{value},ns", f"column value: is wrong (got '{value}'); allowed: a number from 1e-06")
            for value in ("0", "-3", "nan", "inf", "1e300", "1e-300", "9O", "1_0", "0x5", "\u0661")
        ),
        ("quantity,value,unit\nlatency,,ns", "column value: is wrong (got ''); allowed: a number"),
        ("quantity,value,unit,from_node\nlatency,90,ns,-1", "column from_node: is wrong (got '-1'); allowed: a node's number"),
        ("quantity,value,unit,to_node\nlatency,90,ns,\u0662", "column to_node: is wrong"),
        ("quantity,value,unit,to_node\nlatency,90,ns,1234567890", "column to_node: is wrong"),
        ("quantity,value,unit,read_fraction\nlatency,90,ns,1.5", "column read_fraction: is wrong (got '1.5'); allowed: a number"),
        ("quantity,value,unit,read_fraction\nlatency,90,ns,1/3", "column read_fraction: is wrong (got '1/3')"),
        ("quantity,value,unit,ci_percent\nlatency,90,ns,-2", "column ci_percent: is wrong"),
        *(
            (
                f"quantity,value,unit,threads\nbandwidth,9,GB/s,{label}",
                f"column threads: is wrong (got '{label}'); allowed: nothing,",
            )
            for label in ("0.0.x.1", "1.5", "0.0.r.1 0.0.w", "0.0.r.1@2.5", "0.0.r.123456", "0.0.R.1", ".", "0.0.r.\u0661")
        ),
        (
            "# by hand\nquantity,value,unit\nlatency,90,ns",
            "line 1: begins with a comment (got '# by hand'); allowed: the names of",
        ),
        ("#quantity,value,unit\nlatency,90,ns", "line 1: begins with a comment"),
        ("quantity;value;unit\nlatency;90;ns", "line 1: has cells parted by semicolons; allowed: commas between cells"),
        ("quantity\tvalue\tunit\nlatency\t90\tns", "line 1: has cells parted by tabs"),
        ("Quantity,value,unit\nlatency,90,ns", "line 1: has a column in other letters (got 'Quantity'); allowed: quantity"),
        (
            "quantity,value,unit,threads\nbandwidth,9,GB/s,four",
            "column threads: is wrong (got 'four'); allowed: nothing, a number",
        ),
        (f"quantity,value,unit,threads\nbandwidth,9,GB/s,{'9' * 5000}", "column threads: is wrong"),
        (f"quantity,value,unit,experiment\nlatency,90,ns,{'x' * 101}", "column experiment: is wrong"),
        ("quantity,value,unit,experiment\nlatency,90,ns,a\x1b]0;b\x07", "column experiment: is wrong"),
    ],
)
def test_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("f.csv: ")


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured_csv, "MAX_ROWS", 3)
    rows = "latency,90,ns\n"
    assert len(read("quantity,value,unit\n" + 3 * rows)) == 3
    with pytest.raises(InputError, match=r"has too many rows \(got 4\); allowed: at most 3"):
        read("quantity,value,unit\n" + 4 * rows)


LABELS = st.lists(st.sampled_from(["0.0.w.1", "1.0.r.0"]), min_size=1, max_size=3).map(" ".join)
WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=20)
ROWS = st.sampled_from(list(Quantity)).flatmap(
    lambda quantity: st.builds(
        Measurement,
        experiment=WORDS,
        quantity=st.just(quantity),
        value=st.floats(SMALLEST, LARGEST),
        unit=st.sampled_from(UNITS[quantity]),
        from_node=st.none() | st.integers(0, 999_999_999),
        to_node=st.none() | st.integers(0, 999_999_999),
        threads=st.just("") | st.integers(0, 999).map(str) | LABELS,
        read_fraction=st.none() | st.floats(0, 1),
        ci_percent=st.none() | st.floats(0, 1e9),
    )
)


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_what_is_written_is_read_again(rows: list[Measurement]) -> None:
    assert read(measurements_csv(rows)) == tuple(rows)


@given(st.lists(st.sampled_from(["quantity", "value", "unit", "latency", "90", "ns", ",", "\n", '"', "'", "\0", "\r", ";", "é"])))
def test_any_text_is_read_or_refused(parts: list[str]) -> None:
    source = Source("f", "".join(parts))
    recognises(source)
    try:
        read_measurements(source)
    except InputError:
        return


def test_no_share_of_reads_is_below_nothing() -> None:
    (row,) = read("quantity,value,unit,read_fraction,from_node,to_node\nbandwidth,9,GB/s,-0,0,0\n")
    assert str(row.read_fraction) == "0.0"
    assert cell_title(row.from_node, row.to_node, row.threads, row.read_fraction) == "0->0, 0 % reads"


@given(st.from_regex(r"\A[0-9a-z.]{1,4}\.[0-9]{1,6}\.[rwx]\.[0-9]{1,6}\Z"))
def test_labels_are_those_that_run(label: str) -> None:
    try:
        (row,) = read(f"quantity,value,unit,threads\nbandwidth,9,GB/s,{label}\n")
    except InputError:
        with pytest.raises(InputError):
            parse_label(label)
    else:
        assert parse_label(row.threads)
