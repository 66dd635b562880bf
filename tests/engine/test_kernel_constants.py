"""What the kernel repeats of the plan, the order of events, the interface and the random numbers is what these say."""

from __future__ import annotations

import numpy as np

from simulator.engine.compiled import layout, words
from simulator.engine.compiled.cache import compiled
from simulator.engine.compiled.engine import _STOPS
from simulator.engine.compiled.fabric import random_value
from simulator.engine.interface import LATENCY_BIN_PS, LATENCY_BINS, PATH_BINS, Stop
from simulator.engine.lower_stations import CREDIT_CLASSES
from simulator.engine.order import Phase, event_key
from simulator.engine.plan import CACHED, NONE, Action, Part, PortKind
from simulator.engine.random_numbers import random_bits
from simulator.engine.simpy_engine.threads import ARRIVAL_NUMBERS
from simulator.protocol.packets import Channel


def test_kinds_and_actions() -> None:
    assert (words.LINK, words.DRAM) == (PortKind.LINK, PortKind.DRAM)
    own = (words.ACCEPT, words.REPLY, words.ANSWER, words.RELEASE)
    assert own == (Action.ACCEPT, Action.REPLY, Action.ANSWER, Action.RELEASE)
    assert set(Action) - {Action(int(action)) for action in own} == {Action.PASS, Action.COLLECT}
    assert Action.PASS == 0  # a stage without an action
    assert int(words.NONE) == NONE % (1 << 64)
    assert int(words.CACHED) == CACHED % (1 << 64)
    assert (len(Channel), len(CREDIT_CLASSES)) == (words.CHANNELS, words.CLASSES)


def test_parts_of_a_lines_time() -> None:
    own = (words.SOURCE, words.PROBES, words.CORE, words.SHARED_LINE)
    assert own == (Part.SOURCE, Part.PROBES, Part.CORE, Part.SHARED_LINE)
    assert len(Part) == layout.PARTS < layout.PATH_WORDS


def test_stops() -> None:
    stops = {words.REACHED: Stop.REACHED, words.EXHAUSTED: Stop.EXHAUSTED, words.BUDGET: Stop.BUDGET}
    stops[words.STARVED] = Stop.HUNGRY
    assert stops == _STOPS
    assert stops.keys().isdisjoint({words.BROKE})


def test_latency_bins() -> None:
    assert 1 << int(words.BIN_SHIFT) == LATENCY_BIN_PS
    assert int(words.LAST_BIN) == LATENCY_BINS - 1
    assert int(words.LAST_PATH_BIN) == PATH_BINS - 1
    assert int(layout.Y_HISTOGRAM) == int(layout.Y_PARTS) + len(Part)
    assert int(layout.PATH_WORDS) == int(layout.Y_HISTOGRAM) + PATH_BINS


def test_keys_of_events() -> None:
    key = event_key(Phase.ARRIVAL, 77, slot=5)
    assert (key >> int(words.SLOT_BITS)) & int(words.COMPONENT_MASK) == 77
    most = event_key(Phase.ARRIVAL, (1 << 32) - 1, slot=(1 << 16) - 1)
    assert most + 1 == event_key(Phase.SERVICE_END, 0) == int(words.SERVICE_END_KEY)
    assert event_key(Phase.ARBITRATION, 0) == int(words.ARBITRATION_KEY)


def test_random_numbers() -> None:
    """The kernel's draws from tables of 1024 are the reference's, also far along a stream, where arrivals draw."""
    assert int(words.ARRIVAL_NUMBERS) == ARRIVAL_NUMBERS
    memory = np.zeros(256 + 1024, np.uint64)
    table = 64
    memory[int(layout.DRAW_AT)] = table
    memory[table + int(layout.X_FIRST)], memory[table + int(layout.X_MASK)] = 256, 1023
    memory[256:] = np.arange(1024)
    for stream in (1, (1 << 64) - 3):
        for number in (0, 1, 12_345, ARRIVAL_NUMBERS + 2):
            drawn = _draw(memory, np.uint64(stream), np.uint64(number))
            assert int(drawn) == random_bits(stream, number) & 1023


@compiled
def _draw(memory: words.Words, stream: words.Word, number: words.Word) -> words.Word:
    return random_value(words.pointer_to(memory), stream, number, words.ZERO)


def test_records_do_not_overlap() -> None:
    """Words of a port that have several places, one a channel or credit class, or three an event, keep off each other."""
    several = {"P_HEAD": 4, "P_LAST": 4, "P_OWED": 7, "P_CREDIT_POOL": 7}
    taken: set[int] = set()
    for name, value in vars(layout).items():
        if name.startswith("P_"):
            count = 3 if name.endswith("_EVENT") else several.get(name, 1)
            places = set(range(int(value), int(value) + count))
            assert taken.isdisjoint(places), name
            taken |= places
