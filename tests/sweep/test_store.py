"""The store: what it holds, what it refuses, and that it is whole whatever happens."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas
import pytest

from simulator.errors import InputError
from simulator.measure.result import RunResult
from simulator.sweep import Grid, open_store, run_sweep
from simulator.sweep.schema import APPLICATION_ID, SCHEMA_VERSION
from tests.sweep.fakes import quick_run, small_sweep

ROOT = Path(__file__).resolve().parents[2]
KEEP = "what was in it is kept"


def _count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM point").fetchone()[0])


def _sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok")


def test_it_is_wal_and_says_what_it_is(filled: Path) -> None:
    connection = sqlite3.connect(filled)
    pragmas = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "application_id", "user_version")]
    connection.close()
    assert pragmas == ["wal", APPLICATION_ID, SCHEMA_VERSION]
    assert [path.name for path in filled.parent.iterdir()] == [filled.name], "nothing is left beside a store that is closed"


def test_a_row_has_axes_measures_and_provenance(filled: Path) -> None:
    with open_store(filled, read_only=True) as store:
        selection = store.select(where="link.latency_ns = 10 and seed = 2")
        row = dict(zip(selection.columns, next(selection.rows), strict=True))
        result = store.result(row["key"][:10])
    assert {name: row[name] for name in ("machine", "threads", "background", "background_gb_per_s", "seed", "verdict")} == {
        "machine": "quartet",
        "threads": "0.0.w.1 1.0.w.0",
        "background": "",
        "background_gb_per_s": 0.0,
        "seed": 2,
        "verdict": "steady",
    }
    assert row["link.latency_ns"] == 10
    assert row["accuracy.lines"] == 20_000
    assert row["time_per_line_ns"] == pytest.approx(50.2)
    assert row["gb_per_s"] == pytest.approx(2 * 64 / 50.2)
    assert row["ci_percent"] == 0.3
    assert (row["busiest_link"], row["busiest_link_utilization"]) == ("0->1", 0.25)
    assert result is not None
    assert result.threads[0].time_per_line_ns == pytest.approx(50.2)
    assert result == RunResult.model_validate_json(result.model_dump_json())


def test_rows_of_threads_links_and_controllers(filled: Path) -> None:
    with open_store(filled, read_only=True) as store:
        counts = {view: len(list(store.select(view).rows)) for view in ("points", "threads", "links", "controllers")}
        threads = store.select("threads", "seed = 1 and link.latency_ns = 8")
        labels = [row[threads.columns.index("thread")] for row in threads.rows]
    assert counts == {"points": 12, "threads": 24, "links": 96, "controllers": 48}
    assert labels == ["0.0.w.1", "1.0.w.0", "0.0.w.1", "1.0.w.3"]


def test_one_line_of_pandas(filled: Path) -> None:
    points = pandas.read_sql("select * from points", sqlite3.connect(filled))
    assert len(points) == 12
    means = points.groupby("link.latency_ns").time_per_line_ns.mean()
    assert means.to_dict() == pytest.approx({8: 48.15, 10: 50.15, 12: 52.15})
    threads = pandas.read_sql("select * from threads", sqlite3.connect(filled))
    assert set(threads.node) == {0, 1}


def test_order_does_not_show_when_points_were_finished(filled: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    for sweep in (small_sweep(seed=2), small_sweep(set={"link.latency_ns": 12}), small_sweep()):
        run_sweep(sweep, path, run_one=quick_run)
    with open_store(path, read_only=True) as one, open_store(filled, read_only=True) as other:
        for view in ("points", "threads", "links", "controllers"):
            assert list(one.select(view).rows) == list(other.select(view).rows)


def test_numbers_in_labels_sort_as_numbers(tmp_path: Path) -> None:
    labels = [("0.0.r.0", "2.0.r.2"), ("0.0.r.0", "10.0.r.10")]
    machine = tmp_path / "big.toml"
    nodes = "".join(f'[[nodes]]\nid = {n}\ncores = 1\nmemory_gib = 1.0\nsource = "t"\n' for n in (0, 2, 10))
    links = "".join(f'[[links]]\nends = [0, {n}]\nrate_gt_per_s = 2.0\nsource = "t"\n' for n in (2, 10))
    machine.write_text(f'extends = "opteron-k8"\nname = "big"\ntitle = "t"\nsource = "t"\n{nodes}{links}', encoding="utf-8")
    path = tmp_path / "s.sqlite"
    run_sweep(small_sweep(machine=str(machine), threads=labels, set={}, seed=1), path, run_one=quick_run)
    with open_store(path) as store:
        selection = store.select()
        assert [row[selection.columns.index("threads")] for row in selection.rows] == [" ".join(pair) for pair in labels]


def test_sweeps_with_other_axes_share_a_store(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    run_sweep(small_sweep(), path, run_one=quick_run)
    run_sweep(small_sweep(set={"routing.request": ["shortest"], "core.window": (4, 5)}), path, run_one=quick_run)
    with open_store(path) as store:
        selection = store.select(where="core.window is not null")
        assert selection.columns[2:5] == ("core.window", "link.latency_ns", "routing.request")
        assert {row[2:5] for row in selection.rows} == {(4, None, "shortest"), (5, None, "shortest")}
        assert len(list(store.select(where="core.window is null").rows)) == 12


def test_keeping_a_known_point_again_changes_nothing(filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path))
    grid = Grid(small_sweep())
    point = grid.points[0]
    job = grid.job(point)
    with open_store(path) as store:
        before = store.result(point.key)
        store.keep([(point, quick_run(job.machine, job.workload, job.accuracy, seed=99))], grid.model)
        assert store.result(point.key) == before
    assert _count(path) == 12


def test_result_by_the_start_of_its_key(filled: Path) -> None:
    with open_store(filled, read_only=True) as store:
        assert store.result("nosuch") is None
        with pytest.raises(InputError, match="several keys begin so"):
            store.result("")


@pytest.mark.parametrize("data", [b"no zlib", zlib.compress(b"no JSON"), zlib.compress(b'{"schema_version": 99}'), "text"])
def test_a_result_that_cannot_be_read(data: object, filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE point SET result = ?", (data,))
    with open_store(path, read_only=True) as store:
        key = next(store.select().rows)[0]
        with pytest.raises(InputError, match="is damaged: a result in it cannot be read"):
            store.result(key)


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()


def _newer(path: Path) -> None:
    open_store(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def _damaged(path: Path) -> None:
    run_sweep(small_sweep(), path, run_one=quick_run)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xaa" * (len(data) - 4096)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_text("time_per_line_ns\n50.2\n" * 100), "is no SQLite file; allowed: a store that"),
        (lambda path: path.write_text("x"), "is no SQLite file"),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: os.mkfifo(path), "is no regular file"),
        (_foreign, "is an SQLite file, but no store of numasim"),
        (_newer, "version: is a store of a newer version of numasim (got 99); allowed: 1"),
        (_damaged, "is damaged"),
    ],
)  # fmt: skip
def test_what_is_no_store_is_refused_and_left_alone(make: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    for act in (lambda: run_sweep(small_sweep(), path, run_one=quick_run), lambda: _read_all(path)):
        with pytest.raises(InputError) as caught:
            act()
        assert str(caught.value).startswith(f"{path}: ")
        assert message in str(caught.value)
    if make is not _damaged:
        assert before is None or path.read_bytes() == before


def _read_all(path: Path) -> None:
    with open_store(path, read_only=True) as store:
        list(store.select("threads").rows)
        list(store.select().rows)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nosuch/s.sqlite", "its folder is not there"),
        ("a\0b", "cannot be read: embedded null byte"),
    ],
)
def test_places_where_no_store_can_be(path: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_store(path)


def test_reading_needs_a_store(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file; allowed: a store"):
        open_store(tmp_path / "s.sqlite", read_only=True)
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(InputError, match="is empty"):
        open_store(tmp_path / "empty.sqlite", read_only=True)
    assert [path.name for path in tmp_path.iterdir()] == ["empty.sqlite"]
    open_store(tmp_path / "empty.sqlite").close()


def test_read_only_means_it(filled: Path) -> None:
    with open_store(filled, read_only=True) as store:
        with pytest.raises(InputError, match="cannot be"):
            store.prepare(Grid(small_sweep(set={"core.window": 4})).points)
        with pytest.raises(InputError, match="there is no such table"):
            store.select("owner")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can let another user try")
def test_a_store_in_a_folder_that_cannot_be_written(filled: Path, tmp_path: Path) -> None:
    folder = Path("/tmp") / f"numasim-test-{os.getpid()}"
    folder.mkdir()
    try:
        shutil.copy(filled, folder / "s.sqlite")
        folder.chmod(0o555)
        code = (
            "import os\nfrom simulator.sweep import open_store\nos.setuid(65534)  # nobody\n"
            f"store = open_store({str(folder / 's.sqlite')!r}, read_only=True)\n"
            "print(len(list(store.select().rows)))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
        assert done.stdout.strip() == "12", done.stderr
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_full_store_keeps_what_it_has_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with open_store(path) as store:
        store._connection.execute("PRAGMA max_page_count = 13")
        with pytest.raises(InputError, match="cannot grow: the disk is full; what was in it is kept; allowed: the same command"):
            run_sweep(small_sweep(), store, run_one=quick_run)
    kept = _count(path)
    assert 0 < kept < 12
    assert _sound(path)
    report = run_sweep(small_sweep(), path, run_one=quick_run)
    assert (report.found, report.done) == (kept, 12 - kept)
    assert _count(path) == 12


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_that_cannot_grow(jobs: int, tmp_path: Path) -> None:
    store, log = tmp_path / "s.sqlite", tmp_path / "log"
    command = [sys.executable, "-m", "tests.sweep.driver", str(store), str(log), str(jobs), "6", "0"]
    done = subprocess.run([*command, "300000"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"numasim: error: {store}: cannot ")
    assert KEEP in done.stderr
    assert done.stderr.count("\n") == 1
    kept = _count(store)
    assert 0 < kept < 36
    assert _sound(store)
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert f'"found":{kept},"done":{36 - kept}' in done.stdout
    assert _count(store) == 36


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        command = [sys.executable, "-m", "tests.sweep.driver", str(disk / "s.sqlite"), str(tmp_path / "log"), "2", "30", "0"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert KEEP in done.stderr
        kept = _count(disk / "s.sqlite")
        assert 0 < kept < 180
        assert _sound(disk / "s.sqlite")
        subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
        assert f'"found":{kept},"done":{180 - kept}' in done.stdout
        assert _sound(disk / "s.sqlite")
    finally:
        subprocess.run(["umount", str(disk)], check=True)
