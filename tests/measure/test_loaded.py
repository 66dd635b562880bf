"""Latency under load: who makes it, what is reported, and where a curve is saturated."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.idle import idle_latency_ns
from simulator.measure.loaded import LoadedReport, measure_loaded_latency, saturated
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.units import LINE_BYTES
from simulator.workload import Workload
from tests.machine.builders import build

SHORT = Accuracy(ci_percent=5.0, lines=2000, warmup=300)
QUARTET = load_machine("quartet")


def test_latency_rises_and_bandwidth_is_bounded() -> None:
    report = measure_loaded_latency(QUARTET, 0, 0, delays_ns=(5000, 0, 100, 0), accuracy=SHORT)
    assert [point.inject_delay_ns for point in report.points] == [0, 100, 5000]
    heavy, middle, light = report.points
    assert report.idle_latency_ns == pytest.approx(idle_latency_ns(QUARTET, 0, 0), rel=2e-4)
    assert report.idle_latency_ns is not None
    assert light.latency_ns == pytest.approx(report.idle_latency_ns, rel=0.01)
    assert heavy.latency_ns is not None
    assert middle.latency_ns is not None
    assert heavy.latency_ns > 1.1 * report.idle_latency_ns
    assert heavy.latency_ns > middle.latency_ns
    controller = QUARTET.nodes[0].controller
    assert controller is not None
    assert heavy.bandwidth_gb_per_s == pytest.approx(LINE_BYTES / controller.read_ns, rel=0.01)  # DRAM never rests
    assert heavy.memory_utilization == pytest.approx(1.0, abs=0.01)
    assert light.latency_p95_ns is not None


def test_bandwidth_of_a_light_load_is_that_of_its_cycle() -> None:
    delay = 2000
    (point,) = measure_loaded_latency(QUARTET, 1, 0, delays_ns=[delay], accuracy=SHORT).points
    idle = idle_latency_ns(QUARTET, 1, 0)
    core = QUARTET.core
    expected = core.background_window * LINE_BYTES / (delay + idle) + LINE_BYTES / (core.core_time_ns + idle)
    assert point.bandwidth_gb_per_s == pytest.approx(expected, rel=0.02)


def test_a_written_line_moves_twice_at_the_memory() -> None:
    report = measure_loaded_latency(QUARTET, 0, 1, [0.0, 1.0, 1.0], delays_ns=[0], accuracy=SHORT)
    assert report.read_fractions == (1.0, 0.0)
    reads, writes = report.points
    assert reads.memory_gb_per_s == pytest.approx(reads.bandwidth_gb_per_s, rel=0.02)
    assert writes.memory_gb_per_s is not None
    assert writes.bandwidth_gb_per_s is not None
    assert writes.memory_gb_per_s > 1.6 * writes.bandwidth_gb_per_s  # the measuring thread only reads


def test_who_makes_the_load() -> None:
    seen: list[Workload] = []

    def spy(machine: Machine, workload: Workload, accuracy: Accuracy, **settings: Any) -> RunResult:
        seen.append(workload)
        return run(machine, workload, accuracy, **settings)

    report = measure_loaded_latency(QUARTET, 1, 2, [0.5], load_nodes=(3, 1), delays_ns=[70], accuracy=SHORT, run_one=spy)
    assert (report.load_nodes, report.generators) == ((1, 3), 3)
    load = [thread for thread in seen[1].threads if thread.background]
    assert [(thread.node, thread.core) for thread in load] == [(1, 1), (3, 0), (3, 1)]
    assert {(thread.label[-3:], thread.core_time_ns, thread.window) for thread in load} == {("*.2", 70.0, 8)}
    (measuring,) = seen[1].foreground
    assert (measuring.label, measuring.window) == ("1.0.r.2", 1)


@pytest.mark.parametrize(
    ("latency", "bandwidth", "expected"),
    [
        (200.0, 1.0, True),  # doubled
        (199.0, 1.0, False),
        (111.0, 3.8, True),  # 95 % of the bandwidth, and latency up by a tenth
        (111.0, 3.7, False),
        (109.0, 4.0, False),  # all there is, but nothing waits: only the heaviest load that was tried
    ],
)
def test_the_rule(latency: float, bandwidth: float, expected: bool) -> None:
    assert saturated(latency, bandwidth, idle_latency_ns=100.0, most_gb_per_s=4.0) is expected


def test_the_lightest_saturated_load_is_marked_once_a_curve() -> None:
    report = measure_loaded_latency(QUARTET, 0, 0, [1.0, 0.0], delays_ns=[0, 10, 50, 100, 1000, 5000], accuracy=SHORT)
    idle = report.idle_latency_ns
    assert idle is not None
    for share in report.read_fractions:
        curve = report.curve(share)
        most = max(point.bandwidth_gb_per_s or 0.0 for point in curve)
        held = [point for point in curve if saturated(point.latency_ns or 0.0, point.bandwidth_gb_per_s or 0.0, idle, most)]
        assert held
        assert [point for point in curve if point.saturated] == held[-1:]


def test_a_light_load_does_not_saturate() -> None:
    report = measure_loaded_latency(QUARTET, 0, 0, delays_ns=[2000, 5000], accuracy=SHORT)
    assert not any(point.saturated for point in report.points)


def test_a_standstill_has_no_numbers() -> None:
    def stuck(machine: Machine, workload: Workload, accuracy: Accuracy, **settings: Any) -> RunResult:
        result = run(machine, workload, accuracy, **settings)
        loaded = len(workload.threads) > 1
        return result.model_copy(update={"verdict": "no progress", "verdict_detail": "stuck"}) if loaded else result

    report = measure_loaded_latency(QUARTET, 0, 0, delays_ns=[0], accuracy=SHORT, run_one=stuck)
    (point,) = report.points
    assert (point.latency_ns, point.bandwidth_gb_per_s, point.memory_gb_per_s, point.saturated) == (None, None, None, False)
    assert (point.verdict, point.verdict_detail) == ("no progress", "stuck")


def test_both_engines_give_the_same() -> None:
    reports = [
        measure_loaded_latency(QUARTET, 0, 3, [0.75], delays_ns=[0, 200], accuracy=Accuracy(20.0, 100, 20), engine=engine)
        for engine in ("simpy", "compiled")
    ]
    assert reports[0].points == reports[1].points


def test_the_document_can_be_read_again() -> None:
    report = measure_loaded_latency(QUARTET, 0, 0, delays_ns=[0], accuracy=SHORT, seed=4)
    assert LoadedReport.model_validate_json(report.model_dump_json()) == report
    assert report.provenance.seed == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"from_node": 9}, "from: mine has no node 9 with cores .*allowed: nodes 0, 1"),
        ({"to_node": 9}, "to: mine has no node 9 with memory .*allowed: nodes 0, 1"),
        ({"load_nodes": (1, 7)}, "load nodes: mine has no node 7 with cores"),
        ({}, "load nodes: core 0 of node 0 measures, and no core is left to make load"),
        ({"load_nodes": (1,), "delays_ns": [10_001]}, "delays: delay out of range .*allowed: 0 to 10000 ns"),
        ({"load_nodes": (1,), "delays_ns": [-1]}, "delays: delay out of range"),
        ({"load_nodes": (1,), "read_fractions": [0.123]}, "read fraction: a share too fine"),
    ],
)
def test_wrong_input(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        measure_loaded_latency(build(range(2), [(0, 1)]), **{"from_node": 0, "to_node": 0, **settings})
