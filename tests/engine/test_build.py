"""Which engine runs, and what happens where numba does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pytest

from simulator import load_machine
from simulator.engine.build import build_engine
from simulator.engine.compiled import CompiledEngine, cache, kernel, memory
from simulator.engine.compiled.cache import only_compiler, writable_folder
from simulator.engine.interface import EngineError
from simulator.engine.lower import lower
from simulator.workload import Workload

RUN = """
from simulator.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
BUILD_THREE = """
from simulator import load_machine
from simulator.engine.build import build_engine, build_recurring_engine
from simulator.engine.lower import lower
from simulator.workload import Workload
plan = lower(load_machine("one-node"), Workload.from_labels(["0.0.r.0"]))
print(*[build_engine(plan).name for _ in range(3)], build_recurring_engine(plan))
"""
WITHOUT_NUMBA = "import sys; sys.modules['numba'] = None"
BROKEN = {  # the library of llvmlite is not for this platform; numba does not like another package; a function cannot be wrapped
    "library": ("llvmlite", "OSError('libllvmlite.so: wrong ELF class')"),
    "numba": ("numba", "RuntimeError('needs\\nanother NumPy')"),
    "import": ("numba", "ImportError('no')"),
}
FINDER = """
import importlib.abc, sys
class Broken(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            raise {error}
sys.meta_path.insert(0, Broken())
"""
NJIT = "import sys, numba\ndef njit(*a, **k): raise RuntimeError('no code can be made')\nnumba.njit = njit"
COMPILER = """
import sys
from simulator.engine.compiled import engine
def compile_once(*a): raise TypeError('no code can be made')
engine.compile_once = compile_once
"""
OBSTACLES = {name: FINDER.format(name=package, error=error) for name, (package, error) in BROKEN.items()}
OBSTACLES |= {"wrapping": NJIT, "compiling": COMPILER, "nothing there": WITHOUT_NUMBA}


def _python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


def _without_numba(*arguments: str, obstacle: str = WITHOUT_NUMBA) -> subprocess.CompletedProcess[str]:
    return _python(obstacle + RUN, "run", "one-node", "0.0.r.0", "--ci", "5", *arguments)


@pytest.mark.parametrize(("name", "built"), [("auto", "compiled"), ("compiled", "compiled"), ("simpy", "simpy")])
def test_engine_by_name(name: str, built: str) -> None:
    plan = lower(load_machine("one-node"), Workload.from_labels(["0.0.r.0"]))
    assert build_engine(plan, name).name == built  # type: ignore[arg-type]


def test_without_numba_it_runs_on_simpy_and_says_so() -> None:
    done = _without_numba()
    assert done.returncode == 0, done.stderr
    assert "1, simpy" in done.stdout
    assert "running on simpy" in done.stderr


