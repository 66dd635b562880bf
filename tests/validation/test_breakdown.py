"""Queueing against latency: AMD's explanations, out of the numbers; and the table and CSV of a reference's cases."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from functools import cache

import pytest

from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.breakdown import LINE_PARTS
from simulator.measure.result import PathReport, RunResult
from simulator.measure.run import run
from simulator.validation.breakdown import CaseBreakdown, case_breakdowns, queueing_csv, queueing_table
from simulator.validation.reference_file import load_reference
from simulator.validation.requests import Requests, RunRequest

REFERENCE = load_reference("amd-40555")
QUICK = Accuracy(ci_percent=2.0, lines=1000, warmup=200)
QUEUES = [part.name for part in LINE_PARTS if part.group == "queueing"]


@cache
def _result(figure_id: str, name: str, *overrides: str) -> RunResult:
    figure = REFERENCE.find_figure(figure_id)
    workload = Requests(REFERENCE).case(figure, figure.case(name)).workload()
    return run(load_machine("quartet", overrides), workload, QUICK)


def _foreground(result: RunResult) -> list[PathReport]:
    return [path for path in result.breakdown if not path.background]


def _waits(path: PathReport) -> Mapping[str, float]:
    return {name: getattr(path.parts_ns, name) for name in QUEUES}


class TestWhatAmdExplains:
    """Of the simulated machine; docs/breakdown.md says what it shows and what not."""

    def test_crossfire_queues_at_the_link(self) -> None:
        """Pages 26 and 41: both directions of link 0-1 are full."""
        for path in _foreground(_result("6", "crossfire")):
            waits = _waits(path)
            link = waits["link_queue"] + waits["credits"]
            assert link > 3 * max(wait for name, wait in waits.items() if name not in ("link_queue", "credits"))
            assert link > 0.7 * path.queueing_ns

    def test_without_crossfire_a_line_takes_the_same_way_and_queues_less(self) -> None:
        crossfire, none = _foreground(_result("6", "crossfire")), _foreground(_result("6", "no crossfire"))
        for slower, faster in zip(crossfire, none, strict=True):
            assert slower.walking_ns == pytest.approx(faster.walking_ns, rel=0.02)
            assert slower.queueing_ns > 2 * faster.queueing_ns

    def test_two_writers_on_one_node_queue_at_its_dram(self) -> None:
        """Page 42: its memory is at its limit."""
        for path in _foreground(_result("11", "0-0 hop")):
            waits = _waits(path)
            assert waits["dram_queue"] > 0.95 * path.queueing_ns
            assert waits["dram_queue"] > path.latency_ns / 2

    def test_a_second_writer_a_hop_away_walks_farther_and_is_done_sooner(self) -> None:
        """The near lane with twenty people, the far one with two."""
        near, far = _foreground(_result("11", "0-0 hop"))[1], _foreground(_result("11", "0-1 hop, node 1"))[1]
        assert far.walking_ns > near.walking_ns + 40
        assert far.latency_ns < near.latency_ns
        assert far.queueing_ns < 0.2 * near.queueing_ns

    def test_under_full_load_only_node_3_has_its_controller_full(self) -> None:
        """Page 42: no crossfire is slow because of 1.0.w.3, whose lines come to node 3, where two readers are."""
        result = _result("9", "no crossfire")
        full = {path.thread: path.parts_ns.controller_full for path in result.breakdown}
        to_node_3 = {"1.0.w.3", "3.0.r.3", "3.1.r.3"}
        assert min(full[thread] for thread in to_node_3) > 5
        assert max(time for thread, time in full.items() if thread not in to_node_3) < 0.5
        other, own = _foreground(result)
        assert (other.thread, own.thread) == ("0.0.w.1", "1.0.w.3")
        assert own.total_ns > 1.25 * other.total_ns
        assert result.controllers["3"].mean_queue > 19.5 > 17 > max(result.controllers[node].mean_queue for node in "012")

    def test_with_probes_out_of_the_way_node_3_has_by_far_the_longest_dram_queue(self) -> None:
        """With the shipped five credits a link its lines wait for probes instead: the limit that comes first hides the other."""
        other, own = _foreground(_result("9", "no crossfire", "link.credits.probe=20"))
        assert own.parts_ns.dram_queue > 1.5 * other.parts_ns.dram_queue
        assert own.parts_ns.controller_full > 20 > 0.5 > other.parts_ns.controller_full
        shipped = _foreground(_result("9", "no crossfire"))[1]
        assert shipped.parts_ns.probe_wait > 100 > own.parts_ns.probe_wait

    def test_crossfire_under_full_load_finds_no_controller_full(self) -> None:
        assert all(path.parts_ns.controller_full < 0.5 for path in _result("9", "crossfire").breakdown)


@pytest.fixture(scope="module")
def results() -> dict[RunRequest, RunResult]:
    """Figures 6 and 7, the last case at a standstill."""
    requests = Requests(REFERENCE)
    figures = [REFERENCE.find_figure(name) for name in ("6", "7")]
    found = {}
    for figure in figures:
        for case in figure.cases:
            request = requests.case(figure, case)
            found[request] = run(load_machine("quartet"), request.workload(), Accuracy(5.0, 200, 100))
    found[request] = found[request].model_copy(update={"breakdown": found[request].breakdown[:1]})
    return found


@pytest.fixture(scope="module")
def cases(results: dict[RunRequest, RunResult]) -> tuple[CaseBreakdown, ...]:
    """The same, broken down."""
    return case_breakdowns(REFERENCE, [REFERENCE.find_figure(name) for name in ("6", "7")], results)


def test_a_case_is_the_mean_of_its_foreground(cases: tuple[CaseBreakdown, ...], results: dict[RunRequest, RunResult]) -> None:
    loaded = cases[3]
    result = results[Requests(REFERENCE).case(loaded.figure, loaded.case)]
    assert len(result.breakdown) == 6
    times = [thread.time_per_line_ns for thread in result.threads if not thread.background]
    assert times[0] is not None
    assert times[1] is not None
    assert loaded.mean(lambda path: path.total_ns) == pytest.approx(4 * (times[0] + times[1]) / 2)


def test_the_table_has_a_row_a_case(cases: tuple[CaseBreakdown, ...]) -> None:
    table = queueing_table(cases)
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [row[:2] for row in rows] == [
        [figure, name] for figure in "67" for name in ("0 hop-0 hop", "no crossfire", "crossfire")
    ]
    assert rows[2][8] == "queue at a link"
    assert sum(float(cell) for cell in rows[2][4:8]) == pytest.approx(100, abs=0.2)
    assert rows[5][3:] == ["-"] * 7


def test_the_csv_has_every_part_of_every_thread(cases: tuple[CaseBreakdown, ...]) -> None:
    rows = list(csv.DictReader(io.StringIO(queueing_csv(cases))))
    assert [row["thread"] for row in rows[:3]] == ["all", "0.0.w.0", "1.0.w.1"]
    assert [row["figure"] for row in rows] == ["6"] * 9 + ["7"] * 7
    assert (rows[9]["background"], rows[9]["page"]) == ("low", "27")
    parts = [f"{part.name}_ns" for part in LINE_PARTS]
    for row in rows[:-1]:
        assert sum(float(row[name]) for name in [*parts, "other_ns"]) == pytest.approx(float(row["total_ns"]), abs=1e-4)
        shares = [float(row[f"{name}_percent"]) for name in ("walking", "queueing", "probe_wait", "other")]
        assert sum(shares) == pytest.approx(100, abs=1e-4)
    assert (rows[-1]["thread"], rows[-1]["total_ns"], rows[-1]["queueing_percent"]) == ("all", "", "")
