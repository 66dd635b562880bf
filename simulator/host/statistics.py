"""One value and its uncertainty from a few repeats."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from statistics import median

CONFIDENCE = 0.95


def interval_percent(values: Sequence[float]) -> float | None:
    """Return how far the 95 % confidence interval of the median reaches, in per cent of it; None for fewer than 6 values.

    The interval lies between the k-th smallest and the k-th largest value, with the largest k for which a fair coin
    shows heads fewer than k times in so many throws with a probability of at most 2.5 %. That holds for any distribution
    (H. A. David and H. N. Nagaraja, Order Statistics, 3rd ed., section 7.1). It is not symmetric: the longer side counts.
    """
    rank = interval_rank(len(values))
    if rank is None:
        return None
    ordered, middle = sorted(values), median(values)
    return 100.0 * max(middle - ordered[rank - 1], ordered[-rank] - middle) / middle


def interval_rank(count: int) -> int | None:
    """Return the k of :func:`interval_percent` for so many values."""
    rank, below = 0, 1
    while 2 * below <= (1 - CONFIDENCE) * 2**count:
        rank += 1
        below += comb(count, rank)
    return rank or None
