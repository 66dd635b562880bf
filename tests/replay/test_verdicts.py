"""Runs that do not come to their end: the verdict says what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from simulator.engine.deadlock import Member, Waiting, WaitState
from simulator.engine.interface import EngineError, Rows, Stop
from simulator.engine.supply import FedEngine
from simulator.program import place
from simulator.replay import feed, run_program
from simulator.replay.feed import to_the_end
from tests.oracle.machines import ring
from tests.program.workloads import program


@dataclass
class Scripted:
    """An engine that stops as a list says; so many lines are complete at each look."""

    stops: list[Stop]
    lines: list[int]
    state: WaitState = field(default_factory=lambda: WaitState({}, {}, {}))
    looks: int = 0

    def advance(self, target_lines: list[int], event_budget: int) -> Stop:
        assert event_budget == feed.EVENTS_A_LOOK
        self.looks += 1
        return self.stops[min(self.looks, len(self.stops)) - 1]

    def snapshot(self) -> Scripted:
        return self

    @property
    def thread_lines(self) -> tuple[int, ...]:
        return (self.lines[min(self.looks, len(self.lines)) - 1],)

    def wait_state(self) -> WaitState:
        return self.state


def _verdict(engine: Scripted) -> tuple[str, str | None]:
    verdict, detail = to_the_end(engine, 1, None)  # type: ignore[arg-type]
    return verdict, detail


def test_the_end() -> None:
    assert _verdict(Scripted([Stop.BUDGET, Stop.REACHED], [5, 9])) == ("finished", None)


def test_progress_is_told() -> None:
    told: list[int] = []
    to_the_end(Scripted([Stop.BUDGET, Stop.BUDGET, Stop.REACHED], [5, 7, 9]), 1, told.append)  # type: ignore[arg-type]
    assert told == [5, 7, 9]


def test_no_event_is_left() -> None:
    assert _verdict(Scripted([Stop.EXHAUSTED], [5])) == ("no progress", "no event is left, though lines are still to come")


def test_events_without_lines() -> None:
    engine = Scripted([Stop.BUDGET], [5])
    verdict, detail = _verdict(engine)
    events = feed.MOST_IDLE_LOOKS * feed.EVENTS_A_LOOK
    assert (verdict, detail) == ("no progress", f"{events} events passed and no line was complete")
    assert engine.looks == 1 + feed.MOST_IDLE_LOOKS


def test_a_line_now_and_then_is_progress() -> None:
    lines = [1] * 40 + [2] * 40 + [3]
    assert _verdict(Scripted([Stop.BUDGET] * 80 + [Stop.REACHED], lines)) == ("finished", None)


def test_packets_that_wait_for_each_other() -> None:
    waiting = {0: Waiting("b", "RdBlk", None, ("P",)), 1: Waiting("a", "RdBlk", None, ("Q",))}
    state = WaitState(waiting, {"P": 0, "Q": 0}, {"P": (frozenset({1}),), "Q": (frozenset({0}),)})
    verdict, detail = _verdict(Scripted([Stop.BUDGET], [5], state))
    assert (verdict, detail) == ("deadlock", "packets can never move again: a waits for Q waits for b waits for P waits for a")


def test_a_barrier_that_never_opens() -> None:
    members = (Member("0.0", 0, False, frozenset({0})), Member("1.0", None, True, frozenset({0})))
    state = WaitState({}, {}, {}, members)
    detail = "thread 0.0 waits at a barrier for thread 1.0, which never comes"
    assert _verdict(Scripted([Stop.EXHAUSTED], [5], state)) == ("deadlock", detail)


def test_a_ring_of_five_comes_to_a_standstill_and_is_reported() -> None:
    """Each node's threads read memory two nodes further round: requests fill every link's buffers."""
    machine = ring(5)
    arrays = [{"name": f"a{node}", "size_mib": 1.0, "policy": f"--membind={(node + 2) % 5}"} for node in range(5)]
    threads = [{"name": f"w{node}", "numactl": f"--cpunodebind={node}", "window": 8} for node in range(5)]
    reads = [{"pattern": "sequential", "array": f"a{node}", "threads": [f"w{node}"], "barrier": False} for node in range(5)]
    made = program({"pattern": "init", "arrays": [array["name"] for array in arrays]}, *reads, arrays=arrays, threads=threads)
    result = run_program(machine, place(made, machine))
    assert result.verdict == "deadlock"
    assert result.verdict_detail is not None
    assert "link 0->1 waits for link 0->1 request buffers" in result.verdict_detail
    assert sum(thread.lines for thread in result.threads) == 0
    assert result.elapsed_ns > 0


class _Greedy:
    """An engine that always wants a line of thread 0."""

    name = "greedy"

    def __init__(self, places: int) -> None:
        self._places = places

    def advance(self, target_lines: list[int], event_budget: int) -> Stop:
        return Stop.HUNGRY

    def hungry(self) -> int:
        return 0

    def room(self, thread: int) -> int:
        return self._places


def test_an_engine_or_feed_that_gives_nothing_is_an_error_of_ours() -> None:
    nothing: Rows = np.empty((0, 8), np.int64)
    with pytest.raises(EngineError, match="handed no lines"):
        FedEngine(_Greedy(4), lambda thread, room: (nothing, False)).advance([1], 1)  # type: ignore[arg-type]
    with pytest.raises(EngineError, match="than there are places"):
        FedEngine(_Greedy(0), lambda thread, room: (nothing, False)).advance([1], 1)  # type: ignore[arg-type]
