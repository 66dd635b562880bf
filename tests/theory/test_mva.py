"""Mean value analysis against a Markov chain solved by brute force, closed forms, and what must not matter."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.errors import InputError
from simulator.theory.mva import mean_value_analysis
from simulator.theory.network import Solution, Station, station
from simulator.theory.queueing import m_d_1, m_m_1
from simulator.theory.schweitzer import schweitzer
from tests.theory.markov import solve

ONE_CLASS = {
    "two queues": [station("a", 4.0), station("b", 7.0)],
    "think time": [station("think", 30.0, discipline="delay"), station("a", 4.0), station("b", 7.0)],
    "two servers": [station("a", 4.0), station("b", 9.0, servers=2)],
    "three servers and a think time": [
        station("think", 10.0, discipline="delay"),
        station("a", 9.0, servers=3),
        station("b", 2.0),
    ],
    "more servers than customers": [station("a", 5.0, servers=9), station("b", 4.0)],
    "more than one visit": [Station("a", (2.0,), (3.0,)), Station("b", (5.0,), (0.5,), "ps")],
}
TWO_CLASSES = {
    "FCFS, one service time": [Station("a", (4.0, 4.0), (1.0, 2.0)), Station("b", (3.0, 3.0), (1.0, 1.0))],
    "PS, two service times": [Station("a", (4.0, 1.0), (1.0, 2.0), "ps"), Station("b", (3.0, 3.0), (1.0, 1.0))],
    "think times": [Station("z", (20.0, 5.0), (1.0, 1.0), "delay"), Station("a", (4.0, 6.0), (1.0, 1.0), "ps")],
    "two servers": [Station("a", (4.0, 4.0), (1.0, 2.0), servers=2), Station("b", (3.0, 3.0), (1.0, 1.0))],
    "a station for one class only": [Station("a", (4.0, 4.0), (1.0, 0.0)), Station("b", (3.0, 3.0), (1.0, 1.0))],
}


def _agrees(found: Solution, stations: list[Station], population: list[int]) -> None:
    exact = solve(stations, population)
    assert found.throughput_per_ns == pytest.approx(exact.throughput.tolist(), rel=1e-9)
    assert np.allclose(found.present, exact.present, rtol=1e-9, atol=1e-12)
    for place, one in enumerate(stations):
        demand = np.array(one.visits) * np.array(one.service_ns)
        assert found.utilization[place] == pytest.approx(float(demand @ exact.throughput) / one.servers)
    assert found.exact


@pytest.mark.parametrize("name", ONE_CLASS)
@pytest.mark.parametrize("customers", [1, 2, 5])
def test_one_class_equals_its_markov_chain(name: str, customers: int) -> None:
    _agrees(mean_value_analysis(ONE_CLASS[name], [customers]), ONE_CLASS[name], [customers])


@pytest.mark.parametrize("name", TWO_CLASSES)
@pytest.mark.parametrize("population", [[1, 1], [2, 2], [3, 1]])
def test_two_classes_equal_their_markov_chain(name: str, population: list[int]) -> None:
    _agrees(mean_value_analysis(TWO_CLASSES[name], population), TWO_CLASSES[name], population)


@pytest.mark.parametrize("customers", [1, 3, 20])
def test_balanced_network(customers: int) -> None:
    """K stations of equal demand D: X = N / (D (N + K - 1)) (Lazowska et al. 1984, section 5.4)."""
    found = mean_value_analysis([station(name, 5.0) for name in "abcd"], [customers])
    assert found.throughput_per_ns[0] == pytest.approx(customers / 5 / (customers + 3))


@pytest.mark.parametrize(("customers", "servers"), [(4, 1), (6, 2), (6, 3)])
def test_machine_repair(customers: int, servers: int) -> None:
    """The finite-source queue M/M/c//N (Gross et al. 2008, section 2.7): weights by machines down, from the balance of flows."""
    think, repair = 50.0, 20.0
    weight = [1.0]
    for down in range(1, customers + 1):
        weight.append(weight[-1] * (customers - down + 1) / think * repair / min(down, servers))
    down = sum(n * each for n, each in enumerate(weight)) / sum(weight)
    found = mean_value_analysis([station("up", think, discipline="delay"), station("down", repair, servers=servers)], [customers])
    assert found.present[1][0] == pytest.approx(down)
    assert found.throughput_per_ns[0] == pytest.approx((customers - down) / think)


def test_only_demands_matter_in_product_form() -> None:
    """Visits and service may be traded, FCFS for PS, the order of stations changed: the same means."""
    base = mean_value_analysis([station("a", 6.0), station("b", 4.0)], [4])
    for stations in (
        [Station("a", (2.0,), (3.0,)), station("b", 4.0)],
        [station("a", 6.0, discipline="ps"), station("b", 4.0)],
        [Station("a", (6.0,), (1.0,), "ps", service_scv=9.0), station("b", 4.0)],
    ):
        other = mean_value_analysis(stations, [4])
        assert other.throughput_per_ns == pytest.approx(base.throughput_per_ns)
        assert np.allclose(other.present, base.present)
        assert other.exact
    turned = mean_value_analysis([station("b", 4.0), station("a", 6.0)], [4])
    assert turned.throughput_per_ns == pytest.approx(base.throughput_per_ns)


