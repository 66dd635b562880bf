"""Ranking: the fastest placements run again with fresh seeds, and which of them cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.advise.candidate import Candidate
from simulator.advise.options import simplicity
from simulator.advise.trials import Bench, Trial
from simulator.measure.batches import CONFIDENCE

SEEDS = 5  # fresh ones for each finalist: the run that chose it says too much good of it
MOST_FINALISTS = 12
EQUAL_PERCENT = 0.5  # differences below it are none: the model is not that good


@dataclass(frozen=True)
class Finalist:
    """A placement that was run with all seeds.

    Attributes
    ----------
    candidate : Candidate
    time_ns : float
        Mean.
    half_width_ns : float
        Of its Student interval, 95 %.
    slower_percent : float
        Than the fastest.
    equal : bool
        Whether it cannot be told from the fastest: the interval of their difference, all of them at once (Bonferroni), holds 0,
        or the difference is below `EQUAL_PERCENT`.
    mean : Trial
        Means of all else.
    """

    candidate: Candidate
    time_ns: float
    half_width_ns: float
    slower_percent: float
    equal: bool
    mean: Trial


def rank(bench: Bench, own: Candidate) -> tuple[Finalist, ...]:
    """Run the fastest placements, the file's own and the slowest again, and rank them.

    Parameters
    ----------
    bench : Bench
        With every placement run once. What its budget leaves is used.
    own : Candidate
    """
    room = min(max((bench.budget - bench.runs) // SEEDS, 2), MOST_FINALISTS)
    ranked = _distinct(bench, own)
    chosen = [own] if own in ranked else []
    if room > 2 and len(ranked) > 1:
        chosen.append(ranked[-1])
    chosen = list(dict.fromkeys([*chosen, *ranked]))[:room]
    bench.run([(one, 1 + seed) for one in chosen for seed in range(SEEDS)])
    return ranking({one: _fresh(bench, one) for one in chosen})


def _distinct(bench: Bench, own: Candidate) -> list[Candidate]:
    """Return the placements by time, each once: other words that put all in the same places come to the same time exactly."""
    found: dict[object, Candidate] = {}
    for one in sorted(bench.ranked, key=lambda one: (one != own, _involved(one))):
        first = bench.first(one)
        found.setdefault((one.threads, first.time_ns, tuple(first.pages.items())), one)
    return [one for one in bench.ranked if one in found.values()]


def ranking(trials: dict[Candidate, list[Trial]]) -> tuple[Finalist, ...]:
    """Rank placements by their runs; those that did not finish with every seed are left out."""
    times = {one: np.array([trial.time_ns for trial in found], float) for one, found in trials.items() if _finished(found)}
    order = sorted(times, key=lambda one: float(times[one].mean()))
    if not order:
        return ()
    best = times[order[0]]
    comparisons = len(order) - 1
    found = []
    for one in order:
        difference = times[one] - best
        slower = _slower_percent(float(difference.mean()), float(best.mean()))
        equal = float(difference.mean()) <= half_width(difference, comparisons) or slower < EQUAL_PERCENT
        found.append(Finalist(one, float(times[one].mean()), half_width(times[one]), slower, bool(equal), _mean(trials[one])))
    return tuple(found)


def _slower_percent(difference_ns: float, best_ns: float) -> float:
    """Return how much longer than the fastest; what takes time is without end slower than what takes none."""
    if best_ns:
        return 100 * difference_ns / best_ns
    return math.inf if difference_ns else 0.0


def half_width(values: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]], comparisons: int = 1) -> float:
    """Return the half width of the Student interval of a mean, one of so many that hold at once (Bonferroni)."""
    from scipy.special import stdtrit

    count = len(values)
    quantile = float(stdtrit(count - 1, 1 - (1 - CONFIDENCE) / 2 / max(comparisons, 1)))
    return quantile * float(np.std(values, ddof=1)) / math.sqrt(count)


def advised(finalists: Sequence[Finalist], own: Candidate) -> Finalist:
    """Return the placement to use: of those that cannot be told from the fastest the file's own, else the simplest."""
    equal = [one for one in finalists if one.equal]
    return next((one for one in equal if one.candidate == own), None) or min(equal, key=lambda one: _involved(one.candidate))


def _involved(candidate: Candidate) -> tuple[int, list[tuple[int, int]]]:
    own = sum(policy is not None for policy in candidate.arrays)
    return own, sorted(map(simplicity, (*candidate.policies, *candidate.arrays)), reverse=True)


def _fresh(bench: Bench, candidate: Candidate) -> list[Trial]:
    return bench.trials(candidate)[1:]


def _finished(trials: Sequence[Trial]) -> bool:
    return len(trials) > 1 and all(trial.time_ns is not None for trial in trials)


def _mean(trials: Sequence[Trial]) -> Trial:
    def over(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None

    first = trials[0]
    return Trial(
        time_ns=over([trial.time_ns for trial in trials]),
        local_percent=over([trial.local_percent for trial in trials]),
        latency_ns=over([trial.latency_ns for trial in trials]),
        queueing_ns=over([trial.queueing_ns for trial in trials]),
        busy=over([trial.busy for trial in trials]),
        links={name: sum(trial.links[name] for trial in trials) / len(trials) for name in first.links},
        controllers={name: sum(trial.controllers[name] for trial in trials) / len(trials) for name in first.controllers},
        pages=first.pages,
    )
