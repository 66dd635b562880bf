"""Machines compared: idle latency by hops, and all-to-all bandwidth with what bounds it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from simulator.plots.style import FAINT, INK, SERIES, SIMULATED, house_style, save
from simulator.validation.topologies import TopologyRow

_WIDTH_INCH, _ROW_INCH, _REST_INCH = 12.0, 0.5, 1.9
_MARKERS = ("o", "s", "^", "D", "v", "P")
_APART = 0.16  # between the hops of one machine, where machines are 1 apart


def draw_topologies(rows: Sequence[TopologyRow], path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw both, a row a machine.

    Parameters
    ----------
    rows : sequence of TopologyRow
        From the top.
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    with house_style():
        picture = Figure(figsize=(_WIDTH_INCH, _REST_INCH + _ROW_INCH * len(rows)), layout="constrained")
        left, right = picture.subplots(1, 2, sharey=True)
        _draw_latencies(left, rows)
        _draw_bandwidths(right, rows)
        names = [f"{one.machine}\n{one.links} link{'' if one.links == 1 else 's'}, {one.average_hops:.3f} hops" for one in rows]
        left.set_yticks(range(len(rows)), names, fontsize=8.5)
        left.set_ylim(len(rows) - 0.5, -0.5)
        for axes in (left, right):
            axes.tick_params(axis="y", length=0)
            axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.8)
            axes.set_xlim(left=0)
        return save(picture, path)


def _draw_latencies(axes: Axes, rows: Sequence[TopologyRow]) -> None:
    farthest = max(latency.hops for one in rows for latency in one.latencies)
    for place, one in enumerate(rows):
        for latency in one.latencies:
            height = place + _APART * (latency.hops - farthest / 2)
            colour, marker = SERIES[latency.hops % len(SERIES)], _MARKERS[latency.hops % len(_MARKERS)]
            axes.plot([latency.least_ns, latency.most_ns], [height, height], color=colour, linewidth=2)
            axes.plot([latency.mean_ns], [height], color=colour, marker=marker, markersize=5.5)
    handles = [
        Line2D([], [], color=SERIES[far % len(SERIES)], marker=_MARKERS[far % len(_MARKERS)], label=f"{far}")
        for far in range(farthest + 1)
    ]
    axes.legend(handles=handles, title="hops", loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=len(handles), frameon=False)
    axes.set_xlabel("latency of an idle read, ns")
    axes.set_title("Idle latency by hops: mean, and from least to most")


def _draw_bandwidths(axes: Axes, rows: Sequence[TopologyRow]) -> None:
    for place, one in enumerate(rows):
        found, rate = one.bandwidth, one.bandwidth.own.mean
        axes.barh(place, rate, 0.55, color=SIMULATED)
        below, above = rate - found.least_gb_per_s, found.most_gb_per_s - rate
        axes.errorbar([rate], [place], xerr=[[below], [above]], color=INK, capsize=3, linewidth=1.2)
        axes.plot([found.bound.gb_per_s] * 2, [place - 0.36, place + 0.36], color=SERIES[1], linewidth=2.4)
        end = max(found.most_gb_per_s, found.bound.gb_per_s)
        axes.annotate(f"{rate:.1f}", (end, place), (5, 0), textcoords="offset points", va="center", fontsize=8.5)
    handles = [
        Patch(color=SIMULATED, label="simulated"),
        Line2D([], [], color=INK, marker="|", label="either arbitration,\nany buffers"),
        Line2D(
            [],
            [],
            color=SERIES[1],
            linestyle="none",
            marker="|",
            markersize=12,
            markeredgewidth=2.4,
            label="bound where all\nread equally",
        ),
    ]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False)
    axes.set_xlabel("data that all nodes read from all nodes, GB/s")
    axes.set_title("All-to-all bandwidth")
