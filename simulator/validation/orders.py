"""Do simulated values come in the order of the measured ones? Counts for many values, in time n log n."""

from __future__ import annotations

from collections.abc import Sequence

Interval = tuple[float, float]


def count_orders(intervals: Sequence[Interval], simulated: Sequence[float]) -> tuple[int, int]:
    """Count the pairs whose measured order is known, and those of them that are simulated in the same order.

    Parameters
    ----------
    intervals : sequence of tuple of float
        Lowest and highest of what each measured value may be; an order is known where two intervals are apart.
    simulated : sequence of float
        As long as `intervals`; of two equal values neither is before the other.

    Returns
    -------
    orders : int
    agree : int
    """
    places = {value: place for place, value in enumerate(sorted(set(simulated)), start=1)}
    by_highest = sorted(range(len(intervals)), key=lambda item: intervals[item][1])
    passed = _Counts(len(places))
    orders = agree = 0
    for item in sorted(by_highest, key=lambda item: intervals[item][0]):
        while passed.total < len(by_highest) and intervals[by_highest[passed.total]][1] < intervals[item][0]:
            passed.add(places[simulated[by_highest[passed.total]]])
        orders += passed.total
        agree += passed.below(places[simulated[item]])
    return orders, agree


class _Counts:
    """How many of each place there are, with quick sums from the left.

    P. M. Fenwick, A new data structure for cumulative frequency tables, Software: Practice and Experience 24(3), 1994.
    """

    def __init__(self, places: int) -> None:
        self.total = 0
        self._sums = [0] * (places + 1)

    def add(self, place: int) -> None:
        """Count one more; places begin at 1."""
        self.total += 1
        while place < len(self._sums):
            self._sums[place] += 1
            place += place & -place

    def below(self, place: int) -> int:
        """Return how many were counted at smaller places."""
        found, place = 0, place - 1
        while place:
            found += self._sums[place]
            place -= place & -place
        return found
