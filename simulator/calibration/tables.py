"""A calibration as text."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.calibration.report import Calibration, CalibrationRow, CrossValidation, ErrorSummary, FittedParameter
from simulator.tables import Cell, Mood, Table

CLOSE = 0.9  # correlations from here on are named
FAR_PERCENT = 25.0  # rms from here on: no fit worth the name


def calibration_tables(report: Calibration) -> tuple[Table, ...]:
    """Return what was chosen, how far off the rows are, and what was held out."""
    tables = [_parameters(report), _rows(report)]
    if report.cross_validation is not None:
        tables.append(_folds(report.cross_validation))
    return tuple(tables)


def calibration_sentences(report: Calibration) -> tuple[str, ...]:
    """Return the result in a few sentences."""
    found = [f"fitted rows: {_words(report.before)} before, {_words(report.fitted)} after"]
    found += [f"of these {kind}s: {_words(summary)}" for kind, summary in report.by_kind.items() if len(report.by_kind) > 1]
    if report.held_out is not None:
        found.append(f"held out: {_words(report.held_out)}")
    if report.cross_validation is not None:
        found.append(f"each group held out once, bars or measured numbers: {_words(report.cross_validation.bars)}")
    for group in report.indistinct:
        moves = ", ".join(f"{path} by {part:+g}" for path, part in group.direction.items())
        found.append(
            f"cannot be told apart: {moves} (tenths of their ranges) changes the rows by {group.change_percent:.2f} % only"
        )
    if report.fitted.rms_percent is not None and report.fitted.rms_percent > FAR_PERCENT:
        found.append(
            f"this machine is not like what was measured: still {report.fitted.rms_percent:.0f} % off, within the ranges given"
        )
    found += [f"{value.path} ends at its bound {value.value:g}" for value in report.parameters if value.at_bound]
    return tuple(found)


def _words(summary: ErrorSummary) -> str:
    if summary.rms_percent is None or summary.max_percent is None:
        return f"no numbers, {summary.standstills} at a standstill"
    still = f", {summary.standstills} of them at a standstill and left out" if summary.standstills else ""
    orders = f", {summary.orders_broken} orders broken" if summary.orders_broken else ""
    return f"rms {summary.rms_percent:.2f} %, largest {summary.max_percent:.2f} % of {summary.rows}{still}{orders}"


def _parameters(report: Calibration) -> Table:
    with_costs = any(value.leave_out_percent is not None for value in report.parameters)
    headers = ("value", "before", "fitted", "+-", "range", "tenth of range moves rows by %", "goes with")
    return Table(
        title=f"{report.machine} against {report.against}",
        headers=(*headers[:6], "rms without it", headers[6]) if with_costs else headers,
        rows=tuple(_parameter(value, with_costs) for value in report.parameters),
    )


def _parameter(value: FittedParameter, with_costs: bool) -> tuple[Cell, ...]:
    friends = [f"{path} ({number:+.2f})" for path, number in value.correlation.items() if abs(number) >= CLOSE]
    texts = [
        value.path,
        f"{value.before:g}",
        f"{value.value:g}",
        "" if value.standard_error is None else f"{value.standard_error:.2g}",
        f"{value.lowest:g} to {value.highest:g}",
        "" if value.sensitivity_percent is None else f"{value.sensitivity_percent:.2f}",
    ]
    if with_costs:
        texts.append("" if value.leave_out_percent is None else f"{value.leave_out_percent:.2f}")
    texts.append(", ".join(friends))
    return tuple(Cell(text, "bad" if place == 2 and value.at_bound else "plain") for place, text in enumerate(texts))


def _rows(report: Calibration) -> Table:
    return Table(
        title="Rows: signed error, per cent",
        headers=("row", "before", "after", "held out"),
        rows=tuple(_row(row) for row in report.rows),
    )


def _row(row: CalibrationRow) -> tuple[Cell, ...]:
    after = _signed(row)
    mood: Mood = "bad" if row.after_percent is None or abs(row.after_percent) > 2 * row.tolerance_percent else "plain"
    before = "" if row.before_percent is None else f"{row.before_percent:+.2f}"
    return (Cell(row.name), Cell(before), Cell(after, mood), Cell("yes" if row.held_out else ""))


def _signed(row: CalibrationRow) -> str:
    return "no value" if row.after_percent is None else f"{row.after_percent:+.2f}"


def _folds(found: CrossValidation) -> Table:
    rows = [_fold(fold.group, fold.fitted, fold.held_out) for fold in found.folds]
    return Table(
        title="Each group held out once: errors of rows the fit did not see",
        headers=("held out", "fitted, rms %", "held out, rms %", "largest %", "rows"),
        rows=tuple(rows),
        note=f"bars or measured numbers together: {_words(found.bars)}",
    )


def _fold(group: str, fitted: ErrorSummary, held_out: ErrorSummary) -> tuple[Cell, ...]:
    values: Sequence[float | None] = (fitted.rms_percent, held_out.rms_percent, held_out.max_percent)
    texts = ["" if value is None else f"{value:.2f}" for value in values]
    return (Cell(group), *(Cell(text) for text in texts), Cell(str(held_out.rows)))
