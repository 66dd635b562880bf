"""Local processes, each with one task at a time; one that dies is replaced and its task done again."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Generic

from simulator.errors import NumasimError
from simulator.sweep.executors import MOST_ATTEMPTS, Crew, Executor, Outcome, Result, Task, WorkerDiedError

_PATIENCE_S = 5.0  # for a process that was told to end


@dataclass(frozen=True)
class LocalProcesses(Executor):
    """So many processes of this machine.

    They are spawned: a script that uses them needs ``if __name__ == "__main__":`` around its own work.

    Attributes
    ----------
    jobs : int
    """

    jobs: int

    def start(self, function: Callable[[Task], Result]) -> Crew[Task, Result]:
        """Start a crew; its processes begin when there are tasks for them."""
        return _Processes(self.jobs, function)


@dataclass
class _Assignment(Generic[Task]):
    task: Task
    attempts: int = 1


@dataclass
class _Worker(Generic[Task]):
    process: SpawnProcess
    pipe: Connection[Any, Any]
    work: _Assignment[Task] | None = None


class _Processes(Crew[Task, Result]):
    def __init__(self, jobs: int, function: Callable[[Task], Result]) -> None:
        self._jobs = jobs
        self._function = function
        self._workers: list[_Worker[Task]] = []
        self._arrived: list[Outcome[Task, Result]] = []
        self._again: deque[_Assignment[Task]] = deque()

    @property
    def free(self) -> int:
        return self._jobs - len(self._busy()) - len(self._again)

    def submit(self, task: Task) -> None:
        self._assign(_Assignment(task))

    def wait(self, timeout_s: float | None = None) -> list[Outcome[Task, Result]]:
        while self._again and timeout_s != 0:
            self._assign(self._again.popleft())
        busy = self._busy()
        if busy and not self._arrived:
            ready = wait([worker.pipe for worker in busy] + [worker.process.sentinel for worker in busy], timeout_s)
            for worker in busy:
                if worker.pipe in ready or worker.process.sentinel in ready:
                    self._receive(worker)
        arrived, self._arrived = self._arrived, []
        return arrived

    def close(self) -> None:
        for worker in self._workers:
            worker.pipe.close()  # an idle one ends by itself
            if worker.work is not None:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_PATIENCE_S)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self._workers.clear()

    def _busy(self) -> list[_Worker[Task]]:
        return [worker for worker in self._workers if worker.work is not None]

    def _assign(self, work: _Assignment[Task]) -> None:
        worker = next((worker for worker in self._workers if worker.work is None), None) or self._hire()
        worker.work = work
        try:
            worker.pipe.send(work.task)
        except OSError:  # it died while idle
            self._replace(worker)

    def _receive(self, worker: _Worker[Task]) -> None:
        assert worker.work is not None
        try:
            result, error = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker)
            return
        self._arrived.append(Outcome(worker.work.task, result, error))
        worker.work = None

    def _replace(self, worker: _Worker[Task]) -> None:
        """Let a dead worker go and have its task done again, unless several have died over it."""
        work = worker.work
        assert work is not None
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join()
        if work.attempts < MOST_ATTEMPTS:
            self._again.append(_Assignment(work.task, work.attempts + 1))
            return
        reason = _how(worker.process.exitcode)
        what = f"{MOST_ATTEMPTS} processes died over one run, the last {reason}, perhaps for lack of memory; --jobs 1 needs least"
        self._arrived.append(Outcome(work.task, error=WorkerDiedError(what)))

    def _hire(self) -> _Worker[Task]:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self._function), daemon=True)
        with _interrupts_ignored():  # inherited by the process started here: Ctrl-C is for this one alone
            process.start()
        theirs.close()  # so that its end is the end of the pipe
        worker: _Worker[Task] = _Worker(process, ours)
        self._workers.append(worker)
        return worker


def _how(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"by signal {-exit_code}"
    return f"with exit code {exit_code}"


def _work(pipe: Connection[Any, Any], function: Callable[[Any], Any]) -> None:
    """Do tasks until the parent has no more; runs in the worker."""
    _end_with_parent()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = (function(task), None)
            data = pickle.dumps(answer)
        except Exception as error:
            data = pickle.dumps((None, _portable(error)))
        try:
            pipe.send_bytes(data)
        except OSError:  # nobody waits for it any more
            return


def _portable(error: Exception) -> Exception:
    """Return the error, with where it came from, in a form that another process can read."""
    if not isinstance(error, NumasimError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return NumasimError(f"{type(error).__name__}: {error}")
    return error


def _end_with_parent() -> None:
    """Let a worker end when its parent was killed in the middle of its task."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set signal handlers, and only it is interrupted
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
