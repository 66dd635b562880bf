"""A comparison as tables."""

from __future__ import annotations

from itertools import groupby

from simulator.tables import Cell, Mood, Table, number, row
from simulator.validation.comparison_report import Beyond, ComparedCell, Comparison, QuantitySummary, group_name

DIGITS = {"ns": 1, "GB/s": 2, "MB/s": 0, "": 2}  # behind the point


def comparison_tables(report: Comparison) -> tuple[Table, ...]:
    """Return a table for each experiment and quantity, and a summary."""
    groups = [(group, list(cells)) for group, cells in groupby(report.cells, key=lambda cell: cell.group)]
    return (*(_cells_table(report, group, cells) for group, cells in groups), summary_table(report))


def group_title(experiment: str, quantity: str, unit: str) -> str:
    """Name an experiment with its quantity and unit."""
    return f"{group_name(experiment, quantity)}, {unit or 'the quickest is 1'}"


def value_text(value: float | None, unit: str) -> str:
    """Write a value with as many digits as its unit has use for."""
    if value is None:
        return "-"
    return number(value, DIGITS[unit]) if 0.01 <= value < 1e7 else f"{value:.4g}"


def error_text(error: float | None, digits: int = 1) -> str:
    """Write a signed error."""
    return number(error, digits, signed=True) if error is None or abs(error) < 1e6 else f"{error:+.3g}"


def beyond_sentences(report: Comparison) -> tuple[str, ...]:
    """Say each cell that is beyond the tolerance, in the order of the report."""
    return tuple(_sentence(report, beyond) for beyond in report.beyond)


def summary_table(report: Comparison) -> Table:
    """Return the errors of each experiment in short."""
    rows = [_summary(report, summary) for summary in report.summaries]
    note = f"  mean absolute error of all {len(report.cells)} values: {number(report.mean_absolute_percent)} %"
    headers = ("", "values", "mean abs %", "bias %", "worst %", "at", "rank corr", "orders that agree")
    return Table(f"Summary: {report.machine} against the measured values", headers, tuple(rows), note=note)


def _cells_table(report: Comparison, group: tuple[str, str, str], cells: list[ComparedCell]) -> Table:
    with_ci = any(cell.measured_ci_percent is not None for cell in cells)
    unit = group[2]
    headers = ("", "measured", *(("CI %",) if with_ci else ()), "simulated", "error %")
    rows = (
        row(
            cell.title,
            value_text(cell.measured, unit),
            *((number(cell.measured_ci_percent, 1),) if with_ci else ()),
            value_text(cell.simulated, unit),
            Cell(error_text(cell.error_percent), _mood(cell.error_percent, report.tolerance_percent)),
        )
        for cell in cells
    )
    still = any(cell.simulated is None for cell in cells)
    return Table(group_title(*group), headers, tuple(rows), note="  -: the run came to a standstill" if still else "")


def _summary(report: Comparison, summary: QuantitySummary) -> tuple[Cell, ...]:
    return row(
        group_title(summary.experiment, summary.quantity, summary.unit),
        str(summary.cells),
        error_text(summary.mean_absolute_percent).lstrip("+"),
        error_text(summary.bias_percent),
        Cell(error_text(summary.worst_percent), _mood(summary.worst_percent, report.tolerance_percent)),
        summary.worst or "-",
        number(summary.rank_correlation, 2),
        f"{summary.orders_agree} of {summary.orders}" if summary.orders else "none known",
    )


def _mood(error: float | None, tolerance: float | None) -> Mood:
    if tolerance is None:
        return "plain"
    return "good" if error is not None and abs(error) <= tolerance else "bad"


def _sentence(report: Comparison, beyond: Beyond) -> str:
    where = f"{group_name(beyond.experiment, beyond.quantity)}, {beyond.cell}"
    if beyond.error_percent is None:
        return f"{where}: no value, the run came to a standstill"
    return f"{where}: {error_text(beyond.error_percent, 2)} %, more than {report.tolerance_percent:g} %"
