"""Runs that answer at once, or after a while, or not at all; for workers, so all of it can be sent to other processes."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.sweep import Sweep
from simulator.workload import Workload
from tests.validation.fakes import make_result

PAIRS = (("0.0.w.1", "1.0.w.0"), ("0.0.w.1", "1.0.w.3"))


def small_sweep(**changes: Any) -> Sweep:
    """Return a sweep of 12 points on the Quartet: two placements, three latencies, two seeds."""
    return Sweep(**{"machine": "quartet", "threads": PAIRS, "set": {"link.latency_ns": [8, 10, 12]}, "seed": (1, 2), **changes})


def quick_run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto") -> RunResult:
    """Return a result whose times depend on machine and seed."""
    latency = machine.links[0].latency_ns if machine.links else 0.0
    return make_result(machine, workload, accuracy, seed, 40 + latency + seed / 10, {})


@dataclass(frozen=True)
class Logged:
    """A run that writes a line into a file when it starts, and takes so long.

    Attributes
    ----------
    dies_at_seed : int, optional
        At this seed the process is killed, the first time that point is run only (or always).
    """

    log: Path
    sleep_s: float = 0.0
    dies_at_seed: int | None = None
    always: bool = False

    def __call__(
        self, machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto"
    ) -> RunResult:
        name = f"{machine.links[0].latency_ns:g} {' '.join(thread.label for thread in workload.threads)} {seed}"
        first = name not in runs_in(self.log)
        with self.log.open("a", encoding="utf-8") as stream:
            stream.write(name + "\n")
        if seed == self.dies_at_seed and (first or self.always):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.sleep_s)
        return quick_run(machine, workload, accuracy, seed=seed)


def runs_in(log: Path) -> Counter[str]:
    """Return how often each point was started."""
    return Counter(log.read_text(encoding="utf-8").splitlines()) if log.exists() else Counter()


def failing_run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto") -> RunResult:
    """Fail at seed 2."""
    if seed == 2:
        raise ValueError("seed 2 is unlucky")
    return quick_run(machine, workload, accuracy, seed=seed)


def hopeless_run(*args: object, **settings: object) -> RunResult:
    """Fail always, as an engine that is not there does."""
    raise InputError("there is no such engine", field="engine")


def stuck_run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto") -> RunResult:
    """End in a deadlock at seed 2."""
    time_ns = None if seed == 2 else 50.0
    return make_result(machine, workload, accuracy, seed, time_ns, {})
