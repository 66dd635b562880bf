"""The ring by hand as a Plan: every engine runs it, and counts the visits that follow from the model."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from benchmarks.apart import apart
from benchmarks.ring.contestants import CONTESTANTS, OWN, run_ring
from benchmarks.ring.model import CUSTOMERS, STATIONS, expected_visits
from benchmarks.ring.plan import SERVICE_PS, ring_plan
from simulator.engine.compiled import CompiledEngine
from simulator.engine.simpy_engine import SimpyEngine


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("trips", [CUSTOMERS + 1, 300])
def test_visits_are_those_of_the_model(name: str, trips: int) -> None:
    assert CONTESTANTS[name]()(trips) == expected_visits(trips)


@pytest.mark.parametrize(("name", "module"), [("Ciw", "ciw"), ("salabim", "salabim"), ("cimba", "cimba")])
def test_other_simulators_count_the_same(name: str, module: str) -> None:
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed here")
    run = apart("", run_ring, name, 40)  # cimba does not compile in a process where the compiled engine is loaded
    assert (run.missing, run.visits) == ("", expected_visits(40))


def test_engines_are_equal_on_the_ring() -> None:
    one, other = SimpyEngine(ring_plan()), CompiledEngine(ring_plan())
    for trips in (1, 20, 500):
        one.advance([trips], 1 << 40)
        other.advance([trips], 1 << 40)
        assert one.snapshot() == other.snapshot()


def test_every_station_is_busy_when_the_ring_is_full() -> None:
    engine = SimpyEngine(ring_plan())
    engine.advance([200], 1 << 40)
    before = engine.snapshot()
    engine.advance([300], 1 << 40)
    after = engine.snapshot()
    busy = [late - early for early, late in zip(before.port_busy_ps, after.port_busy_ps, strict=True)][:STATIONS]
    assert busy == [100 * SERVICE_PS] * STATIONS
