"""The scripts in experiments/, run as a user runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURES = {
    "hop_cost": {"figure-4", "figure-5"},
    "crossfire": {"figure-6", "links"},
    "two_on_a_node": {"figure-10", "figure-11"},
    "queueing_or_latency": {"queueing_or_latency", "links"} | {f"figure-{number}" for number in range(4, 16)},
    "background_load": {"background_load"} | {f"figure-{number}" for number in (7, 8, 9, 11, 12, 13, 14, 15)},
}

SLOW = ("background_load", "queueing_or_latency")
SLOW_TABLES = ("ablations", "compare_topologies", "filter_app", "kernel_build", "placement", "scheduling", "trace_replay")
TABLES = {
    "ablations": "Crossfire (0.0.w.1 1.0.w.0)",
    "all_to_all": "All nodes read from all nodes",
    "compare_topologies": "Topologies and idle latency",
    "contention": "contention_one_node on opteron-8385-4p",
    "filter_app": "Filter of 65,537 taps",
    "placement": "streaming on quartet",
    "coreinfo_cost": "Published. Approximate Cross-NUMA Node Access Cost",
    "kernel_build": "kernel: measured, simulated, error; cores: 2",
    "scheduling": "16 jobs (streaming) on quartet",
    "trace_replay": "stream_small.lackey",
}


def _run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "experiments" / f"{name}.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize(
    "name",
    ["hop_cost", "crossfire", "two_on_a_node", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)],
)
def test_quick_form(name: str, tmp_path: Path) -> None:
    done = _run(name, "--quick", "--jobs", "1", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    first = "Queueing against latency: " if name == "queueing_or_latency" else "Bars: time a line, % of 0.0.r.0 alone\n"
    assert done.stdout.startswith(first)
    assert (tmp_path / f"{name}.txt").read_text() == done.stdout
    assert {path.stem for path in tmp_path.glob("*.png")} == PICTURES[name] == {path.stem for path in tmp_path.glob("*.svg")}


@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=pytest.mark.slow) for name in SLOW_TABLES), "all_to_all", "coreinfo_cost", "contention"]
)
def test_quick_form_of_a_table(name: str, tmp_path: Path) -> None:
    done = _run(name, "--quick", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(TABLES[name])
    assert (tmp_path / f"{name}.txt").read_text() == done.stdout


def test_every_script_is_tested() -> None:
    assert {path.stem for path in (ROOT / "experiments").glob("*.py")} == {*PICTURES, *TABLES}


def test_help_and_wrong_options() -> None:
    assert "AMD note 40555, figure 4" in " ".join(_run("hop_cost", "--help").stdout.split())
    assert _run("hop_cost", "--nonsense").returncode == 2
    failed = _run("hop_cost", "--out", "/dev/null/x")
    assert (failed.returncode, failed.stderr.count("\n")) == (2, 1)
