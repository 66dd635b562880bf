"""The state vector of the exact mode holds every word of the kernel's memory that decides what comes next, and no counter.

Each word of the layout stands in one of four lists below, and is held to it: a word that *decides* is changed in a running
system, and the vector must change; what *counts* is changed, and neither the vector nor what follows may; what *follows* from
other words must do so at each look; what is *constant* must stay. So a word that is new, or forgotten in the vector, fails here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from simulator.engine.compiled import layout
from simulator.engine.compiled.memory import word
from simulator.engine.compiled.recurring import RecurringEngine
from simulator.engine.lower import lower
from simulator.engine.plan import NONE, Plan
from simulator.machine.spec import Machine
from simulator.workload import Access, Arrivals, ThreadSpec, TimeSlice, Workload
from simulator.workload.thread import Mode
from tests.engine.state_words import Look
from tests.oracle.machines import ring, round_machine

NO_LIMIT = 1 << 40
LOOKS, EVENTS_BETWEEN, EVENTS_AFTER = 40, 59, 600

CONSTANT = {
    "port": "KIND STRICT TURNAROUND REVERSE NOP_PS NOP_LATENCY NOP_BYTES NOP_RELEASES CRC_EVERY CRC_PS DRAW STREAM CREDIT_POOL "
    "SERVICE_PART QUEUE_PART BUFFER_PART",
    "pool": "CAPACITY CLAIMANT CLASS",
    "delay": "TIME PART PART_PS REST_PART",
    "thread": "STREAM BACKGROUND WINDOW FIRST COUNT LIMIT MORE INTERVAL OPEN SLICE_PERIOD SLICE_START SLICE_LENGTH SLOTS",
    "slot": "THREAD QUIET STILL",  # these, and SHARED and OWNER, move only where threads share lines or lock: not exact
    "state": "SHARED OWNER",
    "barrier": "PARTIES",
}
COUNTS = {  # also when a time integral was last brought up to date, and when a server that is busy began to be
    "port": "BUSY_UNTIL SERVED NOPS CRCS BUSY_PS WAITING_PS CHANGED",
    "pool": "HELD_PS CHANGED",
    "thread": "LINES TARGET LAST LATENCY",
    "state": "NUMBER COUNTED BUSY_BEFORE PARTS",  # which random number comes next; where the time went
}
FOLLOWS = {  # lengths and ends of lists; a delay's event is that of its first packet
    "port": "WAITING LAST NOP_TAIL",
    "delay": "TAIL EVENT",
}
DECIDES = {
    "port": "BUSY LAST_CHANNEL LAST_NOP LAST_WROTE SERVING LEAVING LEAVING_DATA HEADER_LEAVING TAIL_PACKET TAIL_HOLD "
    "OWES PENDING ARBITRATED CRC_LEFT NOP_HEAD TAIL_EVENT NOP_EVENT HEADER_EVENT END_EVENT ARBITRATION_EVENT HEAD OWED",
    "pool": "FREE",
    "delay": "HEAD",
    "thread": "DUE ISSUED ARRIVALS IN_FLIGHT PASSED AT_BARRIER HELD COMPUTING_UNTIL",
    "slot": "DUE VICTIM_OUT WAITS HELD EVENT",
    "barrier": "HERE",
    "packet": "NEXT KIND STATE HOLD BRANCH TAIL CAME_BY DUE",
    "hold": "COPIES COMMAND DATA",
    "state": "ROW SLOT JOINS PROGRAM ISSUED HOME",
    "nop": "NEXT DUE RELEASED",
}
LETTER = {"port": "P", "pool": "Q", "delay": "D", "thread": "T", "slot": "L", "barrier": "V", "packet": "K", "hold": "H"}
LETTER |= {"state": "A", "nop": "N"}
OF_KINDS = {
    "K_CHANNEL",
    "K_BYTES",
    "K_DATA",
    "K_WRITES",
    "K_CARRIES_LINE",
    "K_MODIFIES",
}  # columns of the table of packet kinds, by the letter of packets
BY_KIND = "P_BY_KIND"  # service and header times, constant, and packets sent, which count


def names(table: dict[str, str]) -> set[str]:
    """Return the layout's names of a list above."""
    return {f"{LETTER[record]}_{name}" for record, listed in table.items() for name in listed.split()}


