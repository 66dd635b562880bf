"""A run that answers at once with the published numbers, for tests of everything around a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import BytesByClass, ControllerReport, LinkReport, Provenance, RunResult, ThreadReport
from simulator.validation.reference import Reference
from simulator.validation.reference_file import load_reference
from simulator.validation.requests import Requests, RunRequest
from simulator.workload import ThreadSpec, Workload

BASE_NS = 64 / 1.64
LINKS = ("0->1", "1->0", "0->2", "2->0", "1->3", "3->1", "2->3", "3->2")
# Heights that keep the published orders where no bar is recorded; every other unrecorded bar is 120.
UNRECORDED = {("8", "crossfire"): 150.0, ("9", "no crossfire"): 170.0, ("9", "crossfire"): 160.0, ("10", "0-0 hop"): 110.0} | {
    ("11", "0-0 hop"): 140.0,
    ("15", "0-1 hop, node 1"): 130.0,
}


def published_run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1) -> RunResult:
    """Return what the reference publishes for this workload."""
    return changed_run({})(machine, workload, accuracy, seed=seed)


def idle_latency(machine: Machine, node: int, memory: int) -> float:
    """Return the published idle latency."""
    return 95.0 if len(machine.nodes) > 1 else 60.0


def changed_run(changes: Mapping[str, float], standstill: str | None = None) -> Callable[..., RunResult]:
    """Return a run that answers the same but for some values.

    Parameters
    ----------
    changes : mapping of str to float
        Title of a run to its time a line, in per cent of the base.
    standstill : str, optional
        Title of a run that ends in a deadlock.
    """

    def run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1) -> RunResult:
        heights, loads = _published(load_reference("amd-40555"))
        labels = tuple(thread.label for thread in workload.foreground)
        beside = tuple((thread.label, thread.rate_gb_per_s or 0.0) for thread in workload.threads if thread.background)
        request = RunRequest("quartet", labels, beside)
        percent = changes.get(request.title, heights.get(request, 100.0))
        time_ns = None if request.title == standstill else percent * BASE_NS / 100
        return make_result(machine, workload, accuracy, seed, time_ns, loads.get(request, {}))

    return run


def make_result(
    machine: Machine, workload: Workload, accuracy: Accuracy, seed: int, time_ns: float | None, loads: dict[str, float]
) -> RunResult:
    """Return a result with these values; `loads` by ``memory 0``, ``link 0->1`` and ``utilization 0->1``."""
    return RunResult(
        machine=machine.name,
        window_ns=1000.0,
        threads=tuple(_thread(thread, time_ns) for thread in workload.threads),
        links={key: _link(key, loads) for key in LINKS},
        controllers={str(node): _controller(loads.get(f"memory {node}", 1.0)) for node in machine.node_ids},
        latency_ns=None,
        events=1000,
        verdict="steady" if time_ns is not None else "deadlock",
        verdict_detail=None if time_ns is not None else "a waits for b",
        deadlock_cycle=(),
        provenance=Provenance(
            version="0", engine="fake", seed=seed, machine={}, workload=workload.as_dict(), accuracy=asdict(accuracy)
        ),
    )


def _published(reference: Reference) -> tuple[dict[RunRequest, float], dict[RunRequest, dict[str, float]]]:
    requests = Requests(reference)
    heights, loads = {}, {}
    for figure in reference.figure:
        for case in figure.cases:
            unrecorded = UNRECORDED.get((figure.id, case.title), 120.0)
            heights[requests.case(figure, case)] = case.published_percent or unrecorded
    for load in reference.load:
        values = loads.setdefault(requests.load(load), {})
        values.update({f"memory {key}": value for key, value in load.memory_gb_per_s.items()})
        values.update({f"link {key}": value for key, value in load.link_gb_per_s.items()})
        values.update({f"utilization {key}": value for key, value in load.link_utilization.items()})
    return heights, loads


def _thread(thread: ThreadSpec, time_ns: float | None) -> ThreadReport:
    background: dict[str, Any] = {"background": thread.background, "rate_gb_per_s": thread.rate_gb_per_s}
    if time_ns is None:
        return ThreadReport(label=thread.label, time_per_line_ns=None, gb_per_s=0.0, ci_percent=None, lines=0, **background)
    rate = thread.rate_gb_per_s if thread.background else 64 / time_ns
    assert rate is not None
    return ThreadReport(label=thread.label, time_per_line_ns=64 / rate, gb_per_s=rate, ci_percent=0.3, lines=4000, **background)


def _link(key: str, loads: dict[str, float]) -> LinkReport:
    utilization = loads.get(f"utilization {key}", loads.get(f"link {key}", 1.0) / 4)
    sizes = BytesByClass(data=64, command=8, probe=8, response=4, flow_control=4, crc=1)
    return LinkReport(
        gb_per_s=loads.get(f"link {key}", 4 * utilization), utilization=utilization, demand_gb_per_s=None, bytes_by_class=sizes
    )


def _controller(rate: float) -> ControllerReport:
    return ControllerReport(gb_per_s=rate, read_gb_per_s=rate, write_gb_per_s=0.0, utilization=rate / 6.4, mean_queue=1.0)
