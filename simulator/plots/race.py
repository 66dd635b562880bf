"""A line's data and the answers of all probed nodes, racing: the line is complete when the last of them is there."""

from __future__ import annotations

import os
from pathlib import Path

from matplotlib.figure import Figure

from simulator.plots.lines import TILE_WIDTH_INCH
from simulator.plots.style import FAINT, INK, SIMULATED, house_style, save
from simulator.plots.text import wrapped
from simulator.theory.zero_load import ZeroLoad
from simulator.units import ns_from_ps

_ANSWER, _HATCH = "#b2abd2", "||||"
_HEIGHT, _ROW_INCH = 0.66, 0.42
_PLAIN = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # behind text that a line may cross


def draw_race(line: ZeroLoad, path: str | os.PathLike[str], *, title: str, until_ns: float) -> tuple[Path, ...]:
    """Draw when each is there on a machine at rest, as a small picture.

    Parameters
    ----------
    line : ZeroLoad
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
    runners = [("data", line.data_ps, SIMULATED, "")]
    runners += [(f"answer of node {node}", time_ps, _ANSWER, _HATCH) for node, time_ps in sorted(line.answers_ps.items())]
    complete_ns = ns_from_ps(line.latency_ps)
    with house_style():
        picture = Figure(figsize=(TILE_WIDTH_INCH, 1.5 + _ROW_INCH * max(2, len(runners))), layout="constrained")
        axes = picture.add_subplot()
        for place, (_, time_ps, colour, hatch) in enumerate(runners):
            time_ns = ns_from_ps(time_ps)
            axes.barh(place, time_ns, _HEIGHT, color=colour, hatch=hatch, edgecolor=INK, linewidth=0.4)
            axes.text(time_ns + 0.01 * until_ns, place, f"{time_ns:.1f}", ha="left", va="center", fontsize=9, bbox=_PLAIN)
        axes.axvline(complete_ns, color=INK, linewidth=1.2, linestyle=(0, (4, 3)), zorder=0)
        axes.set_yticks(range(len(runners)), [name for name, *_ in runners])
        axes.set_ylim(len(runners) - 0.4, -0.6)
        axes.set_xlim(0, until_ns)
        axes.tick_params(axis="y", length=0)
        axes.set_axisbelow(True)
        axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.8)
        axes.set_xlabel("there after, ns (dashed: the line is complete)")
        text = f"{title}: complete after {complete_ns:.1f} ns, last is the {line.decided_by}"
        axes.set_title(wrapped(text, 11, TILE_WIDTH_INCH - 0.7), fontsize=11)
        return save(picture, path)
