"""Measured rows, and a model that answers at once, for tests of comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from simulator.interop.measured import Measurement, Quantity
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import LatencyReport, RunResult
from simulator.workload import Workload
from tests.validation.fakes import make_result


def latency_ns(node: int, memory: int) -> float:
    """Return what the fake model says: 100 ns, and 20 for each that the numbers differ."""
    return 100.0 + 20.0 * abs(node - memory)


def fake_run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto") -> RunResult:
    """Return 32 ns a line, hence 2 GB/s a thread, and `latency_ns` of the first thread."""
    first = workload.threads[0]
    mean = latency_ns(first.node, first.accesses[0].memory)
    result = make_result(machine, workload, accuracy, seed, 32.0, {})
    return result.model_copy(update={"latency_ns": LatencyReport(mean=mean, p50=mean, p95=mean, p99=mean)})


@dataclass
class CountedRun:
    """The fake model, with a list of what it ran; `still` are labels of threads whose runs stand still."""

    still: tuple[str, ...] = ()
    ran: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, machine: Machine, workload: Workload, accuracy: Accuracy, **options: Any) -> RunResult:
        labels = tuple(thread.label for thread in workload.threads)
        self.ran.append(labels)
        if set(labels) & set(self.still):
            return make_result(machine, workload, accuracy, options["seed"], None, {})
        return fake_run(machine, workload, accuracy, **options)


def latency(from_node: int | None, to_node: int | None, value: float, **more: Any) -> Measurement:
    """Return a measured idle latency."""
    return Measurement("idle", Quantity.LATENCY, value, "ns", from_node, to_node, **more)


def relative(from_node: int, to_node: int, value: float) -> Measurement:
    """Return a measured relative latency."""
    return Measurement("cost", Quantity.RELATIVE_LATENCY, value, "", from_node, to_node)


def bandwidth(from_node: int | None, to_node: int | None, value: float, unit: str = "GB/s", **more: Any) -> Measurement:
    """Return a measured bandwidth."""
    return Measurement("stream", Quantity.BANDWIDTH, value, unit, from_node, to_node, **more)
