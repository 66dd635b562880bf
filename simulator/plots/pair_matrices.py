"""Compared values that form a matrix of node pairs, as panels of heat maps: measured, simulated, error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from simulator.plots.heat_map import Panel
from simulator.validation.comparison_report import ComparedCell
from simulator.validation.comparison_tables import DIGITS
from simulator.validation.evaluate import error_percent

MOST_MATRICES = 12
_MOST_NODES = 64  # a side
_FILLED = 0.5  # least share of cells that are there
Values = Mapping[tuple[int, int], float]


@dataclass(frozen=True)
class PairMatrix:
    """Values of pairs that differ in their nodes only.

    Attributes
    ----------
    experiment, quantity, unit, threads, read_fraction
        What they have in common.
    measured, simulated : mapping of (from_node, to_node) to float
        Means, where a pair was measured several times; without a value after a standstill.
    """

    experiment: str
    quantity: str
    unit: str
    threads: str
    read_fraction: float | None
    measured: Values
    simulated: Values

    @property
    def rows(self) -> tuple[int, ...]:
        """Nodes of the threads."""
        return tuple(sorted({row for row, _ in self.measured}))

    @property
    def columns(self) -> tuple[int, ...]:
        """Nodes of the memories."""
        return tuple(sorted({column for _, column in self.measured}))


def pair_matrices(cells: Iterable[ComparedCell]) -> tuple[PairMatrix, ...]:
    """Return at most `MOST_MATRICES` matrices of at least 2 x 2 nodes that are half filled or more."""
    groups: dict[tuple[str, str, str, str, float | None], list[ComparedCell]] = {}
    for cell in cells:
        if cell.from_node is not None and cell.to_node is not None and (cell.threads.isdecimal() or not cell.threads):
            groups.setdefault((*cell.group, cell.threads, cell.read_fraction), []).append(cell)
    found = (PairMatrix(*key, _means(group, "measured"), _means(group, "simulated")) for key, group in groups.items())
    return tuple(matrix for matrix in found if _is_matrix(matrix))[:MOST_MATRICES]


def error_panels(matrix: PairMatrix) -> tuple[Panel, ...]:
    """Return measured and simulated in the same colours, and the signed error."""
    rows, columns, digits = matrix.rows, matrix.columns, DIGITS[matrix.unit]
    both = (*matrix.measured.values(), *matrix.simulated.values())
    limits = (min(both), max(both))
    errors = {pair: error_percent(value, matrix.measured[pair]) for pair, value in matrix.simulated.items()}
    unit = f", {matrix.unit}" if matrix.unit else ""
    return (
        Panel(f"Measured{unit}", rows, columns, _table(matrix, matrix.measured), digits, limits),
        Panel(f"Simulated{unit}", rows, columns, _table(matrix, matrix.simulated), digits, limits),
        Panel("Error, %", rows, columns, _table(matrix, errors), 1, signed=True),
    )


def _is_matrix(matrix: PairMatrix) -> bool:
    rows, columns = len(matrix.rows), len(matrix.columns)
    return (
        2 <= rows <= _MOST_NODES
        and 2 <= columns <= _MOST_NODES
        and len(matrix.measured) >= _FILLED * rows * columns
        and bool(matrix.simulated)
    )


def _means(cells: Sequence[ComparedCell], side: str) -> Values:
    found: dict[tuple[int, int], list[float]] = {}
    for cell in cells:
        value = getattr(cell, side)
        if value is not None and cell.from_node is not None and cell.to_node is not None:
            found.setdefault((cell.from_node, cell.to_node), []).append(value)
    return {pair: sum(values) / len(values) for pair, values in found.items()}


def _table(matrix: PairMatrix, values: Values) -> tuple[tuple[float | None, ...], ...]:
    return tuple(tuple(values.get((row, column)) for column in matrix.columns) for row in matrix.rows)
