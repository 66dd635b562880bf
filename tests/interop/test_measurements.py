"""From what a tool printed to numbers that a machine can be held against, and reasons for all the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop.measured import Measurement, Quantity
from simulator.interop.measurements import measurements_of, read_measured
from simulator.interop.record import Figure, Kind, LoadedPoint, Matrix, Record, Unit

FIXTURES = Path(__file__).parent / "fixtures"


def matrix(kind: Kind, unit: Unit, *values: float | None, name: str = "m") -> Matrix:
    """Return a matrix of one row."""
    return Matrix(kind, unit, (0,), tuple(range(len(values))), (values,), name)


def test_intel_mlc() -> None:
    measured = read_measured(FIXTURES / "mlc-two-nodes.txt")
    assert [(row.experiment, row.from_node, row.to_node, row.value, row.unit) for row in measured.rows] == [
        ("idle latency", 0, 0, 71.3, "ns"),
        ("idle latency", 0, 1, 118.9, "ns"),
        ("idle latency", 1, 0, 119.2, "ns"),
        ("idle latency", 1, 1, 70.8, "ns"),
        ("bandwidth", 0, 0, 44021.1, "MB/s"),
        ("bandwidth", 0, 1, 28110.2, "MB/s"),
        ("bandwidth", 1, 0, 28009.3, "MB/s"),
        ("bandwidth", 1, 1, 43990.4, "MB/s"),
        ("peak bandwidth", None, None, 88012.7, "MB/s"),
    ]
    assert measured.rows[-1].read_fraction == 1.0
    mixes, others, loaded = measured.left_out
    assert mixes.startswith("3:1 Reads-Writes 80123.4 MB/s: whether the ratio counts")
    assert others.startswith("Stream-triad like 77001.5 MB/s, Local Socket L2->L2 HIT latency 31.5 ns, ")
    assert loaded == "3 loaded latencies: their delays are counted in a unit of the tool's own"
    assert measured.label == str(FIXTURES / "mlc-two-nodes.txt")


def test_a_warning_of_the_reader_stays() -> None:
    assert any("interleaving is on" in warning for warning in read_measured(FIXTURES / "mlc-interleaved.txt").warnings)


def test_coreinfo_is_relative() -> None:
    measured = read_measured(FIXTURES / "coreinfo-whole.txt")
    assert len(measured.rows) == 16
    assert measured.rows[3] == Measurement("access cost", Quantity.RELATIVE_LATENCY, 2.1, "", 0, 3)


def test_numademo_runs_one_thread() -> None:
    rows = read_measured(FIXTURES / "numademo.txt").rows
    assert {row.threads for row in rows} == {"1"}
    shares = {row.experiment: row.read_fraction for row in rows}
    assert shares["memset"] == 0.0
    assert [row.value for row in rows if row.experiment == "memset"] == [6150.5, 3600.25, 3610.5, 6050.75]


def test_a_test_of_numademo_whose_mix_is_not_known() -> None:
    found = matrix(Kind.BANDWIDTH, Unit.MB_PER_S, 5000.0, 3000.0, name="random")
    measured = measurements_of(Record("numademo", matrices=(found,)))
    assert measured.rows == ()
    assert measured.left_out == ("random: what share of its lines this test reads is not known",)


def test_distances_are_no_times() -> None:
    measured = read_measured(FIXTURES / "numactl-square-4.txt")
    assert measured.rows == ()
    (why,) = measured.left_out
    assert why.endswith("distances of the firmware are no measured times")


def test_hwloc_tells_what_the_firmware_says() -> None:
    measured = read_measured(FIXTURES / "hwloc-attributes.xml")
    assert measured.rows
    assert any("perhaps measured by nobody" in warning for warning in measured.warnings)
    writes = matrix(Kind.BANDWIDTH, Unit.MB_PER_S, 900.0, name="WriteBandwidth")
    latencies = matrix(Kind.LATENCY, Unit.NS, 90.0, name="WriteLatency")
    measured = measurements_of(Record("hwloc-xml", matrices=(writes, latencies)))
    assert [(row.experiment, row.read_fraction) for row in measured.rows] == [("WriteBandwidth", 0.0)]
    assert measured.left_out == ("WriteLatency: idle latencies are predicted for reads only",)


def test_what_is_not_there_is_no_number() -> None:
    measured = measurements_of(Record("mlc", matrices=(matrix(Kind.LATENCY, Unit.NS, 80.0, None, 0.0, 1e15),)))
    assert [(row.to_node, row.value) for row in measured.rows] == [(0, 80.0)]
    assert measured.left_out == ("m: 2 values that no memory has, such as 0 ns",)


def test_matrices_of_one_name_stay_apart() -> None:
    one = matrix(Kind.LATENCY, Unit.NS, 80.0)
    assert [row.experiment for row in measurements_of(Record("mlc", matrices=(one, one))).rows] == ["m", "m, number 2"]


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (Record("x", matrices=(matrix(Kind.LATENCY, Unit.CYCLES, 200.0),)), "m: latency in cycles, which cannot be told in ns"),
        (Record("x", matrices=(matrix(Kind.DISTANCE, Unit.RELATIVE, 1.0),)), "m: distances of the firmware are no measured"),
        (Record("stream", figures=(Figure("Triad", 9000.0, Unit.MB_PER_S, 8),)), "Triad 9000 MB/s: named without the nodes"),
        (Record("mlc", figures=(Figure("maximum: ALL Reads", 9000.0, Unit.MB_PER_S),)), "maximum: ALL Reads 9000 MB/s: named"),
        (Record("x", figures=tuple(Figure(f"p{n}", 5.0, Unit.NS) for n in range(9))), "p0 5 ns, p1 5 ns, p2 5 ns and 6 more: "),
        (Record("mlc", loaded=(LoadedPoint(0, 90.0, 5.0),)), "1 loaded latencies"),
    ],
)
def test_what_is_left_out(record: Record, why: str) -> None:
    measured = measurements_of(record)
    assert measured.rows == ()
    (said,) = measured.left_out
    assert said.startswith(why)


def test_csv_and_what_is_none(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("quantity,value,unit\nlatency,90,ns\n")
    for format in ("auto", "csv"):
        assert read_measured(path, format).rows == (Measurement("measured", Quantity.LATENCY, 90.0, "ns"),)
    with pytest.raises(InputError, match=r"m.csv: "):
        read_measured(path, "mlc")
    with pytest.raises(InputError, match="has an unknown column"):
        read_measured(FIXTURES / "mlc-two-nodes.txt", "csv")
    with pytest.raises(InputError, match="is a folder"):
        read_measured(tmp_path, "csv")
    with pytest.raises(InputError, match="cannot be read: no such file"):
        read_measured(tmp_path / "none")
    with pytest.raises(InputError, match="is no file name"):
        read_measured("a\0b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("quantity,value\nlatency,90\n", "m.csv: line 1: looks like CSV of measured numbers, but has no column unit; allowed: "),
        ("QUANTITY,VALUE,UNIT\nlatency,90,ns\n", "but has a column in other letters (got 'QUANTITY'); allowed: quantity"),
        ("quantity;value;unit\nlatency;90;ns\n", "but has cells parted by semicolons; allowed: commas between cells"),
        ("quantity\tvalue\tunit\nlatency\t90\tns\n", "but has cells parted by tabs"),
        ("# a comment\nquantity,value,unit\nlatency,90,ns\n", "but begins with a comment (got '# a comment')"),
        ("my numbers\nquantity,value,unit\nlatency,90,ns\n", "but has an unknown column (got 'my numbers')"),
        ("hello, world\n1,2\n", "m.csv: is no output of a tool that is known; allowed: hwloc's XML"),
        ("hello, world\n1,2\n", "CSV of measured numbers, as `numasim measure -o` writes it (docs/compare.md)"),
    ],
)
def test_csv_but_for_a_slip(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_measured(path)
    assert message in str(caught.value)


def test_mixes_of_mlc_are_left_out_as_the_pages_say() -> None:
    figure = Figure("3:1 Reads-Writes", 9000.0, Unit.MB_PER_S)
    (said,) = measurements_of(Record("mlc", figures=(figure,))).left_out
    why = "whether the ratio counts the line that a store reads before it writes is not known"
    assert said == f"3:1 Reads-Writes 9000 MB/s: {why}; docs/matrix.md has the --read-fraction of each if it does"
    pages = Path(__file__).parents[2] / "docs"
    whole = " ".join((pages / "compare.md").read_text(encoding="utf-8").split())
    assert why in whole and "If it does, [matrix.md](matrix.md) has the `read_fraction` of each" in whole
    matrix_page = " ".join((pages / "matrix.md").read_text(encoding="utf-8").split())
    assert "Whether that counts the line that a store reads before it writes is not known" in matrix_page
    assert "If the ratio counts what the memory moves, a written line is one read and one write" in matrix_page
