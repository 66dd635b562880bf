"""Latency over the bandwidth that is had at the same time: a curve for each share of reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from simulator.measure.loaded import LoadedPoint, LoadedReport
from simulator.plots.style import FAINT, INK, SERIES, house_style, save
from simulator.plots.text import wrapped

_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_LINES = ("-", "--", ":")
_WIDTH_INCH = 8.6
_MOST_NAMED = 4  # nodes


def draw_loaded_latency(report: LoadedReport, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw the curves, with a ring around the saturation point of each that has one.

    Parameters
    ----------
    report : LoadedReport
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    with house_style():
        picture = Figure(figsize=(_WIDTH_INCH, 5.2 + 0.22 * len(report.read_fractions)), layout="constrained")
        axes = picture.add_subplot()
        for place, share in enumerate(report.read_fractions):
            _draw_curve(axes, report.curve(share), place)
        _label(axes, report)
        handles = axes.get_legend_handles_labels()[0]
        if any(point.saturated for point in report.points):
            handles.append(_ring(INK, "saturation: latency doubled, or 95 % of the curve's bandwidth and latency 10 % up"))
        picture.legend(handles=handles, loc="outside lower left", frameon=False, fontsize=9)
        return save(picture, path)


def _draw_curve(axes: Axes, points: Sequence[LoadedPoint], place: int) -> None:
    known = [
        (p.bandwidth_gb_per_s, p.latency_ns) for p in points if p.bandwidth_gb_per_s is not None and p.latency_ns is not None
    ]
    colour = SERIES[place % len(SERIES)]
    axes.plot(
        [bandwidth for bandwidth, _ in known],
        [latency for _, latency in known],
        color=colour,
        marker=_MARKERS[place % len(_MARKERS)],
        markersize=5,
        linestyle=_LINES[place // len(SERIES) % len(_LINES)],
        linewidth=1.6,
        label=_name(points),
    )
    for point in points:
        if point.saturated and point.bandwidth_gb_per_s is not None and point.latency_ns is not None:
            ring = _ring(colour, "")
            ring.set_data([point.bandwidth_gb_per_s], [point.latency_ns])
            ring.set_zorder(3)
            axes.add_line(ring)


def _ring(colour: str, name: str) -> Line2D:
    return Line2D(
        [], [], linestyle="none", marker="o", markersize=14, markerfacecolor="none", markeredgecolor=colour, mew=2, label=name
    )


def _name(points: Sequence[LoadedPoint]) -> str:
    share = f"{100 * points[0].read_fraction:.3g} % reads"
    for point in points:
        if point.saturated:
            where = f"{point.bandwidth_gb_per_s:.2f} GB/s, {point.latency_ns:.0f} ns"
            return f"{share}: saturates at {where} (delay {point.inject_delay_ns} ns)"
    return f"{share}: does not saturate"


def _load(report: LoadedReport) -> str:
    threads = "1 thread" if report.generators == 1 else f"{report.generators} threads"
    if len(report.load_nodes) > _MOST_NAMED:
        return f"{threads} of {len(report.load_nodes)} nodes"
    return f"{threads} of node{'s' if len(report.load_nodes) > 1 else ''} {', '.join(map(str, report.load_nodes))}"


def _label(axes: Axes, report: LoadedReport) -> None:
    if report.idle_latency_ns is not None:
        axes.axhline(report.idle_latency_ns, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
        axes.annotate(
            f"idle, {report.idle_latency_ns:.1f} ns",
            (1.0, report.idle_latency_ns),
            xycoords=("axes fraction", "data"),
            xytext=(0, -3),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=9,
        )
    highest = axes.get_ylim()[1]
    axes.set_ylim(0, highest)
    axes.set_xlim(0, None)
    axes.set_xlabel("bandwidth, GB/s: 64 B a line of all threads")
    axes.set_ylabel("latency of dependent reads, ns")
    pair = f"node {report.from_node} reads memory of node {report.to_node}, loaded by {_load(report)}"
    axes.set_title(wrapped(f"{report.machine}, simulated: {pair}", 12, _WIDTH_INCH - 1.0))
    axes.grid(color=FAINT, alpha=0.25, linewidth=0.8)
