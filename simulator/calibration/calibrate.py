"""`calibrate`: a machine fitted to published or measured numbers, and how much these say of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import simulator
from simulator.calibration.evaluate import Errors, Evaluator, Point
from simulator.calibration.fit import OnBest, Search
from simulator.calibration.free import FreeValue
from simulator.calibration.hold_out import held_out_rows
from simulator.calibration.report import (
    Calibration,
    CalibrationProvenance,
    CalibrationRow,
    CrossValidation,
    ErrorSummary,
    FittedParameter,
    Fold,
)
from simulator.calibration.rows import BASE, Row, measured_rows, reference_rows
from simulator.calibration.search import FINAL_LINES_TIMES, Effort, find_best
from simulator.calibration.sensitivity import Sensitivity, sensitivity
from simulator.errors import InputError
from simulator.interop.measurements import read_measured
from simulator.machine.load import load_machine
from simulator.machine.values import number_at
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep.executors import Executor, InProcess
from simulator.validation.reference_file import list_references, load_reference

LINES = 1500
DIGITS = 4  # that a chosen value is given with
_BOUND_SHARE = 0.01


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
    on_best: OnBest | None = None,
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
    on_best : callable, optional
        Called with each candidate that is better than all before, and what is going on.
    run_one : callable
        What does a run; tests put fakes here.

    Raises
    ------
    InputError
        Rows to hold out that are not there, or values that the machine cannot have.
    """
    held = held_out_rows(target.rows, options.hold_out)
    fitted = [row for row in target.rows if row.name not in held]
    with Evaluator(
        target.machines, fixed or {}, executor or InProcess(), options.lines, options.seed, run_one=run_one
    ) as evaluator:
        return _Work(target, tuple(free), options, evaluator, fitted, held, on_best).do()


