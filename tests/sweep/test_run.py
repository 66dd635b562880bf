"""A sweep from its first point to its last, whatever gets in the way."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from simulator import Accuracy, Workload, load_machine, run
from simulator.errors import InputError, NumasimError
from simulator.measure.result import RunResult
from simulator.sweep import AccuracySpec, Grid, LocalProcesses, Sweep, open_store, run_sweep
from simulator.sweep import work as work_module
from simulator.sweep.executors import Crew, Executor, InProcess, Outcome
from tests.sweep.fakes import Logged, failing_run, hopeless_run, quick_run, runs_in, small_sweep, stuck_run

SEEDS = 12  # of the sweeps in processes of their own: 72 points
ROOT = Path(__file__).resolve().parents[2]


def _rows(store: Path) -> list[tuple[Any, ...]]:
    with open_store(store, read_only=True) as opened:
        return list(opened.select().rows)


def _left_over(store: Path) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(store)) as connection:
        return [(table, connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in ("owner", "claim")]


def test_what_is_kept_is_what_a_run_gives(tmp_path: Path) -> None:
    accuracy = AccuracySpec(ci_percent=5.0, lines=400, warmup=50)
    sweep = Sweep(machine="two-node", threads=(("0.0.r.1",),), set={"link.latency_ns": 9}, seed=3, accuracy=accuracy)
    run_sweep(sweep, tmp_path / "s.sqlite", engine="simpy")
    (point,) = Grid(sweep).points
    with open_store(tmp_path / "s.sqlite") as store:
        kept = store.result(point.key)
    machine = load_machine("two-node", ["link.latency_ns=9"])
    direct = run(machine, Workload.from_labels(["0.0.r.1"]), Accuracy(5.0, 400, 50), seed=3, engine="simpy")
    assert kept is not None
    assert kept.model_dump_json() == direct.model_dump_json()


def test_executor_does_not_show(filled: Path, tmp_path: Path) -> None:
    report = run_sweep(small_sweep(), tmp_path / "s.sqlite", LocalProcesses(2), run_one=quick_run)
    assert (report.points, report.found, report.done, report.not_steady) == (12, 0, 12, ())
    assert _rows(tmp_path / "s.sqlite") == _rows(filled)
    assert _left_over(tmp_path / "s.sqlite") == [("owner", 0), ("claim", 0)]


def test_finished_points_are_not_done_again(tmp_path: Path) -> None:
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    run_sweep(small_sweep(seed=1), store, run_one=Logged(log))
    steps: list[tuple[int, int, str]] = []
    report = run_sweep(small_sweep(), store, run_one=Logged(log), progress=lambda *step: steps.append(step))
    assert (report.found, report.done) == (6, 6)
    assert set(runs_in(log).values()) == {1}
    assert [step[:2] for step in steps] == [(done, 12) for done in range(6, 13)]
    assert steps[0][2] == ""
    assert steps[-1][2].startswith("quartet link.latency_ns=")
    assert run_sweep(small_sweep(), store, run_one=Logged(log)).found == 12
    assert len(runs_in(log)) == 12


def test_another_accuracy_or_model_is_another_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    for changes in ({}, {"accuracy": AccuracySpec(lines=600)}):
        run_sweep(small_sweep(seed=1, **changes), store, run_one=Logged(log))
    monkeypatch.setattr("simulator.sweep.grid.model_fingerprint", lambda: "edited")
    monkeypatch.setattr(work_module, "model_fingerprint", lambda: "edited")
    report = run_sweep(small_sweep(seed=1), store, run_one=Logged(log))
    assert (report.found, len(_rows(store))) == (0, 18)
    assert set(runs_in(log).values()) == {3}


def test_a_worker_with_another_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.sweep.grid.model_fingerprint", lambda: "the caller's")
    with pytest.raises(NumasimError, match=r"failed \(and \d+ more failed\): a worker has another numasim"):
        run_sweep(small_sweep(), tmp_path / "s.sqlite", LocalProcesses(2), run_one=quick_run)


def test_unsteady_points_are_kept_and_told(tmp_path: Path) -> None:
    report = run_sweep(small_sweep(), tmp_path / "s.sqlite", run_one=stuck_run)
    assert [(point.verdict, point.point[-6:]) for point in report.not_steady] == [("deadlock", "seed 2")] * 6
    again = run_sweep(small_sweep(), tmp_path / "s.sqlite", run_one=stuck_run)
    assert (again.found, again.not_steady) == (12, report.not_steady)
    assert len(_rows(tmp_path / "s.sqlite")) == 12


@pytest.mark.parametrize("executor", [InProcess(), LocalProcesses(2)])
def test_points_that_fail_do_not_keep_the_others(executor: Executor, tmp_path: Path) -> None:
    with pytest.raises(NumasimError) as caught:
        run_sweep(small_sweep(), tmp_path / "s.sqlite", executor, run_one=failing_run)
    assert "failed (and 5 more failed): ValueError: seed 2 is unlucky" in str(caught.value)
    assert isinstance(caught.value.__cause__, ValueError)
    assert len(_rows(tmp_path / "s.sqlite")) == 6
    assert _left_over(tmp_path / "s.sqlite") == [("owner", 0), ("claim", 0)]
    assert run_sweep(small_sweep(), tmp_path / "s.sqlite", run_one=quick_run).done == 6


def test_a_hopeless_sweep_ends_early(tmp_path: Path) -> None:
    with pytest.raises(NumasimError, match=r"and 7 more failed\): engine: there is no such engine"):
        run_sweep(small_sweep(), tmp_path / "s.sqlite", run_one=hopeless_run)


def test_a_worker_that_dies_costs_nothing_but_time(tmp_path: Path) -> None:
    log = tmp_path / "log"
    report = run_sweep(small_sweep(set={}), tmp_path / "s.sqlite", LocalProcesses(2), run_one=Logged(log, dies_at_seed=2))
    assert (report.done, len(_rows(tmp_path / "s.sqlite"))) == (4, 4)
    assert {count for name, count in runs_in(log).items() if name.endswith("2")} == {2}
    assert {count for name, count in runs_in(log).items() if name.endswith("1")} == {1}


def test_a_point_that_kills_its_workers(tmp_path: Path) -> None:
    run_one = Logged(tmp_path / "log", dies_at_seed=2, always=True)
    sweep = small_sweep(threads=(("0.0.r.1",),), set={})
    with pytest.raises(NumasimError, match="0.0.r.1 seed 2 failed: 3 processes died over one run, the last by signal 9"):
        run_sweep(sweep, tmp_path / "s.sqlite", LocalProcesses(2), run_one=run_one)
    assert len(_rows(tmp_path / "s.sqlite")) == 1


def test_nothing_is_written_when_a_point_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        run_sweep(small_sweep(set={"core.window": (4, 99)}), tmp_path / "s.sqlite")
    assert not list(tmp_path.iterdir())


class _Interrupted(InProcess):
    """Is interrupted while it waits for the fourth result, which has arrived all the same."""

    def start(self, function: Any) -> Crew[Any, Any]:
        crew = super().start(function)
        real, arrived = crew.wait, []

        def wait(timeout_s: float | None = None) -> list[Outcome[Any, Any]]:
            if timeout_s == 0:
                return arrived[3:]
            arrived.extend(real(timeout_s))
            if len(arrived) == 4:
                raise KeyboardInterrupt
            return arrived[-1:]

        crew.wait = wait  # type: ignore[method-assign]
        return crew


def test_an_interrupt_keeps_what_has_arrived(tmp_path: Path) -> None:
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    with pytest.raises(KeyboardInterrupt):
        run_sweep(small_sweep(), store, _Interrupted(), run_one=Logged(log))
    assert len(_rows(store)) == 4
    assert _left_over(store) == [("owner", 0), ("claim", 0)]
    assert run_sweep(small_sweep(), store, run_one=Logged(log)).found == 4
    assert set(runs_in(log).values()) == {1}


def _start(store: Path, log: Path, jobs: int, seeds: int = SEEDS, seconds: float = 0.02) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.sweep.driver", str(store), str(log), str(jobs), str(seeds), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True)


def _finished(store: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=rw", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM point").fetchone()[0])
    except sqlite3.Error:
        return 0


def _wait_for(store: Path, count: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while _finished(store) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert process.poll() is None, process.communicate()


@pytest.mark.parametrize(
    ("jobs", "kills"), [(2, 2), pytest.param(1, 2, marks=pytest.mark.slow), pytest.param(2, 8, marks=pytest.mark.slow)]
)
def test_kill_9_in_the_middle_loses_and_repeats_nothing(jobs: int, kills: int, tmp_path: Path) -> None:
    """Every point that is in the store when the sweep is killed is never run again, every other is."""
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    seeds = SEEDS * kills // 2
    total, kept = 6 * seeds, 0
    for kill in range(1, kills + 1):
        goal = max(kept + 1, kill * total // (kills + 2))
        process = _start(store, log, jobs, seeds)
        _wait_for(store, goal, process)
        process.kill()
        process.communicate()
        kept = _finished(store)
        assert goal <= kept < total
    process = _start(store, log, jobs, seeds)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert f'"points":{total},"found":{kept},"done":{total - kept}' in out
    runs = runs_in(log)
    assert len(runs) == total
    repeated = sum(runs.values()) - total
    assert repeated <= kills * 2 * jobs, "only what was at work, or done and on its way into the store, is done twice"
    assert _finished(store) == len({row[0] for row in _rows(store)}) == total
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("thread", "link", "controller")]
    assert counts == [2 * total, 8 * total, 4 * total]


def test_two_sweeps_at_once_share_the_work(tmp_path: Path) -> None:
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    processes = [_start(store, log, jobs) for jobs in (1, 2)]
    outputs = [process.communicate(timeout=60) for process in processes]
    assert [(process.returncode, err) for process, (_, err) in zip(processes, outputs, strict=True)] == [(0, "")] * 2
    assert set(runs_in(log).values()) == {1}
    assert len(runs_in(log)) == _finished(store) == 6 * SEEDS
    reports = [json.loads(out) for out, _ in outputs]
    assert sum(report["done"] for report in reports) == 6 * SEEDS, "each counts its own"
    assert all(report["found"] + report["done"] + report["done_elsewhere"] == 6 * SEEDS for report in reports)
    assert _left_over(store) == [("owner", 0), ("claim", 0)]


def test_one_of_two_sweeps_is_killed_and_the_other_does_its_points(tmp_path: Path) -> None:
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    doomed = _start(store, log, 2)
    _wait_for(store, 5, doomed)
    other = _start(store, log, 1)
    _wait_for(store, 20, other)
    doomed.kill()
    doomed.communicate()
    out, err = other.communicate(timeout=60)
    assert (other.returncode, err) == (0, "")
    assert f'"points":{6 * SEEDS}' in out
    assert _finished(store) == 6 * SEEDS
    assert sum(runs_in(log).values()) <= 6 * SEEDS + 4


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c(jobs: int, tmp_path: Path) -> None:
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    process = _start(store, log, jobs)
    _wait_for(store, 10, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "numasim: interrupted\n")
    assert _left_over(store) == [("owner", 0), ("claim", 0)]
    assert sum(runs_in(log).values()) - _finished(store) <= jobs
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("s.")] == ["s.sqlite"]


def test_two_sweeps_in_threads_of_one_process(tmp_path: Path) -> None:
    """Not the main thread: no signal handlers there."""
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    errors: list[BaseException] = []

    def sweep() -> None:
        try:
            run_sweep(small_sweep(), store, LocalProcesses(1), run_one=Logged(log))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert set(runs_in(log).values()) == {1}
    assert len(_rows(store)) == 12


def test_a_store_that_is_open_stays_open(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        run_sweep(small_sweep(), store, run_one=quick_run)
        assert len(list(store.select().rows)) == 12


def test_simulate_passes_everything_on() -> None:
    seen: dict[str, object] = {}

    def spy(machine: object, workload: object, accuracy: object, **settings: object) -> RunResult:
        seen.update(settings, accuracy=accuracy)
        return quick_run(machine, workload, accuracy)  # type: ignore[arg-type]

    grid = Grid(small_sweep(seed=7))
    work_module.Simulate(grid.model, "simpy", spy)(grid.job(grid.points[0]))
    assert seen == {"seed": 7, "engine": "simpy", "accuracy": Accuracy()}


def test_points_of_another_sweep_are_not_counted_as_its_own(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    open_store(path).close()
    one = run_sweep(small_sweep(seed=(9, 1, 2)), path, _OneAfterTheOther(path), run_one=quick_run)
    assert (one.points, one.found, one.done, one.done_elsewhere) == (18, 0, 6, 12)


class _OneAfterTheOther(Executor):
    """Lets another sweep finish seeds 1 and 2 before the first of its own points is taken."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def start(self, function: Any) -> Any:
        run_sweep(small_sweep(), self._path, run_one=quick_run)
        return InProcess().start(function)


