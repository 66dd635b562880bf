"""A reference replayed: every run it asks for, then simulated beside published."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import simulator
from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.idle import idle_latency_ns
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep.executors import local_executor, run_all
from simulator.sweep.key import model_fingerprint, run_key
from simulator.validation.evaluate import anchor_rows, bar_rows, load_rows, order_rows, trend_rows
from simulator.validation.finished import FinishedRuns
from simulator.validation.judge import missed, summarise
from simulator.validation.reference import Anchor, Figure, Reference
from simulator.validation.report import Reproduction, ReproductionProvenance, RunRow
from simulator.validation.requests import Requests, RunRequest, select_figures
from simulator.workload import check_workload

ACCURACY = Accuracy(lines=60_000)
QUICK_ACCURACY = Accuracy(ci_percent=3.0, lines=400, warmup=100)
Progress = Callable[[int, int, str], None]
IdleLatency = Callable[[Machine, int, int], float]


@dataclass(frozen=True)
class Replay:
    """A reproduction with all that its pictures need.

    Attributes
    ----------
    reference : Reference
    figures : tuple of Figure
        Those that were replayed.
    machines : mapping of str to Machine
        By the name the reference gives.
    results : mapping of RunRequest to RunResult
    report : Reproduction
    """

    reference: Reference
    figures: tuple[Figure, ...]
    machines: Mapping[str, Machine]
    results: Mapping[RunRequest, RunResult]
    report: Reproduction

    @property
    def links_result(self) -> RunResult | None:
        """Result whose link loads are to be drawn; None when that run was not asked for."""
        request = Requests(self.reference).links_picture()
        return None if request is None else self.results.get(request)


@dataclass(frozen=True)
class Simulation:
    """Does the run of a request; may be sent to another process.

    Attributes
    ----------
    machines : mapping of str to Machine
        By the name the reference gives.
    accuracy : Accuracy
    seed : int
    run_one : callable
        Called as ``run_one(machine, workload, accuracy, seed=seed)``.
    """

    machines: Mapping[str, Machine]
    accuracy: Accuracy
    seed: int
    run_one: Callable[..., RunResult]

    def __call__(self, request: RunRequest) -> RunResult:
        """Return the result of a run."""
        return self.run_one(self.machines[request.machine], request.workload(), self.accuracy, seed=self.seed)

    def keys(self, requests: Sequence[RunRequest]) -> dict[RunRequest, str]:
        """Return what each run is kept under."""
        model = model_fingerprint()
        return {
            request: run_key(self.machines[request.machine], request.workload(), self.accuracy, self.seed, model)
            for request in requests
        }


def reproduce(
    reference: Reference,
    figures: Sequence[str] = (),
    *,
    accuracy: Accuracy = ACCURACY,
    seed: int = 1,
    jobs: int = 1,
    keep_in: Path | None = None,
    progress: Progress | None = None,
    run_one: Callable[..., RunResult] = run,
    idle_latency: IdleLatency = idle_latency_ns,
) -> Replay:
    """Replay a reference.

    Parameters
    ----------
    reference : Reference
    figures : sequence of str
        Ids; empty means all. A choice leaves out the loads and anchors that would need further runs.
    accuracy : Accuracy, optional
    seed : int
    jobs : int
        Processes; the result does not depend on it.
    keep_in : Path, optional
        Folder for finished runs: what is there already under the same model, machine, workload, accuracy and seed is not
        run again.
    progress : callable, optional
        Called with runs done, runs in all, and the run just done.
    run_one, idle_latency : callable
        What does a run and what gives an idle latency; tests put fakes here.

    Raises
    ------
    InputError
        An unknown figure, or a reference that does not fit its machine.
    """
    chosen = select_figures(reference, figures)
    requests = Requests(reference).of_figures(chosen) if figures else Requests(reference).of_all()
    simulation = Simulation(_load_machines(reference, requests), accuracy, seed, run_one)
    _check(reference, requests, simulation.machines)
    results = _results(requests, simulation, jobs, keep_in, progress)
    idle = _idle_latencies(reference, simulation.machines, idle_latency)
    report = _report(reference, chosen, results, idle, simulation)
    return Replay(reference, chosen, simulation.machines, results, report)


def _results(
    requests: Sequence[RunRequest], simulation: Simulation, jobs: int, keep_in: Path | None, progress: Progress | None
) -> dict[RunRequest, RunResult]:
    results: dict[RunRequest, RunResult] = {}
    finished = FinishedRuns(keep_in) if keep_in is not None else None
    keys = simulation.keys(requests) if finished is not None else {}
    if finished is not None:
        kept = {request: finished.get(keys[request]) for request in requests}
        results = {request: result for request, result in kept.items() if result is not None}
    if progress is not None:
        progress(len(results), len(requests), "")

    def done(request: RunRequest, result: RunResult) -> None:
        results[request] = result
        if finished is not None:
            finished.keep(keys[request], result)
        if progress is not None:
            progress(len(results), len(requests), request.title)

    missing = sorted((request for request in requests if request not in results), key=lambda request: -request.size)
    run_all(local_executor(min(jobs, max(1, len(missing)))), simulation, missing, done)  # the longest first
    return {request: results[request] for request in requests}


def _load_machines(reference: Reference, requests: Sequence[RunRequest]) -> dict[str, Machine]:
    names = [reference.machine, *(request.machine for request in requests)]
    names += [anchor.machine or reference.machine for anchor in reference.anchor if anchor.kind == "idle_latency_ns"]
    return {name: load_machine(name) for name in dict.fromkeys(names)}


def _check(reference: Reference, requests: Sequence[RunRequest], machines: Mapping[str, Machine]) -> None:
    for request in requests:
        try:
            check_workload(machines[request.machine], request.workload())
        except InputError as error:
            raise InputError(f"{error.what}, in the run {request.title}", file=reference.name, field=error.field) from None


def _idle_latencies(reference: Reference, machines: Mapping[str, Machine], idle_latency: IdleLatency) -> dict[Anchor, float]:
    values = {}
    for anchor in reference.anchor:
        if anchor.kind == "idle_latency_ns":
            assert anchor.node is not None and anchor.memory is not None
            values[anchor] = idle_latency(machines[anchor.machine or reference.machine], anchor.node, anchor.memory)
    return values


def _report(
    reference: Reference,
    figures: tuple[Figure, ...],
    results: Mapping[RunRequest, RunResult],
    idle: Mapping[Anchor, float],
    simulation: Simulation,
) -> Reproduction:
    bars = bar_rows(reference, figures, results)
    loads, orders = load_rows(reference, results), (*order_rows(figures, bars), *trend_rows(reference, bars))
    anchors = anchor_rows(reference, results, idle)
    return Reproduction(
        reference=reference.name,
        machine=simulation.machines[reference.machine].name,
        bars=bars,
        loads=loads,
        orders=orders,
        anchors=anchors,
        summary=summarise(reference, bars, loads, orders, anchors),
        missed=missed(reference, bars, loads, orders, anchors, results),
        runs=tuple(_run_row(request, result) for request, result in results.items()),
        provenance=ReproductionProvenance(
            version=simulator.__version__,
            engine=results[Requests(reference).base()].provenance.engine,
            seed=simulation.seed,
            accuracy=asdict(simulation.accuracy),
            machines={machine.name: machine.model_dump(mode="json") for machine in simulation.machines.values()},
            reference=reference.model_dump(mode="json"),
            figures=tuple(figure.id for figure in figures),
        ),
    )


def _run_row(request: RunRequest, result: RunResult) -> RunRow:
    return RunRow(
        threads=request.threads, background=dict(request.background), verdict=result.verdict, verdict_detail=result.verdict_detail
    )
