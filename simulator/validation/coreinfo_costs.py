"""Relative costs of memory as Coreinfo of Windows' Sysinternals prints them, simulated beside published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.interop.measured import Quantity
from simulator.tables import Cell, Table, number, row
from simulator.validation.comparison_report import ComparedCell, Comparison

TITLE = "Approximate Cross-NUMA Node Access Cost (relative to fastest)"


@dataclass(frozen=True)
class CostSummary:
    """What the published costs let a model be held to.

    Attributes
    ----------
    remote, simulated_remote : float
        Mean cost of another node's memory, published and simulated.
    asymmetry : float
        Largest difference between the published costs of a pair and of its reverse, or between two nodes' costs of their own.
    """

    remote: float
    simulated_remote: float
    asymmetry: float


def cost_tables(comparison: Comparison) -> list[Table]:
    """Lay the costs out as Coreinfo does, and what differs.

    Parameters
    ----------
    comparison : Comparison
        Of a machine with relative latencies of all its pairs.
    """
    cells = _cells(comparison)
    found = summarise_costs(comparison)
    errors = tuple(_error_row(pair, cell) for pair, cell in sorted(cells.items()))
    note = (
        f"  another node's memory: {number(found.remote, 2)} published (mean), {number(found.simulated_remote, 2)} simulated\n"
        f"  published costs of a pair and its reverse, or of two nodes' own memory, differ by up to {number(found.asymmetry)}:\n"
        "  noise of a short measurement, since the nodes are alike; the simulated machine is symmetric"
    )
    return [
        _layout(f"Published. {TITLE}", {pair: cell.measured for pair, cell in cells.items()}),
        _layout(f"Simulated, {comparison.machine}. {TITLE}", {pair: cell.simulated for pair, cell in cells.items()}),
        Table("Differences", ("pair", "published", "simulated", "difference %"), errors, note=note),
    ]


def summarise_costs(comparison: Comparison) -> CostSummary:
    """Return the means of other nodes' costs, and how far the published ones are from symmetric."""
    cells = _cells(comparison)
    remote = [cell for (start, end), cell in cells.items() if start != end]
    own = [cell.measured for (start, end), cell in cells.items() if start == end]
    turned = [abs(cell.measured - cells[end, start].measured) for (start, end), cell in cells.items()]
    return CostSummary(
        remote=_mean([cell.measured for cell in remote]),
        simulated_remote=_mean([cell.simulated or 0.0 for cell in remote]),
        asymmetry=max(*turned, max(own) - min(own)),
    )


def _cells(comparison: Comparison) -> dict[tuple[int, int], ComparedCell]:
    return {
        (cell.from_node, cell.to_node): cell
        for cell in comparison.cells
        if cell.quantity == Quantity.RELATIVE_LATENCY and cell.from_node is not None and cell.to_node is not None
    }


def _layout(title: str, costs: Mapping[tuple[int, int], float | None]) -> Table:
    nodes = sorted({node for pair in costs for node in pair})
    lines = (row(f"{start:02}:", *(number(costs.get((start, end))) for end in nodes)) for start in nodes)
    return Table(title, ("", *(f"{node:02}" for node in nodes)), tuple(lines))


def _error_row(pair: tuple[int, int], cell: ComparedCell) -> tuple[Cell, ...]:
    start, end = pair
    return row(f"{start}->{end}", number(cell.measured), number(cell.simulated, 2), number(cell.error_percent, signed=True))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