@dataclass
class _Work:
    """The steps of a calibration."""

    target: Target
    free: tuple[FreeValue, ...]
    options: Options
    evaluator: Evaluator
    fitted: list[Row]
    held: frozenset[str]
    on_best: OnBest | None
    evaluations: int = 0

    def do(self) -> Outcome:
        search = Search(self.evaluator, self.free, self.fitted, self.on_best)
        before = self._before()
        interrupted, found, costs, folds = False, None, {}, None
        first = None if self.options.fresh else self._inside(before)
        try:
            best = find_best(search, self.options.effort, first, self.options.seed, self.options.lines)
            found = _rounded(best.point, self.free)
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
        point = found or _rounded(search.best.point, self.free)
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
        return {value.path: min(max(point[value.path], value.lowest), value.highest) for value in self.free}

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
            search = Search(with_middle, others, self.fitted, None)  # type: ignore[arg-type]
            effort = Effort(scan=1, starts=1, steps=self.options.effort.steps)
            first = {path: number for path, number in point.items() if path != value.path}
            best = find_best(search, effort, first, self.options.seed, self.options.lines)
            self.evaluations += search.evaluations
            rms = summarise(self.fitted, best.errors).rms_percent
            costs[value.path] = rms if rms is not None else math.nan
        return costs

    def _folds(self, before: Point) -> CrossValidation:
        start_errors = dict(zip((row.name for row in self.target.rows), self._errors(before), strict=True))
        groups = [
            group for group in dict.fromkeys(row.group for row in self.fitted) if group != BASE and self._has_numbers(group)
        ]
        folds = [self._fold(group, start_errors) for group in groups]
        rows = [row for fold in folds for row in fold.rows]
        return CrossValidation(
            folds=tuple(folds),
            bars=_summary([row for row in rows if row.kind in ("bar", "measured")]),
            all_rows=_summary(rows),
        )

    def _has_numbers(self, group: str) -> bool:
        return any(row.group == group and row.kind in ("bar", "measured") for row in self.fitted)

    def _fold(self, group: str, start_errors: Mapping[str, float | None]) -> Fold:
        kept = [row for row in self.fitted if row.group != group]
        away = [row for row in self.fitted if row.group == group]
        search = Search(self.evaluator, self.free, kept, self.on_best, label=f"without {group}, ")
        best = find_best(search, self.options.effort, None, self.options.seed, self.options.lines)
        self.evaluations += search.evaluations
        point = _rounded(best.point, self.free)
        (errors,) = self.evaluator.errors([point], [*kept, *away], lines=FINAL_LINES_TIMES * self.options.lines)
        seen, unseen = errors[: len(kept)], errors[len(kept) :]
        return Fold(
            group=group,
            rows=tuple(
                _row(row, held_out=True, before=start_errors[row.name], after=error)
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
            _row(row, held_out=row.name in self.held, before=start, after=end)
            for row, start, end in zip(rows, starts, ends, strict=True)
        ]
        looked_at = () if interrupted else self.free  # whoever interrupts does not want to wait
        found = sensitivity(self.evaluator, looked_at, self.fitted, point, FINAL_LINES_TIMES * self.options.lines)
        shown = [row for row in table if not row.held_out]
        kinds = dict.fromkeys(row.kind for row in shown if row.kind != "order")
        return Calibration(
            machine=self.target.machines[0],
            against=self.target.name,
            parameters=tuple(_parameter(value, before, point, found, costs) for value in self.free),
            indistinct=found.indistinct,
            rows=tuple(table),
            by_kind={kind: _summary([row for row in shown if row.kind == kind]) for kind in kinds},
            before=summarise(self.fitted, [start for start, row in zip(starts, rows, strict=True) if row.name not in self.held]),
            fitted=_summary(shown),
            held_out=_summary([row for row in table if row.held_out]) if self.held else None,
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


@dataclass(frozen=True)
class _Pinned:
    """An evaluator with some values held still."""

    evaluator: Evaluator
    pinned: Point

    def errors(self, points: Sequence[Point], rows: Sequence[Row], *, lines: int | None = None) -> list[Errors]:
        return self.evaluator.errors([{**point, **self.pinned} for point in points], rows, lines=lines)


def summarise(rows: Sequence[Row], errors: Sequence[float | None]) -> ErrorSummary:
    """Return errors in short; orders are counted, not averaged."""
    return _summary([_row(row, held_out=False, before=None, after=error) for row, error in zip(rows, errors, strict=True)])


def _summary(rows: Sequence[CalibrationRow]) -> ErrorSummary:
    numbers = [row.after_percent for row in rows if row.kind != "order" and row.after_percent is not None]
    return ErrorSummary(
        rows=len([row for row in rows if row.kind != "order"]),
        rms_percent=math.sqrt(sum(error**2 for error in numbers) / len(numbers)) if numbers else None,
        max_percent=max(map(abs, numbers), default=None),
        orders_broken=sum(row.kind == "order" and row.after_percent != 0.0 for row in rows),
    )


def _row(row: Row, *, held_out: bool, before: float | None, after: float | None) -> CalibrationRow:
    return CalibrationRow(
        name=row.name,
        group=row.group,
        kind=row.kind,
        tolerance_percent=row.tolerance_percent,
        held_out=held_out,
        before_percent=before,
        after_percent=after,
    )


def _parameter(value: FreeValue, before: Point, point: Point, found: Sensitivity, costs: Mapping[str, float]) -> FittedParameter:
    share = value.share_of(point[value.path])
    place = next((place for place, other in enumerate(found.free) if other.path == value.path), None)
    known = place is not None and found.standard_error is not None and found.correlation is not None
    correlation = {}
    if known and found.correlation is not None and place is not None:
        correlation = {other.path: float(found.correlation[place][n]) for n, other in enumerate(found.free) if n != place}
    return FittedParameter(
        path=value.path,
        value=point[value.path],
        lowest=value.lowest,
        highest=value.highest,
        before=before[value.path],
        at_bound=not _BOUND_SHARE <= share <= 1 - _BOUND_SHARE,
        sensitivity_percent=None if place is None else float(found.percent[place]),
        standard_error=float(found.standard_error[place])
        if known and found.standard_error is not None and place is not None
        else None,
        correlation=correlation,
        leave_out_percent=costs.get(value.path),
    )


def _rounded(point: Point, free: Sequence[FreeValue]) -> dict[str, float]:
    """Return the point with `DIGITS` digits, inside its bounds."""
    rounded = {}
    for value in free:
        number = point[value.path] if value.whole else float(f"{point[value.path]:.{DIGITS}g}")
        rounded[value.path] = min(max(number, value.lowest), value.highest)
    return rounded