def test_compiling_is_said_once_whatever_the_number_of_processes(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom simulator.cli.main import main\n"
        "if __name__ == '__main__':\n    sys.exit(main(['sweep', 'spec.toml', '--store', 's.sqlite', '--jobs', '2']))\n"
    )
    (tmp_path / "sweep.py").write_text(code, encoding="utf-8")
    accuracy = '[[accuracy]]\nlines = 300\nci_percent = 90.0\n[[accuracy]]\nlines = 300\nci_percent = 90.0\nsteady = "exact"\n'
    spec = f'machine = "one-node"\nthreads = [["0.0.r.0"], ["0.0.w.0"]]\nseed = [1, 2]\n{accuracy}'
    (tmp_path / "spec.toml").write_text(spec, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMASIM_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(tmp_path / "sweep.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    said = [line for line in done.stderr.splitlines() if line.startswith("numasim: compiling ")]
    assert len(said) == len(set(said)) > 0, done.stderr
    assert "8 points in s.sqlite: 0 were there, 8 done now" in done.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_compiled_engine_without_numba_is_refused_before_the_first_run(jobs: str, tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text('machine = "one-node"\nthreads = [["0.0.r.0"]]\nseed = [1, 2, 3]\n', encoding="utf-8")
    arguments = ["sweep", str(tmp_path / "spec.toml"), "--store", str(tmp_path / "s.sqlite"), "--jobs", jobs]
    code = "import sys; sys.modules['numba'] = None\nfrom simulator.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *arguments, "--engine", "compiled"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("numasim: error: engine: numba cannot be used here: ")
    assert done.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == ["spec.toml"]
