"""Every executor brings each task back once, whatever happens to its workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from simulator.errors import InputError, NumasimError
from simulator.sweep import Executor, InProcess, LocalProcesses, local_executor
from simulator.sweep.executors import Outcome, WorkerDiedError, run_all

ROOT = Path(__file__).resolve().parents[2]


def _square(number: int) -> int:
    return number * number


def _fail_at_three(number: int) -> int:
    if number == 3:
        raise InputError("three is wrong", field="number", value=3)
    return number


class _UnportableError(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def _fail_badly(number: int) -> int:
    raise _UnportableError(number, number)


def _unportable_result(number: int) -> object:
    return lambda: number


def _die(folder: Path, always: bool, number: int) -> int:
    mark = folder / str(number)
    if number % 3 == 0 and (always or not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def _sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def _all(executor: Executor, function: object, tasks: list[int]) -> list[Outcome[int, int]]:
    outcomes: list[Outcome[int, int]] = []
    waiting = list(tasks)
    with executor.start(function) as crew:  # type: ignore[arg-type]
        while len(outcomes) < len(tasks):
            while waiting and crew.free:
                crew.submit(waiting.pop(0))
            outcomes += crew.wait(10)
    return outcomes


@pytest.mark.parametrize("executor", [InProcess(), LocalProcesses(1), LocalProcesses(3)])
def test_each_task_once(executor: Executor) -> None:
    outcomes = _all(executor, _square, list(range(20)))
    assert sorted((outcome.task, outcome.get()) for outcome in outcomes) == [(n, n * n) for n in range(20)]


@pytest.mark.parametrize("executor", [InProcess(), LocalProcesses(2)])
def test_an_error_belongs_to_its_task(executor: Executor) -> None:
    outcomes = {outcome.task: outcome for outcome in _all(executor, _fail_at_three, [1, 2, 3, 4])}
    assert [outcomes[n].get() for n in (1, 2, 4)] == [1, 2, 4]
    with pytest.raises(InputError, match=r"number: three is wrong \(got 3\)") as caught:
        outcomes[3].get()
    assert (caught.value.field, caught.value.value) == ("number", 3)


def test_errors_and_results_that_cannot_travel() -> None:
    (outcome,) = _all(LocalProcesses(1), _fail_badly, [7])
    assert isinstance(outcome.error, NumasimError)
    assert str(outcome.error) == "_UnportableError: 7 and 7"
    (outcome,) = _all(LocalProcesses(1), _unportable_result, [7])
    assert outcome.error is not None
    assert outcome.result is None


def test_a_task_whose_worker_dies_is_done_by_another(tmp_path: Path) -> None:
    outcomes = _all(LocalProcesses(2), partial(_die, tmp_path, False), list(range(7)))
    assert sorted(outcome.get() for outcome in outcomes) == list(range(7))
    assert sorted(int(path.name) for path in tmp_path.iterdir()) == [0, 3, 6]


def test_a_task_that_kills_every_worker_is_given_up(tmp_path: Path) -> None:
    outcomes = {outcome.task: outcome for outcome in _all(LocalProcesses(2), partial(_die, tmp_path, True), [1, 2, 3, 4])}
    assert [outcomes[n].get() for n in (1, 2, 4)] == [1, 2, 4]
    with pytest.raises(WorkerDiedError, match="3 processes died over one run, the last by signal 9"):
        outcomes[3].get()


def test_closing_ends_processes_in_the_middle_of_a_task() -> None:
    crew = LocalProcesses(2).start(_sleep)
    for seconds in (0, 60):
        crew.submit(seconds)
    (outcome,) = crew.wait()
    assert crew.wait(0) == []
    start = time.monotonic()
    crew.close()
    assert time.monotonic() - start < 5
    with pytest.raises(ProcessLookupError):
        os.kill(outcome.get(), 0)


def test_waiting_has_an_end() -> None:
    with LocalProcesses(1).start(_sleep) as crew:
        assert crew.wait(0) == crew.wait(0.01) == []
        crew.submit(60)
        assert crew.free == 0
        start = time.monotonic()
        assert crew.wait(0.05) == []
        assert time.monotonic() - start < 5


def test_in_process_begins_nothing_when_asked_for_what_has_arrived() -> None:
    crew = InProcess().start(_square)
    crew.submit(3)
    assert crew.wait(0) == []
    assert [outcome.get() for outcome in crew.wait()] == [9]


def test_run_all_stops_at_the_first_error() -> None:
    done: list[int] = []
    with pytest.raises(InputError, match="three is wrong"):
        run_all(InProcess(), _fail_at_three, [1, 2, 3, 4], lambda task, result: done.append(result))
    assert done == [1, 2]


def test_one_job_needs_no_process() -> None:
    assert isinstance(local_executor(1), InProcess)
    assert local_executor(2) == LocalProcesses(2)


def test_workers_end_with_a_parent_that_is_killed() -> None:
    code = "from tests.sweep.test_executors import LocalProcesses, _sleep\n" + (
        "if __name__ == '__main__':\n"
        "    crew = LocalProcesses(2).start(_sleep)\n"
        "    crew.submit(0); print(crew.wait()[0].get()); crew.submit(600); crew.submit(600)\n"
        "    print(*[w.process.pid for w in crew._workers], flush=True); crew.wait()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert parent.stdout is not None
    parent.stdout.readline()
    workers = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(workers) == 2
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while any(_lives(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_lives(pid) for pid in workers)


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"
