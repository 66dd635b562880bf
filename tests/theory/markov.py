"""Closed networks solved by brute force: every state, every transition, one linear system. Shares no code with simulator.theory.

A state lists, for each station, the classes of the customers there, in order of arrival where order matters. After each service a
customer goes to a station at random, in proportion to its class's visits; so visits come out as asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simulator.theory.network import Station

State = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Means:
    """Throughput in cycles per ns by class; customers by station and class."""

    throughput: np.ndarray
    present: np.ndarray


def solve(stations: Sequence[Station], population: Sequence[int]) -> Means:
    """Return the exact means of a small network with exponential service."""
    everyone = tuple(number for number, count in enumerate(population) for _ in range(count))
    states: dict[State, int] = {(everyone, *((),) * (len(stations) - 1)): 0}
    moves: list[tuple[int, int, float, int]] = []
    todo = list(states)
    for state in todo:
        for after, rate, number in _moves(stations, state):
            if after not in states:
                states[after] = len(states)
                todo.append(after)
            moves.append((states[state], states[after], rate, number))
    balance = np.zeros((len(states), len(states)))
    for start, end, rate, _ in moves:
        balance[end, start] += rate
        balance[start, start] -= rate
    balance[-1] = 1.0
    chance = np.linalg.solve(balance, np.eye(len(states))[-1])
    visits = np.array([one.visits for one in stations]).sum(axis=0)
    throughput, present = np.zeros(len(population)), np.zeros((len(stations), len(population)))
    for start, _, rate, number in moves:
        throughput[number] += chance[start] * rate / visits[number]
    for state, index in states.items():
        for place, customers in enumerate(state):
            for number in customers:
                present[place, number] += chance[index]
    return Means(throughput, present)


def _moves(stations: Sequence[Station], state: State) -> Iterator[tuple[State, float, int]]:
    """Yield what may happen next: the state after it, its rate, the class of the customer."""
    for place, (one, customers) in enumerate(zip(stations, state, strict=True)):
        for position, number in enumerate(customers):
            rate = _share(one, position, len(customers)) / one.service_ns[number]
            if not rate:
                continue
            rest = customers[:position] + customers[position + 1 :]
            total = sum(other.visits[number] for other in stations)
            for onward, other in enumerate(stations):
                if other.visits[number]:
                    after = [*state[:place], rest, *state[place + 1 :]]
                    after[onward] = _with(other, after[onward], number)
                    yield tuple(after), rate * other.visits[number] / total, number


def _share(one: Station, position: int, present: int) -> float:
    """Return the share of a server that a customer has."""
    if one.discipline == "delay":
        return 1.0
    return 1 / present if one.discipline == "ps" else float(position < one.servers)


def _with(one: Station, customers: tuple[int, ...], number: int) -> tuple[int, ...]:
    after = (*customers, number)
    return after if one.discipline == "fcfs" else tuple(sorted(after))
