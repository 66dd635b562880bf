"""Pictures: what is written, that it is the same each time, and that every value stands in it."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from PIL import Image

from simulator.errors import InputError
from simulator.machine.load import load_machine, machine_from_dict
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.plots import style
from simulator.plots.ablations import draw_ablations
from simulator.plots.figures import draw_figure
from simulator.plots.levels import draw_levels
from simulator.plots.replay import draw_replay
from simulator.plots.square import draw_machine
from simulator.plots.ways import BOX, Way, lane_ends
from simulator.validation.ablation import AblationRow
from simulator.validation.reference_file import load_reference
from simulator.validation.reproduce import Replay, reproduce
from simulator.workload import Workload
from tests.validation.fakes import changed_run, idle_latency, make_result, published_run


@pytest.fixture(scope="module")
def replay() -> Replay:
    """Figures 6 and 9, with their published numbers."""
    return reproduce(load_reference("amd-40555"), ["6", "9", "11", "12"], run_one=published_run, idle_latency=idle_latency)


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
    assert "simulated, 95 % confidence interval; no published values recorded" in texts
    assert "no published value recorded" not in texts
    assert "published" not in texts
    assert not any("error" in text for text in texts)
    own = [bar for bar in replay.report.bars if bar.figure == "9"]
    bars = [own[0].model_copy(update={"published_percent": 150.0}), *own[1:]]
    (path,) = draw_figure(figure, bars, tmp_path / "nine.svg", base="0.0.r.0")
    texts = _texts(path)
    assert texts.count("no published value recorded") == 2
    assert "published" in texts


@pytest.mark.usefixtures("text_stays_text")
def test_a_background_is_said_with_its_rate(replay: Replay, tmp_path: Path) -> None:
    whole = replay.reference
    for figure_id, start in (
        ("9", "background very high, 4 GB/s a thread: "),
        ("13", "background medium, 1 GB/s a thread (assumed): "),
    ):
        figure = whole.find_figure(figure_id)
        assert figure.background is not None
        level = whole.level(figure.background.level)
        (path,) = draw_figure(figure, replay.report.bars, tmp_path / "figure.svg", base="0.0.r.0", level=level)
        assert any(text.startswith(start) for text in _texts(path)), figure_id


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
    texts = set(_texts(path))
    assert {"figure 11", "figure 12", "0-2 hop (0.0.w.0 0.1.w.3)", "GB/s that each background thread asks for"} <= texts
    assert "time a line, % of 0.0.r.0 alone (axis starts at 100 %)" in texts
    assert "100" in texts


@pytest.mark.usefixtures("text_stays_text")
def test_the_square_shows_loads(replay: Replay, tmp_path: Path) -> None:
    (path,) = draw_machine(load_machine("quartet"), tmp_path / "links.svg", replay.links_result)
    texts = _texts(path)
    assert texts.count("3.50 GB/s") == 2
    assert texts.count("88 %") == 2
    assert {"node 0", "node 3", "writes 1", "writes 0", "0.0.w.1 1.0.w.0"} <= set(texts)


@pytest.mark.usefixtures("text_stays_text")
def test_links_say_figure_case_and_what_is_published(replay: Replay, tmp_path: Path) -> None:
    draw_replay(replay, tmp_path)
    texts = _texts(tmp_path / "links.svg")
    assert "Figure 6 (page 26) of AMD 40555 rev 3.00, June 2006: crossfire" in texts
    assert texts.count("published 3.5 GB/s") == 2
    assert texts.count("= 87.5 %") == 2


@pytest.mark.usefixtures("text_stays_text")
def test_links_that_differ_are_labelled(tmp_path: Path) -> None:
    narrow = _pair([{}], links=[(0, 1), (0, 2), (1, 3), (2, 3)], odd={"width_bits": 8})
    texts = _texts(draw_machine(narrow, tmp_path / "narrow.svg")[0])
    assert texts.count("8 bit, 2 GB/s") == 1
    assert texts.count("16 bit, 4 GB/s") == 3
    parallel = _pair([{"carries": ["request", "posted", "probe"]}, {"carries": ["response"]}])
    texts = _texts(draw_machine(parallel, tmp_path / "parallel.svg")[0])
    assert {"#0 request, posted, probe", "#1 response"} <= set(texts)
    assert not any(text.startswith("16 bit,") for text in texts)


def _pair(own: list[dict[str, Any]], links: list[tuple[int, int]] | None = None, odd: dict[str, Any] | None = None) -> Machine:
    """Return two nodes with these links, or a machine of other links whose first is odd."""
    ends = links or [(0, 1)] * len(own)
    more = own * (len(ends) // len(own))
    tables = [{"ends": list(pair), "source": "t", **table} for pair, table in zip(ends, more, strict=True)]
    tables[0].update(odd or {})
    nodes = [{"id": node, "cores": 2, "memory_gib": 2.0, "source": "t"} for node in sorted({*itertools.chain(*ends)})]
    head = {"extends": "opteron-k8", "schema_version": 1, "name": "m", "title": "m", "source": "t"}
    return machine_from_dict({**head, "nodes": nodes, "links": tables})


def test_a_long_title_does_not_shrink_the_boxes(tmp_path: Path) -> None:
    machine = load_machine("quartet")
    sizes = []
    for title in ("short", "long " * 100):
        (path,) = draw_machine(machine.model_copy(update={"title": title.strip()}), tmp_path / "m.png")
        with Image.open(path) as picture:
            sizes.append(picture.size)
    (short, long) = sizes
    assert long[0] < 1.1 * short[0]
    assert long[1] > short[1]


@pytest.mark.parametrize(("x", "y"), [(1.0, 0.0), (0.0, -1.0), (0.87, 0.5), (-0.59, 0.81), (1.0, -1.0), (-0.3, -0.95)])
@pytest.mark.parametrize("offset", [-0.17, -0.045, 0.0, 0.045, 0.17])
def test_arrows_end_equally_far_from_both_boxes(x: float, y: float, offset: float) -> None:
    way = Way((0.0, 0.0), (x, y), 0.0, 0.09, 1.0, False, False)
    tail, tip = lane_ends(way, offset, there=True)
    back_tail, back_tip = lane_ends(way, -offset, there=False)
    assert _outside(tip, (x, y)) == pytest.approx(_outside(back_tip, (0.0, 0.0)))
    assert _outside(tail, (0.0, 0.0)) == pytest.approx(_outside(back_tail, (x, y)))
    for end, box in ((tail, (0.0, 0.0)), (tip, (x, y))):
        assert 0.01 < _outside(end, box) < 0.06


def _outside(spot: tuple[float, float], box: tuple[float, float]) -> float:
    """Distance of a point from a node's box along x or y; negative inside."""
    return max(abs(place - middle) - size / 2 for place, middle, size in zip(spot, box, BOX, strict=True))


