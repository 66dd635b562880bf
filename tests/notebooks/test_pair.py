"""`python -m simulator.cli.notebooks` on texts that go wrong: a line and an exit code, and no notebook."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLEEP = "import time\nopen('runs', 'w').close()\ntime.sleep(600)"

pytestmark = pytest.mark.notebooks


@pytest.fixture(autouse=True)
def _packages() -> None:
    for name in ("jupytext", "nbclient", "ipykernel"):
        pytest.importorskip(name)


def _start(source: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "simulator.cli.notebooks", str(source)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (b"x = '\xff'", "cannot be read: is not utf-8"),
        (b"1 / 0", "a cell failed: ZeroDivisionError: division by zero"),
        (b"import os\nos._exit(3)", "a cell ended its kernel"),
        (b"import sys\nprint(file=sys.stderr)", "a cell wrote to stderr: an empty line"),
    ],
)
def test_what_is_wrong_is_said(cell: bytes, message: str, tmp_path: Path) -> None:
    source = tmp_path / "text.py"
    source.write_bytes(b"# %%\n" + cell + b"\n")
    with _start(source) as running:
        said = running.communicate(timeout=100)[1]
    assert running.returncode == 2
    assert "Traceback" not in said
    assert message in said.splitlines()[-1]
    assert list(tmp_path.iterdir()) == [source]


def test_ctrl_c_ends_it_and_its_kernel(tmp_path: Path) -> None:
    source = tmp_path / "text.py"
    source.write_text(f"# %%\nimport os\nprint(os.getpid(), file=open('pid', 'w'))\n{SLEEP}\n")
    with _start(source) as running:
        while not (tmp_path / "runs").exists() and running.poll() is None:
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=100)[1]
    assert (running.returncode, said) == (130, "numasim: interrupted\n")
    assert not source.with_suffix(".ipynb").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
