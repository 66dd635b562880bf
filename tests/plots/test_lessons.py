"""The small pictures of the notebooks: what they say is what they were given."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from PIL import Image

from simulator import Workload, load_machine, run
from simulator.plots.lines import Axis, Series, draw_lines
from simulator.plots.link_bytes import draw_link_bytes
from simulator.plots.placements import draw_placements
from simulator.plots.race import draw_race
from simulator.plots.sheet import sheet, small_png, width_on_page
from simulator.plots.visits import Visit, draw_present, draw_visits
from simulator.theory.zero_load import zero_load

QUARTET = load_machine("quartet")


def texts(file: Path) -> list[str]:
    """Return all text of an SVG."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", file.read_text(encoding="utf-8"))


@pytest.mark.usefixtures("text_stays_text")
def test_a_race_says_when_each_is_there_and_what_comes_last(tmp_path: Path) -> None:
    (file,) = draw_race(zero_load(QUARTET, 0, 0), tmp_path / "race.svg", title="local", until_ns=160)
    said = texts(file)
    line = zero_load(QUARTET, 0, 0)
    assert f"{line.data_ps / 1000:.1f}" in said
    assert all(f"{time_ps / 1000:.1f}" in said for time_ps in line.answers_ps.values())
    assert "last is the answer of node 3" in " ".join(said)


@pytest.mark.usefixtures("text_stays_text")
def test_placements_add_up_to_the_time_a_line(tmp_path: Path) -> None:
    runs = {name: run(QUARTET, Workload.from_labels([label])) for name, label in (("near", "0.0.r.0"), ("far", "0.0.r.3"))}
    (file,) = draw_placements(runs, tmp_path / "placements.svg", title="one reader", until_ns=60)
    said = texts(file)
    for result in runs.values():
        time_ns = result.threads[0].time_per_line_ns
        assert time_ns is not None
        assert any(abs(float(text) - time_ns) < 0.15 for text in said if re.fullmatch(r"\d+\.\d", text))
    assert said.count("near") == said.count("far") == 1


@pytest.mark.usefixtures("text_stays_text")
def test_link_bytes_say_use_and_time(tmp_path: Path) -> None:
    result = run(QUARTET, Workload.from_labels(["0.0.w.1", "1.0.w.0"]))
    (file,) = draw_link_bytes({"crossfire": result}, "0->1", tmp_path / "link.svg", title="two writers", published_percent=87)
    said = " ".join(texts(file))
    assert f"{100 * result.links['0->1'].utilization:.0f} %" in said
    assert "published, 87 %" in said
    assert "ns a line" in said


@pytest.mark.usefixtures("text_stays_text")
def test_visits_say_waits_and_services(tmp_path: Path) -> None:
    visits = [Visit(0, 0, 10), Visit(3, 10, 25), Visit(30, 30, 31)]
    (file,) = draw_visits(visits, tmp_path / "visits.svg", title="three")
    assert {"10", "7", "15", "1"} <= set(texts(file))


@pytest.mark.usefixtures("text_stays_text")
def test_present_says_the_mean_over_time(tmp_path: Path) -> None:
    """1 from 0 to 10, 2 from 5 on, 1 from 10 to 15: 15 customer nanoseconds and 5 more in 40."""
    visits = [Visit(0, 0, 10), Visit(5, 10, 15)]
    (file,) = draw_present(visits, tmp_path / "present.svg", title="two", until=40, most=4)
    assert any("two: 0.5 there" in text for text in texts(file))


@pytest.mark.usefixtures("text_stays_text")
def test_lines_name_their_series_and_axes(tmp_path: Path) -> None:
    series = [Series("one", [(0, 1), (2, 3)]), Series("", [(0, 0)], "dashed"), Series("two", [(1, 1)], "points", (0.5,))]
    (file,) = draw_lines(series, tmp_path / "lines.svg", x=Axis("x, ns", 4), y=Axis("y, ns", 4), title="a title")
    assert {"one", "two", "x, ns", "y, ns", "a title"} <= set(texts(file))


def png(colour: str, size: tuple[int, int]) -> bytes:
    """Return a plain picture."""
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, format="PNG")
    return buffer.getvalue()


def test_a_sheet_has_every_picture_in_its_place() -> None:
    whole = Image.open(io.BytesIO(sheet([png("red", (30, 20)), png("lime", (40, 10)), png("blue", (10, 10))], 2))).convert("RGB")
    cell = whole.width // 2
    assert whole.getpixel((5, 5)) == (255, 0, 0)
    assert whole.getpixel((cell + 5, 5)) == (0, 255, 0)
    assert whole.getpixel((5, whole.height // 2 + 5)) == (0, 0, 255)
    assert whole.getpixel((whole.width - 1, whole.height - 1)) == (255, 255, 255)


def test_a_small_png_keeps_the_colours_of_few_pixels(tmp_path: Path) -> None:
    """A mark of a few pixels keeps its colour beside thousands of others."""
    draw_lines([Series("one", [(1, 1)], "points", colour=1)], tmp_path / "one.png", x=Axis("x"), y=Axis("y"), title="one")
    before = (tmp_path / "one.png").read_bytes()
    after = small_png(before)
    assert len(after) < 0.6 * len(before)
    first, second = (Image.open(io.BytesIO(picture)).convert("RGB") for picture in (before, after))
    assert max(abs(one - other) for one, other in zip(first.tobytes(), second.tobytes(), strict=True)) < 24
    assert width_on_page(after) == round(second.width * 96 / 150)