@pytest.mark.usefixtures("text_stays_text")
def test_ablations(tmp_path: Path) -> None:
    changes = (("as calibrated", 0.0), ("window one slot more", -14.5), ("window one slot less", 25.8), ("all credits 1", 220.0))
    rows = [AblationRow(name, 55 + 0.55 * slower, 0.5, slower, 3.6, 0.9, 199.5, 21.8) for name, slower in changes]
    written = draw_ablations(rows, tmp_path / "ablations")
    assert [path.name for path in written] == ["ablations.png", "ablations.svg"]
    texts = _texts(written[1])
    assert {name for name, _ in changes} <= set(texts)
    assert {"+0.0 % (55.0 ns)", "-14.5 % (47.0 ns)", "+220.0 % (176.0 ns)", "90.0 % (3.60 GB/s)"} <= set(texts)
    assert "95 % confidence interval of the time; a cut bar is longer" in texts
    once = [path.read_bytes() for path in written]
    assert once == [path.read_bytes() for path in draw_ablations(rows, tmp_path / "ablations")]
    for few in (rows[:1], rows[:2], []):
        draw_ablations(few, tmp_path / "few.png")


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
    assert style.picture_paths("run.final") == (Path("run.final.png"), Path("run.final.svg"))
    for name in ("a.txt", "a.TOML", "a.tiff"):
        with pytest.raises(InputError, match="pictures are not written in this format"):
            style.picture_paths(name)
    for name in ("", ".", "..", "/", "folder/", "folder/.."):
        with pytest.raises(
            InputError, match=r"is no file name of a picture \(got '.*'\); allowed: a name in .png, .svg, or neither"
        ):
            style.picture_paths(name)
    with pytest.raises(InputError, match=r"a.pdf: pictures are not written in this format; allowed: .png, .svg"):
        draw_machine(load_machine("one-node"), tmp_path / "a.pdf")
    with pytest.raises(InputError, match="cannot be written"):
        draw_machine(load_machine("one-node"), tmp_path / "no" / "where.png")
    assert not list(tmp_path.iterdir())
