"""Intervals over independent replications, and what chance allows.

The suite makes many comparisons. Each gets an equal share of `FAMILY_WISE_ERROR` (Bonferroni's inequality), so that engines
without a defect fail the suite, whatever the number of its comparisons and however they depend on each other, with at most that
probability over the choice of its base seed. Intervals are Student's over the means of replications.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats

FAMILY_WISE_ERROR = 0.01
ALLOWANCE = 1e-4  # of the theory: exponential tables are not exponential (by 4e-5 at most), and some steps take ticks


@dataclass(frozen=True)
class Comparison:
    """A theory and what was simulated.

    Attributes
    ----------
    theory, mean, half_width : float
        All in one unit; the half width is that of the interval, with the allowance for ticks and tables added.
    """

    theory: float
    mean: float
    half_width: float

    @property
    def holds(self) -> bool:
        """Whether the theory lies within the interval."""
        return abs(self.mean - self.theory) <= self.half_width

    @property
    def off_percent(self) -> float:
        """Simulated against theory."""
        return 100 * (self.mean - self.theory) / self.theory

    @property
    def half_width_percent(self) -> float:
        """Half width, per cent of the theory."""
        return 100 * self.half_width / self.theory


def compare(theory: float, replications: Sequence[float], error: float) -> Comparison:
    """Lay Student's two-sided interval of level 1 - error over replications, next to a theory."""
    count = len(replications)
    quantile = float(stats.t.ppf(1 - error / 2, count - 1))
    half_width = quantile * statistics.stdev(replications) / math.sqrt(count)
    return Comparison(theory, statistics.fmean(replications), half_width + ALLOWANCE * theory)


def power(shift: float, replications: Sequence[float], error: float) -> float:
    """Return the probability that `compare` tells a theory that is `shift` off, for means that scatter as these do.

    Student's noncentral t distribution (E. L. Lehmann, J. P. Romano, Testing Statistical Hypotheses, 3rd ed. 2005, section 5.2).
    """
    freedom = len(replications) - 1
    standard_error = statistics.stdev(replications) / math.sqrt(len(replications))
    if standard_error == 0:
        return float(shift != 0)
    quantile, centre = float(stats.t.ppf(1 - error / 2, freedom)), abs(shift) / standard_error
    if centre > 3 * quantile:  # where the distribution function is not computed well, and nothing is missed any more
        return 1.0
    return float(stats.nct.sf(quantile, freedom, centre))


def fewest_covered(groups: int, confidence: float, error: float) -> int:
    """Return the least count that is not too low for intervals that contain the theory with probability `confidence`.

    Of `groups` independent intervals fewer contain it with probability `error` at most (binomial distribution).
    """
    return int(stats.binom.ppf(error, groups, confidence))
