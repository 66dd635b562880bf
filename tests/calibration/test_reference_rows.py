"""Rows of AMD's reference: what a fit looks at, what it must not, and which rows are held out together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from simulator.calibration import calibrate as calibrating
from simulator.calibration.calibrate import Options, Target, calibrate, read_target
from simulator.calibration.evaluate import Evaluator
from simulator.calibration.fit import Candidate, Search
from simulator.calibration.free import FreeValue
from simulator.calibration.rows import Row, reference_rows
from simulator.calibration.search import Effort, find_best
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import LatencyReport, RunResult
from simulator.sweep.executors import InProcess
from simulator.validation.reference import Reference
from simulator.validation.reference_file import load_reference
from simulator.workload import Workload
from tests.validation.fakes import changed_run

FREE = (FreeValue("core.core_time_ns", 40.0, 120.0, whole=False),)
EFFORT = Effort(scan=2, starts=1, steps=1)
CROSSFIRE, NEAR = "0.0.w.1 1.0.w.0", "0.0.w.1 1.0.w.3"


@pytest.fixture(scope="module")
def reference() -> Reference:
    """AMD's figures."""
    return load_reference("amd-40555")


def published(changes: dict[str, float] | None = None, standstill: str | None = None) -> Callable[..., RunResult]:
    """Return a run that gives what is published, but for some bars; idle latencies as published, too."""
    run_one = changed_run(changes or {}, standstill)

    def run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1) -> RunResult:
        result = run_one(machine, workload, accuracy, seed=seed)
        mean_ns = 95.0 if len(machine.nodes) > 1 else 60.0
        return result.model_copy(update={"latency_ns": LatencyReport(mean=mean_ns, p50=None, p95=None, p99=None)})

    return run


def errors_of(rows: list[Row], run_one: Callable[..., RunResult]) -> dict[str, float | None]:
    """Return the error of each row at the Quartet as it is."""
    with Evaluator(["quartet"], {}, InProcess(), 100, run_one=run_one) as evaluator:
        return dict(zip((row.name for row in rows), evaluator.errors([{}], rows)[0], strict=True))


def test_what_is_published_has_no_error(reference: Reference) -> None:
    rows = reference_rows(reference)
    found = errors_of(rows, published())
    off = {name: error for name, error in found.items() if error is None or abs(error) > 1e-9}
    assert off == {}
    assert [row.kind for row in rows].count("bar") == 17
    assert [row.kind for row in rows].count("load") == 14
    assert [row.kind for row in rows].count("order") == 11


def test_errors_are_simulated_less_published(reference: Reference) -> None:
    found = errors_of(reference_rows(reference), published({CROSSFIRE: 1.1 * 149, NEAR: 0.8 * 130}))
    assert found["figure 6: crossfire"] == pytest.approx(10)
    assert found["figure 6: no crossfire"] == pytest.approx(-20)


def test_an_order_counts_when_it_is_turned_round_or_hardly_holds(reference: Reference) -> None:
    near, far = "0.0.w.1 1.0.w.3 beside 4 at 4 GB/s", "0.0.w.1 1.0.w.0 beside 4 at 4 GB/s"
    name = "figure 8: crossfire slower than no crossfire"
    assert errors_of(reference_rows(reference), published({near: 100.0, far: 150.0}))[name] == 0
    assert errors_of(reference_rows(reference), published({near: 100.0, far: 101.5}))[name] == pytest.approx(-0.5)
    assert errors_of(reference_rows(reference), published({near: 100.0, far: 90.0}))[name] == pytest.approx(-12)


def test_a_standstill_has_no_error(reference: Reference) -> None:
    assert errors_of(reference_rows(reference), published(standstill=CROSSFIRE))["figure 6: crossfire"] is None


def test_rows_that_no_fit_may_look_at_are_none(reference: Reference) -> None:
    figure = reference.find_figure("6")
    cases = tuple(case.model_copy(update={"calibration": False}) for case in figure.cases)
    figures = tuple(figure.model_copy(update={"cases": cases}) if other is figure else other for other in reference.figure)
    loads = tuple(load.model_copy(update={"calibration": False}) for load in reference.load)
    rows = reference_rows(reference.model_copy(update={"figure": figures, "load": loads}))
    assert not [row for row in rows if row.kind == "load"]
    assert [row.group for row in rows if row.kind == "bar"].count("6") == 0


