"""Batch means: the interval by hand, its coverage on series whose mean is known, and the joining of batches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.measure.batches import FEWEST_BATCHES, MOST_BATCHES, BatchPoint, grouped, half_width_percent

T_95_9 = 2.262157163  # Student's t, 9 degrees of freedom, two-sided 95 %, from a table of ten digits


def points(means_ps: list[int], lines: int = 10) -> list[BatchPoint]:
    """Return the boundaries of batches of equal line counts with these mean times a line."""
    found = [BatchPoint(100, 5_000)]
    for mean in means_ps:
        found.append(BatchPoint(found[-1].lines + lines, found[-1].time_ps + lines * mean))
    return found


class TestByHand:
    def test_ten_batches(self) -> None:
        """Five batches of 90 and five of 110: mean 100, standard deviation sqrt(10 x 100 / 9)."""
        half = half_width_percent(points([90, 110] * 5))
        assert half == pytest.approx(T_95_9 * math.sqrt(1000 / 9) / math.sqrt(10), rel=1e-9)

    def test_equal_batches_have_no_width(self) -> None:
        assert half_width_percent(points([77] * 10)) == 0.0

    def test_it_is_relative(self) -> None:
        one, thousand = points([90, 110] * 5), points([90_000, 110_000] * 5)
        assert half_width_percent(one) == pytest.approx(half_width_percent(thousand), rel=1e-12)

    def test_too_few(self) -> None:
        assert half_width_percent(points([90, 110] * 4 + [100])) is None
        assert half_width_percent([]) is None
        assert half_width_percent(points([])) is None

    def test_a_batch_without_a_line(self) -> None:
        stalled = points([100] * 9)
        stalled.append(BatchPoint(stalled[-1].lines, stalled[-1].time_ps))
        assert half_width_percent(stalled) is None

    def test_unequal_counts_are_means_all_the_same(self) -> None:
        """A slower thread's batches need not hold equal numbers of lines: each mean counts once."""
        found = [BatchPoint(0, 0)]
        for number in range(10):
            lines, mean = (5, 90) if number % 2 else (20, 110)
            found.append(BatchPoint(found[-1].lines + lines, found[-1].time_ps + lines * mean))
        assert half_width_percent(found) == pytest.approx(T_95_9 * math.sqrt(1000 / 9) / math.sqrt(10), rel=1e-9)


class TestJoining:
    @pytest.mark.parametrize("batches", range(1, MOST_BATCHES + 1))
    def test_few_stay_as_they_are(self, batches: int) -> None:
        found = points([100] * batches)
        assert grouped(found) == found

    @pytest.mark.parametrize("batches", range(MOST_BATCHES + 1, 200))
    def test_many_are_joined_in_equal_numbers(self, batches: int) -> None:
        found = points(list(range(100, 100 + batches)))
        kept = grouped(found)
        assert FEWEST_BATCHES <= len(kept) - 1 <= MOST_BATCHES
        steps = {later.lines - earlier.lines for earlier, later in zip(kept, kept[1:], strict=False)}
        assert len(steps) == 1
        assert kept[0] == found[0]
        assert found[-1].lines - kept[-1].lines < steps.pop()  # less than one joined batch is left out

    def test_by_hand(self) -> None:
        found = points(list(range(43)))
        assert grouped(found) == found[0:41:4]  # 43 batches: by fours, ten of them, three left over
        assert grouped(found[:41]) == found[0:41:2]


def _coverage(correlation: float, lines_a_batch: int, runs: int = 400) -> float:
    """Return how often the interval covers the mean of a series in which each value follows the one before."""
    random = np.random.default_rng(20)
    batches, mean = 20, 50_000.0
    noise = random.normal(0, 2_000, (runs, batches * lines_a_batch + 200))
    values = np.zeros_like(noise)
    for step in range(1, noise.shape[1]):
        values[:, step] = correlation * values[:, step - 1] + noise[:, step]
    times = np.cumsum(mean + values[:, 200:], axis=1).round().astype(int)
    covered = 0
    for run in range(runs):
        found = [BatchPoint(0, 0)]
        for batch in range(1, batches + 1):
            found.append(BatchPoint(batch * lines_a_batch, int(times[run, batch * lines_a_batch - 1])))
        half = half_width_percent(found)
        assert half is not None
        covered += abs(found[-1].time_ps / found[-1].lines - mean) <= half / 100 * found[-1].time_ps / found[-1].lines
    return covered / runs


def test_independent_values_are_covered_as_promised() -> None:
    assert 0.92 <= _coverage(0.0, 50) <= 0.98  # 95 %, give or take three standard errors of 400 runs


@pytest.mark.parametrize("correlation", [0.5, 0.8])
def test_correlated_values_are_covered_once_batches_are_long(correlation: float) -> None:
    assert 0.92 <= _coverage(correlation, 200) <= 0.98


def test_short_batches_of_correlated_values_promise_too_much() -> None:
    """Why batches must be long: the test before this one would see it."""
    assert _coverage(0.95, 5) < 0.85
