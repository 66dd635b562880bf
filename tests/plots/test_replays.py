"""The picture of placements side by side: what stands in it, at any size."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image

from simulator.plots import replays as module
from simulator.plots.replays import draw_replays
from simulator.replay.result import ReplayResult, Replays
from tests.replay.programs import ONE, PLAIN, init, ran


@pytest.fixture(scope="module")
def run() -> ReplayResult:
    """Return a reader of memory on two nodes."""
    arrays = [{"name": "a", "size_kib": 64.0, "policy": "--interleave=1,3"}]
    return ran(init("w.0", arrays="a"), {"pattern": "sequential", "array": "a"}, machine=PLAIN, threads=ONE, arrays=arrays)


def _named(run: ReplayResult, *placements: str) -> Replays:
    return Replays(runs=tuple(run.model_copy(update={"placement": name}) for name in placements))


def _drawn(report: Replays, monkeypatch: pytest.MonkeyPatch) -> Figure:
    figures: list[Figure] = []
    monkeypatch.setattr(module, "save", lambda figure, path: figures.append(figure) or ())
    draw_replays(report, "unused")
    return figures[0]


def test_files_and_the_same_bytes_each_time(run: ReplayResult, tmp_path: Path) -> None:
    report = _named(run, "-m 0", "-m 1")
    written = draw_replays(report, tmp_path / "r")
    assert [path.name for path in written] == ["r.png", "r.svg"]
    once = [path.read_bytes() for path in written]
    assert once == [path.read_bytes() for path in draw_replays(report, tmp_path / "r")]
    with Image.open(written[0]) as picture:
        assert picture.width > 1200


@pytest.mark.usefixtures("text_stays_text")
def test_what_stands_in_it(run: ReplayResult, tmp_path: Path) -> None:
    (path,) = draw_replays(_named(run, "-m 0", ""), tmp_path / "r.svg")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))
    said = " ".join(texts)
    assert "test on square, from start to end" in said
    assert {"-m 0", "local", "time, us"} <= set(texts)
    assert said.count(f"{run.elapsed_ns / 1000:,.1f} us, 0 % local") == 2
    fullest = max(run.controllers, key=lambda node: run.controllers[node].utilization)
    assert f"{fullest}: {100 * run.controllers[fullest].utilization:.0f}" in [text.strip() for text in texts]


def test_a_bar_for_each_station_and_one_that_stands_out(run: ReplayResult, monkeypatch: pytest.MonkeyPatch) -> None:
    times, controllers, links = _drawn(_named(run, "-m 0"), monkeypatch).axes
    assert [len(axes.patches) for axes in (times, controllers, links)] == [1, 4, 8]
    widths = [patch.get_width() for patch in controllers.patches]
    assert widths == pytest.approx([100 * one.utilization for one in run.controllers.values()])
    for axes in (controllers, links):
        colours = {patch.get_facecolor(): patch.get_width() for patch in axes.patches}
        fullest = max(patch.get_width() for patch in axes.patches)
        assert len(colours) == 2
        assert sum(patch.get_width() == fullest for patch in axes.patches) >= 1


def test_long_names_keep_to_the_picture(run: ReplayResult, tmp_path: Path) -> None:
    names = {"workload": "a_trace_of_a_thread.lackey " * 8, "placement": "--physcpubind=0-3 --interleave=0,1"}
    long = run.model_copy(update=names)
    (path,) = draw_replays(Replays(runs=(long,)), tmp_path / "r.png")
    with Image.open(path) as picture:
        assert picture.width < 1900


def test_a_run_without_time_or_lines(tmp_path: Path) -> None:
    (path,) = draw_replays(Replays(runs=(ran(init("w.0"), threads=ONE),)), tmp_path / "r.png")
    assert path.stat().st_size > 1000