HALVES = (TimeSlice(1000.0, 0.0, 450.0), TimeSlice(1000.0, 500.0, 450.0))
MEETING = Workload(
    (
        ThreadSpec(0, 0, (Access("r", 0), Access("w", 1), Access("r", 1, node=1, compute_ns=20.0), Access("w", 0, barrier=0))),
        ThreadSpec(0, 1, (Access("r", 1), Access("r", 0, barrier=0)), window=2, rate_gb_per_s=0.064),
        *(ThreadSpec(1, 1, (Access("r", home),), time_slice=turn) for home, turn in enumerate(HALVES)),
    )
)
ARRIVING = Workload(
    (
        ThreadSpec(0, 0, (Access("r", 1),), window=8, arrivals=Arrivals(200.0, random=False)),
        ThreadSpec(0, 1, (Access("w", 1),), window=3, rate_gb_per_s=2.0),
        ThreadSpec(1, 0, (Access("w", 0),) * 9, repeat=False, rate_gb_per_s=0.2),
    )
)


def _crossing() -> Workload:
    """Eight threads around a ring, each with the memories of a neighbour and of its own node in turn."""
    modes: tuple[Mode, Mode] = ("r", "w")
    places = [(node, core) for node in range(4) for core in range(2)]
    return Workload(
        tuple(
            ThreadSpec(node, core, (Access(modes[core], (node + 1 + core) % 4), Access("w", node)), window=3, core_time_ns=2.0)
            for node, core in places
        )
    )


@cache
def systems() -> dict[str, Plan]:
    """Systems in which, taken together, every word has a part to play."""
    credits = ["link.credits.request=1", "link.credits.response=2", "link.credits.response_data=1", "link.crc.every_bytes=48"]
    strict = [*credits, 'crossbar.arbitration="response-first"']
    return {
        "round robin": lower(ring(4, credits), _crossing()),
        "response first": lower(ring(4, strict), _crossing()),
        "barrier and turns": lower(round_machine([0, 1], [(0, 1)]), MEETING),
        "paces and arrivals": lower(round_machine([0, 1], [(0, 1)]), ARRIVING),
    }


def test_every_word_of_the_layout_is_in_one_list() -> None:
    lists = [names(table) for table in (CONSTANT, COUNTS, FOLLOWS, DECIDES)]
    letters = tuple(f"{letter}_" for letter in LETTER.values())
    words = {name for name in vars(layout) if name.startswith(letters)} - OF_KINDS - {BY_KIND}
    assert set().union(*lists) == words
    assert sum(map(len, lists)) == len(words)


def looks(plan: Plan) -> Iterator[Look]:
    """Let a system run, and look at it every so many events."""
    engine = RecurringEngine(plan)
    engine.start_latency_record()
    for _ in range(LOOKS):
        engine.advance([NO_LIMIT] * len(plan.threads.label), EVENTS_BETWEEN)
        yield Look(engine)


def test_every_word_that_decides_is_in_the_vector() -> None:
    """Each is changed by itself, in each record in use that it has a meaning in."""
    changed: set[str] = set()
    for name, plan in systems().items():
        for look in looks(plan):
            before = look.vector()
            for field, place, value in look.changes():
                was = look.words[place]
                look.words[place] = value
                assert look.vector() != before, (name, field, place, was, value)
                look.words[place] = was
                changed.add(field)
            assert look.vector() == before
    assert changed == names(DECIDES)


@pytest.mark.parametrize("name", systems())
def test_what_counts_decides_nothing(name: str) -> None:
    """All counters are changed at once: the vector is the same, at once and after each of many events."""
    plan = systems()[name]
    engines = [RecurringEngine(plan) for _ in range(2)]
    targets = [NO_LIMIT] * len(plan.threads.label)
    for engine in engines:
        engine.advance(targets, 2_000)
    look = Look(engines[1])
    for field in names(COUNTS):
        for place in look.places(field):
            look.words[place] += 1 << 20
    for place in look.sent():
        look.words[place] += 99
    for _ in range(EVENTS_AFTER):
        assert Look(engines[0]).vector() == Look(engines[1]).vector()
        assert engines[0].snapshot().time_ps == engines[1].snapshot().time_ps
        assert [engine.advance(targets, 1) for engine in engines]


