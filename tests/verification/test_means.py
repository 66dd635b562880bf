"""What the suite measures with: its tables of exponential times, its Markov chain, its intervals."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from simulator.theory.mva import mean_value_analysis
from simulator.theory.network import station
from simulator.theory.queueing import m_m_1
from tests.verification.draws import TABLE_SIZE, exponential, mean_and_scv, wait_with_arrivals_from
from tests.verification.intervals import ALLOWANCE, FAMILY_WISE_ERROR, compare, fewest_covered, power
from tests.verification.markov import Tandem, solve
from tests.verification.models import COMPARISONS, ERROR


@pytest.mark.parametrize("mean_ps", [12_000.0, 17_000.0, 100_000.0, 1000 / (0.7 * 3 / 100)])
def test_tables_are_exponential_within_the_allowance(mean_ps: float) -> None:
    """Mean and variance of services, and the wait that arrivals from the table cause, which is known exactly (GI/M/1)."""
    table = exponential(mean_ps)
    mean, scv = mean_and_scv(table)
    assert len(table) == TABLE_SIZE
    assert TABLE_SIZE & (TABLE_SIZE - 1) == 0
    assert mean == pytest.approx(mean_ps, rel=1e-5)
    assert scv == pytest.approx(1, abs=ALLOWANCE / 2)
    for load in (0.3, 0.5, 0.7):
        wait_ps = 1000 * m_m_1(load / mean_ps * 1000, mean_ps / 1000).wait_ns * load
        assert wait_with_arrivals_from(table, load * mean_ps) == pytest.approx(wait_ps, rel=ALLOWANCE / 2)


class TestMarkovChain:
    def test_without_limits_it_is_a_network_with_product_form(self) -> None:
        chain = solve(Tandem(5, 100.0, (60.0, 45.0), (None, None)))
        stations = [station("0", 60.0), station("1", 45.0), station("think", 100.0, discipline="delay")]
        exact = mean_value_analysis(stations, [5])
        assert chain.throughput_per_ns == pytest.approx(exact.throughput_per_ns[0], rel=1e-9)
        waiting = [exact.present[number][0] - exact.utilization[number] for number in (0, 1)]
        assert chain.waiting == pytest.approx(waiting, rel=1e-9)

    def test_one_place_and_many_customers(self) -> None:
        """Somebody is always there: the servers take turns, for the place is taken while either works."""
        chain = solve(Tandem(30, 0.01, (60.0, 40.0), (1, None)))
        assert chain.throughput_per_ns == pytest.approx(1 / (60 + 40), rel=1e-6)
        assert chain.busy == pytest.approx((0.6, 0.4), rel=1e-6)

    def test_flow_is_the_same_at_every_server(self) -> None:
        service_ns = (50.0, 60.0, 55.0)
        chain = solve(Tandem(6, 100.0, service_ns, (2, 1, None)))
        rates = [busy / one_ns for busy, one_ns in zip(chain.busy, service_ns, strict=True)]
        assert rates == pytest.approx([chain.throughput_per_ns] * 3, rel=1e-9)
        assert chain.waiting[2] == pytest.approx(0, abs=1e-9)


class TestIntervals:
    def test_half_width_by_hand(self) -> None:
        """Mean 2, standard error 1 / sqrt(3), Student's t at 97.5 % with 2 degrees of freedom 4.30265."""
        one = compare(2.5, [1.0, 2.0, 3.0], 0.05)
        assert one.mean == 2
        assert one.half_width == pytest.approx(4.30265 / math.sqrt(3) + ALLOWANCE * 2.5, rel=1e-5)
        assert one.holds
        assert not compare(4.6, [1.0, 2.0, 3.0], 0.05).holds

    def test_error_and_power_are_those_of_many_samples(self) -> None:
        """Of the normal distribution: true means are refused as often as stated, and false ones as often as computed."""
        numbers, error, shift, samples = random.Random(1), 0.05, 1.2, 4000
        drawn = [[numbers.gauss(10, 1) for _ in range(8)] for _ in range(samples)]
        refused = sum(not compare(10, one, error).holds for one in drawn) / samples
        assert refused == pytest.approx(error, abs=0.012)
        refused = sum(not compare(10 + shift, one, error).holds for one in drawn) / samples
        known = [10 + math.sqrt(7 / 8) * deviation for deviation in (-1, 1)] * 4  # of standard deviation 1
        assert refused == pytest.approx(power(shift, known, error), abs=0.03)

    def test_binomial_bound(self) -> None:
        least = fewest_covered(300, 0.95, 1e-4)
        assert stats.binom.cdf(least - 1, 300, 0.95) <= 1e-4 < stats.binom.cdf(least, 300, 0.95)

    def test_shares_of_the_error(self) -> None:
        assert pytest.approx(FAMILY_WISE_ERROR) == COMPARISONS * ERROR
