"""Pictures of a comparison: the plane of points, the heat maps beside it, and what stands in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from PIL import Image

from simulator.interop.measured import Measurement, Quantity
from simulator.interop.measurements import Measured
from simulator.machine.load import load_machine
from simulator.plots import comparison as module
from simulator.plots.comparison import draw_comparison, draw_scatter, matrix_path
from simulator.plots.pair_matrices import MOST_MATRICES, error_panels, pair_matrices
from simulator.validation.compare import compare
from simulator.validation.comparison_report import Comparison
from tests.validation.measured import CountedRun, bandwidth, fake_run, latency, relative

QUARTET = load_machine("quartet")
LATENCIES = [latency(row, column, 90.0 + 25 * abs(row - column)) for row in range(4) for column in range(4)]


def compared(*rows: Measurement, run: Any = fake_run, tolerance: float | None = None) -> Comparison:
    return compare(Measured(rows), QUARTET, run_one=run, tolerance_percent=tolerance)


def texts(path: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))


def drawn(report: Comparison, path: Path, monkeypatch: pytest.MonkeyPatch) -> Figure:
    """Draw the points, and return the figure."""
    figures: list[Figure] = []
    monkeypatch.setattr(module, "save", lambda figure, path: figures.append(figure) or ())
    draw_scatter(report, path)
    return figures[0]


def test_files_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    report = compared(*LATENCIES, *(bandwidth(row, column, 4.1) for row in (0, 1) for column in (0, 1)), tolerance=10)
    written = draw_comparison(report, tmp_path / "all")
    assert [path.name for path in written] == [
        f"{name}.{kind}" for name in ("all", "all-matrix", "all-matrix-2") for kind in ("png", "svg")
    ]
    once = [path.read_bytes() for path in written]
    assert once == [path.read_bytes() for path in draw_comparison(report, tmp_path / "all")]
    with Image.open(written[0]) as picture:
        assert picture.width > 600


def test_where_heat_maps_lie() -> None:
    assert matrix_path("a/b.png", 1) == Path("a/b-matrix.png")
    assert matrix_path("b.SVG", 2) == Path("b-matrix-2.SVG")
    assert matrix_path("v1.2", 1) == Path("v1.2-matrix")


@pytest.mark.usefixtures("text_stays_text")
def test_what_stands_in_the_plane(tmp_path: Path) -> None:
    found = texts(draw_scatter(compared(*LATENCIES, latency(0, 1, 60.0), tolerance=10), tmp_path / "p.svg")[0])
    assert {"equal", "within 10 %", "worst: 0-&gt;1, +100.0 %", "idle: latency, ns", "measured latency, ns"} <= set(found)
    assert "quartet: simulated over measured" in found
    assert "simulated latency, ns" in found
    found = texts(draw_scatter(compared(*LATENCIES), tmp_path / "p.svg")[0])
    assert "equal" in found
    assert not any("within" in text for text in found)


def test_a_panel_for_each_quantity_and_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = "0.0.w.1 1.0.w.0"
    rows = [
        *(latency(0, 0, 99.0), relative(0, 0, 1.0), relative(0, 1, 1.3), bandwidth(0, 0, 4.0), bandwidth(0, 0, 4000.0, "MB/s")),
        *(Measurement("two", quantity, 60.0, "ns", threads=pair) for quantity in (Quantity.TIME_PER_LINE, Quantity.TOTAL_TIME)),
    ]
    axes = drawn(compared(*rows), tmp_path, monkeypatch).axes
    assert [one.get_ylabel() for one in axes] == [
        "simulated latency, ns",
        "simulated latency, the quickest is 1",
        "simulated bandwidth, GB/s",
        "simulated bandwidth, MB/s",
        "simulated time a line, ns",
        "simulated times a line, summed, ns",
    ]


def test_every_value_is_a_point_and_both_axes_are_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = compared(*LATENCIES)
    (axes,) = drawn(report, tmp_path, monkeypatch).axes
    points = axes.collections[0].get_offsets()
    assert sorted(map(tuple, points)) == sorted((cell.measured, cell.simulated) for cell in report.cells)
    assert axes.get_xlim() == axes.get_ylim()
    assert axes.get_xscale() == axes.get_yscale() == "linear"


@pytest.mark.usefixtures("text_stays_text")
def test_a_large_span_is_logarithmic_with_plain_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = compared(latency(0, 0, 5.0), latency(0, 1, 2000.0))
    found = texts(draw_scatter(report, tmp_path / "p.svg")[0])
    assert {"10", "100", "1000"} <= set(found)
    assert not any("mathdefault" in text for text in found)
    (axes,) = drawn(report, tmp_path, monkeypatch).axes
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_experiments_are_told_apart_while_they_are_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def names(count: int) -> set[str]:
        rows = [Measurement(f"e{place}", Quantity.LATENCY, 90.0, "ns", 0, 0) for place in range(count)]
        (axes,) = drawn(compared(*rows), tmp_path, monkeypatch).axes
        return {text.get_text() for text in axes.get_legend().get_texts()} & {f"e{place}" for place in range(count)}

    assert names(1) == set()
    assert names(3) == {"e0", "e1", "e2"}
    assert names(7) == set()


def test_many_points_are_no_shapes(tmp_path: Path) -> None:
    (path,) = draw_scatter(compared(*(latency(0, 0, 80.0 + place / 500) for place in range(6000))), tmp_path / "many.svg")
    assert path.stat().st_size < 500_000


def test_standstills_only(tmp_path: Path) -> None:
    report = compared(*LATENCIES[:1], run=CountedRun(still=("0.0.r.0",)))
    assert [path.name for path in draw_comparison(report, tmp_path / "p.png")] == ["p.png"]


def test_one_value_and_absurd_ones(tmp_path: Path) -> None:
    for rows in ([latency(0, 0, 100.0)], [latency(0, 0, 1e-6), latency(0, 1, 1e12)]):
        assert draw_comparison(compared(*rows, tolerance=5), tmp_path / "p.png")[0].stat().st_size > 0


def test_matrices_are_what_differs_in_nodes_only() -> None:
    rows = [
        *LATENCIES,
        *(bandwidth(row, column, 4.0, threads="1") for row in (0, 2) for column in (0, 1)),
        *(bandwidth(row, column, 4.0, read_fraction=0.5) for row in (0, 1) for column in (0, 1)),
        bandwidth(None, None, 14.0),
        bandwidth(0, 0, 4.0, threads="0.0.r.0"),
    ]
    first, second, third = pair_matrices(compared(*rows).cells)
    assert (first.rows, first.columns, len(first.measured)) == ((0, 1, 2, 3), (0, 1, 2, 3), 16)
    assert (second.rows, second.columns, second.threads) == ((0, 2), (0, 1), "1")
    assert third.read_fraction == 0.5


def test_what_is_no_matrix() -> None:
    for rows in (LATENCIES[:4], [latency(0, 0, 90.0)], [latency(node, node, 90.0) for node in range(4)]):
        assert pair_matrices(compared(*rows).cells) == ()
    still = CountedRun(still=tuple(f"{row}.0.r.{column}" for row in range(4) for column in range(4)))
    assert pair_matrices(compared(*LATENCIES, run=still).cells) == ()


def test_matrices_are_not_without_end() -> None:
    rows = [
        Measurement(f"e{place}", Quantity.LATENCY, 90.0, "ns", row, column)
        for place in range(20)
        for row in (0, 1)
        for column in (0, 1)
    ]
    assert len(pair_matrices(compared(*rows).cells)) == MOST_MATRICES


def test_panels_share_their_colours_and_repeats_are_means() -> None:
    rows = [latency(0, 0, 80.0), latency(0, 0, 120.0), latency(0, 1, 150.0), latency(1, 0, 120.0), latency(1, 1, 100.0)]
    run = CountedRun(still=("1.0.r.1",))
    (matrix,) = pair_matrices(compared(*rows, run=run).cells)
    measured, simulated, error = error_panels(matrix)
    assert measured.values == ((100.0, 150.0), (120.0, 100.0))
    assert simulated.values == ((100.0, 120.0), (120.0, None))
    assert measured.limits == simulated.limits == (100.0, 150.0)
    assert error.values == ((0.0, -20.0), (0.0, None))
    assert error.signed


@pytest.mark.usefixtures("text_stays_text")
def test_what_stands_in_the_heat_maps(tmp_path: Path) -> None:
    rows = [bandwidth(row, column, 4100.0 + row, "MB/s", threads="2") for row in (0, 1) for column in (0, 1)]
    _, path = draw_comparison(compared(*rows), tmp_path / "p.svg")
    found = texts(path)
    assert {"Measured, MB/s", "Simulated, MB/s", "Error, %", "quartet: stream: bandwidth, MB/s, 2 threads"} <= set(found)
    assert (found.count("4100"), found.count("4101"), found.count("4000"), found.count("-2.4")) == (2, 2, 4, 2)
