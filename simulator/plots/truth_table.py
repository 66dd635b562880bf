"""A truth table as one square: rows the first thread, columns the second."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure

from simulator.plots.style import INK, UTILIZATION_MAP, house_style, save
from simulator.validation.truth_table_report import SIMULATED, TIME_SLICING, Method, TruthTable

_CELL_INCH = 0.155
_MEMORY, _MODE, _NODE = 0.35, 1.5, 3.1  # distance of the labels from the square, in cells
_WIDER = 2.2  # so much farther are nodes on the left, where the names of cores lie along the distance
_Grid = npt.NDArray[np.float64]


def draw_truth_table(table: TruthTable, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw the mean time a line of every pair; pairs on one core (time slicing) have a grey scale of their own.

    Parameters
    ----------
    table : TruthTable
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    count = len(table.threads)
    with house_style():
        picture = Figure(figsize=(count * _CELL_INCH + 3.2, count * _CELL_INCH + 1.4))
        axes = picture.add_axes((0.13, 0.06, 0.72, 0.72 * (count * _CELL_INCH + 3.2) / (count * _CELL_INCH + 1.4)))
        axes.set_xlim(0, count)
        axes.set_ylim(count, 0)
        for method in (SIMULATED, TIME_SLICING):
            _draw_cells(picture, axes, table, method)
        _mark_blocks(axes, table.threads)
        axes.set_title(
            f"Two threads on {table.machine}, idle: mean time a line, % of {table.base} alone", pad=_points(_NODE + 3.6)
        )
        axes.set_axis_off()
        return save(picture, path)


def _draw_cells(picture: Figure, axes: Axes, table: TruthTable, method: Method) -> None:
    values = _values(table, method)
    if np.isnan(values).all():
        return
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    scale, colours = Normalize(low, high if high > low else low + 1), _colours(method)
    edge = values.shape[0]
    axes.imshow(values, cmap=colours, norm=scale, extent=(0, edge, edge, 0), interpolation="nearest", aspect="equal")
    height = 0.34
    place = axes.get_position()
    bottom = place.y0 + (place.height * (1 - height) if method == SIMULATED else 0.0)
    bar_axes = picture.add_axes((place.x1 + 0.025, bottom, 0.018, place.height * height))
    bar = picture.colorbar(ScalarMappable(scale, colours), cax=bar_axes)
    bar.set_label("a core each: simulated, %" if method == SIMULATED else "both on one core: time slicing, %")


def _values(table: TruthTable, method: Method) -> _Grid:
    """Return the per cent of one method's pairs, shape (first, second); NaN elsewhere and at a standstill."""
    index = {label: number for number, label in enumerate(table.threads)}
    values = np.full((len(index), len(index)), np.nan)
    for row in table.rows:
        if row.method == method and row.percent is not None:
            values[index[row.first], index[row.second]] = row.percent
    return values


def _colours(method: Method) -> ListedColormap:
    """Return two maps that nobody mistakes for each other: the palest part of each is left out."""
    whole = colormaps[UTILIZATION_MAP if method == SIMULATED else "Greys"]
    low, high = (0.0, 1.0) if method == SIMULATED else (0.2, 0.85)
    return ListedColormap([whole(low + (high - low) * step / 255) for step in range(256)])


def _mark_blocks(axes: Axes, threads: Sequence[str]) -> None:
    """Draw a line around each node (thick), core and mode (thin), and name them along the left and the upper edge."""
    parts = [label.split(".") for label in threads]
    count = len(parts)
    for position, (_, _, _, memory) in enumerate(parts):
        _name(axes, position + 0.5, _MEMORY, memory, size=5.5)
    for depth, width, colour in ((3, 0.5, "white"), (2, 0.9, "white"), (1, 2.2, INK)):
        start = 0
        for key, block in groupby(part[:depth] for part in parts):
            end = start + len(list(block))
            middle = (start + end) / 2
            if depth == 3:
                _name(axes, middle, _MODE, f"core {key[1]} {key[2]}", size=7.5)
            elif depth == 1:
                _name(axes, middle, _NODE, f"node {key[0]}", size=11, bold=True)
            for edge in (start, end):
                axes.plot([edge, edge], [0, count], color=colour, linewidth=width, solid_capstyle="butt")
                axes.plot([0, count], [edge, edge], color=colour, linewidth=width, solid_capstyle="butt")
            start = end
    _name_levels(axes, count)


def _name(axes: Axes, position: float, distance: float, text: str, *, size: float, bold: bool = False) -> None:
    weight = "bold" if bold else "normal"
    axes.text(position, -distance, text, ha="center", va="bottom", fontsize=size, fontweight=weight)
    turned, extra = (90, _WIDER) if bold else (0, 0.0)
    axes.text(-distance - extra, position, text, ha="right", va="center", fontsize=size, fontweight=weight, rotation=turned)


def _name_levels(axes: Axes, count: int) -> None:
    axes.text(count / 2, -_NODE - 1.7, "second thread", ha="center", va="bottom")
    axes.text(-_NODE - _WIDER - 2.0, count / 2, "first thread", ha="center", va="center", rotation=90)
    note = "along each edge: its node; its core and whether it reads (r) or writes (w); the node of its memory"
    axes.text(count / 2, count + 1.2, note, ha="center", va="top")


def _points(cells: float) -> float:
    return cells * _CELL_INCH * 72
