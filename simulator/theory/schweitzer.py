"""Approximate mean value analysis for populations that the exact recursion cannot hold.

P. J. Schweitzer, Approximate analysis of multiclass closed networks of queues, 1979, and Y. Bard, Some extensions to multiclass
queueing network analysis, 1979: with one customer less, the others of its class are taken to be spread as before, so that the
recursion becomes a fixed point. Several servers after A. Seidmann, P. J. Schweitzer, S. Shalev-Oren, Computerized closed queueing
network models of flexible manufacturing systems, 1987: a fast server of service S / c, and a delay of S (c - 1) / c.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.errors import InputError
from simulator.theory.mva import residual_work_ns, within_capacity
from simulator.theory.network import Solution, Station, check_network

TOLERANCE = 1e-10
MOST_ROUNDS = 100_000
_Floats = NDArray[np.float64]


def schweitzer(stations: Sequence[Station], population: Sequence[int]) -> Solution:
    """Solve a closed network approximately, at a cost that does not grow with the population.

    Parameters
    ----------
    stations, population
        As for `simulator.theory.mva.mean_value_analysis`.

    Returns
    -------
    Solution
        Never ``exact``; typically within a few per cent for product-form networks, exact for one customer.

    Raises
    ------
    InputError
        The network is not well formed, or the iteration does not settle.
    """
    check_network(stations, population)
    customers: _Floats = np.array(population, dtype=float)
    service: _Floats = np.array([one.service_ns for one in stations])
    visits: _Floats = np.array([one.visits for one in stations])
    visited = visits * service > 0
    present = np.where(visited, customers / np.maximum(visited.sum(axis=0), 1), 0.0)
    throughput = _throughput(customers, service * visits)
    for _ in range(MOST_ROUNDS):
        response = _response(stations, service, visits, customers, present, throughput)
        throughput = _throughput(customers, response)
        within_capacity(stations, np.array(population), throughput, response)
        after = response * throughput
        settled = np.abs(after - present).max() <= TOLERANCE * max(1.0, customers.sum())
        present = after
        if settled:
            break
    else:
        raise InputError("the approximate analysis does not settle", field="stations", value=len(stations))
    servers = np.array([one.servers for one in stations])
    return Solution(
        throughput_per_ns=tuple(throughput.tolist()),
        response_ns=tuple(tuple(row) for row in response.tolist()),
        present=tuple(tuple(row) for row in present.tolist()),
        utilization=tuple(((visits * service * throughput).sum(axis=1) / servers).tolist()),
        exact=False,
    )


def _throughput(customers: _Floats, cycle: _Floats) -> _Floats:
    times = cycle.sum(axis=0)
    rate: _Floats = np.where(customers > 0, customers / np.where(times > 0, times, 1.0), 0.0)
    return rate


def _response(
    stations: Sequence[Station], service: _Floats, visits: _Floats, customers: _Floats, present: _Floats, throughput: _Floats
) -> _Floats:
    """Return the time at each station in one cycle, by class, from what each class finds there."""
    response: _Floats = np.zeros_like(service)
    others = np.where(customers > 0, (customers - 1) / np.maximum(customers, 1), 0.0)
    for place, one in enumerate(stations):
        for number in np.flatnonzero(customers):
            share = np.ones_like(customers)
            share[number] = others[number]
            busy = visits[place] * service[place] * throughput / one.servers * share
            stay = _stay_ns(one, service[place], int(number), present[place] * share, busy)
            response[place, number] = visits[place, number] * stay
    return response


def _stay_ns(one: Station, service: _Floats, number: int, found: _Floats, busy: _Floats) -> float:
    own = float(service[number])
    if one.discipline == "delay":
        return own
    if one.discipline == "ps":
        return own * (1 + float(found.sum()))
    if one.servers == 1:
        return own + residual_work_ns(one, service, found, busy)
    in_delay = busy * (one.servers - 1)  # Little's law: those in the delay S (c - 1) / c, at a rate of c x busy / S
    return own + residual_work_ns(one, service / one.servers, found - in_delay, busy)
