"""A model that answers at once: times and latencies are a known function of the machine, so the right values are known too."""

from __future__ import annotations

from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import LatencyReport, RunResult
from simulator.workload import Workload
from tests.validation.fakes import make_result

TRUTH = {"core.core_time_ns": 70.0, "link.latency_ns": 12.0, "controller.path_ns": 30.0}


def linear_run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto") -> RunResult:
    """Return times that grow with core time, with the path in the controller, and with link latency where memory is remote."""
    result = make_result(machine, workload, accuracy, seed, 40.0, {})
    path_ns = machine.nodes[0].controller.path_ns if machine.nodes[0].controller else 0.0
    times = []
    for thread in workload.threads:
        access = thread.accesses[0]
        remote = access.memory != thread.node and bool(machine.links)
        wire_ns = 2 * machine.links[0].latency_ns if remote else 0.0
        times.append((path_ns + wire_ns, machine.core.core_time_ns * (1.5 if access.mode == "w" else 1.0)))
    threads = tuple(
        report.model_copy(update={"time_per_line_ns": (latency + core) / 4, "gb_per_s": 4 * 64 / (latency + core)})
        for report, (latency, core) in zip(result.threads, times, strict=True)
    )
    mean_ns = sum(latency for latency, _ in times) / len(times)
    latency = LatencyReport(mean=mean_ns, p50=mean_ns, p95=mean_ns, p99=mean_ns)
    return result.model_copy(update={"threads": threads, "latency_ns": latency})
