"""The same threads with their memory in several places: how long a line takes in each, walking and standing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from simulator.measure.breakdown import shown_paths
from simulator.measure.result import RunResult
from simulator.plots.lines import TILE_WIDTH_INCH
from simulator.plots.style import FAINT, INK, house_style, save
from simulator.plots.text import wrapped
from simulator.validation.breakdown import GROUPS

_HEIGHT, _ROW_INCH = 0.66, 0.46
_LEAST_ROOM = 0.09  # share of the axis that a number needs


@dataclass(frozen=True)
class _Look:
    words: str
    colour: str
    hatch: str = ""


_LOOKS = {
    "walking": _Look("walking", "#6baed6"),
    "queueing": _Look("standing: queueing", "#fdae6b", "\\\\\\\\"),
    "probe_wait": _Look("wait for probes", "#b2abd2", "||||"),
    "other": _Look("no line in the slot", "#ffffff"),
}


def draw_placements(
    runs: Mapping[str, RunResult], path: str | os.PathLike[str], *, title: str, until_ns: float
) -> tuple[Path, ...]:
    """Draw the time a line of each run, split in walking and standing, as a small picture; the fastest is marked.

    Bars are the mean over the foreground threads: the time of a line's slot over the lines that the thread has in flight.

    Parameters
    ----------
    runs : mapping of str to RunResult
        By the words for the placement, the first on top.
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    title : str
    until_ns : float
        End of the axis, so that several pictures have one scale.

    Returns
    -------
    tuple of Path
        The files written.
    """
    stacks = {name: _stack(result) for name, result in runs.items()}
    totals = {name: sum(stack.values()) for name, stack in stacks.items()}
    fastest = min(totals, key=lambda name: totals[name])
    with house_style():
        picture = Figure(figsize=(TILE_WIDTH_INCH, 1.9 + _ROW_INCH * max(2, len(runs))), layout="constrained")
        axes = picture.add_subplot()
        for place, (name, stack) in enumerate(stacks.items()):
            _draw_bar(axes, place, stack, until_ns)
            weight = "bold" if name == fastest else "normal"
            axes.text(totals[name] + 0.01 * until_ns, place, f"{totals[name]:.1f}", va="center", fontsize=10, fontweight=weight)
        axes.set_yticks(range(len(stacks)), list(stacks))
        axes.get_yticklabels()[list(stacks).index(fastest)].set_fontweight("bold")
        axes.set_ylim(len(stacks) - 0.4, -0.6)
        axes.set_xlim(0, until_ns)
        axes.tick_params(axis="y", length=0)
        axes.set_axisbelow(True)
        axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.8)
        axes.set_xlabel("time a line, ns (bold: the fastest)")
        axes.set_title(wrapped(title, 11, TILE_WIDTH_INCH - 0.7), fontsize=11)
        picture.legend(handles=_handles(), loc="outside lower left", ncols=3, frameon=False, fontsize=9)
        return save(picture, path)


def _stack(result: RunResult) -> dict[str, float]:
    """Return the parts of a run's time a line, ns; from 0 up, for the ends of the window may cut off a little."""
    paths = shown_paths(result)
    return {group: max(0.0, sum(value(path) / path.slots for path in paths) / len(paths)) for group, value in GROUPS.items()}


def _draw_bar(axes: Axes, place: int, stack: Mapping[str, float], until_ns: float) -> None:
    left = 0.0
    for group, time_ns in stack.items():
        look = _LOOKS[group]
        axes.barh(place, time_ns, _HEIGHT, left=left, color=look.colour, hatch=look.hatch, edgecolor=INK, linewidth=0.4)
        if time_ns >= _LEAST_ROOM * until_ns:
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8} if look.hatch else None
            axes.text(left + time_ns / 2, place, f"{time_ns:.0f}", ha="center", va="center", fontsize=9, bbox=box)
        left += time_ns


def _handles() -> list[Patch]:
    looks = list(_LOOKS.values())[:-1]
    return [Patch(facecolor=look.colour, hatch=look.hatch, edgecolor=INK, linewidth=0.4, label=look.words) for look in looks]