def test_without_numba_the_compiled_engine_is_refused() -> None:
    done = _without_numba("--engine", "compiled")
    assert (done.returncode, done.stdout) == (2, "")
    assert "numba cannot be used here" in done.stderr


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_whatever_is_wrong_with_numba_is_said_once_a_process(obstacle: str) -> None:
    done = _python(OBSTACLES[obstacle] + BUILD_THREE)
    assert (done.returncode, done.stdout) == (0, "simpy simpy simpy None\n"), done.stderr
    (said,) = done.stderr.splitlines()
    assert said.startswith("numba cannot be used here (")
    assert said.endswith("); running on simpy, which gives the same results more slowly")


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_whatever_is_wrong_with_numba_refuses_the_compiled_engine(obstacle: str) -> None:
    done = _without_numba("--engine", "compiled", obstacle=OBSTACLES[obstacle])
    assert (done.returncode, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert "numba cannot be used here: " in said


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder that nobody can make, since a file lies where it should be."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path / "file" / "cache"))
    cache.writable_folder.cache_clear()
    yield tmp_path / "file" / "cache"
    cache.writable_folder.cache_clear()


@pytest.fixture
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder."""
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path))
    cache.writable_folder.cache_clear()
    yield cache.cache_folder()
    cache.writable_folder.cache_clear()


def test_a_cold_start_says_what_it_waits_for(somewhere: Path, caplog: pytest.LogCaptureFixture) -> None:
    called: list[str] = []
    cache.compile_once("the engine", "advance", lambda: called.append("now"))
    assert called == ["now"]
    assert caplog.messages == ["compiling the engine for this computer, once: this takes up to a minute"]


def test_a_warm_start_loads_and_says_nothing(somewhere: Path, caplog: pytest.LogCaptureFixture) -> None:
    (somewhere / "deep").mkdir(parents=True)
    (somewhere / "deep" / "kernel.advance-88.py311.1.nbc").write_bytes(b"")
    loaded: list[bool] = []
    cache.compile_once("the engine", "advance", lambda: loaded.append(True))
    assert loaded == [True]
    assert caplog.messages == []


def test_a_folder_that_cannot_be_written_is_warned_of_once(nowhere: Path, caplog: pytest.LogCaptureFixture) -> None:
    called: list[str] = []
    for what in ("the engine", "the exact mode", "the engine"):
        cache.compile_once(what, "advance", lambda: called.append("now"))
        with cache.only_compiler():
            pass
    assert len(called) == 3
    (said,) = caplog.messages
    assert said.startswith(f"compiled code cannot be kept in {nowhere}")
    assert said.endswith("(Not a directory); every start compiles the engine anew, which takes up to a minute")


def test_the_cache_is_looked_at_once_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = lower(load_machine("one-node"), Workload.from_labels(["0.0.r.0"]))
    build_engine(plan, "compiled")
    monkeypatch.setattr("simulator.engine.compiled.engine.compile_once", pytest.fail)
    build_engine(plan, "compiled")
    build_engine(plan)


@pytest.mark.slow
@pytest.mark.parametrize("writable", [True, False])
def test_exact_mode_of_a_cold_start(writable: bool, tmp_path: Path) -> None:
    """What is compiled for the exact mode alone is waited for with a message of its own; without a cache there is one in all."""
    folder = tmp_path / "cache"
    if not writable:
        folder.write_text("")
    arguments = ("run", "one-node", "0.0.r.0", "--steady", "exact", "--lines", "300")
    done = [_python("import sys" + RUN, *arguments, NUMASIM_CACHE_DIR=str(folder)) for _ in range(2 if writable else 1)]
    assert [run.returncode for run in done] == [0] * len(done)
    said = [[line.removeprefix("numasim: ") for line in run.stderr.splitlines()] for run in done]
    if writable:
        waited_for = "compiling {} for this computer, once: this takes up to a minute"
        assert said == [[waited_for.format("the engine"), waited_for.format("the exact mode")], []]
    else:
        (only,) = said[0]
        assert only.startswith("compiled code cannot be kept ")


@dataclass(frozen=True)
class Cramped(memory.Sizes):
    """Room for fewer records than there may be."""

    most_packets: int

    @property
    def packets(self) -> int:
        return self.most_packets


@pytest.mark.parametrize(("states", "packets"), [(3, 1000), (100, 7)])
def test_a_table_that_is_too_small_is_an_error_of_its_own(states: int, packets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written beyond the table, and the error is no assert, which `python -O` would take away."""
    labels = [f"{node}.{core}.w.{3 - node}" for node in range(4) for core in range(2)]
    plan = lower(load_machine("quartet"), Workload.from_labels(labels))
    few = {**asdict(memory.sizes(plan)), "states": states, "most_packets": packets}
    monkeypatch.setattr(memory, "sizes", lambda plan: Cramped(**few))
    engine = CompiledEngine(plan)
    for _ in range(2):  # it stays one
        with pytest.raises(EngineError, match="a defect of the compiled engine"):
            engine.advance([1000] * len(labels), 1 << 40)
    for table in ("PACKET", "HOLD", "STATE", "NOP"):
        assert engine._memory.header(f"{table}_FRESH") <= engine._memory.header(f"{table}_END")


def test_an_event_that_is_put_twice_is_an_error_of_its_own() -> None:
    plan = lower(load_machine("one-node"), Workload.from_labels(["0.0.r.0"]))
    engine = CompiledEngine(plan)
    kernel.first_wake(engine._words, np.uint64(engine._memory.header("SLOT_AT")), np.uint64(5))
    with pytest.raises(EngineError, match="scheduled twice"):
        engine.advance([1], 1 << 40)


def test_one_process_compiles_while_others_wait() -> None:
    code = "from simulator.engine.compiled.cache import only_compiler\nwith only_compiler(): print('in', flush=True)"
    with only_compiler():
        waiting = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=3)
    assert waiting.communicate(timeout=60)[0] == "in\n"


def _cold(folder: Path, **environment: str) -> dict[str, str]:
    return {**os.environ, "NUMASIM_CACHE_DIR": str(folder), **environment}


def _run_one_node(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import sys; from simulator.cli.main import main; sys.exit(main())"]
    command += ["run", "one-node", "0.0.r.0", "--ci", "5"]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_damaged_compiled_code_is_made_anew(damage: bytes | None, tmp_path: Path) -> None:
    assert _run_one_node(_cold(tmp_path)).returncode == 0
    for kept in tmp_path.rglob("*advance*.nb?"):
        kept.write_bytes(kept.read_bytes()[:50] if damage is None else damage)
    mended = _run_one_node(_cold(tmp_path))
    assert mended.returncode == 0, mended.stderr
    assert "is damaged" in mended.stderr
    assert "numasim: " in mended.stderr
    assert _run_one_node(_cold(tmp_path)).stderr == ""


def test_a_user_without_a_home_is_told_and_served(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("NUMASIM_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    writable_folder.cache_clear()
    try:
        assert writable_folder() is None
    finally:
        writable_folder.cache_clear()
    assert "cannot be kept in a home (Could not determine home directory.)" in caplog.text


def test_a_lock_file_that_cannot_be_opened_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = writable_folder()
    assert folder is not None

    def refused(self: Path, *arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    with only_compiler():
        pass
