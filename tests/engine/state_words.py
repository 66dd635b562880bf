"""A look into the kernel's memory by the layout's names: records in use, and changes of single words that mean something."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from simulator.engine.compiled import recurrence
from simulator.engine.compiled.memory import word
from simulator.engine.compiled.recurring import RecurringEngine
from simulator.engine.plan import NONE, Part

CHANNELS, CLASSES, PARTS = 4, 7, len(Part)
_SEVERAL = {"A_PARTS": PARTS, "P_HEAD": CHANNELS, "P_LAST": CHANNELS, "P_OWED": CLASSES, "P_CREDIT_POOL": CLASSES}
_EVENTS = ("P_TAIL_EVENT", "P_NOP_EVENT", "P_HEADER_EVENT", "P_END_EVENT", "P_ARBITRATION_EVENT", "L_EVENT", "D_EVENT")
_TABLES = {"P": "port", "Q": "pool", "D": "delay", "T": "thread", "L": "slot", "V": "barrier", "K": "packet", "H": "hold"}
_TABLES |= {"A": "state", "N": "nop"}
Change = tuple[str, int, int]  # name, place, new value


class Look:
    """A recurring engine's memory as it stands. Lists of records in use are made when first asked for.

    Attributes
    ----------
    words : ndarray of int64
        The memory itself: what is written here, the engine sees.
    """

    def __init__(self, engine: RecurringEngine) -> None:
        self.engine, self._memory, self.words = engine, engine._memory, engine._memory.words
        self.now = self._memory.header("NOW")

    def vector(self) -> bytes:
        """Return the state vector."""
        return self.engine.state().tobytes()

    def get(self, record: int, name: str) -> int:
        """Return a word of a record."""
        return int(self.words[record + word(name)])

    def chain(self, first: int, link: int) -> list[int]:
        """Return the records of a linked list."""
        found = []
        while first != NONE:
            found.append(int(first))
            first = int(self.words[first + link])
        return found

    def records(self, table: str) -> list[int]:
        """Return the places of the records of a table; of packets, holds, transactions and NOPs those in use."""
        size = self._memory.sizes
        counts = {"port": size.ports, "pool": size.pools, "delay": size.delays, "thread": size.threads, "slot": size.slots}
        if table in counts:
            return [self._memory.at(table.upper(), row) for row in range(counts[table])]
        if table == "barrier":
            return list(range(self._memory.header("BARRIER_AT"), self._memory.header("HEAP_AT"), word("BARRIER_WORDS")))
        return {"packet": self._packets, "hold": self._holds, "state": self._states, "nop": self._nops}[table]

    def places(self, name: str) -> list[int]:
        """Return where a word stands in all records in use."""
        offset = word(name) + (word("E_TIME") if name in _EVENTS else 0)
        several = range(_SEVERAL.get(name, 1))
        return [record + offset + number for record in self.records(_TABLES[name[0]]) for number in several]

    def sent(self) -> list[int]:
        """Return the counters of packets sent, by port and kind."""
        kinds = self._memory.sizes.kinds
        first = word("P_BY_KIND") + 2 * kinds
        return [port + first + kind for port in self.records("port") for kind in range(kinds)]

    def put_off(self, time_ps: int) -> None:
        """Make everything happen later by so much, as a jump of one period does in which nothing was counted."""
        before = self.words.copy()
        before[word("NOW")] -= time_ps
        recurrence.jump(self.words.view(np.uint64), before.view(np.uint64), np.uint64(1))

    def changes(self) -> Iterator[Change]:
        """Yield changes of one word each, after all of which the system goes on in another way or counts another latency."""
        for port in self.records("port"):
            yield from self._port(port)
        for pool in self.records("pool"):
            yield self._more(pool, "Q_FREE")
        for delay in self.records("delay"):
            yield from self._pointer(delay, "D_HEAD", self._packets)
        for row, thread in enumerate(self.records("thread")):
            yield from self._thread(row, thread)
        for barrier in self.records("barrier"):
            yield self._more(barrier, "V_HERE")
        for packet in self._packets:
            yield from self._packet(packet)
        for hold in self._holds:
            yield self._more(hold, "H_COPIES")
            yield from self._pointer(hold, "H_COMMAND", self.records("pool"))
            yield from self._pointer(hold, "H_DATA", self.records("pool"))
        for state in self._states:
            yield from self._state(state)
        for nop in self._nops:
            yield from (self._more(nop, "N_DUE"), self._flag(nop, "N_RELEASED"))
            yield from self._cut(nop, "N_NEXT")

    # -- by record ---------------------------------------------------------------------------------------------------------

    def _port(self, port: int) -> Iterator[Change]:
        for name in ("P_BUSY", "P_LAST_NOP", "P_LEAVING_DATA", "P_PENDING"):
            yield self._flag(port, name)
        yield from (self._more(port, "P_OWES"), self._more(port, "P_CRC_LEFT"))
        yield self._set(port, "P_LAST_WROTE", 1 if self.get(port, "P_LAST_WROTE") == NONE else 1 - self.get(port, "P_LAST_WROTE"))
        yield self._set(port, "P_ARBITRATED", NONE if self.get(port, "P_ARBITRATED") == self.now else self.now)
        if not self.get(port, "P_STRICT"):
            yield self._set(port, "P_LAST_CHANNEL", (self.get(port, "P_LAST_CHANNEL") + 1) % CHANNELS)
        for name in _EVENTS[:5]:
            yield self._time(port, name)
        for name in ("P_SERVING", "P_TAIL_PACKET"):
            yield from self._pointer(port, name, self._packets)
        for name in ("P_LEAVING", "P_HEADER_LEAVING", "P_TAIL_HOLD"):
            yield from self._pointer(port, name, self._holds)
        yield from self._pointer(port, "P_NOP_HEAD", self._nops)
        for channel in range(CHANNELS):
            yield from self._pointer(port, "P_HEAD", self._packets, channel)
        if self.get(port, "P_OWES"):
            for credit_class in range(CLASSES):
                place = port + word("P_OWED") + credit_class
                yield "P_OWED", place, int(self.words[place]) + 1

    def _thread(self, row: int, thread: int) -> Iterator[Change]:
        yield from (self._more(thread, "T_IN_FLIGHT"), self._flag(thread, "T_AT_BARRIER"), self._flag(thread, "T_HELD"))
        issued, limit = self.get(thread, "T_ISSUED"), self.get(thread, "T_LIMIT")
        repeats = limit == NONE
        yield self._set(thread, "T_COMPUTING_UNTIL", max(self.now, self.get(thread, "T_COMPUTING_UNTIL")) + 1)
        yield self._set(thread, "T_PASSED", NONE if self.get(thread, "T_PASSED") == issued else issued)
        if not repeats or self.engine._repeats[row] > 1:  # else all its lines are alike
            yield self._more(thread, "T_ISSUED")
        paced = self.get(thread, "T_INTERVAL") != NONE
        if paced and (repeats or issued < limit):
            yield self._set(thread, "T_ARRIVALS", 0 if self.get(thread, "T_ARRIVALS") else 1)
            if (
                self.get(thread, "T_OPEN") or self.get(thread, "T_DUE") >= self.now
            ):  # else it may be further behind than it makes up
                yield self._more(thread, "T_DUE")
        for number in range(self.get(thread, "T_WINDOW")):
            slot = self.get(thread, "T_SLOTS") + number * word("SLOT_WORDS")
            for name in ("L_VICTIM_OUT", "L_WAITS", "L_HELD"):
                yield self._flag(slot, name)
            yield self._time(slot, "L_EVENT")
            if paced:
                yield self._set(slot, "L_DUE", self.now + 1 if self.get(slot, "L_DUE") == NONE else self.get(slot, "L_DUE") + 1)

    def _packet(self, packet: int) -> Iterator[Change]:
        yield from (self._more(packet, "K_KIND"), self._more(packet, "K_BRANCH", word("BRANCH_WORDS")))
        others = [state for state in self._states if state != self.get(packet, "K_STATE")]
        if others:
            yield self._set(packet, "K_STATE", others[0])
        yield from self._pointer(packet, "K_HOLD", self._holds)
        under_way = self.get(packet, "K_TAIL") > self.now
        yield self._set(packet, "K_TAIL", (self.get(packet, "K_TAIL") if under_way else self.now) + 3)
        if under_way:
            yield self._more(packet, "K_CAME_BY")
        if packet in self._delayed:
            yield self._more(packet, "K_DUE")
        if packet in self._delayed or packet in self._queued:
            yield from self._cut(packet, "K_NEXT")

    def _state(self, state: int) -> Iterator[Change]:
        for name in ("A_JOINS", "A_ISSUED"):
            yield self._more(state, name)
        yield self._more(state, "A_ROW", self._memory.length("TRANSACTION"))
        yield from self._pointer(state, "A_HOME", self._holds)
        slot = self.get(state, "A_SLOT")
        thread = self.get(slot, "L_THREAD")
        others = [other for other in self.records("slot") if self.get(other, "L_THREAD") != thread]
        if others:
            yield self._set(state, "A_SLOT", others[0])
        row = (thread - self._memory.at("THREAD", 0)) // self._memory.length("THREAD")
        if self.engine._repeats[row] > 1:
            yield self._more(state, "A_PROGRAM", word("PROGRAM_WORDS"))

    # -- kinds of change ---------------------------------------------------------------------------------------------------

    def _set(self, record: int, name: str, value: int) -> Change:
        return name, record + word(name), value

    def _more(self, record: int, name: str, step: int = 1) -> Change:
        return self._set(record, name, self.get(record, name) + step)

    def _flag(self, record: int, name: str) -> Change:
        return self._set(record, name, self.get(record, name) ^ 1)

    def _time(self, record: int, name: str) -> Change:
        place = record + word(name) + word("E_TIME")
        return name, place, self.now + 5 if self.words[place] == NONE else int(self.words[place]) + 1

    def _pointer(self, record: int, name: str, others: list[int], number: int = 0) -> Iterator[Change]:
        """Take away what it points to; where that is nothing, let it point to something."""
        place = record + word(name) + number
        if self.words[place] != NONE:
            yield name, place, NONE
        elif others:
            yield name, place, others[0]

    def _cut(self, record: int, name: str) -> Iterator[Change]:
        if self.get(record, name) != NONE:
            yield self._set(record, name, NONE)

    # -- records in use ----------------------------------------------------------------------------------------------------

    @cached_property
    def _queued(self) -> list[int]:
        heads = [int(self.words[port + word("P_HEAD") + channel]) for port in self.records("port") for channel in range(CHANNELS)]
        return [packet for head in heads for packet in self.chain(head, word("K_NEXT"))]

    @cached_property
    def _delayed(self) -> list[int]:
        heads = [self.get(delay, "D_HEAD") for delay in self.records("delay")]
        return [packet for head in heads for packet in self.chain(head, word("K_NEXT"))]

    @cached_property
    def _packets(self) -> list[int]:
        served = [self.get(port, name) for port in self.records("port") for name in ("P_SERVING", "P_TAIL_PACKET")]
        return [*self._queued, *self._delayed, *(packet for packet in served if packet != NONE)]

    @cached_property
    def _states(self) -> list[int]:
        return sorted({self.get(packet, "K_STATE") for packet in self._packets})

    @cached_property
    def _holds(self) -> list[int]:
        of_ports = ("P_LEAVING", "P_HEADER_LEAVING", "P_TAIL_HOLD")
        found = {self.get(port, name) for port in self.records("port") for name in of_ports}
        found |= {self.get(packet, "K_HOLD") for packet in self._packets} | {self.get(state, "A_HOME") for state in self._states}
        return sorted(found - {NONE})

    @cached_property
    def _nops(self) -> list[int]:
        heads = [self.get(port, "P_NOP_HEAD") for port in self.records("port")]
        return [nop for head in heads for nop in self.chain(head, word("N_NEXT"))]
