"""What a calibration looks at: rows, each with an error, the runs it takes, and the group it is held out with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.interop.measured import Measurement
from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.measure.idle import one_slot
from simulator.measure.matrix import stands_still
from simulator.measure.result import RunResult
from simulator.validation.evaluate import anchor_value, bar_percent, error_percent, load_quantities
from simulator.validation.prediction import UnpredictableError, Work, predicted, work_for
from simulator.validation.reference import Anchor, Case, Load, Reference
from simulator.validation.requests import Requests, RunRequest

MEASURED_TOLERANCE_PERCENT = 5.0  # by which errors of measured numbers are weighed, as references say it of their own
RANGE_TOLERANCE_PERCENT = 1.0  # by which a distance from a published range, or from a published order, is weighed
ORDER_MARGIN_PERCENT = 2.0  # an order that holds by much less breaks with another seed: a bar is known to half a per cent
BASE = "base"
Kind = Literal["bar", "load", "anchor", "order", "measured"]


@dataclass(frozen=True)
class IdleRun:
    """A thread with one line in flight on an idle machine."""

    machine: str
    node: int
    memory: int


@dataclass(frozen=True)
class MeasuredRun:
    """The run that predicts a measured number."""

    machine: str
    row: Measurement


Run = RunRequest | IdleRun | MeasuredRun
Results = Mapping[Run, RunResult]


@dataclass(frozen=True)
class Row:
    """One number that a machine should give.

    Attributes
    ----------
    name : str
    group : str
        Rows of one group share runs or stand in one figure: they are held out together.
    kind : {'bar', 'load', 'anchor', 'order', 'measured'}
    tolerance_percent : float
        What an error is weighed by.
    needs : tuple of Run
    error : callable
        Takes the results of these runs and returns the signed error in per cent, None after a standstill. Of a range it is 0
        while it holds, of an order while it does by `ORDER_MARGIN_PERCENT`.
    """

    name: str
    group: str
    kind: Kind
    tolerance_percent: float
    needs: tuple[Run, ...]
    error: Callable[[Results], float | None]


def work_of(run: Run, machine: Machine) -> Work:
    """Return what a run has to do on a machine.

    Raises
    ------
    UnpredictableError
        The machine cannot do it.
    """
    if isinstance(run, RunRequest):
        return Work(machine, run.workload())
    if isinstance(run, IdleRun):
        return Work(without_jitter(machine), one_slot(run.node, run.memory, "r"))
    return work_for(machine, run.row)


def measured_rows(rows: Sequence[Measurement], machine_name: str, machine: Machine) -> tuple[list[Row], list[str]]:
    """Return the rows of measured numbers, and why some are none. Groups are the experiments.

    Relative latencies are left out: a machine file says absolute times.
    """
    found: list[Row] = []
    left_out: list[str] = []
    for row in rows:
        try:
            work_for(machine, row)
        except UnpredictableError as error:
            left_out.append(f"{_measured_name(row)}: {error}")
            continue
        if not row.unit:
            left_out.append(f"{_measured_name(row)}: relative, where a machine has absolute times")
            continue
        run = MeasuredRun(machine_name, row)
        error_of = _measured_error(run)
        name = _apart(_measured_name(row), {other.name for other in found})
        found.append(Row(name, row.experiment, "measured", MEASURED_TOLERANCE_PERCENT, (run,), error_of))
    return found, left_out


def reference_rows(reference: Reference) -> list[Row]:
    """Return all published numbers of a reference that a fit may look at.

    The group of a row is the first figure that shows its run; the base alone stands for all bars and is a group of its own.
    """
    requests = Requests(reference)
    groups = _groups(reference, requests)
    return [
        *_bars(reference, requests),
        *(row for load in reference.load if load.calibration for row in _loads(reference, requests, load, groups)),
        *(_anchor(reference, requests, anchor, groups) for anchor in reference.anchor),
        _base_time(reference, requests),
        *_orders(reference, requests),
    ]


def _apart(name: str, others: set[str]) -> str:
    """Return a name that is not among the others."""
    number = 1
    while (numbered := name if number == 1 else f"{name} #{number}") in others:
        number += 1
    return numbered


def _measured_name(row: Measurement) -> str:
    pair = "" if row.from_node is None else f" {row.from_node}->{row.to_node}"
    share = "" if row.read_fraction is None else f", {100 * row.read_fraction:g} % reads"
    return f"{row.experiment}: {row.quantity}{pair}{f', threads {row.threads}' if row.threads else ''}{share}"


def _measured_error(run: MeasuredRun) -> Callable[[Results], float | None]:
    def error(results: Results) -> float | None:
        value = predicted(run.row, results[run])
        return None if value is None else error_percent(value, run.row.value)

    return error


def _groups(reference: Reference, requests: Requests) -> dict[RunRequest, str]:
    groups = {requests.case(figure, case): figure.id for figure in reversed(reference.figure) for case in figure.cases}
    return {**groups, requests.base(): BASE}


def _bars(reference: Reference, requests: Requests) -> Iterator[Row]:
    base = requests.base()
    for figure in reference.figure:
        for case in figure.cases:
            run = requests.case(figure, case)
            if case.published_percent is None or not case.calibration or run == base:
                continue
            tolerance = reference.tolerance.bars_rms_percent
            yield Row(f"figure {figure.id}: {case.title}", figure.id, "bar", tolerance, (run, base), _bar_error(case, run, base))


def _bar_error(case: Case, run: RunRequest, base: RunRequest) -> Callable[[Results], float | None]:
    def error(results: Results) -> float | None:
        height = _bar(results, run, base)
        assert case.published_percent is not None
        return None if height is None else error_percent(height, case.published_percent)

    return error


def _bar(results: Results, run: RunRequest, base: RunRequest) -> float | None:
    return None if stands_still(results[run]) or stands_still(results[base]) else bar_percent(results[run], results[base])


def _loads(reference: Reference, requests: Requests, load: Load, groups: Mapping[RunRequest, str]) -> Iterator[Row]:
    run = requests.load(load)
    names = [f"memory {key}" for key in load.memory_gb_per_s]
    names += [f"link {key}" for key in load.link_gb_per_s] + [f"link {key} utilization" for key in load.link_utilization]
    for place, name in enumerate(names):
        group = groups.get(run, f"page {load.page}")
        tolerance = reference.tolerance.loads_rms_percent
        yield Row(f"page {load.page}, {run.title}: {name}", group, "load", tolerance, (run,), _load_error(load, run, place))


def _load_error(load: Load, run: RunRequest, place: int) -> Callable[[Results], float | None]:
    def error(results: Results) -> float | None:
        if stands_still(results[run]):
            return None
        _, published, simulated = list(load_quantities(load, results[run]))[place]
        return error_percent(simulated, published)

    return error


def _anchor(reference: Reference, requests: Requests, anchor: Anchor, groups: Mapping[RunRequest, str]) -> Row:
    request = requests.anchor(anchor)
    group = "anchors" if request is None else groups.get(request, "anchors")
    if request is None:
        assert anchor.node is not None and anchor.memory is not None
        run: Run = IdleRun(anchor.machine or reference.machine, anchor.node, anchor.memory)
    else:
        run = request
    tolerance = anchor.tolerance_percent or RANGE_TOLERANCE_PERCENT
    return Row(anchor.quantity, group, "anchor", tolerance, (run,), _anchor_error(anchor, run))


def _anchor_error(anchor: Anchor, run: Run) -> Callable[[Results], float | None]:
    def error(results: Results) -> float | None:
        result = results[run]
        if stands_still(result):
            return None
        value = _latency_ns(result) if isinstance(run, IdleRun) else anchor_value(anchor, result)
        if value is None or anchor.value is not None:
            return None if value is None or anchor.value is None else error_percent(value, anchor.value)
        if anchor.lowest is not None and value < anchor.lowest:
            return error_percent(value, anchor.lowest)
        return error_percent(value, anchor.highest) if anchor.highest is not None and value > anchor.highest else 0.0

    return error


def _latency_ns(result: RunResult) -> float | None:
    return None if result.latency_ns is None else result.latency_ns.mean


def _base_time(reference: Reference, requests: Requests) -> Row:
    run, published_ns = requests.base(), reference.base.time_per_line_ns

    def error(results: Results) -> float | None:
        times = [thread.time_per_line_ns for thread in results[run].threads]
        return None if stands_still(results[run]) or times[0] is None else error_percent(times[0], published_ns)

    tolerance = reference.tolerance.base_time_per_line_percent
    return Row(f"time a line of {reference.base.threads[0]}", BASE, "anchor", tolerance, (run,), error)


def _orders(reference: Reference, requests: Requests) -> Iterator[Row]:
    base = requests.base()
    for figure in reference.figure:
        for order in figure.orders:
            runs = tuple(requests.case(figure, figure.case(title)) for title in (order.slower, order.faster))
            name = f"figure {figure.id}: {order.slower} slower than {order.faster}"
            error = _order_error(runs[0], runs[1], base)
            yield Row(name, figure.id, "order", RANGE_TOLERANCE_PERCENT, tuple(dict.fromkeys((*runs, base))), error)


def _order_error(slower: RunRequest, faster: RunRequest, base: RunRequest) -> Callable[[Results], float | None]:
    def error(results: Results) -> float | None:
        heights = [_bar(results, run, base) for run in (slower, faster)]
        if heights[0] is None or heights[1] is None:
            return None
        return min(0.0, error_percent(heights[0], heights[1]) - ORDER_MARGIN_PERCENT)

    return error
