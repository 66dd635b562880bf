"""How fast the processes that run together go: line-level runs of exactly that set, each done once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.schedule.traffic import Traffic
from simulator.units import ps_from_ns
from simulator.workload import Workload


@dataclass(frozen=True)
class Running:
    """What a core does at some moment.

    Attributes
    ----------
    node, core : int
    traffic : Traffic
    memory : int
        Node of the memory that it uses.
    """

    node: int
    core: int
    traffic: Traffic
    memory: int


class Speeds(Protocol):
    """Says how long a line takes."""

    def paces_ps(self, running: tuple[Running, ...]) -> tuple[int, ...]:
        """Return the time a line of each of those that run together, ps."""


class SimulatedSpeeds:
    """Speeds by the line-level engine.

    Cores of a node are alike, so sets that differ in the cores of a node only are one set.

    Parameters
    ----------
    machine : Machine
    lines : int
        Measured of each process in each set.
    seed : int
    """

    def __init__(self, machine: Machine, lines: int = 20_000, seed: int = 1) -> None:
        self._machine, self._seed = machine, seed
        self._accuracy = Accuracy(ci_percent=0.01, lines=lines, warmup=min(500, lines // 4))
        self._known: dict[tuple[tuple[int, int, int], ...], tuple[int, ...]] = {}
        self._numbers: dict[Traffic, int] = {}

    @property
    def sets(self) -> int:
        """How many sets have been run."""
        return len(self._known)

    def paces_ps(self, running: tuple[Running, ...]) -> tuple[int, ...]:
        """See :class:`Speeds`."""
        kinds = [(one.node, one.memory, self._numbers.setdefault(one.traffic, len(self._numbers))) for one in running]
        order = sorted(range(len(running)), key=lambda place: kinds[place])
        key = tuple(kinds[place] for place in order)
        if key not in self._known:
            self._known[key] = self._simulate([running[place] for place in order])
        paces = [0] * len(running)
        for place, pace in zip(order, self._known[key], strict=True):
            paces[place] = pace
        return tuple(paces)

    def _simulate(self, running: list[Running]) -> tuple[int, ...]:
        used: dict[int, int] = {}
        threads = []
        for one in running:
            core = used[one.node] = used.get(one.node, -1) + 1
            threads.append(one.traffic.thread(one.node, core, one.memory))
        workload = Workload(tuple(threads))
        result = run(self._machine, workload, self._accuracy, seed=self._seed)
        place = {(spec.node, spec.core): number for number, spec in enumerate(workload.threads)}
        reports = [result.threads[place[thread.node, thread.core]] for thread in threads]
        assert all(report.time_per_line_ns for report in reports), "a run without lines"
        return tuple(ps_from_ns(report.time_per_line_ns or 0.0) for report in reports)
