"""Heat maps: every value stands in its cell, readable on its colour, whatever the size of the machine."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest
from matplotlib.colors import Normalize
from PIL import Image

from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.matrix import BandwidthThreads, MatrixReport, measure_matrix
from simulator.plots import heat_map, style
from simulator.plots.heat_map import Panel, draw_heat_maps, draw_matrix

SHORT = Accuracy(ci_percent=10.0, lines=300, warmup=50)


@pytest.fixture(scope="module")
def report() -> MatrixReport:
    """The two-node machine."""
    return measure_matrix(load_machine("two-node"), threads=BandwidthThreads(0.5, 1), accuracy=SHORT)


def _texts(path: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))


def test_same_numbers_same_bytes(report: MatrixReport, tmp_path: Path) -> None:
    written = draw_matrix(report, tmp_path / "matrix")
    assert [path.name for path in written] == ["matrix.png", "matrix.svg"]
    once = [path.read_bytes() for path in written]
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": "another"}):
        assert once == [path.read_bytes() for path in draw_matrix(report, tmp_path / "matrix")]


@pytest.mark.usefixtures("text_stays_text")
def test_every_value_stands_in_its_cell(report: MatrixReport, tmp_path: Path) -> None:
    texts = _texts(draw_matrix(report, tmp_path / "matrix.svg")[0])
    for cell in report.cells:
        assert f"{cell.value:.{1 if cell.quantity == 'latency' else 2}f}" in texts
    assert {"Idle latency, ns", "Bandwidth, GB/s"} <= set(texts)
    assert texts.count("memory of node") == texts.count("threads on node") == 2
    assert "two-node, simulated; bandwidth with 50 % reads, one thread a node" in " ".join(texts)


@pytest.mark.usefixtures("text_stays_text")
def test_what_was_not_measured_is_not_drawn(report: MatrixReport, tmp_path: Path) -> None:
    only = report.model_copy(update={"cells": tuple(cell for cell in report.cells if cell.quantity == "latency")})
    texts = _texts(draw_matrix(only, tmp_path / "latency.svg")[0])
    assert "Idle latency, ns" in texts
    assert not any("andwidth" in text for text in texts)


@pytest.mark.usefixtures("text_stays_text")
def test_a_missing_value_is_a_dash(tmp_path: Path) -> None:
    panel = Panel("Idle latency, ns", (0, 3), (0, 1, 3), ((90.0, 100.0, None), (None, 120.5, 91.0)))
    texts = _texts(draw_heat_maps([panel], tmp_path / "some.svg", heading="some")[0])
    assert texts.count("-") == 2
    assert "120.5" in texts


@pytest.mark.parametrize("nodes", [1, 8, 32])
def test_any_size(nodes: int, tmp_path: Path) -> None:
    ids = tuple(range(nodes))
    values = [[100.0 + 10 * abs(row - column) for column in ids] for row in ids]
    with Image.open(draw_heat_maps([Panel("ns", ids, ids, values)], tmp_path / "some.png", heading="some")[0]) as picture:
        assert max(picture.size) < 5000
        assert picture.width >= 60 * nodes


def test_nothing_but_missing_values(tmp_path: Path) -> None:
    assert draw_heat_maps([Panel("ns", (0,), (0,), ((None,),))], tmp_path / "none.png", heading="none")[0].stat().st_size > 0


@pytest.mark.parametrize("name", [style.UTILIZATION_MAP, heat_map.DIFFERENCE_MAP])
def test_text_is_readable_on_every_colour(name: str) -> None:
    """At least 3 to 1, as WCAG 2 asks for large text and figures."""
    scale, colours = Normalize(0, 1), heat_map._colours(name)
    for step in range(256):
        ink = heat_map._ink(step / 255, scale, colours)
        assert _contrast(ink, colours(step / 255)) >= 3.0


def _contrast(one: object, other: object) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: object) -> float:
    channels = matplotlib.colors.to_rgb(colour)  # type: ignore[arg-type]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
