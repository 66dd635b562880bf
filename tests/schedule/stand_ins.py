"""Small systems with speeds that a hand can work out: a line takes 1 ns, or what a test says, and an instruction is a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simulator.schedule.actions import Compute, Program, Sleep, Steps
from simulator.schedule.core_queues import CoreQueues, CoreQueuesSpec
from simulator.schedule.footprint import Footprint, Region
from simulator.schedule.queues import RunQueues
from simulator.schedule.shared_queue import SharedQueue, SharedQueueSpec
from simulator.schedule.speeds import Running
from simulator.schedule.system import System
from simulator.schedule.traffic import ProcessTraffic, Traffic

NS, US, MS = 10**3, 10**6, 10**9
PLAIN = Footprint("plain", (Region(1024.0, 1.0),))
TWO = ((0, 0), (0, 1))


class PlainSpeeds:
    """Every line takes so long, whoever runs beside."""

    def __init__(self, pace: Callable[[Running, int], int] = lambda one, together: NS) -> None:
        self._pace = pace

    def paces_ps(self, running: tuple[Running, ...]) -> tuple[int, ...]:
        return tuple(self._pace(one, len(running)) for one in running)


class PlainMemory:
    """Every process loses so many lines when another has fetched any, or on a new core."""

    def __init__(self, lost: int = 0) -> None:
        self._lost = lost
        self._known: dict[Footprint, ProcessTraffic] = {}

    def traffic(self, footprint: Footprint) -> ProcessTraffic:
        if footprint not in self._known:
            working, refilling = (Traffic(name, (0.0,), (False,), True) for name in (footprint.name, "refilling"))
            self._known[footprint] = ProcessTraffic(working, refilling, 1.0)
        return self._known[footprint]

    def lines_to_fetch_again(self, footprint: Footprint, fetched_by_others: int | None) -> int:
        return 0 if fetched_by_others == 0 else self._lost

    def nearest(self, node: int) -> int:
        return node


def shared(slice_ms: float = 100.0, level_ms: float = 1e6) -> SharedQueue:
    """One queue; by default no thread ever runs for long enough to lose priority."""
    return SharedQueue(SharedQueueSpec(round(slice_ms * MS), round(level_ms * MS)))


def per_core(
    cpus: Sequence[tuple[int, int]] = TWO, *, slice_ms: float = 100.0, push_load: int = 100, look_ms: float = 10.0,
    balance_ms: float = 1e6,
) -> CoreQueues:  # fmt: skip
    """A queue a core; by default nothing is pushed or balanced."""
    times = [round(time * MS) for time in (look_ms, balance_ms)]
    return CoreQueues(CoreQueuesSpec(round(slice_ms * MS), push_load, *times, 30, 5000 * MS, 500 * MS), cpus)


def system(
    queues: RunQueues,
    cpus: Sequence[tuple[int, int]] = TWO,
    *,
    speeds: PlainSpeeds | None = None,
    lost: int = 0,
    switch_ps: int = 0,
) -> System:
    """A system that keeps its log."""
    return System(cpus, queues, speeds or PlainSpeeds(), PlainMemory(lost), switch_ps, keep_log=True)


def job(name: str, *times_ms: float, cpus: frozenset[tuple[int, int]] | None = None) -> Program:
    """A program that computes and sleeps by turns."""

    def steps() -> Steps:
        for place, time_ms in enumerate(times_ms):
            yield Sleep(round(time_ms * MS)) if place % 2 else Compute(time_ms * MS / NS)

    return Program(name, PLAIN, steps, cpus)


def log_ms(done: System) -> list[tuple[str, float, float, int]]:
    """Return who ran from when to when on which core, by start."""
    assert done.log is not None
    rows = [(one.task, one.start_ps / MS, one.end_ps / MS, one.cpu[1]) for one in done.log]
    return sorted(rows, key=lambda row: (row[1], row[3]))
