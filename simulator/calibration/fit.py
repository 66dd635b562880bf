"""Least squares over the free values, from several starts.

Residuals are errors over the tolerances of their rows. Runs share their random numbers at every point, so a difference between
points is one of the machine; what is left of chance is far below the step of the derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from simulator.calibration.evaluate import Errors, OnPoint, Point
from simulator.calibration.free import FreeValue
from simulator.calibration.rows import Row

STEP_SHARE = 0.06  # of a range, for derivatives: small against bends, large against chance
STANDSTILL_PERCENT = 50.0  # the error that a run without numbers counts as
_EDGE = 1e-3  # shares are kept this far inside, as the method wants an interior start
_ENOUGH = 2e-3  # relative change of cost or shares that ends a descent
Vector = npt.NDArray[np.float64]
OnLook = Callable[["Search"], None]


@dataclass(frozen=True)
class Candidate:
    """A point and how good it is.

    Attributes
    ----------
    point : mapping of path to value
        Of all free values, counts included.
    errors : list of float or None, shape (rows,)
        Per cent.
    cost : float
        Mean square of errors over tolerances.
    """

    point: Point
    errors: Errors
    cost: float


class RowErrors(Protocol):
    """What a search needs of an evaluator."""

    def errors(
        self, points: Sequence[Point], rows: Sequence[Row], *, lines: int | None = None, on_point: OnPoint | None = None
    ) -> list[Errors]:
        """Return the errors of rows at points; see :class:`simulator.calibration.evaluate.Evaluator`."""


@dataclass
class Search:
    """A search under way: what it looks at, and the best so far.

    Attributes
    ----------
    evaluator : RowErrors
    free : sequence of FreeValue
    rows : sequence of Row
        Those that are fitted.
    on_look : callable, optional
        Called with the search after each point it has looked at.
    best : Candidate, optional
    evaluations : int
        Points looked at.
    label, doing : str
        Which search this is, and where it stands, for `on_look`.
    """

    evaluator: RowErrors
    free: Sequence[FreeValue]
    rows: Sequence[Row]
    on_look: OnLook | None = None
    best: Candidate | None = None
    evaluations: int = 0
    label: str = ""
    doing: str = ""
    _seen: dict[tuple[tuple[str, float], ...], Candidate] = field(default_factory=dict)

    def look_at(self, points: Sequence[Point]) -> list[Candidate]:
        """Evaluate points, each once, and keep the best."""
        new = [point for point in _each_once(points) if _key(point) not in self._seen]

        def looked_at(place: int, errors: Errors) -> None:
            self._keep(Candidate(dict(new[place]), errors, mean_square(self.residuals(errors))))

        if new:
            self.evaluator.errors(new, self.rows, on_point=looked_at)
        return [self._seen[_key(point)] for point in points]

    def look_anew(self) -> None:
        """Forget all candidates: other rows are looked at from now on."""
        self.best = None
        self._seen.clear()

    def _keep(self, candidate: Candidate) -> None:
        self._seen[_key(candidate.point)] = candidate
        self.evaluations += 1
        if self.best is None or candidate.cost < self.best.cost:
            self.best = candidate
        if self.on_look is not None:
            self.on_look(self)

    def residuals(self, errors: Errors) -> Vector:
        """Return errors over tolerances, shape (rows,)."""
        pairs = zip(errors, self.rows, strict=True)
        return np.array([(STANDSTILL_PERCENT if error is None else error) / row.tolerance_percent for error, row in pairs])


def scattered_points(free: Sequence[FreeValue], counts: Sequence[Point], number: int, seed: int) -> list[dict[str, float]]:
    """Return points spread evenly over the ranges (a scrambled Sobol sequence), the combinations of counts in turn.

    I. M. Sobol, On the distribution of points in a cube, USSR Computational Mathematics 7, 1967; scrambled after A. Owen.
    """
    from scipy.stats import qmc

    numbers = [value for value in free if not value.whole]
    if not numbers:
        return [dict(choice) for choice in counts]
    power = max(0, math.ceil(math.log2(max(number, len(counts)))))
    shares = qmc.Sobol(len(numbers), seed=seed).random_base2(power)
    return [
        {
            **counts[place % len(counts)],
            **{value.path: value.from_share(float(share)) for value, share in zip(numbers, row, strict=True)},
        }
        for place, row in enumerate(shares)
    ]


def descend(search: Search, start: Candidate, most_steps: int) -> Candidate:
    """Follow the trust region method for bounded least squares from a start; counts stay as they are.

    M. A. Branch, T. F. Coleman and Y. Li, A subspace, interior, and conjugate gradient method for large-scale bound-constrained
    minimization problems, SIAM Journal on Scientific Computing 21, 1999, as `scipy.optimize.least_squares` has it. Derivatives
    are differences over `STEP_SHARE` of each range, all looked at together.
    """
    from scipy.optimize import least_squares

    numbers = [value for value in search.free if not value.whole]
    if not numbers:
        return start
    counts = {value.path: start.point[value.path] for value in search.free if value.whole}
    found = [start]

    def at(shares: Vector) -> Point:
        return {**counts, **{value.path: value.from_share(float(share)) for value, share in zip(numbers, shares, strict=True)}}

    def residuals(shares: Vector) -> Vector:
        (candidate,) = search.look_at([at(shares)])
        found.append(candidate)
        return search.residuals(candidate.errors)

    def jacobian(shares: Vector) -> Vector:
        return differences(search, at, shares, STEP_SHARE)

    first = np.array([min(max(value.share_of(start.point[value.path]), _EDGE), 1 - _EDGE) for value in numbers])
    if not jacobian(first).any():
        return start  # nothing changes anything: a standstill everywhere, or values that no row depends on
    settings: dict[str, Any] = {"bounds": (0.0, 1.0), "max_nfev": 1 + most_steps, "ftol": _ENOUGH, "xtol": _ENOUGH, "gtol": None}
    least_squares(residuals, first, jac=jacobian, **settings)
    return min(found, key=lambda candidate: candidate.cost)


def differences(search: Search, at: Callable[[Vector], Point], shares: Vector, step: float) -> Vector:
    """Return the derivatives of the residuals by the shares, shape (rows, free values), by steps into the ranges."""
    steps = np.where(shares + step <= 1.0, step, -step)
    moved = [shares + np.eye(len(shares))[place] * steps[place] for place in range(len(shares))]
    here, *others = search.look_at([at(shares), *(at(point) for point in moved)])
    base = search.residuals(here.errors)
    columns = [(search.residuals(other.errors) - base) / length for other, length in zip(others, steps, strict=True)]
    return np.stack(columns, axis=1)


def mean_square(residuals: Vector) -> float:
    """Return the mean of squares; 0 of none."""
    return float(np.mean(residuals**2)) if residuals.size else 0.0


def _each_once(points: Sequence[Point]) -> Iterator[Point]:
    seen = set()
    for point in points:
        if _key(point) not in seen:
            seen.add(_key(point))
            yield point


def _key(point: Point) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(point.items()))
