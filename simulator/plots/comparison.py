"""Measured and simulated values: as points on a plane, and as heat maps side by side where they form a matrix."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from simulator.interop.measured import Quantity
from simulator.plots.heat_map import draw_heat_maps
from simulator.plots.pair_matrices import PairMatrix, error_panels, pair_matrices
from simulator.plots.style import FAINT, INK, SERIES, house_style, picture_paths, save
from simulator.plots.text import wrapped
from simulator.validation.comparison_report import ComparedCell, Comparison
from simulator.validation.comparison_tables import error_text, group_title

_PANEL_INCH = 4.6
_LEGEND_INCH = 0.2  # a line
_MOST_COLUMNS = 3
_LOG_FROM = 20.0  # times that the largest value is the smallest
_DECADES_FROM = 100.0  # the same: from here on only powers of ten are written
_MOST_AS_SHAPES = 5000  # points; more would make an SVG slow to open
_MARKERS = ("o", "s", "^", "D", "v", "P")
_LONGEST_NAME = 40  # characters of an experiment in a legend


def draw_comparison(report: Comparison, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw simulated over measured, and each matrix of node pairs as heat maps.

    Parameters
    ----------
    report : Comparison
    path : path
        Of the points; see :func:`simulator.plots.style.picture_paths`. The heat maps lie beside it: ``name-matrix.png``,
        ``name-matrix-2.png`` and so on, in the order of the report.

    Returns
    -------
    tuple of Path
        The files written.
    """
    written = draw_scatter(report, path)
    for number, matrix in enumerate(pair_matrices(report.cells), start=1):
        written += draw_heat_maps(error_panels(matrix), matrix_path(path, number), heading=_heading(report, matrix))
    return written


def matrix_path(path: str | os.PathLike[str], number: int) -> Path:
    """Return where the heat maps of a matrix are written; numbers begin at 1."""
    target = Path(path)
    end = target.suffix if len(picture_paths(target)) == 1 else ""
    name = target.name.removesuffix(end) if end else target.name
    return target.with_name(f"{name}-matrix{'' if number == 1 else f'-{number}'}{end}")