def test_rows_of_one_run_are_held_out_with_its_figure(reference: Reference) -> None:
    groups = {row.name: row.group for row in reference_rows(reference)}
    assert groups["page 26, 0.0.w.1 1.0.w.0: link 0->1"] == groups["figure 6: crossfire"] == "6"
    assert groups["crossfire, utilization of link 0->1"] == "6"
    assert groups["page 40, 0.0.w.1: link 0->1"] == groups["figure 5: 0.0.w.1"] == "5"
    assert groups["page 22, 0.0.r.0: memory 0"] == groups["time a line of 0.0.r.0"] == "base"
    by_run: dict[object, set[str]] = {}
    for row in reference_rows(reference):
        if row.kind != "order":
            by_run.setdefault(row.needs[0], set()).add(row.group)
    assert all(len(groups) == 1 for groups in by_run.values())


def test_a_fold_neither_sees_its_rows_nor_the_values_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[tuple[str, set[str], object]] = []

    def spy(search: Search, effort: Effort, first: object, seed: int, lines: int) -> Candidate:
        searches.append((search.label, {row.group for row in search.rows}, first))
        return find_best(search, effort, first, seed, lines)  # type: ignore[arg-type]

    monkeypatch.setattr(calibrating, "find_best", spy)
    target = read_target("amd-40555", "quartet", {})
    options = Options(cross_validate=True, effort=EFFORT, lines=100)
    report = calibrate(target, FREE, options, run_one=published()).report
    (_, all_groups, own), *folds = searches
    assert own == {"core.core_time_ns": pytest.approx(59.84)}
    assert [label for label, _, _ in folds] == [f"without {group}, " for group in ("4", "5", "6", "7", "12")]
    for label, groups, first in folds:
        assert first is None, label
        assert groups == all_groups - {label.split()[1].rstrip(",")}
    assert report.cross_validation is not None
    assert [fold.group for fold in report.cross_validation.folds] == ["4", "5", "6", "7", "12"]
    assert {row.group for row in report.cross_validation.folds[2].rows} == {"6"}
    assert report.cross_validation.bars.rows == 17


def test_orders_are_looked_at_once_they_are_broken(reference: Reference) -> None:
    target = Target("amd", ("quartet",), tuple(reference_rows(reference)))
    turned = published({"0.0.w.1 1.0.w.0 beside 4 at 4 GB/s": 50.0})
    report = calibrate(target, FREE, Options(effort=EFFORT, lines=100), run_one=turned).report
    assert report.fitted.orders_broken == 2  # it is slower than both others in the figure
    assert calibrate(target, FREE, Options(effort=EFFORT, lines=100), run_one=published()).report.fitted.orders_broken == 0


def test_the_search_goes_on_with_orders_where_one_is_broken(monkeypatch: pytest.MonkeyPatch, reference: Reference) -> None:
    looked: list[bool] = []
    target = Target("amd", ("quartet",), tuple(reference_rows(reference)))
    turned = published({"0.0.w.1 1.0.w.0 beside 4 at 4 GB/s": 50.0})
    calibrate(
        target,
        FREE,
        Options(effort=EFFORT, lines=100),
        run_one=turned,
        on_look=lambda search: looked.append(any(row.kind == "order" for row in search.rows)),
    )
    assert looked[0] is False
    assert looked[-1] is True


def test_all_machines_of_a_search_have_the_same_random_numbers(reference: Reference) -> None:
    seeds = set()
    run_one = published()

    def noted(*arguments: object, seed: int = 1) -> RunResult:
        seeds.add(seed)
        return run_one(*arguments, seed=seed)

    target = Target("amd", ("quartet",), tuple(reference_rows(reference)))
    calibrate(target, FREE, Options(effort=EFFORT, lines=100, seed=7), run_one=noted)
    assert seeds == {7}


def test_a_row_at_a_standstill_is_counted_and_left_out_of_the_errors(reference: Reference) -> None:
    target = Target("amd", ("quartet",), tuple(row for row in reference_rows(reference) if row.kind == "bar"))
    report = calibrate(target, FREE, Options(effort=EFFORT, lines=100), run_one=published(standstill=CROSSFIRE)).report
    assert (report.fitted.rows, report.fitted.standstills) == (17, 1)


def test_a_machine_of_the_reference_takes_machine_wide_values_only() -> None:
    with Evaluator(["quartet", "one-node"], {}, InProcess(), 100) as evaluator:
        machine = evaluator.machine("one-node", {"link[0-1].latency_ns": 5.0, "core.core_time_ns": 50.0})
        assert machine.core.core_time_ns == 50.0
        assert replace(FREE[0], whole=True).inside(3.2) == 40
