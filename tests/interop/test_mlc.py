"""Intel MLC: both matrices, peak and loaded tables, old and new headings, columns that run together, nodes without CPUs."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import mlc
from simulator.interop.record import Figure, Kind, LoadedPoint, NodeRecord, Record, Unit
from simulator.interop.source import Source, read_source

FIXTURES = Path(__file__).parent / "fixtures"


def read(name: str) -> Record:
    source = read_source(FIXTURES / name)
    assert mlc.recognises(source)
    return mlc.read(source)


def changed(name: str, old: str, new: str) -> Source:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    assert old in text
    return Source("pasted", text.replace(old, new, 1))


def test_matrices() -> None:
    record = read("mlc-two-nodes.txt")
    latency, bandwidth = record.matrices
    assert (latency.kind, latency.unit, latency.name) == (Kind.LATENCY, Unit.NS, "idle latency")
    assert (latency.rows, latency.columns) == ((0, 1), (0, 1))
    assert latency.values == ((71.3, 118.9), (119.2, 70.8))
    assert (bandwidth.kind, bandwidth.unit, bandwidth.name) == (Kind.BANDWIDTH, Unit.MB_PER_S, "bandwidth")
    assert bandwidth.values == ((44021.1, 28110.2), (28009.3, 43990.4))
    assert record.nodes == (NodeRecord(0), NodeRecord(1))
    assert record.warnings == ()


def test_figures_and_loaded_latencies() -> None:
    record = read("mlc-two-nodes.txt")
    assert record.figures == (
        Figure("ALL Reads", 88012.7, Unit.MB_PER_S),
        Figure("3:1 Reads-Writes", 80123.4, Unit.MB_PER_S),
        Figure("Stream-triad like", 77001.5, Unit.MB_PER_S),
        Figure("Local Socket L2->L2 HIT latency", 31.5, Unit.NS),
        Figure("Local Socket L2->L2 HITM latency", 33.25, Unit.NS),
    )
    assert record.loaded == (
        LoadedPoint(0, 301.25, 87.0015),
        LoadedPoint(100, 120.5, 60.5002),
        LoadedPoint(20000, 72.75, 1.75),
    )


def test_more_columns_than_rows_and_columns_that_run_together() -> None:
    record = read("mlc-memory-node.txt")
    latency, bandwidth = record.matrices
    assert (latency.name, latency.rows, latency.columns) == ("idle latency, random access", (0, 2), (0, 2, 5))
    assert latency.values == ((99.5, 141.1, 260.7), (141.8, 98.8, None))
    assert bandwidth.values == ((120001.5, 118002.6, 14000.7), (118003.8, 119004.9, 14010.2))
    assert record.nodes == (NodeRecord(0), NodeRecord(2), NodeRecord(5, cpus=()))
    assert "no row of node 5: taken as without CPUs, unless the text is cut off" in record.warnings


def test_equal_latencies_mean_interleaving() -> None:
    record = read("mlc-interleaved.txt")
    assert record.matrices[0].values == ((95.0, 96.4), (95.9, 95.5))
    assert record.warnings == (
        "local and remote latency differ by at most 1.5 %: node interleaving is on, and there is no NUMA to see",
    )
    assert record.figures == (Figure("maximum: ALL Reads", 61000.5, Unit.MB_PER_S),)
    assert mlc.read(changed("mlc-interleaved.txt", "96.4", "96.5")).warnings == ()


def test_one_latency_without_a_matrix() -> None:
    record = read("mlc-idle.txt")
    assert record.figures == (Figure("idle latency", 76.4, Unit.NS),)
    assert record.nodes is None


def test_rows_apart_by_blank_lines_belong_together() -> None:
    record = mlc.read(changed("mlc-interleaved.txt", "96.4\n", "96.4\n\n"))
    assert record.matrices[0].rows == (0, 1)


def test_a_second_loaded_table_is_left_out_with_a_warning() -> None:
    text = (FIXTURES / "mlc-two-nodes.txt").read_text(encoding="utf-8")
    record = mlc.read(Source("twice", text + text))
    assert len(record.loaded) == 3
    assert len(record.matrices) == 4
    assert record.warnings == ("the table of loaded latencies at line 68 is left out: it is not the first",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t 118.9\t", "\t", "line 5: the row has 1 values for 2 columns"),
        ("  71.3\t 118.9", "  71.3118.9", None),
        ("  71.3\t 118.9", "  71.31\t1.8\t9", "line 5: the row has 3 values for 2 columns"),
        ("       0\t  71.3\t", "071.3\t", "line 5: the row has 1 values for 2 columns"),
        ("71.3", "7l.3", "line 5: is no number above 0 (got '7l.3')"),
        ("71.3", "0.0", "line 5: is no number above 0 (got '0.0')"),
        ("71.3", "nan", "line 5: is no number above 0 (got 'nan')"),
        ("       1\t 119.2", "       0\t 119.2", "line 6: node 0 has two rows"),
        ("Numa node\t     0\t     1\t", "Numa node\t     0\t     0\t", "line 4: node 0 is listed twice"),
        (" 00100\t120.50\t  60500.2", " 00100\t120.50", "line 32: is no row of delay, latency and bandwidth"),
        ("88012.7", "8.8.012", "line 12: is no number above 0 (got '8.8.012')"),
    ],
)
def test_wrong_rows_say_where(old: str, new: str, message: str | None) -> None:
    source = changed("mlc-two-nodes.txt", old, new)
    if message is None:
        assert mlc.read(source).matrices[0].values[0] == (71.3, 118.9)
        return
    with pytest.raises(InputError) as caught:
        mlc.read(source)
    assert f"pasted: {message}" in str(caught.value)


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("Measuring idle latencies (in ns)...\n", "line 2: the matrix has no line of columns: the text is cut off"),
        ("Numa node\t     0\t     1\t\n", "line 4: the matrix has no rows: the text is cut off"),
        ("  71.3\t 11", "line 5: the last number has no decimals: the text is cut off here"),
        ("  71.3\t 118.", "line 5: is no number above 0 (got '118.')"),
        ("ALL Reads        :\t880", "line 12: the last number has no decimals: the text is cut off here"),
        ("==========================\n", "line 30: the table of loaded latencies has no rows: the text is cut off"),
        (" 00100\t120.50\t  605", "line 32: the last number has no decimals: the text is cut off here"),
        (" 00100", "line 32: is no row of delay, latency and bandwidth"),
    ],
)
def test_cut_off_says_where(end: str, message: str) -> None:
    text = (FIXTURES / "mlc-two-nodes.txt").read_text(encoding="utf-8")
    with pytest.raises(InputError) as caught:
        mlc.read(Source("cut", text[: text.index(end) + len(end)]))
    assert f"cut: {message}" in str(caught.value)


def test_a_banner_alone_has_no_results() -> None:
    source = Source("x", "Intel(R) Memory Latency Checker - v3.8\n")
    assert mlc.recognises(source)
    with pytest.raises(InputError, match="x: line 1: has no results"):
        mlc.read(source)
    assert not mlc.recognises(Source("x", "Measuring the weather\n"))
