"""The interval of the median."""

from __future__ import annotations

from math import comb
from statistics import median

import numpy as np
import pytest

from simulator.host.statistics import interval_percent, interval_rank


@pytest.mark.parametrize(("count", "rank"), [(1, None), (5, None), (6, 1), (8, 1), (9, 2), (15, 4), (25, 8)])
def test_ranks(count: int, rank: int | None) -> None:
    """Those of the tables of the sign test."""
    assert interval_rank(count) == rank


def test_the_rank_is_the_largest_that_covers() -> None:
    for count in range(6, 60):
        rank = interval_rank(count)
        assert rank is not None
        tail = [sum(comb(count, heads) for heads in range(limit)) / 2**count for limit in (rank, rank + 1)]
        assert tail[0] <= 0.025 < tail[1]


def test_the_longer_side_counts() -> None:
    assert interval_percent([10, 11, 9, 10, 13, 10]) == pytest.approx(30)
    assert interval_percent([10, 11, 5, 10, 13, 10]) == pytest.approx(50)
    assert interval_percent([10.0] * 5) is None
    assert interval_percent([10.0] * 7) == 0


def test_it_covers_the_median_of_a_skewed_distribution() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(1000):
        values = list(map(float, rng.exponential(size=15)))
        middle, percent = median(values), interval_percent(values)
        assert percent is not None
        covered += abs(middle - np.log(2)) <= percent / 100 * middle
    assert covered >= 930
