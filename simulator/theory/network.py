"""Closed queueing networks as theory knows them: stations, classes of customers, and what a solution says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.errors import InputError

Discipline = Literal["fcfs", "ps", "delay"]


@dataclass(frozen=True)
class Station:
    """A place of service.

    Attributes
    ----------
    name : str
    service_ns : tuple of float, shape (classes,)
        Mean service time of one visit.
    visits : tuple of float, shape (classes,)
        Mean visits between two passages of the cycle's start.
    discipline : {'fcfs', 'ps', 'delay'}
        First come first served, processor sharing, or a server for everyone.
    servers : int
        At a ``fcfs`` station.
    service_scv : float
        Variance over squared mean of the service time; at ``ps`` and ``delay`` stations it does not matter.
    """

    name: str
    service_ns: tuple[float, ...]
    visits: tuple[float, ...]
    discipline: Discipline = "fcfs"
    servers: int = 1
    service_scv: float = 1.0

    @property
    def demand_ns(self) -> tuple[float, ...]:
        """Service time of all visits, by class."""
        return tuple(visits * service for visits, service in zip(self.visits, self.service_ns, strict=True))

    @property
    def has_product_form(self) -> bool:
        """Whether it is a station of the BCMP theorem: exponential and class-independent service, or any where order is free.

        F. Baskett, K. M. Chandy, R. R. Muntz, F. G. Palacios, Open, closed, and mixed networks of queues with different classes
        of customers, 1975.
        """
        visited = {service for service, visits in zip(self.service_ns, self.visits, strict=True) if visits}
        return self.discipline != "fcfs" or (self.service_scv == 1.0 and len(visited) <= 1)


@dataclass(frozen=True)
class Solution:
    """Long-run means of a closed network.

    Attributes
    ----------
    throughput_per_ns : tuple of float, shape (classes,)
        Cycles.
    response_ns : tuple of tuple of float, shape (stations, classes)
        Time at each station in one cycle, waiting included.
    present : tuple of tuple of float, shape (stations, classes)
        Customers at each station.
    utilization : tuple of float, shape (stations,)
        Mean busy share of a station's servers; at a ``delay`` station the mean number in service.
    exact : bool
        Whether the numbers are exact; False: an approximation.
    """

    throughput_per_ns: tuple[float, ...]
    response_ns: tuple[tuple[float, ...], ...]
    present: tuple[tuple[float, ...], ...]
    utilization: tuple[float, ...]
    exact: bool

    def cycle_ns(self, customer_class: int = 0) -> float:
        """Return the time of a whole cycle of a class, ns."""
        return sum(station[customer_class] for station in self.response_ns)


def station(
    name: str,
    demand_ns: float,
    *,
    discipline: Discipline = "fcfs",
    servers: int = 1,
    service_scv: float = 1.0,
) -> Station:
    """Return a station that the one class of customers visits once a cycle."""
    return Station(name, (demand_ns,), (1.0,), discipline, servers, service_scv)


def check_network(stations: Sequence[Station], population: Sequence[int]) -> None:
    """Refuse a network that cannot be solved.

    Raises
    ------
    InputError
        No station; a shape that is not that of the population; a number that is negative or not finite; fewer than one server; a
        class that has no demand anywhere.
    """
    if not stations or not population:
        raise InputError("a network needs stations and customers", field="stations")
    for count in population:
        if count < 0:
            raise InputError("a population cannot be negative", field="population", value=count)
    for one in stations:
        _check_station(one, len(population))
    for number in range(len(population)):
        if not any(one.demand_ns[number] > 0 for one in stations):
            raise InputError("a class without any demand never waits and never works", field=f"class {number}")


def _check_station(one: Station, classes: int) -> None:
    if len(one.service_ns) != classes or len(one.visits) != classes:
        raise InputError("has not a service time and visits for each class", field=one.name, allowed=f"{classes} of each")
    for value in (*one.service_ns, *one.visits, one.service_scv):
        if not (math.isfinite(value) and value >= 0):
            raise InputError("must be a finite number from 0", field=one.name, value=value)
    if one.servers < 1 or (one.servers > 1 and one.discipline != "fcfs"):
        raise InputError("servers", field=one.name, value=one.servers, allowed="1 or more, and more than 1 only with fcfs")
