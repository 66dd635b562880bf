"""Pictures of where a line's time goes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.colors import to_rgb

from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.breakdown import LINE_PARTS
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.plots import breakdown
from simulator.plots.breakdown import _PART_LOOKS, draw_breakdown
from simulator.plots.queueing import _SHARES, draw_queueing
from simulator.validation.breakdown import CaseBreakdown, case_breakdowns
from simulator.validation.reference_file import load_reference
from simulator.validation.requests import Requests
from simulator.workload import Workload

SHORT = Accuracy(5.0, 300, 100)


@pytest.fixture(scope="module")
def result() -> RunResult:
    """Crossfire and a reader in the background."""
    return run(load_machine("quartet"), Workload.from_labels(["0.0.w.1", "1.0.w.0"], background={"2.0.r.2": 1.0}), SHORT)


@pytest.fixture(scope="module")
def cases() -> tuple[CaseBreakdown, ...]:
    """Figures 6 and 11, every case the same run but one that stands still."""
    reference = load_reference("amd-40555")
    figures = [reference.find_figure(name) for name in ("6", "11")]
    requests = Requests(reference)
    results = {
        (request := requests.case(figure, case)): run(load_machine("quartet"), request.workload(), SHORT)
        for figure in figures
        for case in figure.cases
    }
    stuck = requests.case(figures[0], figures[0].cases[1])
    results[stuck] = results[stuck].model_copy(update={"breakdown": ()})
    return case_breakdowns(reference, figures, results)


def _texts(path: Path) -> list[str]:
    return re.findall(r"<t(?:ext|span)[^>]*>([^<]*)</t", path.read_text(encoding="utf-8"))


@pytest.mark.usefixtures("text_stays_text")
def test_a_bar_a_foreground_path_with_its_sums(result: RunResult, tmp_path: Path) -> None:
    (path,) = draw_breakdown(result, tmp_path / "two.svg", heading="a heading")
    text = " ".join(_texts(path))
    assert "0.0.w.1" in text
    assert "1.0.w.0" in text
    assert "2.0.r.2" not in text
    assert "a heading" in text
    for report in result.breakdown[:2]:
        assert f"walking {report.walking_ns:.0f}, queueing {report.queueing_ns:.0f}," in text
        assert f"{report.core_ns:.1f}" in text
        assert f"{report.parts_ns.controller:.1f}" in text


@pytest.mark.usefixtures("text_stays_text")
def test_parts_that_are_nowhere_are_not_in_the_legend(tmp_path: Path) -> None:
    local = run(load_machine("one-node"), Workload.from_labels(["0.0.r.0"]), SHORT)
    text = " ".join(_texts(draw_breakdown(local, tmp_path / "one.svg")[0]))
    assert "DRAM service" in text
    assert "wires" not in text
    assert "credits" not in text


@pytest.mark.usefixtures("text_stays_text")
def test_more_paths_than_there_is_room_for(result: RunResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakdown, "MOST_BARS", 2)
    many = result.model_copy(update={"breakdown": result.breakdown[:1] * 5})
    text = " ".join(_texts(draw_breakdown(many, tmp_path / "many.svg")[0]))
    assert "; 3 more are not drawn" in text
    assert text.count("walking 1") == 2


def test_same_numbers_same_bytes(result: RunResult, cases: tuple[CaseBreakdown, ...], tmp_path: Path) -> None:
    for name in ("a", "b"):
        draw_breakdown(result, tmp_path / name)
        draw_queueing(cases, tmp_path / f"cases-{name}")
    for kind in ("png", "svg"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
        assert (tmp_path / f"cases-a.{kind}").read_bytes() == (tmp_path / f"cases-b.{kind}").read_bytes()


@pytest.mark.usefixtures("text_stays_text")
def test_a_bar_a_case_under_its_figure(cases: tuple[CaseBreakdown, ...], tmp_path: Path) -> None:
    (path,) = draw_queueing(cases, tmp_path / "cases.svg", source="a source")
    texts = _texts(path)
    assert "Figure 6: crossfire and no crossfire, idle" in texts
    assert "Figure 11: two writers on node 0, idle" in texts
    assert texts.count("run came to a standstill") == 1
    for case in cases:
        assert f"{case.case.name}:  {' '.join(case.case.threads)}" in texts
        if case.paths:
            assert f"{case.mean(lambda path: path.total_ns):.0f} ns" in texts


def test_what_waits_is_hatched_and_what_walks_is_plain() -> None:
    """So that grey and a colour-blind eye tell them apart; and no two parts of a bar look alike."""
    for part, look in zip(LINE_PARTS, _PART_LOOKS, strict=True):
        assert bool(look.hatch) == (part.group != "walking")
        red, _, blue = to_rgb(look.colour)
        assert (red > blue) == (part.group == "queueing")
    assert len({(look.colour, look.hatch) for look in _PART_LOOKS}) == len(LINE_PARTS)


def test_every_part_is_in_one_share() -> None:
    assert sorted(name for share in _SHARES for name in share.names) == sorted(part.name for part in LINE_PARTS)
