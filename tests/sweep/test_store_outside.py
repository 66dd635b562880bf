"""A store that comes from outside, or that somebody handles while it is in use."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.sweep import Grid, open_store, run_sweep
from simulator.sweep.claims import Claims
from simulator.sweep.schema import MOST_AXES
from tests.sweep.fakes import quick_run, small_sweep

ROOT = Path(__file__).resolve().parents[2]
READ = "with open_store({path!r}, read_only=True) as store:\n    print(len(list(store.select().rows)))\n"
SCHEMA = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET"
ROOT_ONLY = pytest.mark.skipif(os.getuid() != 0, reason="only root can let another user try")


def _python(code: str, *, user: int | None = None) -> subprocess.CompletedProcess[str]:
    become = "" if user is None else f"os.setgroups([])\nos.setgid({user})\nos.setuid({user})\n"
    code = f"import os\nfrom simulator.sweep import open_store\n{become}{code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM point").fetchone()[0])


def _acting(act: Callable[[], object], at: int) -> Callable[[int, int, str], None]:
    def progress(done: int, total: int, last: str) -> None:
        if done == at:
            act()

    return progress


# -- removed or replaced while a sweep writes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [0, 5, 12])
def test_a_store_that_is_removed_meanwhile(at: int, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"

    def remove() -> None:
        for name in _names(tmp_path):
            (tmp_path / name).unlink()

    with pytest.raises(InputError, match="s.sqlite: was (removed|replaced by another file) while it was in use"):
        run_sweep(small_sweep(), path, run_one=quick_run, progress=_acting(remove, at))


def test_a_store_that_is_replaced_meanwhile(filled: Path, tmp_path: Path) -> None:
    path, other = tmp_path / "s.sqlite", Path(shutil.copy(filled, tmp_path / "other.sqlite"))
    with pytest.raises(InputError, match="was replaced by another file while it was in use"):
        run_sweep(small_sweep(), path, run_one=quick_run, progress=_acting(lambda: other.replace(path), 3))


def test_a_log_that_is_removed_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with pytest.raises(InputError, match="has lost its log, a file beside it: .*; allowed: s.sqlite-wal left in place"):
        run_sweep(small_sweep(), path, run_one=quick_run, progress=_acting((tmp_path / "s.sqlite-wal").unlink, 3))


def test_a_store_that_is_removed_after_the_last_point(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="was removed while it was in use"), open_store(tmp_path / "s.sqlite") as store:
        store.path.unlink()


def test_an_error_inside_is_not_hidden_by_the_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), open_store(tmp_path / "s.sqlite") as store:
        store.path.unlink()
        raise ZeroDivisionError


def test_a_reader_that_ends_takes_no_log_away_from_a_sweep(tmp_path: Path) -> None:
    """Nothing in this process may open and close the file but SQLite: POSIX drops all locks of a process at any close."""
    path, grid = tmp_path / "s.sqlite", Grid(small_sweep())
    with open_store(path) as store, Claims(path):
        store.prepare(grid.points)
        for count, point in enumerate(grid.points):
            job = grid.job(point)
            store.keep([(point, quick_run(job.machine, job.workload, job.accuracy, seed=job.seed))], grid.model)
            if count < 2:
                assert _python(READ.format(path=str(path))).stdout == f"{count + 1}\n"
                assert (tmp_path / "s.sqlite-wal").exists()
    assert _count(path) == 12


# -- another user who may only read -------------------------------------------------------------------------------------------


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder where everybody may make files."""
    folder = Path("/tmp") / f"numasim-shared-{os.getpid()}"
    folder.mkdir()
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@ROOT_ONLY
def test_another_user_who_reads_leaves_nothing_behind(filled: Path, shared: Path) -> None:
    path = Path(shutil.copy(filled, shared / "s.sqlite"))
    path.chmod(0o644)
    done = _python(READ.format(path=str(path)), user=65534)
    assert done.stdout == "12\n", done.stderr
    assert _names(shared) == ["s.sqlite"]


@ROOT_ONLY
def test_another_user_reads_beside_a_sweep(shared: Path) -> None:
    path = shared / "s.sqlite"
    with open_store(path) as store:
        run_sweep(small_sweep(seed=1), store, run_one=quick_run)
        done = _python(READ.format(path=str(path)), user=65534)
        assert done.stdout == "6\n", done.stderr
        run_sweep(small_sweep(), store, run_one=quick_run)
    assert _names(shared) == ["s.sqlite"]
    assert _count(path) == 12


@ROOT_ONLY
def test_files_of_another_user_beside_a_store_are_named(filled: Path, shared: Path) -> None:
    path = Path(shutil.copy(filled, shared / "s.sqlite"))
    os.chown(path, 65534, 65534)
    for end in ("-wal", "-shm"):
        other = path.with_name(path.name + end)
        other.touch()
        other.chmod(0o600)
    done = _python(f"from simulator.errors import InputError\ntry:\n    open_store({str(path)!r})\nexcept InputError as error:\n"
                   "    print(error)\n", user=65534)  # fmt: skip
    assert "no permission for s.sqlite-wal and s.sqlite-shm beside it; allowed: what their owner may do" in done.stdout, (
        done.stderr
    )


