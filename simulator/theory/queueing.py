"""Single queues with Poisson arrivals in closed form: M/M/1, M/D/1, M/G/1, M/M/c.

Sources: L. Kleinrock, Queueing Systems I, 1975, sections 3.2 (M/M/1), 3.5 (M/M/m, Erlang's C) and 5.6 (Pollaczek and Khinchine);
A. K. Erlang, Solution of some problems in the theory of probabilities of significance in automatic telephone exchanges, 1917;
D. Gross et al., Fundamentals of Queueing Theory, 4th ed. 2008. First come first served, one queue, room for all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simulator.errors import InputError


@dataclass(frozen=True)
class QueueSteadyState:
    """Long-run means of a queue.

    Attributes
    ----------
    utilization : float
        Share of time that a server is busy.
    wait_ns : float
        Time from arrival to the start of service.
    response_ns : float
        Wait and service.
    waiting : float
        Customers that wait.
    present : float
        Customers that wait or are served.
    """

    utilization: float
    wait_ns: float
    response_ns: float
    waiting: float
    present: float


def m_m_1(arrivals_per_ns: float, service_ns: float) -> QueueSteadyState:
    """Solve a queue with exponential service: wait = S rho / (1 - rho).

    Parameters
    ----------
    arrivals_per_ns : float
    service_ns : float
        Mean service time S; rho = arrivals x S.

    Raises
    ------
    InputError
        A number is negative or not finite, or rho is 1 or more: the queue has no steady state.
    """
    return m_g_1(arrivals_per_ns, service_ns, 1.0)


def m_d_1(arrivals_per_ns: float, service_ns: float) -> QueueSteadyState:
    """Solve a queue with constant service: wait = S rho / (2 (1 - rho)), half that of exponential service.

    Parameters and errors as for `m_m_1`.
    """
    return m_g_1(arrivals_per_ns, service_ns, 0.0)


def m_g_1(arrivals_per_ns: float, service_ns: float, service_scv: float) -> QueueSteadyState:
    """Solve a queue with any service (Pollaczek and Khinchine): wait = S rho (1 + scv) / (2 (1 - rho)).

    Parameters
    ----------
    arrivals_per_ns, service_ns
        As for `m_m_1`.
    service_scv : float
        Squared coefficient of variation of the service time: variance / mean**2; 1 for exponential, 0 for constant service.

    Raises
    ------
    InputError
        As for `m_m_1`.
    """
    _check("squared coefficient of variation", service_scv)
    load = _load(arrivals_per_ns, service_ns, 1)
    wait_ns = service_ns * load * (1 + service_scv) / (2 * (1 - load))
    return _steady(arrivals_per_ns, service_ns, load, wait_ns)


def m_m_c(arrivals_per_ns: float, service_ns: float, servers: int) -> QueueSteadyState:
    """Solve a queue with several exponential servers: wait = C(c, a) S / (c - a), with offered load a = arrivals x S.

    Parameters
    ----------
    arrivals_per_ns, service_ns
        As for `m_m_1`; stable below `servers` Erlang.
    servers : int

    Raises
    ------
    InputError
        As for `m_m_1`, with rho = a / servers; fewer than one server.
    """
    load = _load(arrivals_per_ns, service_ns, servers)
    wait_ns = erlang_c(servers, load * servers) * service_ns / (servers * (1 - load))
    return _steady(arrivals_per_ns, service_ns, load, wait_ns)


def erlang_c(servers: int, offered_erlang: float) -> float:
    """Return the probability that an arrival to M/M/c has to wait, through the stable recursion of Erlang's B.

    Parameters
    ----------
    servers : int
    offered_erlang : float
        Arrival rate times mean service time, below `servers`.

    Raises
    ------
    InputError
        Fewer than one server, or an offered load that is negative or not below `servers`.
    """
    load = _load(offered_erlang, 1.0, servers)
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = offered_erlang * blocked / (count + offered_erlang * blocked)
    return blocked / (1 - load * (1 - blocked))


def _steady(arrivals_per_ns: float, service_ns: float, load: float, wait_ns: float) -> QueueSteadyState:
    """Complete the means by Little's law."""
    response_ns = wait_ns + service_ns
    return QueueSteadyState(load, wait_ns, response_ns, arrivals_per_ns * wait_ns, arrivals_per_ns * response_ns)


def _load(arrivals_per_ns: float, service_ns: float, servers: int) -> float:
    """Return the load of a server; a queue that grows for ever is refused."""
    _check("arrival rate", arrivals_per_ns)
    _check("service time", service_ns)
    if servers < 1:
        raise InputError("a queue needs a server", field="servers", value=servers, allowed="1 or more")
    load = arrivals_per_ns * service_ns / servers
    if load >= 1:
        what = "the queue grows for ever: work arrives as fast as it can be done, or faster"
        raise InputError(what, field="utilization", value=load, allowed="below 1")
    return load


def _check(field: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise InputError("must be a finite number from 0", field=field, value=value)
