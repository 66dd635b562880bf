"""Batch means: a confidence interval for the time a line, from one long run.

The measured window is cut into batches of equal line counts; their means are nearly independent once batches are long, so a
Student interval over them is honest (A. Law, Simulation Modeling and Analysis, chapter 9). Batches are joined in pairs as the
run grows, so that there are always between 10 and 20 of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
FEWEST_BATCHES = 10
MOST_BATCHES = 20


@dataclass(frozen=True)
class BatchPoint:
    """Lines a thread had completed, and when the last of them was (ps)."""

    lines: int
    time_ps: int


def grouped(points: Sequence[BatchPoint]) -> Sequence[BatchPoint]:
    """Return the points with neighbouring batches joined, until at most `MOST_BATCHES` batches are left."""
    step = 1
    while (len(points) - 1) // step > MOST_BATCHES:
        step *= 2
    whole = (len(points) - 1) // step * step
    return points[: whole + 1 : step]


def half_width_percent(points: Sequence[BatchPoint]) -> float | None:
    """Return the half width of the interval for the mean time a line, in per cent of it.

    Parameters
    ----------
    points : sequence of BatchPoint, shape (batches + 1,)
        Batch boundaries, the first being the start of the window.

    Returns
    -------
    float or None
        None with fewer than `FEWEST_BATCHES` batches, or when no line was completed in one.
    """
    kept = grouped(points)
    if len(kept) - 1 < FEWEST_BATCHES:
        return None
    lines = np.diff([point.lines for point in kept])
    times = np.diff([point.time_ps for point in kept])
    if (lines == 0).any():
        return None
    means = times / lines
    from scipy.special import stdtrit

    quantile = float(stdtrit(len(means) - 1, 0.5 + CONFIDENCE / 2))
    return 100 * quantile * float(means.std(ddof=1)) / math.sqrt(len(means)) / float(means.mean())