@ROOT_ONLY
def test_a_store_that_changes_while_another_user_reads_it(filled: Path, shared: Path) -> None:
    path = Path(shutil.copy(filled, shared / "s.sqlite"))
    path.chmod(0o644)
    code = (
        "from simulator.errors import InputError\n"
        "import sys\n"
        f"with open_store({str(path)!r}, read_only=True) as store:\n"
        "    print('open', flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    become = "import os\nos.setgroups([])\nos.setgid(65534)\nos.setuid(65534)\n"
    command = [sys.executable, "-c", f"from simulator.sweep import open_store\n{become}{code}"]
    reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert reader.stdout is not None
    assert reader.stdout.readline() == "open\n"
    run_sweep(small_sweep(seed=3), path, run_one=quick_run)
    _, err = reader.communicate("\n", timeout=60)
    assert "s.sqlite: was changed while it was read; allowed: the same command again" in err


# -- names and texts ----------------------------------------------------------------------------------------------------------


def test_names_that_are_odd(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("/" + str(tmp_path / "two.sqlite"), "caf\udce9.sqlite", "a b?c#d%41.sqlite", ":memory:", "file:x?mode=memory"):
        shutil.copy(filled, name)
        with open_store(name, read_only=True) as store:
            assert len(list(store.select().rows)) == 12
        with open_store(name) as store:
            assert len(list(store.select().rows)) == 12


def test_texts_that_are_not_utf8(filled: Path) -> None:
    with open_store(filled, read_only=True) as store:
        with pytest.raises(InputError, match="--where: is no text in UTF-8"):
            store.select(where="threads = 'caf\udce9'")
        with pytest.raises(InputError, match="--run: is no text in UTF-8"):
            store.result("\udce9")


# -- damaged and forged -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE point SET threads = CAST(x'ff41' AS TEXT)",
        "UPDATE point SET threads = CAST(x'ff41' AS TEXT) WHERE id = 3",
        "UPDATE point SET verdict = CAST(x'41ff' AS TEXT)",
        "UPDATE point SET machine = CAST(x'41ff' AS TEXT)",
        f"{SCHEMA} sql = replace(sql, 'seed', CAST(x'ff' AS TEXT)) WHERE name = 'point'",
        f"{SCHEMA} sql = CAST(x'63ff' AS TEXT) WHERE name = 'points'",
    ],
)  # fmt: skip
def test_bytes_that_are_no_text(statement: str, filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for part in statement.split("; "):
            connection.execute(part)
    with pytest.raises(InputError, match="filled.sqlite: is (damaged|no store)"), open_store(path, read_only=True) as store:
        list(store.select().rows)


def test_a_column_name_that_is_no_text(filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute('ALTER TABLE point ADD COLUMN "core.wXndow"')
        connection.execute("PRAGMA writable_schema = ON")
        (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'point'").fetchone()
        broken = sql.encode().replace(b"wXndow", b"\xffndow")
        connection.execute("UPDATE sqlite_master SET sql = CAST(? AS TEXT) WHERE name = 'point'", (broken,))
    for act in (lambda: _read(path), lambda: run_sweep(small_sweep(seed=5), path, run_one=quick_run)):
        with pytest.raises(InputError, match="is damaged"):
            act()


def _read(path: Path) -> None:
    with open_store(path, read_only=True) as store:
        list(store.select().rows)


def test_numbers_of_thousands_of_digits_in_labels(filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE point SET threads = ? || id", ("9" * 5000,))
    with open_store(path, read_only=True) as store:
        assert len(list(store.select().rows)) == 12


@pytest.mark.parametrize("drop", ["TABLE claim", "TABLE thread", "VIEW points", "VIEW links"])
def test_a_store_without_its_tables_is_none(drop: str, filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"DROP {drop}")
    for act in (lambda: _read(path), lambda: run_sweep(small_sweep(), path, run_one=quick_run)):
        with pytest.raises(InputError, match="is no store: it lacks tables or columns of one"):
            act()


@pytest.mark.slow
def test_more_constants_than_a_store_has_columns_for(filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for number in range(MOST_AXES - 5):
            connection.execute(f'ALTER TABLE point ADD COLUMN "forged.{number}"')
    with pytest.raises(InputError, match=f"would have 1,901 constants that were set; allowed: at most {MOST_AXES:,}"):
        run_sweep(small_sweep(set={"core.window": 4}), path, run_one=quick_run)
    run_sweep(small_sweep(seed=3), path, run_one=quick_run)
    assert _count(path) == 18
