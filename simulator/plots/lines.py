"""Lines and points over one number: small pictures that stand beside each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.plots.style import FAINT, SERIES, house_style, save
from simulator.plots.text import wrapped

TILE_WIDTH_INCH, TILE_HEIGHT_INCH = 5.4, 3.9  # two of them beside each other are as wide as a page
_MOST_IN_A_COLUMN = 3  # names
_MARKERS = ("o", "s", "^", "D", "v", "P")

Look = Literal["line", "dashed", "points", "hollow", "joined"]
_LOOKS: dict[Look, dict[str, Any]] = {
    "line": {"linewidth": 1.8},
    "dashed": {"linewidth": 1.4, "linestyle": (0, (4, 3))},
    "points": {"linestyle": "none", "markersize": 6},
    "hollow": {"linestyle": "none", "markersize": 10, "markerfacecolor": "none", "markeredgewidth": 1.6},
    "joined": {"linewidth": 1.4, "markersize": 5},
}
_MARKED: tuple[Look, ...] = ("points", "hollow", "joined")


@dataclass(frozen=True)
class Series:
    """One line, or one row of points.

    Attributes
    ----------
    name : str
        For the legend; empty for none.
    points : sequence of (float, float)
    look : {'line', 'dashed', 'points', 'hollow', 'joined'}
    half_widths : sequence of float
        Of the points' intervals; empty for none.
    colour : int, optional
        Number of the colour and marker; None: its place among the series.
    """

    name: str
    points: Sequence[tuple[float, float]]
    look: Look = "line"
    half_widths: Sequence[float] = ()
    colour: int | None = None


@dataclass(frozen=True)
class Axis:
    """What an axis says, with its unit, and how far it goes; None: as far as the points, or from 0."""

    label: str
    most: float | None = None
    least: float | None = 0.0


def draw_lines(series: Sequence[Series], path: str | os.PathLike[str], *, x: Axis, y: Axis, title: str) -> tuple[Path, ...]:
    """Draw series over a common axis, as a small picture.

    Parameters
    ----------
    series : sequence of Series
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    x, y : Axis
    title : str

    Returns
    -------
    tuple of Path
        The files written.
    """
    named = sum(bool(one.name) for one in series)
    columns = 1 if named <= _MOST_IN_A_COLUMN else 2
    with house_style():
        picture = Figure(figsize=(TILE_WIDTH_INCH, TILE_HEIGHT_INCH + 0.2 * -(-named // columns)), layout="constrained")
        axes = picture.add_subplot()
        for place, one in enumerate(series):
            _draw(axes, one, place if one.colour is None else one.colour)
        axes.set_xlim(x.least, x.most)
        axes.set_ylim(y.least, y.most)
        axes.set_xlabel(x.label)
        axes.set_ylabel(y.label)
        axes.grid(color=FAINT, alpha=0.25, linewidth=0.8)
        axes.set_title(wrapped(title, 11, TILE_WIDTH_INCH - 0.7), fontsize=11)
        if named:
            picture.legend(loc="outside lower left", ncols=columns, frameon=False, fontsize=9)
        return save(picture, path)


def _draw(axes: Axes, one: Series, number: int) -> None:
    look = dict(_LOOKS[one.look]) | {"color": SERIES[number % len(SERIES)]}
    if one.look in _MARKED:
        look["marker"] = _MARKERS[number % len(_MARKERS)]
    places, heights = [point[0] for point in one.points], [point[1] for point in one.points]
    name = one.name or "_nolegend_"
    if one.half_widths:
        axes.errorbar(places, heights, yerr=list(one.half_widths), capsize=3, label=name, **look)
    else:
        axes.plot(places, heights, label=name, **look)
