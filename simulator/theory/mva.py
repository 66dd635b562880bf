"""Mean value analysis of closed networks: exact with product form, and corrected where service is not exponential.

M. Reiser, S. S. Lavenberg, Mean-value analysis of closed multichain queueing networks, 1980: an arriving customer sees the
network as it is with itself taken out (arrival theorem), so that means for N customers follow from those for N - 1. A station
with several servers needs the probabilities of few customers there as well (the same paper, section 4).

Where service is not exponential, the customer found in service is not expected to need a whole service more but its residual
life S (1 + scv) / 2 (M. Reiser, A queueing network analysis of computer communication networks with window flow control, 1979;
E. D. Lazowska et al., Quantitative System Performance, 1984, chapter 11). The same term lets FCFS service differ by class.
Those results are approximations, and say so; they are kept from filling a station more than full.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.errors import InputError
from simulator.theory.network import Solution, Station, check_network

MOST_STATES = 20_000  # populations below the given one, over which the recursion runs
_Floats = NDArray[np.float64]


def mean_value_analysis(stations: Sequence[Station], population: Sequence[int]) -> Solution:
    """Solve a closed network by the recursion over all smaller populations.

    Parameters
    ----------
    stations : sequence of Station
        A think time is a station with discipline ``delay``.
    population : sequence of int, shape (classes,)
        Customers of each class.

    Returns
    -------
    Solution
        ``exact`` if every station has product form.

    Raises
    ------
    InputError
        The network is not well formed, has more than `MOST_STATES` smaller populations (`schweitzer` is for such), or has several
        servers where service is not exponential and alike for all classes.
    """
    check_network(stations, population)
    _check_size(population)
    for one in stations:
        if one.servers > 1 and not one.has_product_form:
            allowed = "exponential service, the same for all classes; or one server"
            raise InputError("several servers with such service are not covered", field=one.name, allowed=allowed)
    return _Recursion(stations, population).solution()


def _check_size(population: Sequence[int]) -> None:
    states = math.prod(count + 1 for count in population)
    if states > MOST_STATES:
        allowed = f"at most {MOST_STATES:,} smaller populations; schweitzer() has no such limit"
        raise InputError("is too large for the exact recursion", field="population", value=states, allowed=allowed)


class _Recursion:
    """Means for every population up to the given one, smallest first."""

    def __init__(self, stations: Sequence[Station], population: Sequence[int]) -> None:
        self._stations, self._population = stations, tuple(population)
        self._service: _Floats = np.array([one.service_ns for one in stations])
        self._visits: _Floats = np.array([one.visits for one in stations])
        classes = len(population)
        nobody: _Floats = np.zeros((len(stations), classes))
        empty = (0,) * classes
        self._present, self._busy = {empty: nobody}, {empty: nobody}
        self._few = {empty: [np.eye(1, one.servers)[0] for one in stations]}  # probabilities of 0 .. servers - 1 customers

    def solution(self) -> Solution:
        """Run the recursion."""
        counts = [range(count + 1) for count in self._population]
        throughput, response = np.zeros(len(counts)), np.zeros_like(self._service)
        for state in sorted(itertools.product(*counts), key=sum)[1:]:
            throughput, response = self._solve(state)
        present, busy = self._present[self._population], self._busy[self._population]
        servers = np.array([one.servers for one in self._stations])
        return Solution(
            throughput_per_ns=tuple(throughput.tolist()),
            response_ns=_rows(response),
            present=_rows(present),
            utilization=tuple((busy.sum(axis=1) / servers).tolist()),
            exact=all(one.has_product_form for one in self._stations),
        )

    def _solve(self, state: tuple[int, ...]) -> tuple[_Floats, _Floats]:
        throughput: _Floats = np.zeros(len(state))
        response: _Floats = np.zeros_like(self._service)
        for number, count in enumerate(state):
            if count:
                before = _without(state, number)
                for place, one in enumerate(self._stations):
                    response[place, number] = self._visits[place, number] * self._stay_ns(one, place, number, before)
                throughput[number] = count / response[:, number].sum()
        within_capacity(self._stations, np.array(state), throughput, response)
        self._present[state] = response * throughput
        self._busy[state] = self._visits * self._service * throughput
        self._few[state] = [self._probabilities(one, place, state, throughput) for place, one in enumerate(self._stations)]
        return throughput, response

    def _stay_ns(self, one: Station, place: int, number: int, before: tuple[int, ...]) -> float:
        """Return the time of one visit, given what the arriving customer finds."""
        own, found = self._service[place, number], self._present[before][place]
        if one.discipline == "delay":
            return float(own)
        if one.discipline == "ps":
            return float(own * (1 + found.sum()))
        if one.servers > 1:
            free = sum((one.servers - 1 - j) * self._few[before][place][j] for j in range(one.servers - 1))
            return float(own / one.servers * (1 + found.sum() + free))
        return float(own + residual_work_ns(one, self._service[place], found, self._busy[before][place]))

    def _probabilities(self, one: Station, place: int, state: tuple[int, ...], throughput: _Floats) -> _Floats:
        """Return the probabilities of 0 .. servers - 1 customers at a station."""
        few: _Floats = np.zeros(one.servers)
        if one.servers == 1:
            return few  # not needed
        demand = self._visits[place] * self._service[place] * throughput
        for j in range(1, one.servers):
            parts = (demand[c] * self._few[_without(state, c)][place][j - 1] for c, count in enumerate(state) if count)
            few[j] = sum(parts) / j
        idle = sum((one.servers - j) * few[j] for j in range(1, one.servers))
        few[0] = max(0.0, 1 - (demand.sum() + idle) / one.servers)
        return few


def within_capacity(stations: Sequence[Station], customers: NDArray[np.int64], throughput: _Floats, response: _Floats) -> None:
    """Slow classes down, in place, until no station is more than full, and let them wait the longer where it is.

    The correction for service that is not exponential takes too little wait for a station that is nearly always busy; with
    product form nothing is ever more than full.
    """
    for one, times in zip(stations, response, strict=True):
        demand = np.array(one.demand_ns)
        use = float((demand * throughput).sum()) / one.servers
        if one.discipline != "delay" and use > 1:
            slowed = np.where(demand > 0, throughput / use, throughput)
            active = throughput > 0
            times[active] += customers[active] / slowed[active] - customers[active] / throughput[active]
            throughput[:] = slowed


def residual_work_ns(one: Station, service_ns: _Floats, found: _Floats, busy: _Floats) -> float:
    """Return the work that an arrival at a FCFS server finds: whole services of those who wait, the rest of the one under way.

    Parameters
    ----------
    one : Station
    service_ns, found, busy : ndarray, shape (classes,)
        Service times; customers there, and how much of the time one of them is served, as the arrival sees it.
    """
    return float((service_ns * (found - busy * (1 - one.service_scv) / 2)).sum())


def _without(state: tuple[int, ...], number: int) -> tuple[int, ...]:
    return (*state[:number], state[number] - 1, *state[number + 1 :])


def _rows(matrix: _Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())
