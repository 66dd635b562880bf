"""Which packets can never move again: an exact check on a picture of who waits for whom.

A packet at the head of a queue needs one unit of each pool it asks for; a unit comes free once every packet that keeps it has
moved on; a packet further back also needs those ahead of it to leave. Packets in a server or on a wire do move. What
cannot be freed by repeating these rules is deadlocked, while the rest of the machine may well go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Waiting:
    """A packet in a queue.

    Attributes
    ----------
    port : str
        Where it waits.
    ahead : int or None
        Packet just before it in the same queue.
    needs : tuple of str
        Pools it must take from when it is at the head; empty when nothing but the server keeps it.
    """

    port: str
    packet: str
    ahead: int | None
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Member:
    """A thread that some barrier is for.

    Attributes
    ----------
    waits_at : int or None
        Barrier where it is, with all its lines complete.
    ended : bool
        It issues no line any more, and so comes to no barrier.
    barriers : frozenset of int
        Those in its program.
    """

    label: str
    waits_at: int | None
    ended: bool
    barriers: frozenset[int]


@dataclass(frozen=True)
class WaitState:
    """Waiting packets by number; by pool, free units and who keeps each other unit; the threads that barriers are for."""

    waiting: Mapping[int, Waiting]
    free: Mapping[str, int]
    kept_by: Mapping[str, tuple[frozenset[int], ...]]
    members: tuple[Member, ...] = ()


def deadlocked(state: WaitState) -> frozenset[int]:
    """Return the packets that can never move again; empty when there are none."""
    stuck = set(state.waiting)
    while True:
        movable = {packet for packet in stuck if _can_move(state, state.waiting[packet], stuck)}
        if not movable:
            return frozenset(stuck)
        stuck -= movable


def wait_cycle(state: WaitState, stuck: frozenset[int]) -> tuple[str, ...]:
    """Return ports and pools that wait on each other, in order, starting at the one that sorts first.

    A chain that ends at a pool without any buffer is returned as it is.
    """
    if not stuck:
        return ()
    chain: list[str] = []
    packet = min(stuck, key=lambda number: (state.waiting[number].port, number))
    seen: dict[int, int] = {}
    while packet not in seen:
        seen[packet] = len(chain)
        waiting = state.waiting[packet]
        if waiting.ahead is not None and waiting.ahead in stuck:
            packet = waiting.ahead
            continue
        pool = next(pool for pool in waiting.needs if not _obtainable(state, pool, stuck))
        chain += [waiting.port, pool]
        keepers = [keeper for unit in state.kept_by.get(pool, ()) for keeper in unit if keeper in stuck]
        if not keepers:
            return tuple(chain)
        packet = min(keepers)
    return _rotated(tuple(chain[seen[packet] :]))


def closed_barriers(state: WaitState) -> tuple[tuple[int, str, str], ...]:
    """Return the barriers that can never open: number, a thread that waits there, and one that never comes."""
    closed: set[int] = {member.waits_at for member in state.members if member.waits_at is not None}
    while True:
        opening = {barrier for barrier in closed if _missing(state, barrier, closed) is None}
        if not opening:
            return tuple((barrier, _waiter(state, barrier), _missing(state, barrier, closed) or "") for barrier in sorted(closed))
        closed -= opening


def _missing(state: WaitState, barrier: int, closed: set[int]) -> str | None:
    """Return a thread that the barrier is for and that can never come to it."""
    for member in state.members:
        if barrier in member.barriers and member.waits_at != barrier and (member.ended or member.waits_at in closed):
            return member.label
    return None


def _waiter(state: WaitState, barrier: int) -> str:
    return next(member.label for member in state.members if member.waits_at == barrier)


def _can_move(state: WaitState, waiting: Waiting, stuck: set[int]) -> bool:
    if waiting.ahead in stuck:
        return False
    return all(_obtainable(state, pool, stuck) for pool in waiting.needs)


def _obtainable(state: WaitState, pool: str, stuck: set[int] | frozenset[int]) -> bool:
    return state.free[pool] > 0 or any(not (unit & stuck) for unit in state.kept_by.get(pool, ()))


def _rotated(cycle: tuple[str, ...]) -> tuple[str, ...]:
    ports = cycle[::2]
    start = 2 * ports.index(min(ports)) if ports else 0
    return cycle[start:] + cycle[:start]