@pytest.mark.parametrize("name", systems())
def test_what_follows_does_so(name: str) -> None:
    for look in looks(systems()[name]):
        words = look.words
        for port in look.records("port"):
            waiting = 0
            for channel in range(4):
                queue = look.chain(words[port + word("P_HEAD") + channel], word("K_NEXT"))
                assert words[port + word("P_LAST") + channel] == (queue[-1] if queue else NONE)
                waiting += len(queue)
            assert words[port + word("P_WAITING")] == waiting
            nops = look.chain(words[port + word("P_NOP_HEAD")], word("N_NEXT"))
            assert not nops or words[port + word("P_NOP_TAIL")] == nops[-1]
        for delay in look.records("delay"):
            packets = look.chain(words[delay + word("D_HEAD")], word("K_NEXT"))
            assert not packets or words[delay + word("D_TAIL")] == packets[-1]
            due = words[packets[0] + word("K_DUE")] if packets else NONE
            assert words[delay + word("D_EVENT") + word("E_TIME")] == due


@pytest.mark.parametrize("name", systems())
def test_what_is_constant_stays(name: str) -> None:
    engine = RecurringEngine(systems()[name])
    look = Look(engine)
    places = [place for field in names(CONSTANT) for place in look.places(field)]
    before = look.words[places].tolist()
    engine.advance([NO_LIMIT] * len(systems()[name].threads.label), 5_000)
    assert look.words[places].tolist() == before


@pytest.mark.parametrize("name", systems())
def test_the_vector_does_not_depend_on_when_it_is_but_for_the_slice(name: str) -> None:
    """The whole system is put off: by a period of the time slices the state is the same, by less it is not."""
    plan = systems()[name]
    period_ps = max(plan.threads.slice_period_ps)
    for later_ps in (1, 7_000, 250_000, 1_000_000, 3_000_000):
        engine = RecurringEngine(plan)
        engine.advance([NO_LIMIT] * len(plan.threads.label), 3_000)
        look = Look(engine)
        before = look.vector()
        look.put_off(later_ps)
        assert (look.vector() == before) == (period_ps == 0 or later_ps % period_ps == 0)


def _paced(barrier: int | None) -> Workload:
    """One thread with a line every 128 ns, one with a line every microsecond, perhaps behind a barrier of its own."""
    paced = ThreadSpec(0, 1, (Access("r", 0, barrier=barrier), Access("r", 0)), window=1, rate_gb_per_s=0.064)
    return Workload((ThreadSpec(0, 0, (Access("r", 0),), rate_gb_per_s=0.5), paced))


PAIR, ALONE = round_machine([0, 1], [(0, 1)], ["link.crc.bytes=0"]), round_machine([0])


@pytest.mark.parametrize(
    ("machine", "workload"),
    [(PAIR, MEETING), (PAIR, ARRIVING), (ALONE, _paced(barrier=0)), (ALONE, _paced(barrier=None))],
    ids=["barrier and turns", "paces and arrivals", "a barrier long before a line is due", "no barrier"],
)
def test_a_jump_lands_in_the_very_state_of_a_full_run(machine: Machine, workload: Workload) -> None:
    """A paced thread passes its barrier long before its line is due, so that most jumps land in between."""
    plan = lower(machine, workload)
    jumping, full = RecurringEngine(plan), RecurringEngine(plan)
    period = jumping.find_period(0, 5_000)
    assert period is not None
    jumping.run_periods(period, 9)
    targets = [0] * len(plan.threads.label)
    targets[0] = jumping.snapshot().thread_lines[0]
    full.advance(targets, NO_LIMIT)
    for _ in range(3):
        assert Look(jumping).vector() == Look(full).vector()
        assert jumping.snapshot() == full.snapshot()
        assert jumping.advance([NO_LIMIT] * len(targets), 500) is full.advance([NO_LIMIT] * len(targets), 500)
