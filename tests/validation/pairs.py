"""Runs of pairs of threads that answer at once, each thread with a time of its own; all can be sent to other processes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.workload import ThreadSpec, Workload
from tests.validation.fakes import make_result

FEW = ("0.0.r.0", "0.0.w.1", "0.1.r.3", "1.0.w.0", "3.1.w.0")


def pair_run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto") -> RunResult:
    """Return times that depend on the thread, on what is beside it, and on the seed."""
    result = make_result(machine, workload, accuracy, seed, 40.0, {})
    others = len(workload.threads) - 1
    times = [time_alone_ns(thread) + 3 * others + seed - 1 for thread in workload.threads]
    threads = tuple(
        report.model_copy(update={"time_per_line_ns": time}) for report, time in zip(result.threads, times, strict=True)
    )
    return result.model_copy(update={"threads": threads})


def time_alone_ns(thread: ThreadSpec) -> float:
    """Return what a thread takes alone: 40 ns for 0.0.r.0, more for writers and for other memories."""
    access = thread.accesses[0]
    return 40.0 + 5 * (access.mode == "w") + 4 * (access.memory != thread.node) + thread.core / 8


def stuck_run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto") -> RunResult:
    """End in a deadlock where 0.0.w.1 and 1.0.w.0 are together."""
    if [thread.label for thread in workload.threads] == ["0.0.w.1", "1.0.w.0"]:
        return make_result(machine, workload, accuracy, seed, None, {})
    return pair_run(machine, workload, accuracy, seed=seed)


@dataclass
class Interrupted:
    """A run that is interrupted instead of the `stops_at`-th (never: 0), and writes down what it did."""

    log: Path
    stops_at: int = 0

    def __call__(
        self, machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto"
    ) -> RunResult:
        done = self.log.read_text().splitlines() if self.log.exists() else []
        if len(done) + 1 == self.stops_at:
            raise KeyboardInterrupt
        self.log.write_text("\n".join([*done, " ".join(thread.label for thread in workload.threads)]))
        return pair_run(machine, workload, accuracy, seed=seed)
