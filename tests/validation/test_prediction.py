"""Which run predicts a measured number, and what is read off its result."""

from __future__ import annotations

import pytest

from simulator.interop.measured import Measurement, Quantity
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.validation.prediction import UnpredictableError, predicted, scaled_to_measured, work_for
from tests.validation.fakes import make_result
from tests.validation.measured import bandwidth, fake_run, latency, relative


@pytest.fixture(scope="module")
def quartet() -> Machine:
    return load_machine("quartet")


def without(machine: Machine, node: int, **parts: object) -> Machine:
    """Return the machine with a node that lacks something."""
    nodes = tuple(found.model_copy(update=parts) if found.id == node else found for found in machine.nodes)
    return machine.model_copy(update={"nodes": nodes})


def test_a_latency_is_one_line_at_a_time_without_jitter(quartet: Machine) -> None:
    assert quartet.core.jitter_ns > 0
    for row in (latency(0, 3, 120.0), latency(0, 3, 120.0, threads="1", read_fraction=1.0), relative(0, 3, 1.4)):
        work = work_for(quartet, row)
        assert work.machine.core.jitter_ns == 0
        (thread,) = work.workload.threads
        assert (thread.label, thread.window) == ("0.0.r.3", 1)


def test_a_bandwidth_is_of_all_cores_or_as_many_as_are_said(quartet: Machine) -> None:
    everyone = work_for(quartet, bandwidth(1, 2, 3.0))
    assert [thread.label for thread in everyone.workload.threads] == ["1.0.r.2", "1.1.r.2"]
    assert {thread.window for thread in everyone.workload.threads} == {quartet.core.background_window}
    assert everyone.machine == quartet
    one = work_for(quartet, bandwidth(1, 2, 3.0, threads="1", read_fraction=0.0))
    assert [thread.label for thread in one.workload.threads] == ["1.0.w.2"]


def test_a_share_of_reads_is_one_of_lines(quartet: Machine) -> None:
    (thread, _) = work_for(quartet, bandwidth(0, 0, 3.0, read_fraction=0.333333)).workload.threads
    assert [access.mode for access in thread.accesses].count("r") * 3 == len(thread.accesses)
    with pytest.raises(UnpredictableError, match="too fine for a pattern of lines"):
        work_for(quartet, bandwidth(0, 0, 3.0, read_fraction=0.3333))


def test_a_bandwidth_without_nodes_is_that_of_the_whole_machine(quartet: Machine) -> None:
    work = work_for(without(quartet, 3, cores=0), bandwidth(None, None, 20.0))
    assert [thread.label for thread in work.workload.threads] == [f"{n}.{c}.r.{n}" for n in (0, 1, 2) for c in (0, 1)]


def test_labels_run_as_they_stand(quartet: Machine) -> None:
    row = Measurement("pairs", Quantity.TOTAL_TIME, 90.0, "ns", threads="1.0.w.0 0.0.w.1")
    work = work_for(quartet, row)
    assert [(thread.label, thread.window) for thread in work.workload.threads] == [("0.0.w.1", None), ("1.0.w.0", None)]
    result = fake_run(quartet, work.workload, Accuracy())
    slower = result.threads[1].model_copy(update={"time_per_line_ns": 40.0, "gb_per_s": 1.6})
    result = result.model_copy(update={"threads": (result.threads[0], slower)})
    assert predicted(row, result) == 72.0
    for threads, expected in (("1.0.w.0 0.0.w.1", 40.0), ("0.0.w.1 1.0.w.0", 32.0), ("00.0.w.1 1.0.w.0", 32.0)):
        assert predicted(Measurement("pairs", Quantity.TIME_PER_LINE, 40.0, "ns", threads=threads), result) == expected
    for unit, expected in (("GB/s", 3.6), ("MB/s", 3600.0)):
        both = Measurement("pairs", Quantity.BANDWIDTH, 3.0, unit, threads="1.0.w.0 0.0.w.1")
        assert predicted(both, result) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (latency(0, 7, 100.0), "the machine has no node 7"),
        (latency(7, 0, 100.0), "the machine has no node 7"),
        (latency(3, 0, 100.0), "node 3 of the machine has no cores"),
        (latency(0, 2, 100.0), "node 2 of the machine has no memory"),
        (latency(None, 0, 100.0), "it does not name the two nodes"),
        (latency(0, 0, 100.0, threads="2"), "only idle latencies are predicted"),
        (latency(0, 0, 100.0, read_fraction=0.0), "a latency of writes"),
        (bandwidth(0, None, 3.0), "it does not name the two nodes"),
        (bandwidth(None, None, 3.0, threads="4"), "it does not name the two nodes"),
        (bandwidth(0, 0, 3.0, threads="3"), "node 0 of the machine has 2 cores, not 3"),
        (bandwidth(0, 0, 3.0, threads="0"), "node 0 of the machine has 2 cores, not 0"),
        (bandwidth(0, 0, 3.0, threads="0.0.r.9"), "has no node 9"),
        (bandwidth(0, 0, 3.0, threads="0.2.r.0"), "has no core 2 on node 0"),
        (bandwidth(0, 0, 3.0, threads="0.0.r.0 0.0.r.1"), "are on one core"),
        (bandwidth(0, 0, 3.0, threads="0.0.x.0"), "not a thread label"),
        (Measurement("m", Quantity.TIME_PER_LINE, 40.0, "ns", 0, 0), "needs labels in `threads`"),
        (Measurement("m", Quantity.TOTAL_TIME, 40.0, "ns", 0, 0, "2"), "needs labels in `threads`"),
    ],
)
def test_what_cannot_be_predicted(quartet: Machine, row: Measurement, why: str) -> None:
    machine = without(without(quartet, 3, cores=0), 2, controller=None)
    with pytest.raises(UnpredictableError, match=why):
        work_for(machine, row)


def test_a_standstill_predicts_nothing(quartet: Machine) -> None:
    row = bandwidth(0, 1, 3.0)
    assert predicted(row, make_result(quartet, work_for(quartet, row).workload, Accuracy(), 1, None, {})) is None


def test_relative_latencies_meet_at_the_least() -> None:
    assert scaled_to_measured([1.0, 1.5, 2.0], [80.0, 100.0, 160.0]) == [1.0, 1.25, 2.0]
    assert scaled_to_measured([1.0, 1.5, 2.0], [None, 100.0, 160.0]) == [None, 1.5, 2.4]  # the quickest pair is not there
    assert scaled_to_measured([1.0, 1.5], [None, None]) == [None, None]


def test_the_machine_itself_answers(quartet: Machine) -> None:
    from simulator.measure.idle import idle_latency_ns
    from simulator.measure.run import run

    row = latency(0, 3, 120.0)
    work = work_for(quartet, row)
    value = predicted(row, run(work.machine, work.workload, Accuracy(1.0, 500, 20)))
    assert value == pytest.approx(idle_latency_ns(quartet, 0, 3), rel=0.02)
