"""Curves of latency over load."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest

from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.loaded import LoadedReport, measure_loaded_latency
from simulator.plots.loaded_latency import draw_loaded_latency

SHORT = Accuracy(ci_percent=10.0, lines=500, warmup=50)


@pytest.fixture(scope="module")
def report() -> LoadedReport:
    """Two curves, both saturated."""
    return measure_loaded_latency(load_machine("one-node"), 0, 0, [1.0, 0.5], delays_ns=[0, 50, 500], accuracy=SHORT)


def _texts(path: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))


def test_same_numbers_same_bytes(report: LoadedReport, tmp_path: Path) -> None:
    written = draw_loaded_latency(report, tmp_path / "loaded")
    assert [path.name for path in written] == ["loaded.png", "loaded.svg"]
    once = [path.read_bytes() for path in written]
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": "another"}):
        assert once == [path.read_bytes() for path in draw_loaded_latency(report, tmp_path / "loaded")]


@pytest.mark.usefixtures("text_stays_text")
def test_each_curve_says_where_it_saturates(report: LoadedReport, tmp_path: Path) -> None:
    knees = [point for point in report.points if point.saturated]
    assert len(knees) == 2
    texts = _texts(draw_loaded_latency(report, tmp_path / "loaded.svg")[0])
    for share, knee in zip(("100", "50"), knees, strict=True):
        where = f"{knee.bandwidth_gb_per_s:.2f} GB/s, {knee.latency_ns:.0f} ns (delay {knee.inject_delay_ns} ns)"
        assert f"{share} % reads: saturates at {where}" in texts
    assert any(text.startswith("saturation: ") for text in texts)
    assert f"idle, {report.idle_latency_ns:.1f} ns" in texts
    assert "one-node, simulated: node 0 reads memory of node 0, loaded by 1 thread of node 0" in texts


@pytest.mark.usefixtures("text_stays_text")
def test_without_saturation_there_is_no_ring(report: LoadedReport, tmp_path: Path) -> None:
    points = tuple(point.model_copy(update={"saturated": False}) for point in report.points)
    texts = _texts(draw_loaded_latency(report.model_copy(update={"points": points}), tmp_path / "loaded.svg")[0])
    assert {"100 % reads: does not saturate", "50 % reads: does not saturate"} <= set(texts)
    assert not any(text.startswith("saturation: ") for text in texts)


def test_missing_values_are_left_out(report: LoadedReport, tmp_path: Path) -> None:
    nothing = {"latency_ns": None, "bandwidth_gb_per_s": None, "saturated": False}
    points = tuple(point.model_copy(update=nothing) for point in report.points)
    empty = report.model_copy(update={"points": points, "idle_latency_ns": None})
    assert draw_loaded_latency(empty, tmp_path / "empty.png")[0].stat().st_size > 0


@pytest.mark.usefixtures("text_stays_text")
def test_many_nodes_are_counted(report: LoadedReport, tmp_path: Path) -> None:
    many = report.model_copy(update={"load_nodes": tuple(range(64)), "generators": 127})
    texts = _texts(draw_loaded_latency(many, tmp_path / "many.svg")[0])
    assert any(text.endswith("loaded by 127 threads of 64 nodes") for text in texts)
