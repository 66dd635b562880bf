"""Single queues against closed forms worked out another way, and against known values."""

from __future__ import annotations

import math

import pytest

from simulator.errors import InputError
from simulator.theory.queueing import erlang_c, m_d_1, m_g_1, m_m_1, m_m_c


@pytest.mark.parametrize("load", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_m_m_1_is_its_geometric_distribution(load: float) -> None:
    """P(n) = (1 - rho) rho**n, so that rho / (1 - rho) are present and rho**2 / (1 - rho) wait (Kleinrock 1975, 3.2)."""
    queue = m_m_1(load / 10, 10.0)
    assert queue.utilization == pytest.approx(load)
    assert queue.present == pytest.approx(sum(n * (1 - load) * load**n for n in range(20_000)), abs=1e-9)
    assert queue.waiting == pytest.approx(load**2 / (1 - load))
    assert queue.response_ns == pytest.approx(10 / (1 - load))


def test_constant_service_halves_the_wait() -> None:
    exponential, constant = m_m_1(0.07, 10.0), m_d_1(0.07, 10.0)
    assert constant.wait_ns == pytest.approx(exponential.wait_ns / 2)
    assert constant.wait_ns == pytest.approx(10 * 0.7 / 2 / 0.3)
    assert constant.utilization == exponential.utilization


def test_m_g_1_through_the_mean_residual_life() -> None:
    """Work found = its waiting part + the rest of the service under way: W = rho W + lambda E[S**2] / 2, service 4 or 12 ns."""
    rate, mean, square = 0.08, 8.0, (16 + 144) / 2
    wait_ns = rate * square / 2 / (1 - rate * mean)
    assert m_g_1(rate, mean, square / mean**2 - 1).wait_ns == pytest.approx(wait_ns)


def test_littles_law_ties_means_together() -> None:
    for queue, rate in ((m_m_1(0.05, 12.0), 0.05), (m_d_1(0.05, 12.0), 0.05), (m_m_c(0.3, 12.0, 5), 0.3)):
        assert queue.present == pytest.approx(rate * queue.response_ns)
        assert queue.waiting == pytest.approx(rate * queue.wait_ns)
        assert queue.response_ns == pytest.approx(queue.wait_ns + 12)


@pytest.mark.parametrize("servers", [1, 2, 3, 10])
@pytest.mark.parametrize("load", [0.05, 0.5, 0.95])
def test_erlang_c_is_the_sum_that_erlang_wrote(servers: int, load: float) -> None:
    offered = load * servers
    waiting = offered**servers / math.factorial(servers) / (1 - load)
    free = sum(offered**n / math.factorial(n) for n in range(servers))
    assert erlang_c(servers, offered) == pytest.approx(waiting / (free + waiting))


def test_known_values() -> None:
    """C(2, 1) = 1/3 and C(3, 2) = 4/9 as textbooks work them out; B(10, 5) = 0.0184 in tables of Erlang's B, so C follows."""
    assert erlang_c(2, 1.0) == pytest.approx(1 / 3)
    assert erlang_c(3, 2.0) == pytest.approx(4 / 9)
    blocked = 0.0184
    assert erlang_c(10, 5.0) == pytest.approx(blocked / (1 - 0.5 * (1 - blocked)), rel=2e-3)


def test_m_m_c_with_one_server_is_m_m_1_and_two_are_worse_than_a_fast_one() -> None:
    assert m_m_c(0.04, 10.0, 1) == m_m_1(0.04, 10.0)
    two = m_m_c(0.1, 10.0, 2)
    assert two.wait_ns == pytest.approx(10 * 0.5**2 / (1 - 0.5**2))  # rho**2 S / (1 - rho**2)
    assert two.response_ns > m_m_1(0.1, 5.0).response_ns


def test_many_servers_do_not_overflow() -> None:
    assert erlang_c(5000, 4500.0) < 1e-9


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: m_m_1(0.1, 10.0), "grows for ever"),
        (lambda: m_d_1(0.2, 10.0), "grows for ever"),
        (lambda: m_m_c(0.4, 10.0, 4), "grows for ever"),
        (lambda: erlang_c(2, 2.0), "grows for ever"),
        (lambda: m_m_1(-0.1, 10.0), "arrival rate"),
        (lambda: m_m_1(0.1, math.nan), "service time"),
        (lambda: m_g_1(0.01, 10.0, -1.0), "coefficient of variation"),
        (lambda: m_m_c(0.1, 10.0, 0), "needs a server"),
    ],
)
def test_what_has_no_answer_is_refused(call: object, what: str) -> None:
    with pytest.raises(InputError, match=what):
        call()  # type: ignore[operator]
