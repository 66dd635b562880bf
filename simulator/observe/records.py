"""What a recorder writes down of a window: transactions, their packets, the ports these pass, buffers and NOPs.

Records grow while the run goes on and are only read once the window is closed. Times are ps since the start of the run, some
of them after the window, where they were settled within it; None is what was not. Ports, pools and threads are rows of the Plan's
tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from simulator.engine.plan import NONE, Part, Plan


@dataclass(slots=True, eq=False)
class Hop:
    """A packet at one port and on the way behind it.

    Attributes
    ----------
    queued_ps : int
        When it came to the port.
    granted_ps, header_ps, tail_ps : int or None
        When the port took it in hand, and when its header and its tail had left; equal where there is no server.
    arrival_ps : int or None
        When its header is at the next stage: through the fixed delay.
    serves : bool
        Whether the port's server was busy with it.
    command_pool, data_pool : int
        What it needs to pass, or NONE.
    taken : list of (pool, free)
        What it has taken, and how many were left.
    """

    packet: PacketLife
    port: int
    command_pool: int
    data_pool: int
    queued_ps: int
    granted_ps: int | None = None
    header_ps: int | None = None
    tail_ps: int | None = None
    arrival_ps: int | None = None
    serves: bool = False
    taken: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class PacketLife:
    """One packet, or one copy of a probe.

    Attributes
    ----------
    kind : int
    cause : PacketLife or None
        What it was copied from, or whose arrival has sent it; None: the thread has.
    born_ps, gone_ps : int, int or None
        When it set out, and when it was consumed.
    node : int
        Index of the node where it was last.
    """

    transaction: TransactionLife
    kind: int
    cause: PacketLife | None
    born_ps: int
    node: int
    gone_ps: int | None = None
    hops: list[Hop] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Span:
    """Time of a line that went to one part of its breakdown.

    Attributes
    ----------
    port : int
        Where it waited, or what it has come through; NONE for what is no port's: arrival, probes, core.
    node : int
        Index of the node that a passage led to.
    lacks : int
        The pool that was empty meanwhile, where it waited for a buffer; NONE: for its turn, or for one behind others.
    """

    start_ps: int
    end_ps: int
    part: Part
    port: int = NONE
    node: int = NONE
    lacks: int = NONE


@dataclass(slots=True, eq=False)
class TransactionLife:
    """A line, or the eviction that goes with it.

    Attributes
    ----------
    row : int
        Of the Plan's transactions.
    thread, slot : int
        Whose, and in which of its window slots.
    number : int
        Of the thread's lines since the start of the run; an eviction has that of its line.
    issued_ps, launched_ps : int
        Of an arrival that waited for a slot, the first is earlier.
    data_ps, completed_ps, core_ps, over_ps : int or None
        When its data was there, when it was complete, its core time afterwards, and when SrcDone set its place at home free.
    spans : list of Span
        Of a line: without gaps from `issued_ps` on.
    """

    row: int
    eviction: bool
    thread: int
    slot: int
    number: int
    issued_ps: int
    launched_ps: int
    data_ps: int | None = None
    completed_ps: int | None = None
    core_ps: int | None = None
    over_ps: int | None = None
    spans: list[Span] = field(default_factory=list)
    packets: list[PacketLife] = field(default_factory=list)

    @property
    def hops(self) -> Iterator[Hop]:
        """Every hop of its packets."""
        return (hop for packet in self.packets for hop in packet.hops)


class PoolChange(IntEnum):
    """What happened to a unit of a pool."""

    TAKEN = 0
    OWED = 1  # free at the far side of a link, but not back yet
    BACK = 2


@dataclass(frozen=True, slots=True)
class PoolEvent:
    """A change of a pool: `count` units, after which `free` are free. `hop` took it; None for what comes back."""

    time_ps: int
    pool: int
    change: PoolChange
    count: int
    free: int
    hop: Hop | None = None


@dataclass(frozen=True, slots=True)
class Nop:
    """A NOP packet on a link direction, with the units of each credit class that it gives back on arrival."""

    port: int
    sent_ps: int
    end_ps: int
    arrival_ps: int
    released: tuple[int, ...]


@dataclass(frozen=True)
class Trace:
    """A window of a run.

    Attributes
    ----------
    opened_ps, closed_ps : int
    transactions : tuple of TransactionLife
        Those under way, or followed by their core time, at some moment of the window, each from its issue on; in order of issue.
    pool_events : tuple of PoolEvent
        Those in the window, in order.
    nops : tuple of Nop
        Those on their way or served at some moment of the window.
    free_at_open : tuple of int
        By pool.
    """

    plan: Plan
    opened_ps: int
    closed_ps: int
    transactions: tuple[TransactionLife, ...]
    pool_events: tuple[PoolEvent, ...]
    nops: tuple[Nop, ...]
    free_at_open: tuple[int, ...]

    @property
    def hops(self) -> Iterator[Hop]:
        """Every hop of every packet."""
        return (hop for transaction in self.transactions for hop in transaction.hops)

    def completed_lines(self) -> list[TransactionLife]:
        """Return the foreground's lines that were complete in the window, in this order; without a foreground, all."""
        background = self.plan.threads.background
        lines = [line for line in self.transactions if not line.eviction and line.completed_ps is not None]
        chosen = [line for line in lines if not background[line.thread] or all(background)]
        in_window = [line for line in chosen if self.opened_ps < (line.completed_ps or 0) <= self.closed_ps]
        return sorted(in_window, key=lambda line: (line.completed_ps or 0, line.thread, line.number))
