"""A sweep of the tests as a process of its own: ``python -m tests.sweep.driver STORE LOG JOBS SEEDS SECONDS``."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from simulator.cli.guard import exit_code
from simulator.sweep import local_executor, run_sweep
from tests.sweep.fakes import Logged, small_sweep


def main(store: str, log: str, jobs: str, seeds: str, seconds: str, most_bytes: str = "") -> int:
    """Sweep; `most_bytes` is the size at which files cannot grow any more."""
    if most_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most_bytes), int(most_bytes)))
    sweep = small_sweep(seed=tuple(range(1, int(seeds) + 1)))
    report = run_sweep(sweep, store, local_executor(int(jobs)), run_one=Logged(Path(log), float(seconds)))
    print(report.model_dump_json())
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(lambda: main(*sys.argv[1:])))
