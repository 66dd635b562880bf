"""Timed what-ifs: the same threads on changed machines, on one core or several, each change timed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from simulator.engine.build import EngineName
from simulator.explain.resources import Resource
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep.executors import Executor, run_all
from simulator.workload import Workload

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Trial:
    """Resources to be made ideal, or twice as good."""

    resources: tuple[Resource, ...] = ()
    twice: bool = False

    @property
    def name(self) -> str:
        """For progress."""
        return " + ".join(resource.name for resource in self.resources) or "as it is"

    def machine(self, machine: Machine) -> Machine | None:
        """Return the changed machine; None: there is no such thing."""
        changed: Machine | None = machine
        for resource in self.resources:
            if changed is not None:
                changed = resource.twice(changed) if self.twice else resource.ideal(changed)
        return changed


AS_IT_IS = Trial()


@dataclass(frozen=True)
class HowToRun:
    """What every run of an explanation shares."""

    accuracy: Accuracy
    seed: int
    engine: EngineName
    executor: Executor
    progress: Progress | None = None


@dataclass(frozen=True)
class _Task:
    number: int
    name: str
    machine: Machine
    workload: Workload


@dataclass(frozen=True)
class _Run:
    """Does a task; sent to workers."""

    accuracy: Accuracy
    seed: int
    engine: EngineName

    def __call__(self, task: _Task) -> RunResult:
        return run(task.machine, task.workload, self.accuracy, seed=self.seed, engine=self.engine)


@dataclass
class Bench:
    """One machine, one workload, and all trials of them so far.

    Attributes
    ----------
    base : RunResult
        The machine as it is; run here, so that a machine or threads that do not fit are found before any worker starts.
    """

    machine: Machine
    workload: Workload
    how: HowToRun
    base: RunResult = field(init=False)
    _done: dict[Trial, RunResult] = field(default_factory=dict)

    def __post_init__(self) -> None:
        how = self.how
        self.base = run(self.machine, self.workload, how.accuracy, seed=how.seed, engine=how.engine)
        self._done[AS_IT_IS] = self.base

    @property
    def count(self) -> int:
        """Number of changes timed so far."""
        return len(self._done) - 1

    @property
    def unsteady(self) -> int:
        """Number of changes whose run was not steady."""
        return sum(result.verdict != "steady" for trial, result in self._done.items() if trial != AS_IT_IS)

    def time(self, trials: Sequence[Trial]) -> None:
        """Run what has not been run yet."""
        wanted = [trial for trial in dict.fromkeys(trials) if trial not in self._done]
        machines = [(trial, trial.machine(self.machine)) for trial in wanted]
        possible = [(trial, machine) for trial, machine in machines if machine is not None]
        tasks = [_Task(number, trial.name, machine, self.workload) for number, (trial, machine) in enumerate(possible)]
        planned = self.count + len(tasks)

        def done(task: _Task, result: RunResult) -> None:
            self._done[possible[task.number][0]] = result
            if self.how.progress is not None:
                self.how.progress(self.count, planned, task.name)

        run_all(self.how.executor, _Run(self.how.accuracy, self.how.seed, self.how.engine), tasks, done)

    def result(self, trial: Trial) -> RunResult | None:
        """Return what a trial came to; None: it was not asked for, or there is no such thing."""
        return self._done.get(trial)
