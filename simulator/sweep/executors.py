"""Where tasks are done: here, in local processes, on a cluster. What comes out does not depend on it.

An :class:`Executor` says where; started with a function it is a :class:`Crew`, which takes tasks and hands back an
:class:`Outcome` for each, exactly once, in the order of completion. Whoever calls keeps the results: no crew writes anything.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Self, TypeVar, cast

from simulator.errors import NumasimError

Task = TypeVar("Task")
Result = TypeVar("Result")
MOST_ATTEMPTS = 3  # a task whose worker dies is given to another so often in all


class WorkerDiedError(NumasimError):
    """Every worker that was given a task died over it."""


@dataclass(frozen=True)
class Outcome(Generic[Task, Result]):
    """A task and what became of it: a result, or an error where the function raised one or its workers died."""

    task: Task
    result: Result | None = None
    error: Exception | None = None

    def get(self) -> Result:
        """Return the result; raises the error if there is one."""
        if self.error is not None:
            raise self.error
        return cast("Result", self.result)


class Crew(ABC, Generic[Task, Result]):
    """Workers that wait for tasks; used by one thread, as a context manager."""

    @property
    @abstractmethod
    def free(self) -> int:
        """Number of tasks it would take now."""

    @abstractmethod
    def submit(self, task: Task) -> None:
        """Take a task. It begins now or later, in another place or in `wait`."""

    @abstractmethod
    def wait(self, timeout_s: float | None = None) -> list[Outcome[Task, Result]]:
        """Return what is done; waits until something happens, or so long. May return nothing.

        Parameters
        ----------
        timeout_s : float, optional
            0 returns only what has arrived and begins nothing.

        Raises
        ------
        NumasimError
            The workers cannot be reached any more.
        """

    @abstractmethod
    def close(self) -> None:
        """Send the workers home, in the middle of a task if need be."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Executor(ABC):
    """A place where tasks can be done."""

    @abstractmethod
    def start(self, function: Callable[[Task], Result]) -> Crew[Task, Result]:
        """Start a crew that applies `function` to tasks. Both may be sent to other processes and must be picklable.

        Raises
        ------
        InputError
            The place is not there.
        """


class InProcess(Executor):
    """One task after the other, in this process."""

    def start(self, function: Callable[[Task], Result]) -> Crew[Task, Result]:
        """Start a crew of one."""
        return _Here(function)


class _Here(Crew[Task, Result]):
    def __init__(self, function: Callable[[Task], Result]) -> None:
        self._function = function
        self._tasks: deque[Task] = deque()

    @property
    def free(self) -> int:
        return 1 - len(self._tasks)

    def submit(self, task: Task) -> None:
        self._tasks.append(task)

    def wait(self, timeout_s: float | None = None) -> list[Outcome[Task, Result]]:
        if not self._tasks or timeout_s == 0:
            return []
        task = self._tasks.popleft()
        try:
            return [Outcome(task, result=self._function(task))]
        except Exception as error:
            return [Outcome(task, error=error)]

    def close(self) -> None:
        self._tasks.clear()


def local_executor(jobs: int) -> Executor:
    """Return the executor for so many runs at a time on this machine; 1 needs no other process."""
    from simulator.sweep.processes import LocalProcesses

    return InProcess() if jobs == 1 else LocalProcesses(jobs)


def run_all(
    executor: Executor, function: Callable[[Task], Result], tasks: Iterable[Task], done: Callable[[Task, Result], None]
) -> None:
    """Do each task once and hand its result to `done` as soon as it is there.

    Raises
    ------
    Exception
        The first that a task raised; what is under way is dropped.
    """
    with executor.start(function) as crew:
        do_all(crew, tasks, done)


def do_all(crew: Crew[Task, Result], tasks: Iterable[Task], done: Callable[[Task, Result], None]) -> None:
    """As `run_all`, with a crew that stays for more tasks to come."""
    waiting = deque(tasks)
    under_way = 0
    while waiting or under_way:
        for _ in range(min(crew.free, len(waiting))):
            crew.submit(waiting.popleft())
            under_way += 1
        for outcome in crew.wait():
            under_way -= 1
            done(outcome.task, outcome.get())
