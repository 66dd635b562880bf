"""Values from node to node as heat maps, each value written in its cell."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, ListedColormap, Normalize
from matplotlib.figure import Figure

from simulator.measure.matrix import MatrixReport
from simulator.plots.style import FAINT, INK, UTILIZATION_MAP, house_style, save
from simulator.plots.text import fitting_size, wrapped
from simulator.tables import number

_CELL_INCH, _SMALLEST_INCH, _WIDE = 0.85, 0.42, 13.0  # of a cell, with few nodes and with many; of all cells of a panel at most
_PANEL_INCH = 1.7  # least width of a panel, so that its title has room
_MISSING = "#eeeeee"
DIFFERENCE_MAP = "PuOr_r"  # purple below 0, orange above: told apart with every common colour blindness


@dataclass(frozen=True)
class Panel:
    """One heat map.

    Attributes
    ----------
    title : str
        With the unit.
    rows, columns : tuple of int
        Nodes of the threads and of the memories.
    values : sequence of sequence of float or None, shape (rows, columns)
        None is drawn as an empty cell with a dash.
    digits : int
        Behind the point.
    limits : tuple of float, optional
        Values of the lightest and the darkest colour; None: the smallest and the largest of this panel.
    signed : bool
        Values are differences: written with their sign, in two colours that part at 0.
    """

    title: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    values: Sequence[Sequence[float | None]]
    digits: int = 1
    limits: tuple[float, float] | None = None
    signed: bool = False


def draw_matrix(report: MatrixReport, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw the matrices of a machine side by side.

    Parameters
    ----------
    report : MatrixReport
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    threads = "a thread on every core" if report.threads_per_node is None else f"{report.threads_per_node} threads a node"
    threads = "one thread a node" if report.threads_per_node == 1 else threads
    panels, heading = [], f"{report.machine}, simulated"
    if latency := report.values("latency"):
        panels.append(Panel("Idle latency, ns", report.rows, report.columns, latency))
    if bandwidth := report.values("bandwidth"):
        panels.append(Panel("Bandwidth, GB/s", report.rows, report.columns, bandwidth, digits=2))
        heading += f"; bandwidth with {100 * report.read_fraction:.3g} % reads, {threads}"
    return draw_heat_maps(panels, path, heading=heading)


def draw_heat_maps(panels: Sequence[Panel], path: str | os.PathLike[str], *, heading: str) -> tuple[Path, ...]:
    """Draw heat maps side by side; the larger a value, the darker its cell.

    Parameters
    ----------
    panels : sequence of Panel
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    heading : str

    Returns
    -------
    tuple of Path
        The files written.
    """
    cell = min(_cell_inch(panel) for panel in panels)
    widths = [max(_PANEL_INCH, len(panel.columns) * cell) for panel in panels]
    height = max(len(panel.rows) for panel in panels) * cell
    with house_style():
        wide = sum(widths) + 0.9 * len(panels) + 0.3
        lines = wrapped(heading, 12, wide - 0.3)
        picture = Figure(figsize=(wide, height + 1.3 + 0.25 * (1 + lines.count("\n"))), layout="constrained")
        picture.suptitle(lines, x=0.01, ha="left", fontsize=12)
        all_axes = picture.subplots(1, len(panels), width_ratios=widths, squeeze=False)[0]
        for panel, width, axes in zip(panels, widths, all_axes, strict=True):
            _draw_panel(axes, panel, cell, width)
        return save(picture, path)


def _cell_inch(panel: Panel) -> float:
    return max(_SMALLEST_INCH, min(_CELL_INCH, _WIDE / max(len(panel.rows), len(panel.columns))))


def _draw_panel(axes: Axes, panel: Panel, cell: float, width: float) -> None:
    values = np.array([[np.nan if value is None else value for value in row] for row in panel.values])
    low, high = panel.limits or (_known(panel.values, min), _known(panel.values, max))
    if panel.signed:
        low, high = -max(-low, high), max(-low, high)
    scale = Normalize(low, high if high > low else low + 1)
    colours = _colours(DIFFERENCE_MAP if panel.signed else UTILIZATION_MAP)
    axes.imshow(values, cmap=colours, norm=scale, aspect="equal", interpolation="nearest")
    _write_values(axes, panel, cell, scale, colours)
    axes.set_xticks(range(len(panel.columns)), [str(node) for node in panel.columns])
    axes.set_yticks(range(len(panel.rows)), [str(node) for node in panel.rows])
    axes.set_xlabel("memory of node")
    axes.set_ylabel("threads on node")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(len(panel.columns) - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(len(panel.rows) - 1) + 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    axes.set_title(wrapped(panel.title, 11, width), fontsize=11)


def _write_values(axes: Axes, panel: Panel, cell: float, scale: Normalize, colours: Colormap) -> None:
    texts = [[number(value, panel.digits, signed=panel.signed) for value in row] for row in panel.values]
    size = fitting_size(max((text for row in texts for text in row), key=len), 11.0, 0.82 * cell)
    for row, values in enumerate(panel.values):
        for column, value in enumerate(values):
            ink = _ink(value, scale, colours)
            shown = axes.text(column, row, texts[row][column], ha="center", va="center", fontsize=size, color=ink)
            shown.set_in_layout(False)  # each keeps to its cell; to measure thousands of them would take a minute


def _known(values: Sequence[Sequence[float | None]], pick: Callable[[list[float]], float]) -> float:
    """Return the smallest or largest value that is there, 0 where there is none."""
    known = [value for row in values for value in row if value is not None]
    return pick(known) if known else 0.0


def _colours(name: str) -> Colormap:
    """Return a map of colours, grey where there is no value."""
    whole = colormaps[name]
    return ListedColormap([whole(step / 255) for step in range(256)]).with_extremes(bad=_MISSING)


def _ink(value: float | None, scale: Normalize, colours: Colormap) -> str:
    """Return the colour of text that is readable on a cell, by the relative luminance of its colour (WCAG 2, 1.4.3)."""
    if value is None:
        return FAINT
    channels = np.array(colours(float(scale(value)))[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return INK if float(linear @ (0.2126, 0.7152, 0.0722)) > 0.22 else "white"