def draw_scatter(report: Comparison, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw simulated over measured, a panel for each quantity and unit, with the line on which they are equal.

    Parameters
    ----------
    report : Comparison
        With a tolerance, what is within it is shaded.
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    panels = _panels(report.cells)
    columns = min(_MOST_COLUMNS, max(1, len(panels)))
    lines = -(-max(1, len(panels)) // columns)
    tall = _PANEL_INCH + 0.1 + _LEGEND_INCH * max((_legend_lines(cells) for cells in panels), default=0)
    with house_style():
        wide = columns * _PANEL_INCH
        heading = wrapped(f"{report.machine}: simulated over measured", 12, wide - 0.4)
        picture = Figure(figsize=(wide, lines * tall + 0.25 * (1 + heading.count("\n"))), layout="constrained")
        picture.suptitle(heading, x=0.01, ha="left", fontsize=12)
        for place, cells in enumerate(panels):
            _draw_points(picture.add_subplot(lines, columns, place + 1), cells, report.tolerance_percent)
        return save(picture, path)


def _panels(cells: Sequence[ComparedCell]) -> list[list[ComparedCell]]:
    """Return the cells that have a value, by quantity and unit."""
    panels: dict[tuple[str, str], list[ComparedCell]] = {}
    for cell in cells:
        if cell.simulated is not None:
            panels.setdefault((cell.quantity, cell.unit), []).append(cell)
    return list(panels.values())


def _legend_lines(cells: Sequence[ComparedCell]) -> int:
    experiments = len({cell.experiment for cell in cells})
    return 3 + (experiments if experiments <= len(SERIES) else 0)  # equal, tolerance, worst


def _draw_points(axes: Axes, cells: Sequence[ComparedCell], tolerance_percent: float | None) -> None:
    experiments = [list(group) for _, group in groupby(cells, key=lambda cell: cell.experiment)]
    named = 1 < len(experiments) <= len(SERIES)
    low, high = _limits(axes, cells)
    axes.plot([low, high], [low, high], color=FAINT, linewidth=1, zorder=1, label="equal")
    if tolerance_percent is not None:
        _shade(axes, low, high, tolerance_percent)
    for place, group in enumerate(experiments):
        axes.scatter(
            [cell.measured for cell in group],
            [cell.simulated or 0.0 for cell in group],
            s=26,
            color=SERIES[place % len(SERIES)] if named else SERIES[0],
            marker=_MARKERS[place % len(_MARKERS)] if named else _MARKERS[0],
            alpha=0.75,
            linewidths=0,
            zorder=2,
            rasterized=len(cells) > _MOST_AS_SHAPES,
            label=_cut(group[0].experiment) if named else None,
        )
    _ring_worst(axes, cells)
    title = group_title(experiments[0][0].experiment, cells[0].quantity, cells[0].unit) if len(experiments) == 1 else ""
    axes.set_title(wrapped(_cut(title, 80), 11, _PANEL_INCH - 1.0), fontsize=11)
    quantity = _quantity(cells[0])
    axes.set_xlabel(f"measured {quantity}")
    axes.set_ylabel(f"simulated {quantity}")
    axes.grid(color=FAINT, alpha=0.25, linewidth=0.8)
    axes.legend(loc="upper left", bbox_to_anchor=(-0.02, -0.13), frameon=False, fontsize=9)


def _limits(axes: Axes, cells: Sequence[ComparedCell]) -> tuple[float, float]:
    """Set both axes to the same range, logarithmic where values span much; return it."""
    values = [value for cell in cells for value in (cell.measured, cell.simulated) if value]
    smallest, largest = min(values), max(values)
    if largest > _LOG_FROM * smallest:
        _make_logarithmic(axes, largest / smallest)
        low, high = smallest / 1.3, largest * 1.3
    else:
        room = 0.08 * (largest - smallest) or 0.08 * largest
        low, high = max(0.0, smallest - room), largest + room
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_box_aspect(1)
    return low, high


def _make_logarithmic(axes: Axes, span: float) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if span < _DECADES_FROM else (1.0,)))
        axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))  # the usual one writes mathematics
        axis.set_minor_formatter(NullFormatter())


def _shade(axes: Axes, low: float, high: float, tolerance_percent: float) -> None:
    share, name = tolerance_percent / 100, f"within {tolerance_percent:g} %"
    ends = np.geomspace(low, high, 2) if low else np.array([low, high])
    axes.fill_between(ends, ends * max(0.0, 1 - share), ends * (1 + share), color=FAINT, alpha=0.2, linewidth=0, label=name)


def _ring_worst(axes: Axes, cells: Sequence[ComparedCell]) -> None:
    worst = max(cells, key=lambda cell: abs(cell.error_percent or 0.0))
    axes.scatter(
        [worst.measured],
        [worst.simulated or 0.0],
        s=110,
        facecolors="none",
        edgecolors=INK,
        linewidths=1.4,
        zorder=3,
        label=f"worst: {_cut(worst.title)}, {error_text(worst.error_percent)} %",
    )


def _quantity(cell: ComparedCell) -> str:
    if cell.quantity == Quantity.RELATIVE_LATENCY:
        return "latency, the quickest is 1"
    names = {Quantity.TIME_PER_LINE: "time a line", Quantity.TOTAL_TIME: "times a line, summed"}
    return f"{names.get(Quantity(cell.quantity), cell.quantity)}, {cell.unit}"


def _heading(report: Comparison, matrix: PairMatrix) -> str:
    rest = f", {matrix.threads} threads" if matrix.threads else ""
    rest += "" if matrix.read_fraction is None else f", {100 * matrix.read_fraction:.4g} % reads"
    return f"{report.machine}: {group_title(matrix.experiment, matrix.quantity, matrix.unit)}{rest}"


def _cut(text: str, longest: int = _LONGEST_NAME) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
