"""Customers at one server: who waits from when to when, and how many are there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from simulator.plots.lines import TILE_WIDTH_INCH
from simulator.plots.style import FAINT, INK, SIMULATED, house_style, save
from simulator.plots.text import wrapped

_WAITING, _HATCH = "#fdae6b", "\\\\\\\\"
_HEIGHT = 0.66  # of a bar, where customers are 1 apart
_TALL_INCH, _ROW_INCH = 3.6, 0.3


@dataclass(frozen=True)
class Visit:
    """A customer's times, in one unit: arrival, start of service, departure."""

    arrival: float
    start: float
    end: float


def draw_visits(visits: Sequence[Visit], path: str | os.PathLike[str], *, title: str, unit: str = "ns") -> tuple[Path, ...]:
    """Draw a bar for each customer: waiting hatched, service plain, with both times written in.

    Parameters
    ----------
    visits : sequence of Visit
        A few; the first on top.
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    title, unit : str

    Returns
    -------
    tuple of Path
        The files written.
    """
    with house_style():
        picture = Figure(figsize=(TILE_WIDTH_INCH * 1.4, 1.5 + _ROW_INCH * len(visits)), layout="constrained")
        axes = picture.add_subplot()
        for place, visit in enumerate(visits):
            _bar(axes, place, visit.arrival, visit.start, _WAITING, _HATCH)
            _bar(axes, place, visit.start, visit.end, SIMULATED, "")
        axes.set_yticks(range(len(visits)), [str(place + 1) for place in range(len(visits))])
        axes.set_ylim(len(visits) - 0.4, -0.6)
        axes.set_xlim(0, None)
        axes.set_ylabel("customer")
        axes.set_xlabel(f"time, {unit}")
        axes.set_title(wrapped(title, 11, TILE_WIDTH_INCH * 1.4 - 0.7), fontsize=11)
        handles = [Patch(facecolor=_WAITING, hatch=_HATCH, edgecolor=INK, linewidth=0.4, label="waits")]
        handles.append(Patch(facecolor=SIMULATED, edgecolor=INK, linewidth=0.4, label="is served"))
        picture.legend(handles=handles, loc="outside lower left", ncols=2, frameon=False, fontsize=9)
        return save(picture, path)


def draw_present(
    visits: Sequence[Visit], path: str | os.PathLike[str], *, title: str, until: float, most: int, unit: str = "ns"
) -> tuple[Path, ...]:
    """Draw how many customers are there over time, and their mean over that time, as a small picture.

    Parameters
    ----------
    visits : sequence of Visit
        From time 0, at least all that arrive before `until`.
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    title : str
    until : float
        End of the picture.
    most : int
        Top of the picture, so that several have one scale.
    unit : str

    Returns
    -------
    tuple of Path
        The files written.
    """
    times, counts = _present(visits, until)
    mean = sum(count * (end - start) for count, start, end in zip(counts, times, times[1:], strict=False)) / until
    with house_style():
        picture = Figure(figsize=(TILE_WIDTH_INCH, _TALL_INCH), layout="constrained")
        axes = picture.add_subplot()
        axes.fill_between(times, counts, step="post", color=_WAITING, linewidth=0)
        axes.fill_between(times, [min(count, 1) for count in counts], step="post", color=SIMULATED, linewidth=0)
        axes.axhline(mean, color=INK, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.set_xlim(0, until)
        axes.set_ylim(0, most)
        axes.set_xlabel(f"time, {unit}")
        axes.set_ylabel("customers there")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.8)
        axes.set_title(wrapped(f"{title}: {mean:.1f} there (mean, dashed)", 11, TILE_WIDTH_INCH - 0.7), fontsize=11)
        handles = [Patch(color=SIMULATED, label="is served"), Patch(color=_WAITING, label="wait")]
        picture.legend(handles=handles, loc="outside lower left", ncols=2, frameon=False, fontsize=9)
        return save(picture, path)


def _bar(axes: Axes, place: int, start: float, end: float, colour: str, hatch: str) -> None:
    if end > start:
        axes.barh(place, end - start, _HEIGHT, left=start, color=colour, hatch=hatch, edgecolor=INK, linewidth=0.4)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8} if hatch else None
        ink = INK if hatch else "white"
        axes.text((start + end) / 2, place, f"{end - start:g}", ha="center", va="center", fontsize=8.5, color=ink, bbox=box)


def _present(visits: Sequence[Visit], until: float) -> tuple[list[float], list[int]]:
    """Return the times at which the number of customers changes, 0 and `until` included, and the number from each on."""
    changes = sorted([(visit.arrival, 1) for visit in visits] + [(visit.end, -1) for visit in visits])
    times, counts = [0.0], [0]
    for time, change in changes:
        if time < until:
            times.append(time)
            counts.append(counts[-1] + change)
    return [*times, until], [*counts, counts[-1]]
