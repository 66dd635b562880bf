"""A whole measurement with small arrays, and what becomes of the repeats."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from simulator.host import measure as module
from simulator.host.area import Area, make_area
from simulator.host.measure import ENOUGH, TRIES, Effort, measure_host
from simulator.host.placement import Placement
from simulator.host.plan import HostTest, HostThread
from simulator.host.summary import csv_rows, measurements
from simulator.host.tables import host_tables
from simulator.host.together import Outcome, Share
from simulator.host.topology import Host, HostNode
from simulator.interop.measured import Quantity, measurements_csv
from simulator.interop.measured_csv import read_measurements
from simulator.interop.source import Source
from simulator.tables import plain_text
from tests.host.hosts import host

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
SMALL = Effort(repeats=6, passes=1, chase_steps=1 << 12, most_pairs=40)
MIB = 1 << 20
READ, WRITE = HostThread(0, 0, "r", 1), HostThread(1, 0, "w", 0)


class Recorder:
    """In place of the threads: keeps what was asked, and answers 1 ns a line, or not at all at first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, disturbed: int = 0) -> None:
        self.asked: list[list[Share]] = []
        self.disturbed = disturbed
        monkeypatch.setattr(module, "run_together", self)

    def __call__(self, shares: list[Share]) -> Outcome:
        self.asked.append(shares)
        if len(self.asked) <= self.disturbed:
            return Outcome(None, 0.0, (9,) * len(shares))
        return Outcome((1.0,) * len(shares), 1.0, (8 * len(self.asked) + 1,) * len(shares))


def obliging() -> Placement:
    """Places and finds every page as wished: on node 0 or 1 in turn, for areas are verified in the order of their nodes."""
    nodes = iter(range(8))
    return Placement(lambda address, size, node: 0, lambda pages: [next(nodes)] * len(pages))


def two_nodes() -> Host:
    return host((0, 1), (2, 3))


def test_rows_of_a_pair_of_threads() -> None:
    runs = [Outcome((2.0 + repeat, 5.0), 1.0, (0, 0)) for repeat in range(7)]
    rows = measurements(HostTest("two_threads", (READ, WRITE)), runs)
    assert [(row.threads, row.quantity, row.value) for row in rows] == [
        ("0.0.r.1 1.0.w.0", Quantity.TIME_PER_LINE, 5.0),
        ("1.0.w.0 0.0.r.1", Quantity.TIME_PER_LINE, 5.0),
        ("0.0.r.1 1.0.w.0", Quantity.TOTAL_TIME, 10.0),
    ]
    assert [row.ci_percent for row in rows] == [60.0, 0.0, 30.0]
    assert rows[0].repeats == (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)


def test_bandwidth_is_that_of_all_threads() -> None:
    runs = [Outcome((4.0, 8.0), 1.0, (0, 0))] * 6
    test = HostTest("bandwidth", (HostThread(1, 0, "w", 0), HostThread(1, 1, "w", 0)))
    (row,) = measurements(test, runs)
    assert (row.from_node, row.to_node, row.threads, row.read_fraction) == (1, 0, "2", 0.0)
    assert (row.value, row.unit) == (64 / 4 + 64 / 8, "GB/s")


def test_runs_without_overlap_are_left_out() -> None:
    lost, good = Outcome(None, 0.0, (0,)), Outcome((3.0,), 1.0, (0,))
    test = HostTest("one_thread", (READ,))
    (row,) = measurements(test, [lost, good, good])
    assert (row.value, row.ci_percent, row.repeats) == (3.0, None, (3.0, 3.0))
    assert measurements(test, [lost, lost]) == []


