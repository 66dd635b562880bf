"""What the rows tell of each value at the end of a search, and which values they cannot tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.calibration.evaluate import Evaluator, Point
from simulator.calibration.fit import STANDSTILL_PERCENT, STEP_SHARE, Vector
from simulator.calibration.free import FreeValue
from simulator.calibration.report import Indistinct
from simulator.calibration.rows import Row

STEP_TENTH = 0.1  # sensitivities are for a step of a tenth of the range
NOTHING_PERCENT = 0.3  # a step that changes the rows by less than this, rms, is lost in their intervals
_PART = 0.25  # a value belongs to an indistinct direction with at least this part of its length


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives at a point, and what follows.

    Attributes
    ----------
    free : tuple of FreeValue
        No counts.
    percent : array of float, shape (free values,)
        Root mean square change of the rows for a tenth of each range.
    standard_error : array of float, shape (free values,), or None
        In units of the values; None where the rows do not determine all of them.
    correlation : array of float, shape (free values, free values), or None
    indistinct : tuple of Indistinct
    """

    free: tuple[FreeValue, ...]
    percent: Vector
    standard_error: Vector | None
    correlation: Vector | None
    indistinct: tuple[Indistinct, ...]


def sensitivity(evaluator: Evaluator, free: Sequence[FreeValue], rows: Sequence[Row], point: Point, lines: int) -> Sensitivity:
    """Look around a point.

    Parameters
    ----------
    evaluator : Evaluator
    free : sequence of FreeValue
    rows : sequence of Row
        Fitted rows; orders, which have no slope while they hold, are left out.
    point : mapping of path to value
    lines : int
        Measured lines a foreground thread.
    """
    numbers = tuple(value for value in free if not value.whole)
    sloped = [row for row in rows if row.kind != "order"]
    if not numbers or not sloped:
        return Sensitivity(numbers, np.zeros(len(numbers)), None, None, ())
    slopes, errors = _slopes(evaluator, numbers, sloped, point, lines)
    tolerances = np.array([row.tolerance_percent for row in sloped])
    weighted, residuals = slopes / tolerances[:, None], errors / tolerances
    inverse = _inverse(weighted)
    ranges = np.array([value.highest - value.lowest for value in numbers])
    spread = correlation = None
    if inverse is not None:
        unit = np.sqrt(np.diag(inverse))
        spread = unit * np.sqrt(residuals @ residuals / (weighted.shape[0] - weighted.shape[1]))
        correlation = inverse / np.outer(unit, unit)
    return Sensitivity(
        free=numbers,
        percent=STEP_TENTH * np.sqrt(np.mean(slopes**2, axis=0)),
        standard_error=None if spread is None else spread * ranges,
        correlation=correlation,
        indistinct=tuple(_indistinct(numbers, slopes)),
    )


def _slopes(
    evaluator: Evaluator, numbers: Sequence[FreeValue], rows: Sequence[Row], point: Point, lines: int
) -> tuple[Vector, Vector]:
    """Return changes of errors, in per cent, for a whole range, by central differences; and the errors at the point."""
    spans, points = [], [dict(point)]
    for value in numbers:
        share = value.share_of(point[value.path])
        low, high = max(0.0, share - STEP_SHARE), min(1.0, share + STEP_SHARE)
        spans.append(high - low)
        points += [{**point, value.path: value.from_share(end)} for end in (low, high)]
    here, *around = [_numbers(errors) for errors in evaluator.errors(points, rows, lines=lines)]
    columns = [(around[2 * place + 1] - around[2 * place]) / span for place, span in enumerate(spans)]
    return np.stack(columns, axis=1), here


def _numbers(errors: Sequence[float | None]) -> Vector:
    return np.array([STANDSTILL_PERCENT if error is None else error for error in errors])


def _inverse(slopes: Vector) -> Vector | None:
    """Return (J^T J)^-1; times s^2 = r^T r / (rows - values) it is the covariance of the shares. None where it does not exist."""
    rows, values = slopes.shape
    if rows <= values or np.linalg.matrix_rank(slopes, tol=1e-6 * max(1.0, float(np.abs(slopes).max()))) < values:
        return None
    return np.asarray(np.linalg.inv(slopes.T @ slopes), dtype=np.float64)


def _indistinct(numbers: Sequence[FreeValue], slopes: Vector) -> list[Indistinct]:
    """Return the directions, of a tenth of a range in all, along which the rows hardly change: the least singular vectors."""
    _, singular, directions = np.linalg.svd(slopes, full_matrices=True)
    changes = np.zeros(len(numbers))
    changes[: len(singular)] = STEP_TENTH * singular / np.sqrt(slopes.shape[0])
    found = []
    for change, direction in sorted(zip(changes, directions, strict=True), key=lambda pair: float(pair[0])):
        if change >= NOTHING_PERCENT:
            break
        sign = 1.0 if direction[np.argmax(np.abs(direction))] > 0 else -1.0
        parts = {
            value.path: round(float(sign * part), 2) for value, part in zip(numbers, direction, strict=True) if abs(part) >= _PART
        }
        found.append(Indistinct(paths=tuple(parts), direction=parts, change_percent=float(change)))
    return found
