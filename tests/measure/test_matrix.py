"""Matrices: which pairs are run, with which threads, and what the cells say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from simulator.errors import InputError
from simulator.machine.load import load_machine, machine_from_dict
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.idle import idle_latency_ns
from simulator.measure.matrix import BandwidthThreads, MatrixReport, measure_matrix
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Workload
from tests.machine.builders import SQUARE, table

SHORT = Accuracy(ci_percent=5.0, lines=1000, warmup=100)
FEW = Accuracy(ci_percent=20.0, lines=100, warmup=20)


def _odd() -> Machine:
    """Nodes 0, 2, 5 in a line: three cores; a core without memory; memory without cores."""
    data = table((0, 2, 5), ((0, 2), (2, 5)))
    data["nodes"][0]["cores"] = 3
    del data["nodes"][1]["memory_gib"]
    data["nodes"][2]["cores"] = 0
    return machine_from_dict(data)


def _spy(calls: list[Workload]) -> Callable[..., RunResult]:
    def run_one(machine: Machine, workload: Workload, accuracy: Accuracy, **settings: Any) -> RunResult:
        calls.append(workload)
        return run(machine, workload, accuracy, **settings)

    return run_one


def test_latency_is_idle_latency() -> None:
    machine = load_machine(SQUARE)
    report = measure_matrix(machine, ["latency"], accuracy=SHORT)
    assert len(report.cells) == 16
    for cell in report.cells:
        assert (cell.quantity, cell.unit, cell.threads, cell.verdict) == ("latency", "ns", 1, "steady")
        assert cell.value == pytest.approx(idle_latency_ns(machine, cell.from_node, cell.to_node), rel=2e-4)
        assert cell.ci_percent is not None
        assert cell.ci_percent < 0.1  # jitter of the core time is no part of the latency
        assert cell.memory_gb_per_s is None


def test_no_row_without_cores_no_column_without_memory() -> None:
    calls: list[Workload] = []
    report = measure_matrix(_odd(), accuracy=SHORT, run_one=_spy(calls))
    assert (report.rows, report.columns) == ((0, 2), (0, 5))
    pairs = [(0, 0), (0, 5), (2, 0), (2, 5)]
    assert [(c.quantity, c.from_node, c.to_node) for c in report.cells] == [
        (quantity, *pair) for quantity in ("latency", "bandwidth") for pair in pairs
    ]
    assert [cell.threads for cell in report.cells] == [1, 1, 1, 1, 3, 3, 1, 1]
    assert [thread.label for thread in calls[5].threads] == ["0.0.r.5", "0.1.r.5", "0.2.r.5"]
    latency, bandwidth = report.values("latency"), report.values("bandwidth")
    assert [len(row) for row in (*latency, *bandwidth)] == [2, 2, 2, 2]
    assert latency[0][1] == report.cells[1].value
    assert bandwidth[1][0] == report.cells[6].value


def test_threads_that_only_ask_for_bandwidth_and_ordinary_ones() -> None:
    machine = _odd()
    stream = BandwidthThreads().on(machine, 0, 5).threads
    assert {(thread.window, thread.core_time_ns) for thread in stream} == {
        (machine.core.background_window, machine.core.background_core_time_ns)
    }
    assert not any(thread.background for thread in stream)
    assert BandwidthThreads(per_node=1, loop="test").on(machine, 0, 5) == Workload.from_labels(["0.0.r.5"])


def test_bandwidth_is_what_the_threads_and_the_memory_move() -> None:
    machine = load_machine(SQUARE)
    for read_fraction, moved in ((1.0, 1.0), (0.5, 1.5), (0.0, 2.0)):
        report = measure_matrix(machine, ["bandwidth"], BandwidthThreads(read_fraction, 1), accuracy=SHORT)
        for cell in report.cells:
            assert cell.value is not None
            assert cell.memory_gb_per_s == pytest.approx(moved * cell.value, rel=0.03)
            assert (cell.unit, cell.threads) == ("GB/s", 1)


def test_ordinary_threads_give_what_run_gives() -> None:
    machine = load_machine("quartet")
    report = measure_matrix(machine, ["bandwidth"], BandwidthThreads(loop="test"), accuracy=SHORT, seed=3)
    result = run(machine, Workload.from_labels(["2.0.r.1", "2.1.r.1"]), SHORT, seed=3)
    assert report.values("bandwidth")[2][1] == sum(thread.gb_per_s for thread in result.threads)


def test_both_engines_give_the_same() -> None:
    reports = [
        measure_matrix(_odd(), threads=BandwidthThreads(0.75), accuracy=FEW, engine=engine) for engine in ("simpy", "compiled")
    ]
    assert reports[0].cells == reports[1].cells
    assert [report.provenance.engine for report in reports] == ["simpy", "compiled"]


def test_a_standstill_has_no_value() -> None:
    def stuck(machine: Machine, workload: Workload, accuracy: Accuracy, **settings: Any) -> RunResult:
        result = run(machine, workload, accuracy, **settings)
        return result.model_copy(update={"verdict": "deadlock", "verdict_detail": "stuck"})

    report = measure_matrix(load_machine("one-node"), accuracy=SHORT, run_one=stuck)
    assert [(c.value, c.ci_percent, c.memory_gb_per_s, c.verdict) for c in report.cells if c.quantity == "bandwidth"] == [
        (None, None, None, "deadlock")
    ]
    assert report.values("latency") == ((None,),)


def test_it_says_how_far_it_is() -> None:
    seen: list[tuple[int, int, str]] = []
    measure_matrix(load_machine("two-node"), ["latency"], accuracy=SHORT, progress=lambda *step: seen.append(step))
    assert [step[:2] for step in seen] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert seen[1][2] == "latency 0->1"


def test_the_document_can_be_read_again() -> None:
    report = measure_matrix(load_machine("one-node"), accuracy=SHORT, seed=4)
    assert MatrixReport.model_validate_json(report.model_dump_json()) == report
    assert report.provenance.seed == 4
    assert report.provenance.machine["name"] == "one-node"


@pytest.mark.parametrize(
    ("threads", "message"),
    [
        (BandwidthThreads(per_node=2), "threads per node: .*allowed: 1 to 1, the cores of the smallest node"),
        (BandwidthThreads(per_node=0), "threads per node"),
        (BandwidthThreads(read_fraction=1.5), "read fraction: not a share of lines"),
    ],
)
def test_threads_that_cannot_be(threads: BandwidthThreads, message: str) -> None:
    def never(*args: object, **settings: object) -> RunResult:
        raise AssertionError("ran all the same")

    with pytest.raises(InputError, match=message):
        measure_matrix(_odd(), threads=threads, run_one=never)