def test_arrays_lie_on_the_node_of_the_label(monkeypatch: pytest.MonkeyPatch) -> None:
    areas: dict[int, Area] = {}

    def kept(machine: Host, node: HostNode, *settings: object) -> Area:
        areas[node.id] = make_area(machine, node, *settings)  # type: ignore[arg-type]
        return areas[node.id]

    monkeypatch.setattr(module, "make_area", kept)
    recorder = Recorder(monkeypatch)
    report = measure_host(two_nodes(), SMALL, placement=obliging(), array_bytes=4 * MIB)
    assert report.notes == ()
    tests = module.plan_tests(two_nodes(), 40).tests
    assert len(recorder.asked) == 6 * len(tests)
    for test, shares in zip(tests, recorder.asked[: len(tests)], strict=True):
        for thread, share in zip(test.threads, shares, strict=True):
            assert share.cpu == 2 * thread.node + thread.core
            assert share.kind == ("chase" if test.experiment == "idle_latency" else thread.mode)
            assert np.shares_memory(share.words, areas[thread.memory].words)
        assert not any(np.shares_memory(one.words, other.words) for one, other in zip(shares, shares[1:], strict=False))


def test_a_disturbed_run_is_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(monkeypatch, disturbed=2)
    report = measure_host(host((0,)), SMALL, array_bytes=4 * MIB)
    tests = len(module.plan_tests(host((0,)), 40).tests)
    assert len(recorder.asked) == 6 * tests + 2
    assert all(len(row.repeats) == 6 for row in report.measurements)
    assert not any("busy" in note for note in report.notes)


def test_a_machine_that_stays_busy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(monkeypatch, disturbed=10_000)
    report = measure_host(host((0,)), SMALL, array_bytes=4 * MIB)
    assert len(recorder.asked) == TRIES * 6 * len(module.plan_tests(host((0,)), 40).tests)
    assert report.measurements == ()
    assert any("machine is busy" in note for note in report.notes)
    assert any("there is no number: latency 0 to 0, read bandwidth 0 to 0" in note for note in report.notes)
    assert len(host_tables(report)) == 1


def test_the_run_of_which_most_counts_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = iter([0.1, ENOUGH - 0.01, 0.0] * 1000)
    monkeypatch.setattr(module, "run_together", lambda shares: Outcome((found := next(counted),) * len(shares), found, (1, 1)))
    report = measure_host(host((0,)), SMALL, array_bytes=4 * MIB)
    assert {row.value for row in report.find("one_thread")} == {ENOUGH - 0.01}


def test_a_chase_goes_on_where_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(monkeypatch)
    measure_host(host((0,)), SMALL, array_bytes=4 * MIB)
    chases = [(place, shares[0].at) for place, shares in enumerate(recorder.asked) if shares[0].kind == "chase"]
    assert [at for _, at in chases] == [1] + [8 * (place + 1) + 1 for place, _ in chases[:-1]]


def test_progress_reaches_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    Recorder(monkeypatch)
    seen: list[tuple[int, int, str]] = []
    measure_host(host((0,)), SMALL, array_bytes=4 * MIB, progress=lambda *step: seen.append(step))
    assert [done for done, _, _ in seen] == list(range(1, len(seen) + 1))
    assert {total for _, total, _ in seen} == {len(seen)}


def test_this_machine() -> None:
    """As two nodes that are one: every number is there, and the CSV file gives it back."""
    cpus = sorted(os.sched_getaffinity(0))
    machine = host((cpus[0],), (cpus[-1],)) if len(cpus) > 1 else host((cpus[0],))
    report = measure_host(machine, SMALL, placement=obliging(), array_bytes=4 * MIB)
    nodes = len(machine.nodes)
    assert len(report.find("idle_latency")) == nodes**2
    assert len(report.find("bandwidth")) == len(report.find("one_thread")) == 2 * nodes**2
    assert all(row.value > 0 for row in report.measurements)
    rows = csv_rows(report)
    assert list(read_measurements(Source("measured.csv", measurements_csv(rows)))) == rows
    text = plain_text(host_tables(report))
    assert text.isascii()
    assert "0.0.w.0" in text
