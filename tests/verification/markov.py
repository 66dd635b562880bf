"""Tandem queues with finite buffers, solved exactly as Markov chains.

Customers think (exponentially, each alone), then pass the servers 0, 1, ... in order and think again. Service is exponential.
Behind a server may be room for a few only. The rule is that of the engines' ports, blocking before service (H. G. Perros,
Queueing Networks with Blocking, 1994): a service begins only once a place behind the server is taken for the customer, who gives
back the place before it when that service ends. So server i works whenever somebody is there and fewer than all places behind it
are taken, and a state need only say how many are at each server.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

State = tuple[int, ...]  # customers at each server, waiting, blocked or served


@dataclass(frozen=True)
class Tandem:
    """A closed tandem.

    Attributes
    ----------
    customers : int
    think_ns : float
        Mean.
    service_ns : tuple of float, shape (servers,)
        Means.
    room : tuple of int or None, shape (servers,)
        Places behind each server, that of the customer who comes there included; None: no limit.
    """

    customers: int
    think_ns: float
    service_ns: tuple[float, ...]
    room: tuple[int | None, ...]

    def works(self, state: State, server: int) -> bool:
        """Whether a server works: somebody is there, and a place behind it is free."""
        room = self.room[server]
        return state[server] > 0 and (room is None or state[server + 1] < room)


@dataclass(frozen=True)
class TandemMeans:
    """Long-run means: passages a ns; by server, share of time busy, and customers who are there but not served."""

    throughput_per_ns: float
    busy: tuple[float, ...]
    waiting: tuple[float, ...]


def solve(tandem: Tandem) -> TandemMeans:
    """Solve the balance equations of a tandem, one linear system."""
    states = list(_states(tandem))
    index = {state: row for row, state in enumerate(states)}
    balance = np.zeros((len(states), len(states)))
    for state in states:
        for after, rate in _moves(tandem, state):
            balance[index[after], index[state]] += rate
            balance[index[state], index[state]] -= rate
    balance[-1] = 1.0  # in place of one equation that follows from the others: the probabilities sum to 1
    chance = np.linalg.solve(balance, np.eye(len(states))[-1])
    servers = range(len(tandem.service_ns))
    busy = [sum(p for p, state in zip(chance, states, strict=True) if tandem.works(state, server)) for server in servers]
    present = [sum(p * state[server] for p, state in zip(chance, states, strict=True)) for server in servers]
    return TandemMeans(
        throughput_per_ns=float(busy[0] / tandem.service_ns[0]),
        busy=tuple(map(float, busy)),
        waiting=tuple(float(here - served) for here, served in zip(present, busy, strict=True)),
    )


def _states(tandem: Tandem) -> Iterator[State]:
    most = [tandem.customers] + [tandem.customers if room is None else room for room in tandem.room[:-1]]
    for state in product(*(range(count + 1) for count in most)):
        if sum(state) <= tandem.customers:
            yield state


def _moves(tandem: Tandem, state: State) -> Iterator[tuple[State, float]]:
    """Yield what may happen next, and its rate."""
    thinking = tandem.customers - sum(state)
    if thinking:
        yield (state[0] + 1, *state[1:]), thinking / tandem.think_ns
    for server, service_ns in enumerate(tandem.service_ns):
        if tandem.works(state, server):
            after = list(state)
            after[server] -= 1
            if server + 1 < len(after):
                after[server + 1] += 1
            yield tuple(after), 1 / service_ns
