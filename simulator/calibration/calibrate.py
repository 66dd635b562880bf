"""`calibrate`: a machine fitted to published or measured numbers, and how much these say of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import simulator
from simulator.calibration.check import check_bounds, check_rows
from simulator.calibration.evaluate import Errors, Evaluator, OnPoint, Point
from simulator.calibration.fit import OnLook, Search
from simulator.calibration.free import FreeValue
from simulator.calibration.hold_out import held_out_rows
from simulator.calibration.report import (
    Calibration,
    CalibrationProvenance,
    CrossValidation,
    Fold,
)
from simulator.calibration.rows import BASE, Row, measured_rows, reference_rows
from simulator.calibration.search import FINAL_LINES_TIMES, Effort, find_best
from simulator.calibration.sensitivity import sensitivity
from simulator.calibration.summary import parameter_report, rounded, row_report, summarise, summary_of
from simulator.errors import InputError
from simulator.interop.measurements import read_measured
from simulator.machine.load import load_machine
from simulator.machine.values import number_at
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep.executors import Executor, InProcess
from simulator.validation.reference_file import list_references, load_reference

LINES = 1500


@dataclass(frozen=True)
class Target:
    """What a machine is fitted to.

    Attributes
    ----------
    name : str
    machines : tuple of str
        All that rows speak of, the one to calibrate first.
    rows : tuple of Row
    left_out : tuple of str
        What cannot be looked at, with the reason.
    """

    name: str
    machines: tuple[str, ...]
    rows: tuple[Row, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """How a calibration goes.

    Attributes
    ----------
    hold_out : str, optional
        See :func:`simulator.calibration.hold_out.held_out_rows`.
    cross_validate : bool
        Hold out each group once, too.
    leave_out_each : bool
        Say what each value costs to leave out.
    fresh : bool
        Do not start from the machine's own values.
    effort : Effort
    lines : int
        Measured lines a foreground thread in the search.
    seed : int
    """

    hold_out: str | None = None
    cross_validate: bool = False
    leave_out_each: bool = False
    fresh: bool = False
    effort: Effort = field(default_factory=Effort)
    lines: int = LINES
    seed: int = 1


@dataclass
class Outcome:
    """A calibration done, or as far as it came.

    Attributes
    ----------
    report : Calibration
    free : tuple of FreeValue
    point : mapping of path to value
        All chosen values.
    """

    report: Calibration
    free: tuple[FreeValue, ...]
    point: Point


def read_target(against: str, machine: str, fixed: Mapping[str, object]) -> Target:
    """Return the rows of a reference (by name or file) or of a file of measured numbers.

    Raises
    ------
    InputError
        It is neither, or the reference is about another machine.
    """
    if against in list_references() or against.endswith(".toml"):
        reference = load_reference(against)
        names = [
            anchor.machine for anchor in reference.anchor if anchor.machine is not None and anchor.machine != reference.machine
        ]
        if machine != reference.machine:
            reference = reference.model_copy(update={"machine": machine})
        return Target(reference.name, tuple(dict.fromkeys([machine, *names])), tuple(reference_rows(reference)))
    measured = read_measured(against)
    rows, reasons = measured_rows(measured.rows, machine, load_machine(machine, dict(fixed)))
    left_out = (*measured.left_out, *reasons)
    if not rows:
        raise InputError(
            "holds nothing to fit to", file=against, value="; ".join(left_out[:3]) or None, allowed="latencies or bandwidths"
        )
    return Target(Path(against).name, (machine,), tuple(rows), left_out)


def calibrate(
    target: Target,
    free: Sequence[FreeValue],
    options: Options,
    *,
    fixed: Mapping[str, object] | None = None,
    executor: Executor | None = None,
    on_look: OnLook | None = None,
    run_one: Callable[..., RunResult] = run,
) -> Outcome:
    """Fit the free values of a machine to a target.

    Interrupted (KeyboardInterrupt) after the first candidates, it returns the best so far, with `interrupted` set.

    Parameters
    ----------
    target : Target
    free : sequence of FreeValue
    options : Options
    fixed : mapping of path to value, optional
        Settings beside.
    executor : Executor, optional
        Where runs are done; in this process if left out.
    on_look : callable, optional
        Called with the search after each point it has looked at.
    run_one : callable
        What does a run; tests put fakes here.

    Raises
    ------
    InputError
        Rows to hold out that are not there, or values that the machine cannot have.
    """
    held = held_out_rows(target.rows, options.hold_out)
    if options.cross_validate and len(_groups(target.rows)) < 2:
        allowed = "rows of at least two figures or experiments"
        raise InputError("leaves nothing to fit: all rows are of one group", field="--leave-one-figure-out", allowed=allowed)
    fitted = [row for row in target.rows if row.name not in held]
    with Evaluator(
        target.machines, fixed or {}, executor or InProcess(), options.lines, options.seed, run_one=run_one
    ) as evaluator:
        check_bounds(evaluator, target.machines[0], free)
        check_rows(evaluator, target.rows)
        return _Work(target, tuple(free), options, evaluator, fitted, held, on_look).do()


@dataclass
class _Work:
    """The steps of a calibration."""

    target: Target
    free: tuple[FreeValue, ...]
    options: Options
    evaluator: Evaluator
    fitted: list[Row]
    held: frozenset[str]
    on_look: OnLook | None
    evaluations: int = 0

    def do(self) -> Outcome:
        search = Search(self.evaluator, self.free, self.fitted, self.on_look)
        before = self._before()
        interrupted, found, costs, folds = False, None, {}, None
        first = None if self.options.fresh else self._inside(before)
        try:
            best = find_best(search, self.options.effort, first, self.options.seed, self.options.lines)
            found = rounded(best.point, self.free)
            if self.options.leave_out_each:
                costs = self._costs(found)
            if self.options.cross_validate:
                folds = self._folds(before)
        except KeyboardInterrupt:
            interrupted = True
            if search.best is None:
                raise
        self.evaluations += search.evaluations
        assert search.best is not None
        point = found or rounded(search.best.point, self.free)
        try:
            report = self._report(before, point, costs, folds, interrupted)
        except KeyboardInterrupt:
            if interrupted:
                raise
            report = self._report(before, point, costs, folds, interrupted=True)
        return Outcome(report, self.free, point)

    def _before(self) -> dict[str, float]:
        machine = self.evaluator.machine(self.target.machines[0], {})
        return {value.path: number_at(machine, value.path) for value in self.free}

    def _inside(self, point: Point) -> dict[str, float]:
        return {value.path: value.inside(point[value.path]) for value in self.free}

    def _errors(self, point: Point) -> Errors:
        (errors,) = self.evaluator.errors([point], self.target.rows, lines=FINAL_LINES_TIMES * self.options.lines)
        return errors

    def _costs(self, point: Point) -> dict[str, float]:
        """Fit again with each value in the middle of its range, the others starting where they are."""
        costs = {}
        for value in (value for value in self.free if not value.whole):
            others = tuple(other for other in self.free if other is not value)
            middle = value.from_share(0.5)
            with_middle = _Pinned(self.evaluator, {value.path: middle})
            search = Search(with_middle, others, self.fitted, self.on_look, label=f"without {value.path}, ")
            effort = Effort(scan=1, starts=1, steps=self.options.effort.steps)
            first = {path: number for path, number in point.items() if path != value.path}
            best = find_best(search, effort, first, self.options.seed, self.options.lines)
            self.evaluations += search.evaluations
            rms = summarise(self.fitted, best.errors).rms_percent
            costs[value.path] = rms if rms is not None else math.nan
        return costs

    def _folds(self, before: Point) -> CrossValidation:
        start_errors = dict(zip((row.name for row in self.target.rows), self._errors(before), strict=True))
        folds = [self._fold(group, start_errors) for group in _groups(self.fitted)]
        rows = [row for fold in folds for row in fold.rows]
        return CrossValidation(
            folds=tuple(folds),
            bars=summary_of([row for row in rows if row.kind in ("bar", "measured")]),
            all_rows=summary_of(rows),
        )

    def _fold(self, group: str, start_errors: Mapping[str, float | None]) -> Fold:
        kept = [row for row in self.fitted if row.group != group]
        away = [row for row in self.fitted if row.group == group]
        search = Search(self.evaluator, self.free, kept, self.on_look, label=f"without {group}, ")
        best = find_best(search, self.options.effort, None, self.options.seed, self.options.lines)
        self.evaluations += search.evaluations
        point = rounded(best.point, self.free)
        (errors,) = self.evaluator.errors([point], [*kept, *away], lines=FINAL_LINES_TIMES * self.options.lines)
        seen, unseen = errors[: len(kept)], errors[len(kept) :]
        return Fold(
            group=group,
            rows=tuple(
                row_report(row, held_out=True, before=start_errors[row.name], after=error)
                for row, error in zip(away, unseen, strict=True)
            ),
            fitted=summarise(kept, seen),
            held_out=summarise(away, unseen),
            values=dict(point),
        )

    def _report(
        self, before: Point, point: Point, costs: Mapping[str, float], folds: CrossValidation | None, interrupted: bool
    ) -> Calibration:
        rows = self.target.rows
        starts, ends = self._errors(before), self._errors(point)
        table = [
            row_report(row, held_out=row.name in self.held, before=start, after=end)
            for row, start, end in zip(rows, starts, ends, strict=True)
        ]
        looked_at = () if interrupted else self.free  # whoever interrupts does not want to wait
        found = sensitivity(self.evaluator, looked_at, self.fitted, point, FINAL_LINES_TIMES * self.options.lines)
        shown = [row for row in table if not row.held_out]
        kinds = dict.fromkeys(row.kind for row in shown if row.kind != "order")
        return Calibration(
            machine=self.target.machines[0],
            against=self.target.name,
            parameters=tuple(parameter_report(value, before, point, found, costs) for value in self.free),
            indistinct=found.indistinct,
            rows=tuple(table),
            by_kind={kind: summary_of([row for row in shown if row.kind == kind]) for kind in kinds},
            before=summarise(self.fitted, [start for start, row in zip(starts, rows, strict=True) if row.name not in self.held]),
            fitted=summary_of(shown),
            held_out=summary_of([row for row in table if row.held_out]) if self.held else None,
            left_out=self.target.left_out,
            cross_validation=folds,
            provenance=CalibrationProvenance(
                version=simulator.__version__,
                seed=self.options.seed,
                lines=self.options.lines,
                scan=self.options.effort.scan,
                starts=self.options.effort.starts,
                steps=self.options.effort.steps,
                evaluations=self.evaluations,
                runs=self.evaluator.runs_done,
                interrupted=interrupted,
            ),
        )


def _groups(rows: Sequence[Row]) -> list[str]:
    """Return the groups that can be held out: those with bars or measured numbers."""
    numbers = (row.group for row in rows if row.kind in ("bar", "measured"))
    return [group for group in dict.fromkeys(numbers) if group != BASE]


@dataclass(frozen=True)
class _Pinned:
    """An evaluator with some values held still."""

    evaluator: Evaluator
    pinned: Point

    def errors(
        self, points: Sequence[Point], rows: Sequence[Row], *, lines: int | None = None, on_point: OnPoint | None = None
    ) -> list[Errors]:
        """Return the errors of rows at points, with these values."""
        pinned = [{**point, **self.pinned} for point in points]
        return self.evaluator.errors(pinned, rows, lines=lines, on_point=on_point)
