"""A machine held against measured numbers: signed errors, and whether at least the orders agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby

import simulator
from simulator.engine.build import EngineName
from simulator.errors import InputError
from simulator.interop.measured import Measurement, Quantity
from simulator.interop.measurements import Measured
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult, Verdict
from simulator.measure.run import run
from simulator.sweep.executors import Executor, InProcess, run_all
from simulator.validation.comparison_report import Beyond, ComparedCell, Comparison, ComparisonProvenance
from simulator.validation.comparison_summary import mean_of_known, summaries
from simulator.validation.evaluate import error_percent
from simulator.validation.predictable import Predictable, predictable, unseen_nodes
from simulator.validation.prediction import Work, predicted, scaled_to_measured

ACCURACY = Accuracy(ci_percent=1.0, lines=200_000)
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class RunWork:
    """Does a run; may be sent to another process."""

    accuracy: Accuracy
    seed: int
    engine: EngineName = "auto"
    run_one: Callable[..., RunResult] = run

    def __call__(self, work: Work) -> RunResult:
        """Return its result."""
        return self.run_one(work.machine, work.workload, self.accuracy, seed=self.seed, engine=self.engine)


@dataclass(frozen=True)
class _Answer:
    value: float | None
    verdict: Verdict
    engine: str


def compare(
    measured: Measured,
    machine: Machine,
    *,
    tolerance_percent: float | None = None,
    accuracy: Accuracy = ACCURACY,
    seed: int = 1,
    engine: EngineName = "auto",
    executor: Executor | None = None,
    progress: Progress | None = None,
    run_one: Callable[..., RunResult] = run,
) -> Comparison:
    """Simulate what was measured, and hold the numbers against each other. Equal runs are done once.

    Parameters
    ----------
    measured : Measured
    machine : Machine
    tolerance_percent : float, optional
        Cells whose error is larger are listed in `beyond`.
    accuracy, seed, engine
        As for :func:`simulator.measure.run.run`, for every run.
    executor : Executor, optional
        Where runs are done; in this process if left out.
    progress : callable, optional
        Called with runs done, runs in all, and the one just done.
    run_one : callable
        What does a run; tests put fakes here.

    Raises
    ------
    InputError
        Nothing of it can be predicted, or it takes too many different runs.
    """
    found = predictable(measured.rows, machine)
    not_predicted = (*measured.left_out, *found.reasons)
    if not found.rows:
        why = "; ".join(not_predicted[:3]) or "it holds no measured number"
        allowed = "latencies, bandwidths or times a line of this machine"
        raise InputError(f"nothing in it can be compared: {why}", file=measured.label, allowed=allowed)
    answers = _simulate(found, RunWork(accuracy, seed, engine, run_one), executor or InProcess(), progress)
    values = _with_relative(found.rows, [answer.value for answer in answers])
    verdicts = [answer.verdict for answer in answers]
    cells = tuple(_cell(*row) for row in zip(found.rows, values, verdicts, strict=True))
    return Comparison(
        machine=machine.name,
        cells=cells,
        summaries=tuple(summaries(cells)),
        mean_absolute_percent=mean_of_known(None if cell.error_percent is None else abs(cell.error_percent) for cell in cells),
        tolerance_percent=tolerance_percent,
        beyond=() if tolerance_percent is None else tuple(_beyond(cells, tolerance_percent)),
        not_predicted=not_predicted,
        warnings=(*measured.warnings, *unseen_nodes(measured.rows, machine)),
        provenance=ComparisonProvenance(
            version=simulator.__version__,
            engine=answers[0].engine,
            seed=seed,
            accuracy=asdict(accuracy),
            machine=machine.model_dump(mode="json"),
        ),
    )


def _simulate(found: Predictable, run_work: RunWork, executor: Executor, progress: Progress | None) -> list[_Answer]:
    """Return the answer to each row."""
    places: dict[int, list[int]] = {}
    for place, work in enumerate(found.works):
        places.setdefault(id(work), []).append(place)
    tasks = list({id(work): work for work in found.works}.values())
    answers: dict[int, _Answer] = {}
    done_runs = 0

    def done(work: Work, result: RunResult) -> None:
        nonlocal done_runs
        done_runs += 1
        for place in places[id(work)]:
            answers[place] = _Answer(predicted(found.rows[place], result), result.verdict, result.provenance.engine)
        if progress is not None:
            progress(done_runs, len(tasks), found.title(places[id(work)][0]))

    if progress is not None:
        progress(0, len(tasks), "")
    run_all(executor, run_work, tasks, done)
    return [answers[place] for place in range(len(found.rows))]


def _with_relative(rows: Sequence[Measurement], values: Sequence[float | None]) -> list[float | None]:
    """Put the latencies of each experiment that measured relative ones on its scale."""
    answer = list(values)
    relative = [place for place, row in enumerate(rows) if row.quantity is Quantity.RELATIVE_LATENCY]
    for _, group in groupby(relative, key=lambda place: rows[place].experiment):
        places = list(group)
        scaled = scaled_to_measured([rows[place].value for place in places], [values[place] for place in places])
        for place, value in zip(places, scaled, strict=True):
            answer[place] = value
    return answer


def _cell(row: Measurement, simulated: float | None, verdict: Verdict) -> ComparedCell:
    return ComparedCell(
        experiment=row.experiment,
        quantity=str(row.quantity),
        unit=row.unit,
        from_node=row.from_node,
        to_node=row.to_node,
        threads=row.threads,
        read_fraction=row.read_fraction,
        measured=row.value,
        measured_ci_percent=row.ci_percent,
        simulated=simulated,
        error_percent=None if simulated is None else error_percent(simulated, row.value),
        verdict=verdict,
    )


def _beyond(cells: Sequence[ComparedCell], tolerance_percent: float) -> Iterator[Beyond]:
    """Yield cells without a value, then those too far off, the furthest first."""
    missing = [cell for cell in cells if cell.error_percent is None]
    far = [(abs(cell.error_percent), cell) for cell in cells if cell.error_percent is not None]
    far = sorted((item for item in far if item[0] > tolerance_percent), key=lambda item: -item[0])
    for cell in (*missing, *(cell for _, cell in far)):
        yield Beyond(experiment=cell.experiment, quantity=cell.quantity, cell=cell.title, error_percent=cell.error_percent)
