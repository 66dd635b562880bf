"""What an observer of a run sees; this one looks away."""

from __future__ import annotations

from simulator.engine.simpy_engine.parts import Branch, Packet, Pool, Port, Stage, TransactionState


class Observer:
    """Told of everything that happens, at the moment it happens; override what is of interest and change nothing.

    `now_ps` is always the time of the event. Objects are the engine's own and go on changing afterwards.
    """

    # -- transactions ----------------------------------------------------------------------------------------------------

    def issued(self, now_ps: int, transaction: TransactionState) -> None:
        """Take note that a line, or an eviction, begins; its request is sent next."""

    def completed(self, now_ps: int, transaction: TransactionState) -> None:
        """Take note that it is complete: data and all answers are there, or an eviction is in memory.

        One that was not issued before was found in the thread's own cache.
        """

    def rests(self, now_ps: int, line: TransactionState, core_ps: int) -> None:
        """Take note of a complete line's core time; `line.counted_ps` is when its data was there."""

    def begins_at_home(self, now_ps: int, transaction: TransactionState) -> None:
        """Take note that the home takes a transaction up, which came there at `transaction.counted_ps`."""

    def waited(self, now_ps: int, line: TransactionState, port: Port, queued_ps: int) -> None:
        """Take note that a line has waited at a port since `line.counted_ps`, `queued_ps` of it behind others."""

    def passed(self, now_ps: int, line: TransactionState, branch: Branch) -> None:
        """Take note that a line has come through a port, granted at `line.counted_ps`, and the delay behind it."""

    # -- packets ---------------------------------------------------------------------------------------------------------

    def arrived(self, now_ps: int, packet: Packet, stage: Stage, cause: Packet | None) -> None:
        """Take note that a packet is at a stage; `cause` is the packet whose arrival has sent it, if it sets out here."""

    def consumed(self, now_ps: int, packet: Packet) -> None:
        """Take note that the packet that has arrived last goes no farther."""

    def queued(self, now_ps: int, packet: Packet, branch: Branch, cause: Packet) -> None:
        """Take note that a packet waits at a port; if it is a new copy, `cause` is what it was copied from."""

    def granted(self, now_ps: int, packet: Packet, port: Port) -> None:
        """Take note that a port takes the packet in hand; it takes its buffers next."""

    def served(self, now_ps: int, packet: Packet, port: Port, header_ps: int, tail_ps: int) -> None:
        """Take note of when the header and the tail of the packet just granted leave the port."""

    def left(self, now_ps: int, packet: Packet, arrival_ps: int) -> None:
        """Take note of when the packet, which has left its port, will be at its next stage."""

    # -- buffers and credits ---------------------------------------------------------------------------------------------

    def took(self, now_ps: int, pool: Pool) -> None:
        """Take note that the packet just granted has taken a unit of a pool."""

    def owed(self, now_ps: int, pool: Pool) -> None:
        """Take note that a unit is free at the far side of a link, to be given back by a NOP."""

    def returned(self, now_ps: int, pool: Pool, count: int) -> None:
        """Take note that units are back in their pool."""

    def sent_nop(self, now_ps: int, port: Port, end_ps: int, arrival_ps: int, released: tuple[int, ...]) -> None:
        """Take note of a NOP, which gives back `released` units of each credit class at `arrival_ps`."""
