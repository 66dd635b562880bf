"""Simulated placements: each run once a seed, on one core or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from simulator.advise.candidate import Candidate, Scene
from simulator.engine.build import EngineName
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.program import PlacedProgram, Program, place
from simulator.program.scale import Scaled, scaled
from simulator.program.threads import PlacedThread
from simulator.replay import ReplayResult, run_program
from simulator.sweep.executors import Crew, Executor, do_all

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Trial:
    """What one run of a placement came to; of the threads that may move where nothing else is said.

    Attributes
    ----------
    time_ns : float, optional
        Until the last of these threads is done with the whole workload, from the time of the slice; None: it did not finish.
    local_percent : float, optional
        Share of their lines that came from the memory of their own nodes.
    latency_ns, queueing_ns : float, optional
        Mean of their lines; queueing: the part that they stand behind others, or wait for buffers and credits.
    busy : float, optional
        Share of the time that the controllers are busy which their lines come from, mean of the lines.
    links, controllers : dict of str to float
        Share of the time that each was busy, all threads.
    pages : dict of int to int
        Pages of 4 KiB of the whole workload on each node.
    verdict : str
        Of the run; ``does not fit``: memory is full.
    """

    time_ns: float | None
    local_percent: float | None = None
    latency_ns: float | None = None
    queueing_ns: float | None = None
    busy: float | None = None
    links: dict[str, float] = field(default_factory=dict)
    controllers: dict[str, float] = field(default_factory=dict)
    pages: dict[int, int] = field(default_factory=dict)
    verdict: str = "finished"


DOES_NOT_FIT = "does not fit"


@dataclass(frozen=True)
class HowToRun:
    """What all runs share.

    Attributes
    ----------
    lines : int, optional
        Most lines of a thread between two barriers; None: all.
    """

    lines: int | None
    seed: int
    engine: EngineName
    executor: Executor


@dataclass(frozen=True)
class _Task:
    number: int
    program: Program
    seed: int


@dataclass(frozen=True)
class _Run:
    """Does a task; sent to workers."""

    machine: Machine
    label: str
    lines: int | None
    engine: EngineName
    fixed: tuple[str, ...]

    def __call__(self, task: _Task) -> Trial:
        try:
            placed = place(task.program, self.machine, label=self.label)
        except InputError:  # the file's own placement was placed before: it is memory that is full
            return Trial(None, verdict=DOES_NOT_FIT)
        part = Scaled(placed, ()) if self.lines is None else self._scaled(placed, self.lines, task.seed)
        result = run_program(self.machine, part.placed, seed=task.seed, engine=self.engine)
        return _trial(result, part.weights, [thread.name for thread in placed.threads if self._moves(thread)])

    def _scaled(self, placed: PlacedProgram, lines: int, seed: int) -> Scaled:
        return scaled(placed, lines, key=seed, caches=self.machine.caches, counts=self._moves)

    def _moves(self, thread: PlacedThread) -> bool:
        return thread.group not in self.fixed


def _trial(result: ReplayResult, weights: Sequence[float], names: Sequence[str]) -> Trial:
    places = [place for place, thread in enumerate(result.threads) if thread.name in names]
    mine = [result.threads[place] for place in places]
    paths = [path for path in result.breakdown if path.place in places]
    controllers = {name: one.utilization for name, one in result.controllers.items()}
    fetched = [(thread.node, node, lines) for thread in mine for node, lines in thread.lines_by_node.items() if lines]
    local = _mean([(lines, 100.0 * (own == node)) for own, node, lines in fetched])
    return Trial(
        time_ns=_whole_time(result, weights, max(thread.time_ns for thread in mine)) if result.verdict == "finished" else None,
        local_percent=local,
        latency_ns=_mean([(path.lines, path.latency_ns) for path in paths]),
        queueing_ns=_mean([(path.lines, path.queueing_ns) for path in paths]),
        busy=_mean([(lines, controllers[str(node)]) for _, node, lines in fetched]),
        links={name: link.utilization for name, link in result.links.items()},
        controllers=controllers,
        pages=result.pages,
        verdict=result.verdict,
    )


def _mean(values: Sequence[tuple[int, float]]) -> float | None:
    """Return the mean of values, each with its lines; None where there are no lines."""
    lines = sum(count for count, _ in values)
    return sum(count * value for count, value in values) / lines if lines else None


def _whole_time(result: ReplayResult, weights: Sequence[float], end_ns: float) -> float:
    """Return the time of the whole workload: each stretch between barriers counts as often as it is longer."""
    starts = [phase.start_ns for phase in result.phases if phase.start_ns < end_ns]
    ends = [*starts[1:], end_ns]
    counted = weights or [1.0] * len(starts)
    return sum(weight * (end - start) for weight, start, end in zip(counted, starts, ends, strict=False))


@dataclass
class Bench:
    """All placements that have been run; used as a context manager, while which its workers wait for more.

    Attributes
    ----------
    scene : Scene
    how : HowToRun
    budget : int
        Most runs in all.
    progress : callable, optional
        Called with runs done, the budget, and nothing.
    runs : int
        Made so far; a placement that memory is too small for costs none.
    """

    scene: Scene
    how: HowToRun
    budget: int
    progress: Progress | None = None
    runs: int = 0
    _done: dict[tuple[Candidate, int], Trial] = field(default_factory=dict)
    _crew: Crew[_Task, Trial] = field(init=False)

    def __post_init__(self) -> None:
        how, scene = self.how, self.scene
        self._crew = how.executor.start(_Run(scene.machine, scene.label, how.lines, how.engine, scene.fixed))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._crew.close()

    def run(self, wanted: Sequence[tuple[Candidate, int]]) -> None:
        """Run placements, each with the n-th seed, unless they have been."""
        missing = [pair for pair in dict.fromkeys(wanted) if pair not in self._done]
        tasks = [
            _Task(number, self.scene.program_of(candidate), self.how.seed + place)
            for number, (candidate, place) in enumerate(missing)
        ]
        arrived: dict[int, Trial] = {}

        def done(task: _Task, trial: Trial) -> None:
            arrived[task.number] = trial
            self.runs += trial.verdict != DOES_NOT_FIT
            if self.progress is not None:
                self.progress(self.runs, self.budget, "")

        do_all(self._crew, tasks, done)
        self._done.update({pair: arrived[number] for number, pair in enumerate(missing)})

    def trials(self, candidate: Candidate) -> list[Trial]:
        """Return the runs of a placement, by seed."""
        found = ((number, trial) for (one, number), trial in self._done.items() if one == candidate)
        return [trial for _, trial in sorted(found, key=lambda item: item[0])]

    @property
    def ranked(self) -> list[Candidate]:
        """All placements that finished with the first seed, fastest first; of equal times the one that was asked for first."""
        timed = [(trial.time_ns, one) for (one, number), trial in self._done.items() if number == 0 and trial.time_ns is not None]
        return [one for _, one in sorted(timed, key=lambda item: item[0])]

    @property
    def not_finished(self) -> list[Candidate]:
        """Placements that came to no end, or that memory is too small for."""
        return [one for (one, number), trial in self._done.items() if number == 0 and trial.time_ns is None]

    @property
    def not_fitting(self) -> list[Candidate]:
        """Placements that memory is too small for."""
        return [one for one in self.not_finished if self.first(one).verdict == DOES_NOT_FIT]

    def first(self, candidate: Candidate) -> Trial:
        """Return the run of a placement with the first seed."""
        return self._done[candidate, 0]
