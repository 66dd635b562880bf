"""Which engine runs, and what happens where numba does not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from simulator import load_machine
from simulator.engine.build import build_engine
from simulator.engine.compiled.cache import only_compiler
from simulator.engine.lower import lower
from simulator.workload import Workload

WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
from simulator.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def _without_numba(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_NUMBA, "run", "one-node", "0.0.r.0", "--ci", "5", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


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


def test_one_process_compiles_while_others_wait() -> None:
    code = "from simulator.engine.compiled.cache import only_compiler\nwith only_compiler(): print('in', flush=True)"
    with only_compiler():
        waiting = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=3)
    assert waiting.communicate(timeout=60)[0] == "in\n"
