"""Pictures: what is written, that it is the same each time, and that every value stands in it."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest
from PIL import Image

from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.plots import style
from simulator.plots.figures import draw_figure
from simulator.plots.levels import draw_levels
from simulator.plots.replay import draw_replay
from simulator.plots.square import draw_machine
from simulator.validation.reference_file import load_reference
from simulator.validation.reproduce import Replay, reproduce
from simulator.workload import Workload
from tests.validation.fakes import changed_run, idle_latency, make_result, published_run


@pytest.fixture(scope="module")
def replay() -> Replay:
    """Figures 6 and 9, with their published numbers."""
    return reproduce(load_reference("amd-40555"), ["6", "9", "11", "12"], run_one=published_run, idle_latency=idle_latency)


@pytest.fixture
def text_stays_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep text readable in SVG files."""
    settings = style._settings()
    monkeypatch.setattr(style, "_settings", lambda: {**settings, "svg.fonttype": "none"})


def _texts(path: Path) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text(encoding="utf-8"))


def test_one_picture_a_figure_and_the_links(replay: Replay, tmp_path: Path) -> None:
    written = draw_replay(replay, tmp_path)
    names = [f"{stem}.{kind}" for stem in ("figure-6", "figure-9", "figure-11", "figure-12", "links") for kind in ("png", "svg")]
    assert [path.name for path in written] == names
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    for path in written:
        if path.suffix == ".png":
            with Image.open(path) as picture:
                assert picture.width > 600
                assert len(picture.convert("RGB").getcolors(1 << 24) or []) > 10


def test_same_numbers_same_bytes(replay: Replay, tmp_path: Path) -> None:
    first = draw_replay(replay, tmp_path)
    once = [path.read_bytes() for path in first]
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": "another", "figure.facecolor": "red"}):
        again = draw_replay(replay, tmp_path)
    assert once == [path.read_bytes() for path in again]
    for data in once:
        assert b"<dc:date>" not in data
        assert matplotlib.__version__.encode() not in data


@pytest.mark.usefixtures("text_stays_text")
def test_a_figure_has_its_bars_in_the_published_order(replay: Replay, tmp_path: Path) -> None:
    figure = replay.reference.find_figure("6")
    (path,) = draw_figure(figure, replay.report.bars, tmp_path / "six.svg", base="0.0.r.0")
    texts = _texts(path)
    names = [text for text in texts if text in [case.name for case in figure.cases]]
    assert names == ["0 hop-0 hop", "no crossfire", "crossfire"]
    assert {"113", "130", "149", "149.0", "(+0.0 %)", "published", "time a line, % of 0.0.r.0 alone"} <= set(texts)


@pytest.mark.usefixtures("text_stays_text")
def test_missing_values_are_said(replay: Replay, tmp_path: Path) -> None:
    figure = replay.reference.find_figure("9")
    (path,) = draw_figure(figure, replay.report.bars, tmp_path / "nine.svg", base="0.0.r.0")
    texts = _texts(path)
    assert texts.count("no published value recorded") == 3
    assert "published" not in texts
    assert "background (very high): 0.1.r.0, 1.1.r.1, 2.0.r.2, 2.1.r.2, 3.0.r.3, 3.1.r.3" in texts


@pytest.mark.usefixtures("text_stays_text")
def test_a_standstill_is_said(tmp_path: Path) -> None:
    run = changed_run({}, standstill="0.0.w.1 1.0.w.0")
    replay = reproduce(load_reference("amd-40555"), ["6"], run_one=run, idle_latency=idle_latency)
    (path,) = draw_figure(replay.figures[0], replay.report.bars, tmp_path / "six.svg", base="0.0.r.0")
    assert "run came to a standstill" in _texts(path)


@pytest.mark.usefixtures("text_stays_text")
def test_levels(replay: Replay, tmp_path: Path) -> None:
    figures = [replay.reference.find_figure(figure) for figure in ("11", "12")]
    (path,) = draw_levels(replay.reference, figures, replay.report.bars, tmp_path / "levels.svg")
    assert {"figure 11", "figure 12", "0-2 hop (0.0.w.0 0.1.w.3)"} <= set(_texts(path))


@pytest.mark.usefixtures("text_stays_text")
def test_the_square_shows_loads(replay: Replay, tmp_path: Path) -> None:
    (path,) = draw_machine(load_machine("quartet"), tmp_path / "links.svg", replay.links_result)
    texts = _texts(path)
    assert texts.count("3.50 GB/s") == 2
    assert texts.count("88 %") == 2
    assert {"node 0", "node 3", "writes 1", "writes 0", "0.0.w.1 1.0.w.0"} <= set(texts)


@pytest.mark.usefixtures("text_stays_text")
def test_a_machine_by_itself(tmp_path: Path) -> None:
    for name, nodes in (("one-node", 1), ("two-node", 2), ("quartet", 4)):
        (path,) = draw_machine(load_machine(name), tmp_path / f"{name}.svg")
        texts = _texts(path)
        assert sum(text.startswith("node ") for text in texts) == nodes
        assert not any("%" in text for text in texts)


@pytest.mark.usefixtures("text_stays_text")
def test_background_is_named(tmp_path: Path) -> None:
    machine = load_machine("two-node")
    workload = Workload.from_labels([], background={"0.1.r.0": 4.0})
    result = make_result(machine, workload, Accuracy(), 1, 40.0, {})
    (path,) = draw_machine(machine, tmp_path / "lone.svg", result)
    assert "no foreground, background (paler): 1 thread at 4 GB/s" in _texts(path)


def test_which_files_a_name_means(tmp_path: Path) -> None:
    assert style.picture_paths("a.png") == (Path("a.png"),)
    assert style.picture_paths("a.SVG") == (Path("a.SVG"),)
    assert style.picture_paths("v1.2") == (Path("v1.2.png"), Path("v1.2.svg"))
    with pytest.raises(InputError, match=r"a.pdf: pictures are not written in this format; allowed: .png, .svg"):
        draw_machine(load_machine("one-node"), tmp_path / "a.pdf")
    with pytest.raises(InputError, match="cannot be written"):
        draw_machine(load_machine("one-node"), tmp_path / "no" / "where.png")
    assert not list(tmp_path.iterdir())