def test_little_and_utilization_laws_hold_in_every_solution() -> None:
    stations = [Station("z", (20.0, 5.0), (1.0, 1.0), "delay"), Station("a", (4.0, 6.0), (1.0, 2.0), service_scv=0.0)]
    for found in (mean_value_analysis(stations, [5, 4]), schweitzer(stations, [5, 4])):
        assert np.sum(found.present, axis=0) == pytest.approx([5, 4])
        for number, count in enumerate((5, 4)):
            assert found.throughput_per_ns[number] * found.cycle_ns(number) == pytest.approx(count)
        assert found.utilization[1] == pytest.approx(4 * found.throughput_per_ns[0] + 12 * found.throughput_per_ns[1])
        assert found.utilization[1] < 1 + 1e-9
        assert not found.exact


def test_constant_service_lies_between_exponential_and_no_waiting() -> None:
    """Exact for two customers: a cyclic pair of equal constant services never waits, an exponential one does."""
    constant = mean_value_analysis([station("a", 5.0, service_scv=0.0), station("b", 5.0, service_scv=0.0)], [2])
    exponential = mean_value_analysis([station("a", 5.0), station("b", 5.0)], [2])
    assert exponential.throughput_per_ns[0] == pytest.approx(2 / 15)
    assert exponential.throughput_per_ns[0] < constant.throughput_per_ns[0] <= 1 / 5
    assert not constant.exact


def test_what_has_no_product_form_says_so() -> None:
    """FCFS with a service time for each class, or service that is not exponential; PS may have both (BCMP 1975)."""
    for one, exact in (
        (Station("a", (4.0, 1.0), (1.0, 1.0)), False),
        (Station("a", (4.0, 4.0), (1.0, 1.0), service_scv=0.5), False),
        (Station("a", (4.0, 1.0), (1.0, 1.0), "ps", service_scv=0.5), True),
        (Station("a", (4.0, 1.0), (1.0, 0.0)), True),
    ):
        assert mean_value_analysis([one, Station("b", (3.0, 3.0), (1.0, 1.0))], [2, 2]).exact == exact


@pytest.mark.parametrize(("scv", "queue"), [(1.0, m_m_1), (0.0, m_d_1)])
def test_many_thinkers_are_a_poisson_stream(scv: float, queue: object) -> None:
    """With N customers of think time N / lambda this is M/G/1, and its correction Pollaczek and Khinchine."""
    customers, rate, service = 100_000, 0.08, 10.0
    found = schweitzer(
        [station("think", customers / rate, discipline="delay"), station("a", service, service_scv=scv)], [customers]
    )
    wait_ns = found.response_ns[1][0] - service
    assert wait_ns == pytest.approx(queue(rate, service).wait_ns, rel=2e-3)  # type: ignore[operator]


@pytest.mark.parametrize("name", [*ONE_CLASS, *TWO_CLASSES])
def test_schweitzer_is_near_the_exact_answer(name: str) -> None:
    stations = ONE_CLASS.get(name) or TWO_CLASSES[name]
    population = [6] if name in ONE_CLASS else [4, 3]
    exact, near = mean_value_analysis(stations, population), schweitzer(stations, population)
    tolerance = 0.15 if any(one.servers > 1 for one in stations) else 0.1
    assert near.throughput_per_ns == pytest.approx(exact.throughput_per_ns, rel=tolerance)


def test_schweitzer_is_exact_for_one_customer_and_in_the_limit() -> None:
    stations = [station("z", 30.0, discipline="delay"), station("a", 4.0), station("b", 7.0)]
    assert schweitzer(stations, [1]).throughput_per_ns == pytest.approx((1 / 41,))
    assert schweitzer(stations, [1_000_000]).throughput_per_ns == pytest.approx((1 / 7,), rel=1e-5)


def test_nobody_of_a_class() -> None:
    stations = [Station("a", (4.0, 4.0), (1.0, 1.0)), Station("b", (3.0, 3.0), (1.0, 1.0))]
    for found in (mean_value_analysis(stations, [3, 0]), schweitzer(stations, [3, 0])):
        alone = mean_value_analysis([station("a", 4.0), station("b", 3.0)], [3])
        assert found.throughput_per_ns[1] == 0
        assert found.throughput_per_ns[0] == pytest.approx(alone.throughput_per_ns[0], rel=0.03)


@pytest.mark.parametrize(
    ("stations", "population", "what"),
    [
        ([], [1], "needs stations"),
        ([station("a", 1.0)], [-1], "cannot be negative"),
        ([station("a", 1.0)], [1, 1], "for each class"),
        ([station("a", math.inf)], [1], "finite number"),
        ([station("a", 0.0)], [1], "without any demand"),
        ([station("a", 1.0, servers=0)], [1], "servers"),
        ([station("a", 1.0, discipline="ps", servers=2)], [1], "servers"),
        ([station("a", 1.0, servers=2, service_scv=0.0)], [1], "not covered"),
        ([station("a", 1.0)], [1_000_000], "too large"),
    ],
)
def test_what_has_no_answer_is_refused(stations: list[Station], population: list[int], what: str) -> None:
    with pytest.raises(InputError, match=what):
        mean_value_analysis(stations, population)
