"""Calibration against numbers whose right answer is known: it finds them, and says what the numbers do not tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.calibration.calibrate import Options, Target, calibrate
from simulator.calibration.evaluate import Errors, Evaluator, Point
from simulator.calibration.free import FreeValue, free_values
from simulator.calibration.rows import Row, measured_rows
from simulator.calibration.search import Effort
from simulator.calibration.sensitivity import sensitivity
from simulator.calibration.write import machine_file_text
from simulator.errors import InputError
from simulator.interop.measured import Measurement, Quantity
from simulator.machine.fitted import fitted_values
from simulator.machine.load import load_machine
from simulator.machine.values import number_at
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep.executors import Outcome
from simulator.validation.prediction import predicted, work_for
from tests.calibration.models import TRUTH, linear_run

ACCURACY = Accuracy(ci_percent=5, lines=300, warmup=50)
ROWS = tuple(
    Measurement(experiment, quantity, 1.0, "ns", from_node, to_node, threads)
    for experiment, quantity, from_node, to_node, threads in (
        ("idle", Quantity.LATENCY, 0, 0, ""),
        ("idle", Quantity.LATENCY, 0, 1, ""),
        ("test", Quantity.TIME_PER_LINE, None, None, "0.0.r.0"),
        ("test", Quantity.TIME_PER_LINE, None, None, "0.0.r.1"),
        ("writers", Quantity.TIME_PER_LINE, None, None, "0.0.w.0"),
        ("writers", Quantity.TIME_PER_LINE, None, None, "0.0.w.1"),
    )
)


def measured_by(run_one: Callable[..., RunResult], truth: dict[str, float]) -> tuple[Measurement, ...]:
    """Return the rows with the values that a machine with these constants gives."""
    machine = load_machine("two-node", truth)
    found = []
    for row in ROWS:
        work = work_for(machine, row)
        value = predicted(row, run_one(work.machine, work.workload, ACCURACY, seed=1))
        assert value is not None
        found.append(Measurement(row.experiment, row.quantity, value, row.unit, row.from_node, row.to_node, row.threads))
    return tuple(found)


@pytest.fixture
def target() -> Target:
    """Numbers of the quick model."""
    rows, left_out = measured_rows(measured_by(linear_run, TRUTH), "two-node", load_machine("two-node"))
    assert left_out == []
    return Target("made up", ("two-node",), tuple(rows))


FREE = free_values(load_machine("two-node"), ["core.core_time_ns:40..120", "link.latency_ns:5..20", "controller.path_ns:15..45"])
QUICK = Options(effort=Effort(scan=8, starts=2, steps=20), lines=100)


def test_it_finds_the_values_behind_the_numbers(target: Target) -> None:
    outcome = calibrate(target, FREE, QUICK, run_one=linear_run)
    assert outcome.point == pytest.approx(TRUTH, rel=0.01)
    assert outcome.report.fitted.max_percent == pytest.approx(0.0, abs=0.2)
    assert outcome.report.before.rms_percent is not None
    assert outcome.report.before.rms_percent > 2
    assert not any(value.at_bound for value in outcome.report.parameters)


def test_it_does_so_from_starts_that_do_not_know_the_machine(target: Target) -> None:
    options = Options(fresh=True, effort=QUICK.effort, lines=100, seed=3)
    assert calibrate(target, FREE, options, run_one=linear_run).point == pytest.approx(TRUTH, rel=0.01)


def test_held_out_rows_do_not_steer_the_fit(target: Target) -> None:
    spoiled = tuple(
        Measurement("writers", row.quantity, 10 * row.value, row.unit, threads=row.threads)
        if row.experiment == "writers"
        else row
        for row in measured_by(linear_run, TRUTH)
    )
    rows, _ = measured_rows(spoiled, "two-node", load_machine("two-node"))
    options = Options(hold_out="experiment=writers", effort=QUICK.effort, lines=100)
    outcome = calibrate(Target("spoiled", ("two-node",), tuple(rows)), FREE, options, run_one=linear_run)
    assert outcome.point == pytest.approx(TRUTH, rel=0.01)
    assert outcome.report.held_out is not None
    assert outcome.report.held_out.rows == 2
    assert outcome.report.held_out.rms_percent == pytest.approx(90, abs=1)
    assert [row.name for row in outcome.report.rows if row.held_out] == [row.name for row in rows if row.group == "writers"]


def test_each_group_is_held_out_once_and_predicted(target: Target) -> None:
    options = Options(cross_validate=True, effort=QUICK.effort, lines=100)
    found = calibrate(target, FREE, options, run_one=linear_run).report.cross_validation
    assert found is not None
    assert [fold.group for fold in found.folds] == ["idle", "test", "writers"]
    assert all(row.held_out and row.group == fold.group for fold in found.folds for row in fold.rows)
    by_group = {fold.group: fold.held_out.max_percent for fold in found.folds}
    assert by_group["writers"] == pytest.approx(0.0, abs=0.5)
    assert found.bars.rows == 6


def test_values_that_no_row_depends_on_are_named(target: Target) -> None:
    deaf = FreeValue("crossbar.latency_ns", 2.0, 12.0, whole=False)
    report = calibrate(target, (*FREE, deaf), QUICK, run_one=linear_run).report
    assert [group.paths for group in report.indistinct] == [("crossbar.latency_ns",)]
    assert report.indistinct[0].change_percent == pytest.approx(0.0)
    by_path = {value.path: value for value in report.parameters}
    assert by_path["crossbar.latency_ns"].sensitivity_percent == 0.0
    assert by_path["crossbar.latency_ns"].standard_error is None


def test_values_that_only_their_sum_shows_are_named_together() -> None:
    rows, _ = measured_rows(
        [row for row in measured_by(linear_run, TRUTH) if row.threads == "0.0.r.0"], "two-node", load_machine("two-node")
    )
    free = [value for value in FREE if value.path != "link.latency_ns"]
    report = calibrate(Target("one row", ("two-node",), tuple(rows)), free, QUICK, run_one=linear_run).report
    assert [set(group.paths) for group in report.indistinct] == [{"core.core_time_ns", "controller.path_ns"}]
    assert all(value.standard_error is None for value in report.parameters)


def test_what_each_value_costs_to_leave_out(target: Target) -> None:
    options = Options(leave_out_each=True, effort=QUICK.effort, lines=100)
    report = calibrate(target, FREE, options, run_one=linear_run).report
    costs = {value.path: value.leave_out_percent for value in report.parameters}
    assert costs["controller.path_ns"] == pytest.approx(0.0, abs=0.2)  # the middle of its range is the truth
    assert costs["core.core_time_ns"] is not None
    assert costs["core.core_time_ns"] > 1


def test_counts_are_tried_one_by_one() -> None:
    truth = {"core.window": 6}
    machine = load_machine("two-node", truth)

    def with_window(machine, workload, accuracy, *, seed=1, engine="auto"):  # type: ignore[no-untyped-def]
        result = linear_run(machine, workload, accuracy, seed=seed)
        threads = [t.model_copy(update={"time_per_line_ns": 400 / machine.core.window}) for t in result.threads]
        return result.model_copy(update={"threads": tuple(threads)})

    rows, _ = measured_rows([Measurement("t", Quantity.TIME_PER_LINE, 400 / 6, "ns", threads="0.0.r.0")], "two-node", machine)
    free = free_values(load_machine("two-node"), ["core.window:4..8"])
    outcome = calibrate(Target("windows", ("two-node",), tuple(rows)), free, QUICK, run_one=with_window)
    assert outcome.point == {"core.window": 6}


class _Stopped:
    """Runs that are interrupted after so many."""

    def __init__(self, runs: int) -> None:
        self.left = runs

    def __call__(self, *arguments: object, **options: object) -> RunResult:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return linear_run(*arguments, **options)  # type: ignore[arg-type]


def test_interrupted_it_keeps_the_best_so_far(target: Target) -> None:
    outcome = calibrate(target, FREE, QUICK, run_one=_Stopped(100))
    assert outcome.report.provenance.interrupted
    assert outcome.report.fitted.rms_percent is not None
    assert outcome.report.before.rms_percent is not None
    assert outcome.report.fitted.rms_percent < outcome.report.before.rms_percent
    with pytest.raises(KeyboardInterrupt):
        calibrate(target, FREE, QUICK, run_one=_Stopped(3))


@pytest.mark.slow
def test_it_recovers_constants_of_the_simulator_itself() -> None:
    truth = {"core.core_time_ns": 80.0, "link.latency_ns": 15.0}
    rows, _ = measured_rows(measured_by(run, truth), "two-node", load_machine("two-node"))
    free = [value for value in FREE if value.path in truth]
    options = Options(effort=Effort(scan=8, starts=2, steps=10), lines=1000)
    outcome = calibrate(Target("simulated", ("two-node",), tuple(rows)), free, options)
    assert outcome.point == pytest.approx(truth, rel=0.05)


def test_the_file_it_writes_gives_the_machine(target: Target, tmp_path: Path) -> None:
    point = {"core.core_time_ns": 61.5, "link.latency_ns": 9.25, "controller.path_ns": 33.0}
    file = tmp_path / "new.toml"
    file.write_text(machine_file_text("two-node", "mine", FREE, point, "fitted to x", file))
    machine = load_machine(file)
    assert {path: number_at(machine, path) for path in point} == point
    assert machine.name == "mine"
    assert "fitted to x" in machine.core.source
    ranges = {value.path: value.allowed for value in fitted_values(machine)}
    assert ranges["link.latency_ns"] == (5.0, 20.0)


def test_a_file_for_one_link_or_with_other_settings_is_whole(tmp_path: Path) -> None:
    free = free_values(load_machine("quartet"), ["link[0-1].latency_ns:5..20"])
    file = tmp_path / "new.toml"
    file.write_text(machine_file_text("quartet", "mine", free, {"link[0-1].latency_ns": 17.5}, "x", file, {"core.window": 5}))
    assert "extends" not in file.read_text()
    machine = load_machine(file)
    assert [link.latency_ns for link in machine.links] == [17.5] + 3 * [load_machine("quartet").links[1].latency_ns]
    assert machine.core.window == 5
    assert machine.routing == load_machine("quartet").routing


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("link.latency_ns:9..3", "lower bound is not below"),
        ("link.latency_ns:a..3", "is no range"),
        ("link.width_bits", "has no bounds"),
        ("link.latency", "there is no latency here"),
        ("link[0-7].latency_ns:1..2", "no such node or link"),
        ("crossbar.arbitration:1..2", "is no number"),
        ("core.window:4.2..4.8", "no whole number"),
        ("core.window:1..99", "too many combinations"),
    ],
)
def test_what_cannot_be_freed(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        free_values(load_machine("two-node"), [text])


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("figure=99", "is no figure"),
        ("figures", "holds out nothing that is known"),
        ("every=1", "no distance"),
        ("rows=/does/not/exist", "cannot be read"),
        ("experiment=idle,test,writers", "leaves no row"),
    ],
)
def test_what_cannot_be_held_out(target: Target, choice: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        calibrate(target, FREE, Options(hold_out=choice), run_one=linear_run)


def test_every_third_row_and_rows_of_a_file(target: Target, tmp_path: Path) -> None:
    options = Options(hold_out="every=3", effort=QUICK.effort, lines=100)
    report = calibrate(target, FREE, options, run_one=linear_run).report
    assert [place for place, row in enumerate(report.rows) if row.held_out] == [2, 5]
    names = tmp_path / "names.txt"
    names.write_text(f"# held out\n{target.rows[1].name}\n")
    report = calibrate(target, FREE, Options(hold_out=f"rows={names}", effort=QUICK.effort), run_one=linear_run).report
    assert [row.name for row in report.rows if row.held_out] == [target.rows[1].name]
    names.write_text("nonsense\n")
    with pytest.raises(InputError, match="line 1: is the name of no row"):
        calibrate(target, FREE, Options(hold_out=f"rows={names}"), run_one=linear_run)


def test_errors_and_correlations_are_those_of_linear_least_squares() -> None:
    """The covariance of a linear model is known: s^2 (J^T J)^-1."""
    slopes = np.array([[10.0, 10.0], [10.0, -20.0], [5.0, 0.0], [0.0, 8.0]])
    offsets = np.array([0.5, -0.5, 1.0, -1.0])
    free = [FreeValue("a", 0.0, 2.0, whole=False), FreeValue("b", 0.0, 4.0, whole=False)]
    rows = [Row(str(place), "g", "measured", 5.0, (), lambda _: None) for place in range(4)]

    class Linear:
        def errors(self, points: list[Point], rows: list[Row], **_: object) -> list[Errors]:
            return [list(slopes @ [point["a"] / 2 - 0.5, point["b"] / 4 - 0.5] + offsets) for point in points]

    found = sensitivity(Linear(), free, rows, {"a": 1.0, "b": 2.0}, 100)  # type: ignore[arg-type]
    jacobian = slopes / 5.0
    covariance = np.linalg.inv(jacobian.T @ jacobian) * float((offsets / 5.0) @ (offsets / 5.0)) / (4 - 2)
    assert found.standard_error == pytest.approx(np.sqrt(np.diag(covariance)) * [2.0, 4.0])
    assert found.correlation is not None
    assert found.correlation[0, 1] == pytest.approx(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))
    assert found.correlation[0, 1] > 0
    assert found.percent == pytest.approx(0.1 * np.sqrt(np.mean(slopes**2, axis=0)))


def test_a_value_whose_truth_is_beyond_its_range_ends_at_the_bound(target: Target) -> None:
    free = free_values(load_machine("two-node"), ["core.core_time_ns:40..60", "link.latency_ns:5..20"])
    report = calibrate(target, free, QUICK, run_one=linear_run).report
    assert [value.at_bound for value in report.parameters] == [True, False]


def test_one_group_cannot_be_held_out() -> None:
    rows, _ = measured_rows(measured_by(linear_run, TRUTH)[:2], "two-node", load_machine("two-node"))
    with pytest.raises(InputError, match="leaves nothing to fit"):
        calibrate(Target("one", ("two-node",), tuple(rows)), FREE, Options(cross_validate=True), run_one=linear_run)


@pytest.mark.parametrize(
    ("text", "message"), [("link.latency_ns:0..20", "cannot have 0"), ("link.credits.response:0..3", "cannot have 0")]
)
def test_bounds_are_checked_before_any_run(target: Target, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        calibrate(target, free_values(load_machine("two-node"), [text]), QUICK, run_one=_Stopped(1))


def test_a_count_whose_range_leaves_out_the_machines_own_value(target: Target) -> None:
    free = free_values(load_machine("two-node"), ["link.credits.response:1..3"])
    assert calibrate(target, free, QUICK, run_one=linear_run).point["link.credits.response"] in (1, 2, 3)


def test_rows_of_equal_names_are_told_apart() -> None:
    twice = measured_by(linear_run, TRUTH)[:1] * 2
    rows, _ = measured_rows(twice, "two-node", load_machine("two-node"))
    assert [row.name for row in rows] == ["idle: latency 0->0", "idle: latency 0->0 #2"]


class _Slow:
    """An executor whose crew keeps what it was given when a wait is interrupted, as processes do."""

    def __init__(self) -> None:
        self.interrupt_after = 0

    def start(self, function: Callable[..., RunResult]) -> _Slow:
        self._function, self._tasks = function, []
        return self

    @property
    def free(self) -> int:
        return 4 - len(self._tasks)

    def submit(self, task: object) -> None:
        self._tasks.append(task)

    def wait(self, timeout_s: float | None = None) -> list[Outcome]:
        self.interrupt_after -= 1
        if self.interrupt_after == 0:
            raise KeyboardInterrupt
        return [Outcome(task, result=self._function(task)) for task in [self._tasks.pop(0)]]

    def close(self) -> None:
        """Nothing is running."""


def test_runs_of_an_interrupted_batch_are_not_taken_for_others(target: Target) -> None:
    crew = _Slow()
    with Evaluator(["two-node"], {}, crew, 100, run_one=linear_run) as evaluator:  # type: ignore[arg-type]
        clean = evaluator.errors([TRUTH], target.rows)
        crew.interrupt_after = 4
        with pytest.raises(KeyboardInterrupt):
            evaluator.errors([{"core.core_time_ns": 120.0}, {"core.core_time_ns": 110.0}], target.rows)
        crew.interrupt_after = -1
        assert evaluator.errors([TRUTH], target.rows) == clean
