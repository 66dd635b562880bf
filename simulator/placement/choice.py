"""From a policy to the nodes that a page may come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.placement.node_memory import Ints, Order
from simulator.placement.policy import (
    LARGEST_WEIGHT,
    Bind,
    Interleave,
    LocalAlloc,
    Policy,
    Preferred,
    PreferredMany,
    WeightedInterleave,
)
from simulator.placement.zonelist import zonelists


@dataclass
class Turn:
    """Where a task stands in the nodes that it interleaves over in turn: the node used last, and pages still due on it."""

    node: int = -1
    left: int = 0


class Chooser:
    """Orders of nodes under every policy of one machine.

    Parameters
    ----------
    machine : Machine
    node_weights : mapping of int to int
        Weights of nodes for weighted interleaving; a node that is not there weighs 1.

    Raises
    ------
    InputError
        A weight is out of range, or its node is not there.
    """

    def __init__(self, machine: Machine, node_weights: Mapping[int, int] | None = None) -> None:
        self._ids = machine.node_ids
        self._lists = zonelists(machine)
        self._weights = dict(node_weights or {})
        self._numbers: dict[Order, int] = {}
        for node, weight in self._weights.items():
            if node not in self._ids or not 1 <= weight <= LARGEST_WEIGHT:
                allowed = f"1 to {LARGEST_WEIGHT} for nodes {', '.join(map(str, self._ids))}"
                raise InputError("no weight of a node", field=f"node_weights of node {node}", value=weight, allowed=allowed)

    @property
    def orders(self) -> Sequence[Order]:
        """All orders so far, by number."""
        return list(self._numbers)

    def choose(self, policy: Policy, cpu_node: int, places: Ints, turn: Turn) -> Ints:
        """Return the number of the order that each page follows.

        Parameters
        ----------
        policy : Policy
        cpu_node : int
            Node of the CPU that touches the pages.
        places : int array, shape (pages,)
            Number of each page in its segment, counted in pages of its size; in the order of touching.
        turn : Turn
            The task's; moved on if the policy interleaves in turn.
        """
        if isinstance(policy, (Interleave, WeightedInterleave)):
            row = self._row(policy)
            starts = np.array([self._number(self._lists[node], policy) for node in policy.nodes], dtype=np.int64)
            first = self._resume(policy, row, turn, len(places)) if policy.in_turn else None
            where = places if first is None else first + np.arange(len(places))
            return starts[row[where % len(row)]]
        return np.full(len(places), self._number(self._order(policy, cpu_node), policy), dtype=np.int64)

    def _order(self, policy: LocalAlloc | Bind | Preferred | PreferredMany, cpu_node: int) -> tuple[int, ...]:
        if isinstance(policy, Preferred):
            return self._lists[policy.node]
        near = self._lists[cpu_node]
        if isinstance(policy, LocalAlloc):
            return near
        chosen = tuple(node for node in near if node in policy.nodes)
        return chosen if isinstance(policy, Bind) else chosen + tuple(node for node in near if node not in policy.nodes)

    def _row(self, policy: Interleave | WeightedInterleave) -> NDArray[np.intp]:
        """Return one full cycle, as places in the policy's nodes."""
        weighted = isinstance(policy, WeightedInterleave)
        weights = [self._weights.get(node, 1) if weighted else 1 for node in policy.nodes]
        return np.repeat(np.arange(len(policy.nodes)), weights)

    def _resume(self, policy: Interleave | WeightedInterleave, row: NDArray[np.intp], turn: Turn, pages: int) -> int:
        """Return where in the cycle a task goes on, and note where it will be after so many pages."""
        first = 0  # a new policy starts with its first node
        if turn.node in policy.nodes:
            last = int(np.flatnonzero(row == policy.nodes.index(turn.node))[-1])
            first = last + 1 - turn.left
        elif turn.node >= 0:  # the next node after the one of an earlier policy
            later = [place for place, node in enumerate(policy.nodes) if node > turn.node]
            first = int(np.flatnonzero(row == (later[0] if later else 0))[0])
        if pages:
            end = (first + pages - 1) % len(row)
            turn.node = policy.nodes[row[end]]
            turn.left = int(np.flatnonzero(row == row[end])[-1]) - end
        return first

    def _number(self, nodes: Sequence[int], policy: Policy) -> int:
        order = Order(tuple(self._ids.index(node) for node in nodes), str(policy))
        return self._numbers.setdefault(order, len(self._numbers))
