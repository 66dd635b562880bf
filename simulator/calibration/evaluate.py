"""Errors of rows at points of the free values: many points at a time, each run once, with common random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from simulator.calibration.rows import Row, Run, work_of
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep.executors import Crew, Executor
from simulator.validation.prediction import Work

NEVER_REACHED_PERCENT = 1e-9  # so that every run has the same number of lines, and equal random numbers, at every point
Point = Mapping[str, float]
Errors = list[float | None]
OnPoint = Callable[[int, Errors], None]


@dataclass(frozen=True)
class RunWork:
    """Does a run; sent to workers."""

    accuracy: Accuracy
    seed: int
    run_one: Callable[..., RunResult] = run

    def __call__(self, task: _Task) -> RunResult:
        """Return the result, without the machine in it: whoever asked has that."""
        accuracy = replace(self.accuracy, lines=task.lines)
        result = self.run_one(task.work.machine, task.work.workload, accuracy, seed=self.seed)
        bare = result.provenance.model_copy(update={"machine": {}, "workload": {}})
        return result.model_copy(update={"provenance": bare})


@dataclass(frozen=True, eq=False)
class _Task:
    place: int
    run: Run
    work: Work
    lines: int


class Evaluator:
    """Holds the workers; used as a context manager.

    Parameters
    ----------
    machines : sequence of str
        Names or paths of all machines that rows speak of, the one to calibrate first.
    fixed : mapping of path to value
        Settings beside the free values.
    executor : Executor
    lines : int
        Measured lines a foreground thread, unless `errors` is asked for more.
    seed : int
        Common to all runs, so that points differ by the machine alone.
    run_one : callable
        What does a run; tests put fakes here.
    """

    def __init__(
        self,
        machines: Sequence[str],
        fixed: Mapping[str, object],
        executor: Executor,
        lines: int,
        seed: int = 1,
        *,
        warmup: int = 500,
        run_one: Callable[..., RunResult] = run,
    ) -> None:
        self._names = tuple(machines)
        self._fixed = dict(fixed)
        self._lines = lines
        accuracy = Accuracy(NEVER_REACHED_PERCENT, lines, warmup)
        self._crew: Crew[_Task, RunResult] = executor.start(RunWork(accuracy, seed, run_one))
        self.runs_done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(KeyboardInterrupt):  # what is done is done, and workers end with this process
            self._crew.close()

    def machine(self, name: str, point: Point) -> Machine:
        """Return a machine at a point. What a point says of single nodes or links is said of the first machine only.

        Raises
        ------
        InputError
            It cannot have these values.
        """
        settings = {**self._fixed, **point}
        if name != self._names[0]:
            settings = {path: value for path, value in settings.items() if "[" not in path}
        return load_machine(name, settings)

    def errors(
        self, points: Sequence[Point], rows: Sequence[Row], *, lines: int | None = None, on_point: OnPoint | None = None
    ) -> list[Errors]:
        """Return the errors of rows at points.

        Parameters
        ----------
        points : sequence of mapping of path to value
        rows : sequence of Row
        lines : int, optional
            Measured lines a foreground thread.
        on_point : callable, optional
            Called with the place of a point and its errors as soon as its runs are done.

        Returns
        -------
        list of list of float or None, shape (points, rows)
            Per cent; None after a standstill.
        """
        runs = list(dict.fromkeys(run for row in rows for run in row.needs))
        tasks = [task for place, point in enumerate(points) for task in self._tasks(place, point, runs, lines or self._lines)]
        found: dict[int, Errors] = {} if runs else {place: [] for place in range(len(points))}
        for place, results in self._finished(tasks, len(runs)):
            found[place] = [row.error(results) for row in rows]
            if on_point is not None:
                on_point(place, found[place])
        return [found[place] for place in range(len(points))]

    def _tasks(self, place: int, point: Point, runs: Sequence[Run], lines: int) -> list[_Task]:
        machines = {name: self.machine(name, point) for name in dict.fromkeys(run.machine for run in runs)}
        return [_Task(place, run, work_of(run, machines[run.machine]), lines) for run in runs]

    def _finished(self, tasks: Sequence[_Task], runs: int) -> Iterator[tuple[int, dict[Run, RunResult]]]:
        """Do the tasks, and yield each point whose runs are all done, with their results."""
        waiting, mine = list(reversed(tasks)), {id(task) for task in tasks}
        results: dict[int, dict[Run, RunResult]] = {}
        while mine:
            for _ in range(min(self._crew.free, len(waiting))):
                self._crew.submit(waiting.pop())
            for outcome in self._crew.wait():
                task = outcome.task
                if id(task) not in mine:
                    continue  # of a batch that was interrupted
                mine.discard(id(task))
                of_point = results.setdefault(task.place, {})
                of_point[task.run] = outcome.get()
                self.runs_done += 1
                if len(of_point) == runs:
                    yield task.place, of_point
