"""A real scheduler and two real workers on loopback, one of which is killed half way."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.errors import InputError, NumasimError
from simulator.sweep import DaskCluster, open_store, run_sweep
from tests.sweep.fakes import Logged, failing_run, quick_run, runs_in, small_sweep

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Cluster:
    """A scheduler with workers, as a user starts them."""

    folder: Path
    processes: list[subprocess.Popen[bytes]]

    @property
    def _file(self) -> Path:
        return self.folder / "scheduler.json"

    @property
    def address(self) -> str:
        """Of the scheduler, once it is there."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._file.exists() and self._file.stat().st_size:
                return str(json.loads(self._file.read_text())["address"])
            time.sleep(0.05)
        raise TimeoutError(self._log("scheduler"))

    def start(self, *words: str, name: str) -> subprocess.Popen[bytes]:
        """Start a process of Dask's command line."""
        command = [sys.executable, "-m", "dask", *words, "--host", "127.0.0.1", "--no-dashboard"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=ROOT, env=environment)
        self.processes.append(process)
        return process

    def worker(self, name: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread and no nanny that would start it again."""
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny", name=name)

    def _log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler without workers."""
    made = Cluster(tmp_path, [])
    made.start("scheduler", "--port", "0", "--scheduler-file", str(tmp_path / "scheduler.json"), name="scheduler")
    yield made
    for process in reversed(made.processes):
        process.kill()
        process.wait()


def _count(store: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=rw", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM point").fetchone()[0])
    except sqlite3.Error:
        return 0


def _when(store: Path, count: int, act: object) -> threading.Thread:
    def watch() -> None:
        deadline = time.monotonic() + 60
        while _count(store) < count and time.monotonic() < deadline:
            time.sleep(0.02)
        act()  # type: ignore[operator]

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_worker_killed_half_way(cluster: Cluster, tmp_path: Path) -> None:
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    doomed, _ = cluster.worker("doomed"), cluster.worker("other")
    killer = _when(store, 30, doomed.kill)
    arrived: list[int] = []
    report = run_sweep(
        small_sweep(seed=tuple(range(10))),
        store,
        DaskCluster(cluster.address),
        run_one=Logged(log, 0.1),
        progress=lambda done, total, last: arrived.append(done),
    )
    killer.join()
    assert doomed.wait() == -9
    assert (report.points, report.found, report.done) == (60, 0, 60)
    assert arrived == list(range(61)), "each point arrives once"
    assert _count(store) == 60
    runs = runs_in(log)
    assert len(runs) == 60
    assert sum(runs.values()) <= 62, "only what the dead worker was at is done again"


def test_workers_may_come_late(cluster: Cluster, tmp_path: Path) -> None:
    later = threading.Timer(1.0, cluster.worker, ("late",))
    later.start()
    report = run_sweep(small_sweep(), tmp_path / "s.sqlite", DaskCluster(cluster.address), run_one=quick_run)
    later.join()
    assert report.done == 12


def test_points_that_fail(cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker("worker")
    with pytest.raises(NumasimError, match=r"failed \(and 5 more failed\): ValueError: seed 2 is unlucky"):
        run_sweep(small_sweep(), tmp_path / "s.sqlite", DaskCluster(cluster.address), run_one=failing_run)
    assert _count(tmp_path / "s.sqlite") == 6


def test_a_point_that_kills_every_worker(cluster: Cluster, tmp_path: Path) -> None:
    for number in range(6):
        cluster.worker(f"worker-{number}")
    run_one = Logged(tmp_path / "log", dies_at_seed=2, always=True)
    sweep = small_sweep(threads=(("0.0.r.1",),), set={})
    with pytest.raises(NumasimError, match="seed 2 failed: several Dask workers died over one run"):
        run_sweep(sweep, tmp_path / "s.sqlite", DaskCluster(cluster.address), run_one=run_one)
    assert _count(tmp_path / "s.sqlite") == 1


def test_the_scheduler_dies_and_the_sweep_goes_on_without_it(cluster: Cluster, tmp_path: Path) -> None:
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    address = cluster.address
    cluster.worker("worker")
    killer = _when(store, 5, cluster.processes[0].kill)
    with pytest.raises(NumasimError, match=f"the Dask scheduler at {address} is gone"):
        run_sweep(small_sweep(), store, DaskCluster(address), run_one=Logged(log, 0.2))
    killer.join()
    kept = _count(store)
    assert 5 <= kept < 12
    assert run_sweep(small_sweep(), store, run_one=Logged(log)).found == kept


def test_command_line(cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sweep of real runs on the cluster is the same as one here."""
    for name in ("one", "other"):
        cluster.worker(name)
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'machine = "two-node"\nthreads = [["0.0.r.1"], ["0.0.w.1", "1.0.w.0"]]\nseed = [1, 2]\n'
        "[accuracy]\nlines = 400\nwarmup = 50\nci_percent = 20.0\n"
    )
    arguments = ["sweep", str(spec), "--engine", "simpy", "--json", "--store"]
    reports, rows = [], []
    for name, where in (("a.sqlite", ["--jobs", "1"]), ("b.sqlite", ["--dask", cluster.address])):
        code = main([*arguments, str(tmp_path / name), *where])
        reports.append((code, json.loads(capsys.readouterr().out)))
        with open_store(tmp_path / name) as store:
            rows.append(list(store.select("threads").rows))
    assert reports[0] == reports[1]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 6


def test_no_scheduler(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--dask: no Dask scheduler can be reached: .* \(got 'tcp://127.0.0.1:9'\)"):
        run_sweep(small_sweep(), tmp_path / "s.sqlite", DaskCluster("tcp://127.0.0.1:9", timeout_s=0.5), run_one=quick_run)
    with pytest.raises(InputError, match="--dask: no Dask scheduler can be reached"):
        run_sweep(small_sweep(), tmp_path / "s.sqlite", DaskCluster("nonsense://x", timeout_s=0.5), run_one=quick_run)
    assert not list(tmp_path.iterdir())


def test_an_address_that_is_none_is_said_in_one_line_and_at_once(tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text('machine = "one-node"\nthreads = [["0.0.r.0"]]\n')
    code = "import sys; from simulator.cli.main import main; sys.exit(main(sys.argv[1:]))"
    for address in ("nonsense", "", "nonsense://x", "tls://127.0.0.1:9"):
        command = [sys.executable, "-c", code, "sweep", str(spec), "--store", str(tmp_path / "s.sqlite"), "--dask", address]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("numasim: error: --dask: no Dask scheduler can be reached: ")
        assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["spec.toml"]
