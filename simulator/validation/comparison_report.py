"""What a comparison reports; `numasim schema compare` prints its JSON Schema."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from simulator.measure.result import Report, Verdict

SCHEMA_VERSION: Final = 1
_LONGEST_TITLE = 60


class ComparedCell(Report):
    """One measured number, simulated beside it."""

    experiment: str
    quantity: str
    unit: str
    from_node: int | None
    to_node: int | None
    threads: str
    read_fraction: float | None
    measured: float
    measured_ci_percent: float | None
    simulated: float | None = Field(description="None: the run came to a standstill")
    error_percent: float | None = Field(description="simulated less measured, in per cent of measured")
    verdict: Verdict = Field(description="of the run that simulated it")

    @property
    def title(self) -> str:
        """What it was measured on, in short."""
        return cell_title(self.from_node, self.to_node, self.threads, self.read_fraction)

    @property
    def group(self) -> tuple[str, str, str]:
        """What cells have in common that are judged together: experiment, quantity and unit."""
        return self.experiment, self.quantity, self.unit


def group_name(experiment: str, quantity: str) -> str:
    """Name values that are judged together: the experiment, and the quantity where it does not say that itself."""
    words = quantity.replace("_", " ")
    return experiment if words in experiment.replace("_", " ").lower() else f"{experiment}: {words}"


def cell_title(from_node: int | None, to_node: int | None, threads: str, read_fraction: float | None) -> str:
    """Say what a number was measured on: ``0->1, 4 threads, 50 % reads``; labels stand for all of that."""
    if threads and not threads.isdecimal():
        return threads if len(threads) <= _LONGEST_TITLE else f"{threads[: _LONGEST_TITLE - 3]}..."
    pair = "" if from_node is None and to_node is None else f"{_name(from_node)}->{_name(to_node)}"
    share = "" if read_fraction is None else f"{100 * read_fraction:.4g} % reads"
    count = threads and f"{threads} thread{'' if threads == '1' else 's'}"
    return ", ".join(part for part in (pair or "all nodes", count, share) if part)


def _name(node: int | None) -> str:
    return "?" if node is None else str(node)


class QuantitySummary(Report):
    """How far simulated is from measured, over the cells of one experiment and quantity."""

    experiment: str
    quantity: str
    unit: str
    cells: int
    mean_absolute_percent: float | None
    worst_percent: float | None = Field(description="signed error of the cell that is furthest off")
    worst: str | None = Field(description="which cell that is")
    bias_percent: float | None = Field(description="mean of the signed errors")
    rank_correlation: float | None = Field(description="Spearman's; None for fewer than three cells, or where all are equal")
    orders: int = Field(
        description="pairs of cells that differ by more than their intervals, or where none are given by 2 %, or the rounding"
    )
    orders_agree: int = Field(description="of these, how many the simulation puts in the same order")


class Beyond(Report):
    """A cell that is further off than the tolerance."""

    experiment: str
    quantity: str
    cell: str
    error_percent: float | None = Field(description="None: the run came to a standstill")


class ComparisonProvenance(Report):
    """All that determines the numbers: no clock, host or path."""

    version: str
    engine: str
    seed: int
    accuracy: dict[str, Any]
    machine: dict[str, Any]


class Comparison(Report):
    """A machine held against measured numbers."""

    schema_version: Literal[1] = SCHEMA_VERSION
    machine: str
    cells: tuple[ComparedCell, ...] = Field(description="by experiment, quantity and unit, else as they stand in the file")
    summaries: tuple[QuantitySummary, ...]
    mean_absolute_percent: float | None = Field(description="over all cells")
    tolerance_percent: float | None
    beyond: tuple[Beyond, ...] = Field(
        description="cells further off than the tolerance, or without a value; the furthest first; empty: none, or no tolerance"
    )
    not_predicted: tuple[str, ...] = Field(description="what the file holds and the model cannot say, with the reason")
    warnings: tuple[str, ...] = Field(description="what is odd about the file, or about holding it against this machine")
    provenance: ComparisonProvenance
