"""From the repeats of a test to the rows that are written."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from simulator.host.plan import HostTest
from simulator.host.report import HostMeasurement, HostReport
from simulator.host.statistics import interval_percent
from simulator.host.together import Outcome
from simulator.interop.measured import Measurement, Quantity
from simulator.units import LINE_BYTES


def measurements(test: HostTest, runs: Sequence[Outcome]) -> list[HostMeasurement]:
    """Return the rows of one test: medians of its repeats and their intervals.

    Runs whose threads were not together for one chunk are left out; with none left there is no row.
    """
    times = [run.time_per_line_ns for run in runs if run.time_per_line_ns is not None]
    if not times:
        return []
    first = test.threads[0]
    pair = {"from_node": first.node, "to_node": first.memory}
    reads = {"read_fraction": 1.0 if first.mode == "r" else 0.0}
    if test.experiment == "idle_latency":
        return [_row(test, Quantity.LATENCY, [each[0] for each in times], **pair)]
    if test.experiment == "bandwidth":
        together = [sum(LINE_BYTES / time for time in each) for each in times]
        return [_row(test, Quantity.BANDWIDTH, together, threads=str(len(test.threads)), **pair, **reads)]
    if test.experiment == "one_thread":
        return [_row(test, Quantity.TIME_PER_LINE, [each[0] for each in times], threads=first.label, **pair, **reads)]
    one, other = (thread.label for thread in test.threads)
    return [
        _row(test, Quantity.TIME_PER_LINE, [each[0] for each in times], threads=f"{one} {other}"),
        _row(test, Quantity.TIME_PER_LINE, [each[1] for each in times], threads=f"{other} {one}"),
        _row(test, Quantity.TOTAL_TIME, [sum(each) for each in times], threads=f"{one} {other}"),
    ]


def _row(test: HostTest, quantity: Quantity, values: list[float], **place: object) -> HostMeasurement:
    unit = "GB/s" if quantity is Quantity.BANDWIDTH else "ns"
    fields = {"experiment": test.experiment, "quantity": quantity, "unit": unit, **place}
    return HostMeasurement.model_validate(
        {**fields, "value": median(values), "ci_percent": interval_percent(values), "repeats": tuple(values)}
    )


def csv_rows(report: HostReport) -> list[Measurement]:
    """Return the rows of the CSV file that `compare` reads, rounded to what can be known."""
    rows = []
    for row in report.measurements:
        ci_percent = None if row.ci_percent is None else round(row.ci_percent, 2)
        fields = row.model_dump(exclude={"repeats", "value", "ci_percent"})
        rows.append(Measurement(**fields, value=float(f"{row.value:.5g}"), ci_percent=ci_percent))
    return rows
