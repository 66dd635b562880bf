"""Several sweeps on one store: who may do what, and what becomes of the claims of one that died."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from simulator.sweep import claims as module
from simulator.sweep import open_store
from simulator.sweep.claims import Claims, Taken
from simulator.sweep.liveness import is_gone, process_name

ROOT = Path(__file__).resolve().parents[2]
HOLD = (
    "import sys, time; from pathlib import Path; from simulator.sweep.claims import Claims\n"
    "claims = Claims(Path(sys.argv[1])); print(claims.take(['a', 'b']).mine, flush=True); time.sleep(600)"
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """An empty store."""
    path = tmp_path / "s.sqlite"
    open_store(path).close()
    return path


def _owners(store: Path) -> int:
    with closing(sqlite3.connect(store)) as connection:
        return int(connection.execute("SELECT count(*) FROM owner").fetchone()[0])


def test_a_key_has_one_owner(store: Path) -> None:
    with Claims(store) as one, Claims(store) as other:
        assert one.take(["a", "b"]) == Taken(("a", "b"), (), ())
        assert other.take(["b", "c"]) == Taken(("c",), (), ("b",))
        one.release(["b", "c"])  # c is not one's to give up
        assert other.take(["b"]) == Taken(("b",), (), ())
        assert one.take(["c"]) == Taken((), (), ("c",))
    assert _owners(store) == 0


def test_closing_gives_everything_up(store: Path) -> None:
    with Claims(store) as one:
        one.take(["a"])
    with Claims(store) as other:
        assert other.take(["a"]).mine == ("a",)


@pytest.mark.skipif(not process_name(), reason="whether a process lives is known on Linux only")
def test_what_a_killed_process_held_is_free_at_once(store: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(store)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "('a', 'b')\n"
    with Claims(store) as claims:
        assert claims.take(["a", "c"]) == Taken(("c",), (), ("a",))
        holder.kill()  # not reaped: a zombie is as dead
        deadline = time.monotonic() + 10
        while not (taken := claims.take(["a", "b"])).mine and time.monotonic() < deadline:
            time.sleep(0.02)
        assert taken == Taken(("a", "b"), (), ())
    holder.wait()
    holder.stdout.close()


def test_a_lease_ends_where_nothing_is_known_of_its_owner(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "process_name", lambda: "another-machine 1 1")
    lost = Claims(store, lease_s=0.3)
    lost.take(["a"])
    with Claims(store) as claims:
        time.sleep(0.5)
        assert claims.take(["a"]).mine == (), "the lease is renewed"
        lost._closing.set()
        lost._heart.join()
        time.sleep(0.4)
        assert claims.take(["a"]).mine == ("a",)
        assert lost.take(["a", "b"]) == Taken(("b",), (), ("a",)), "one taken for dead begins anew"
    lost.close()


def test_names_of_processes() -> None:
    own = process_name()
    assert not is_gone(own)
    assert not is_gone("")
    assert not is_gone("another-machine 1 1")
    if own:
        place, pid, started = own.rsplit(" ", 2)
        assert int(pid) == os.getpid()
        assert is_gone(f"{place} {pid} {int(started) - 1}"), "another process that had this number"
        assert is_gone(f"{place} {2**22 + 1} 5")
