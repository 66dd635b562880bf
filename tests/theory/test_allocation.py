"""Sharing of stations: hand examples, and that progressive filling and the linear program agree on what they must."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.errors import NumasimError
from simulator.theory.allocation import fair_shares, largest_total
from simulator.theory.demands import Constraint

INF = math.inf


def _limits(*rows: tuple[float, ...]) -> list[Constraint]:
    return [Constraint(f"station {number}", "link", row) for number, row in enumerate(rows)]


def test_a_line_of_two_links() -> None:
    """The parking lot: one thread over both links, one over each. Fair: half of each link; most: the long one starves."""
    limits = _limits((10.0, 10.0, 0.0), (10.0, 0.0, 10.0))
    assert [share.lines_per_ns for share in fair_shares(limits, [INF] * 3)] == pytest.approx([0.05] * 3)
    assert largest_total(limits, [INF] * 3) == pytest.approx(0.2)


def test_what_one_cannot_use_goes_to_the_others() -> None:
    limits = _limits((10.0, 10.0, 10.0))
    shares = fair_shares(limits, [0.01, INF, 0.08])
    assert [share.lines_per_ns for share in shares] == pytest.approx([0.01, 0.045, 0.045])
    assert [share.limit for share in shares] == ["", "station 0", "station 0"]


def test_of_several_full_stations_the_one_that_takes_longest_is_named() -> None:
    limits = _limits((5.0, 5.0), (8.0, 2.0))
    assert [share.limit for share in fair_shares(limits, [INF, INF])] == ["station 1", "station 0"]


def test_a_thread_without_a_buffer_it_needs_never_goes() -> None:
    limits = _limits((10.0, 10.0), (INF, 0.0))
    assert [(share.lines_per_ns, share.limit) for share in fair_shares(limits, [1.0, 1.0])] == [
        (0.0, "station 1"),
        (pytest.approx(0.1), "station 0"),
    ]
    assert largest_total(limits, [1.0, 1.0]) == pytest.approx(0.1)


def test_nothing_holds_a_thread() -> None:
    with pytest.raises(NumasimError, match="nothing holds"):
        fair_shares([], [INF])


@given(
    st.integers(1, 5).flatmap(
        lambda count: st.tuples(
            st.lists(
                st.lists(st.sampled_from([0.0, 1.0, 3.0, 10.0]), min_size=count, max_size=count).map(tuple),
                min_size=1,
                max_size=5,
            ),
            st.lists(st.floats(0.001, 2.0), min_size=count, max_size=count),
        )
    )
)
@settings(derandomize=True, deadline=None)
def test_max_min_fair(drawn: tuple[list[tuple[float, ...]], list[float]]) -> None:
    """Every thread is at its cap, or at a full station where none that uses it has more (Bertsekas and Gallager, 6.5.2)."""
    rows, most = drawn
    limits = _limits(*rows)
    rates = np.array([share.lines_per_ns for share in fair_shares(limits, most)])
    demand = np.array(rows)
    assert (demand @ rates <= 1 + 1e-6).all()
    assert (rates <= np.array(most) * (1 + 1e-9)).all()
    assert rates.sum() <= largest_total(limits, most) * (1 + 1e-6) + 1e-12
    for number, rate in enumerate(rates):
        at_cap = rate >= most[number] * (1 - 1e-6)
        full = [row for row in demand if row[number] > 0 and row @ rates >= 1 - 1e-6]
        assert at_cap or any((rates[row > 0] <= rate * (1 + 1e-6)).all() for row in full)
