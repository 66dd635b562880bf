"""What a change gains: the difference of two runs, with an interval that holds for all differences of a table at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.measure.batches import CONFIDENCE, FEWEST_BATCHES
from simulator.measure.result import RunResult, ThreadReport


@dataclass(frozen=True)
class Mean:
    """Mean time a line of a run's foreground threads, which count alike.

    Attributes
    ----------
    time_ns : float
    half_width : float or None
        Of its 95 % confidence interval, as a share of it: the mean of the threads' half widths, which is right when they vary
        together and too wide else. None: not known for every thread.
    """

    time_ns: float
    half_width: float | None


@dataclass(frozen=True)
class Gain:
    """How much faster one run is than another.

    Attributes
    ----------
    percent : float
        By so much more lines in the same time; negative: slower.
    half_width_percent : float or None
        None: not known. 0: the runs do not differ in a single line's time.
    """

    percent: float
    half_width_percent: float | None

    @property
    def beyond_noise(self) -> bool:
        """Whether the interval leaves no doubt that there is a difference."""
        return self.half_width_percent is not None and abs(self.percent) > self.half_width_percent


def foreground(run: RunResult) -> tuple[ThreadReport, ...]:
    """Return the threads whose time counts: those of the foreground, or all if there is none."""
    return tuple(thread for thread in run.threads if not thread.background) or run.threads


def mean_time(run: RunResult) -> Mean | None:
    """Return the mean time a line; None when a thread finished none."""
    threads = foreground(run)
    times = [thread.time_per_line_ns for thread in threads]
    known = [time for time in times if time is not None]
    if len(known) < len(times) or not known or run.verdict in ("deadlock", "no progress", "not warmed up"):
        return None
    widths = [
        time * thread.ci_percent / 100 for time, thread in zip(known, threads, strict=True) if thread.ci_percent is not None
    ]
    total = sum(known)
    return Mean(total / len(known), sum(widths) / total if len(widths) == len(known) else None)


def gain(slow: RunResult, fast: RunResult, comparisons: int) -> Gain | None:
    """Return how much faster the threads of `fast` are than those of `slow`.

    The runs count as independent (they share seeds, so that they rather vary together: the interval is too wide if anything). The
    interval of the ratio is that of a quotient of two means (delta method).

    Parameters
    ----------
    slow, fast : RunResult
    comparisons : int
        How many differences are looked at in all; see :func:`widened`.

    Returns
    -------
    Gain or None
        None when one of them has no time.
    """
    before, after = mean_time(slow), mean_time(fast)
    if before is None or after is None:
        return None
    percent = 100 * (before.time_ns / after.time_ns - 1)
    if [thread.time_per_line_ns for thread in foreground(slow)] == [thread.time_per_line_ns for thread in foreground(fast)]:
        return Gain(percent, 0.0)
    if before.half_width is None or after.half_width is None:
        return Gain(percent, None)
    half_width = math.hypot(before.half_width, after.half_width) * widened(comparisons)
    return Gain(percent, (100 + percent) * half_width)


def thread_gains(slow: RunResult, fast: RunResult) -> tuple[float | None, ...]:
    """Return the gain of each foreground thread in per cent."""
    pairs = zip(_times(slow), _times(fast), strict=True)
    return tuple(None if before is None or after is None else 100 * (before / after - 1) for before, after in pairs)


def widened(comparisons: int) -> float:
    """Return by how much an interval grows so that all of so many hold at once (Bonferroni).

    C. Bonferroni, Teoria statistica delle classi e calcolo delle probabilita, 1936. The quantile is Student's with the fewest
    degrees of freedom that a run's interval has.
    """
    from scipy.special import stdtrit

    freedom, doubt = FEWEST_BATCHES - 1, (1 - CONFIDENCE) / 2
    return float(stdtrit(freedom, 1 - doubt / max(1, comparisons)) / stdtrit(freedom, 1 - doubt))


def _times(run: RunResult) -> Sequence[float | None]:
    return [thread.time_per_line_ns for thread in foreground(run)]
