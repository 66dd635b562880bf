"""The errors of a comparison in short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from simulator.interop.measured import Quantity
from simulator.validation.comparison_report import ComparedCell, QuantitySummary
from simulator.validation.orders import count_orders

EQUAL_PERCENT = 2.0  # measured numbers without intervals that are closer than this have no order
RELATIVE_ROUNDING = 0.05  # Coreinfo prints one decimal


def summaries(cells: Sequence[ComparedCell]) -> Iterator[QuantitySummary]:
    """Yield the errors of each experiment, quantity and unit, in the order of the cells."""
    for (experiment, quantity, unit), group in groupby(cells, key=lambda cell: cell.group):
        found = list(group)
        errors = [cell.error_percent for cell in found]
        worst = max(found, key=lambda cell: abs(cell.error_percent or 0.0))
        known = [cell for cell in found if cell.simulated is not None]
        orders, agree = count_orders([interval(cell) for cell in known], [cell.simulated or 0.0 for cell in known])
        yield QuantitySummary(
            experiment=experiment,
            quantity=quantity,
            unit=unit,
            cells=len(found),
            mean_absolute_percent=mean_of_known(None if error is None else abs(error) for error in errors),
            worst_percent=worst.error_percent,
            worst=worst.title if known else None,
            bias_percent=mean_of_known(errors),
            rank_correlation=rank_correlation(found),
            orders=orders,
            orders_agree=agree,
        )


def rank_correlation(cells: Sequence[ComparedCell]) -> float | None:
    """Return Spearman's rank correlation of simulated and measured values; None where it says nothing.

    C. Spearman, The proof and measurement of association between two things, American Journal of Psychology 15, 1904.
    """
    from scipy.stats import spearmanr

    pairs = [(cell.measured, cell.simulated) for cell in cells if cell.simulated is not None]
    if len(pairs) < 3 or any(len(set(side)) == 1 for side in zip(*pairs, strict=True)):
        return None
    return float(spearmanr(*zip(*pairs, strict=True)).statistic)


def interval(cell: ComparedCell) -> tuple[float, float]:
    """Return what the measured value may be: its confidence interval, or what is taken for one."""
    if cell.measured_ci_percent is not None:
        half = cell.measured * cell.measured_ci_percent / 100
    else:
        half = cell.measured * EQUAL_PERCENT / 200
        if cell.quantity == Quantity.RELATIVE_LATENCY:
            half = max(half, RELATIVE_ROUNDING * (1 + 1e-9))  # so that 1.0 and 1.1 touch
    return cell.measured - half, cell.measured + half


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there; None of none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
