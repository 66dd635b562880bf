"""Errors and chosen values in the words of the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from simulator.calibration.evaluate import Point
from simulator.calibration.free import FreeValue
from simulator.calibration.report import CalibrationRow, ErrorSummary, FittedParameter
from simulator.calibration.rows import ORDER_MARGIN_PERCENT, Row
from simulator.calibration.sensitivity import Sensitivity

DIGITS = 4  # that a chosen value is given with
_BOUND_SHARE = 0.01


def summarise(rows: Sequence[Row], errors: Sequence[float | None]) -> ErrorSummary:
    """Return errors in short; orders are counted, not averaged."""
    pairs = zip(rows, errors, strict=True)
    return summary_of([row_report(row, held_out=False, before=None, after=error) for row, error in pairs])


def summary_of(rows: Sequence[CalibrationRow]) -> ErrorSummary:
    """Return the errors of reported rows, after, in short."""
    numbers = [row.after_percent for row in rows if row.kind != "order" and row.after_percent is not None]
    return ErrorSummary(
        rows=len([row for row in rows if row.kind != "order"]),
        rms_percent=math.sqrt(sum(error**2 for error in numbers) / len(numbers)) if numbers else None,
        max_percent=max(map(abs, numbers), default=None),
        standstills=sum(row.after_percent is None for row in rows),
        orders_broken=sum(row.kind == "order" and _is_broken(row) for row in rows),
    )


def _is_broken(row: CalibrationRow) -> bool:
    return row.after_percent is None or row.after_percent <= -ORDER_MARGIN_PERCENT


def row_report(row: Row, *, held_out: bool, before: float | None, after: float | None) -> CalibrationRow:
    """Return a row with its errors before and after, per cent."""
    return CalibrationRow(
        name=row.name,
        group=row.group,
        kind=row.kind,
        tolerance_percent=row.tolerance_percent,
        held_out=held_out,
        before_percent=before,
        after_percent=after,
    )


def parameter_report(
    value: FreeValue, before: Point, point: Point, found: Sensitivity, costs: Mapping[str, float]
) -> FittedParameter:
    """Return a chosen value with what the rows tell of it."""
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


def rounded(point: Point, free: Sequence[FreeValue]) -> dict[str, float]:
    """Return the point with `DIGITS` digits, inside its bounds."""
    return {value.path: value.inside(float(f"{point[value.path]:.{DIGITS}g}")) for value in free}
