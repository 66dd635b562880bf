"""Runs done by local processes; what comes out does not depend on how many there are."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from simulator.errors import NumasimError
from simulator.measure.result import RunResult
from simulator.validation.requests import RunRequest

Runner = Callable[[RunRequest], RunResult]
Done = Callable[[RunRequest, RunResult], None]


def do_runs(requests: Sequence[RunRequest], runner: Runner, jobs: int, done: Done) -> None:
    """Do each run once and hand its result to `done` as soon as it is there.

    Parameters
    ----------
    requests : sequence of RunRequest
    runner : callable
        Does one run; with more than one job it is sent to other processes, so it must be picklable.
    jobs : int
        Processes; 1 runs here.
    done : callable
        Called in this process. The order of calls is that of completion.

    Raises
    ------
    NumasimError
        A process died.
    """
    longest_first = sorted(requests, key=lambda request: -request.size)
    if jobs == 1 or len(longest_first) < 2:
        for request in longest_first:
            done(request, runner(request))
        return
    try:
        _in_processes(longest_first, runner, min(jobs, len(longest_first)), done)
    except BrokenProcessPool:
        raise NumasimError("a process of this reproduction died, perhaps for lack of memory; --jobs 1 needs least") from None


def _in_processes(requests: Sequence[RunRequest], runner: Runner, jobs: int, done: Done) -> None:
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent)
    try:
        with _interrupts_ignored():  # inherited by the processes started here: Ctrl-C is for this one alone
            futures = {pool.submit(runner, request): request for request in requests}
        for future in as_completed(futures):
            done(futures[future], future.result())
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    pool.shutdown()


def _end_with_parent() -> None:
    """Let a worker end when its parent was killed; it would wait for work for ever."""
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
