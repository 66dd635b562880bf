"""One workload under several placements: how long it takes, and how busy each controller and link is meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.plots.style import INK, house_style, save
from simulator.plots.text import wrapped
from simulator.replay.result import ReplayResult, Replays

_WIDTH_INCH, _ROW_INCH, _TITLE_POINTS = 11.0, 0.62, 12
_BAR = 0.6
_TIME, _FULL, _OTHERS = "#2171b5", "#d94801", "#fdd0a2"


def draw_replays(report: Replays, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw the runs side by side.

    Parameters
    ----------
    report : Replays
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    runs = report.runs
    with house_style():
        # "constrained" gives three panels places whose last bits differ from one drawing to the next, and so other bytes
        figure = Figure(figsize=(_WIDTH_INCH, 1.6 + _ROW_INCH * len(runs)), layout="tight")
        times, controllers, links = figure.subplots(1, 3, sharey=True, width_ratios=(1.2, 1, 1))
        _draw_times(times, runs)
        _draw_shares(
            controllers, [{name: one.utilization for name, one in run.controllers.items()} for run in runs], "controllers"
        )
        _draw_shares(links, [{name: one.utilization for name, one in run.links.items()} for run in runs], "link directions")
        title = f"{runs[0].workload} on {runs[0].machine}, from start to end"
        figure.suptitle(wrapped(title, _TITLE_POINTS, _WIDTH_INCH), x=0.01, ha="left", fontsize=_TITLE_POINTS)
        return save(figure, path)


def _draw_times(axes: Axes, runs: tuple[ReplayResult, ...]) -> None:
    times_us = [run.elapsed_ns / 1000 for run in runs]
    axes.barh(range(len(runs)), times_us, _BAR, color=_TIME)
    for place, (time_us, run) in enumerate(zip(times_us, runs, strict=True)):
        local = "" if run.local_percent is None else f", {run.local_percent:.0f} % local"
        axes.text(time_us, place, f" {time_us:,.1f} us{local}", va="center", color=INK, fontsize="small")
    axes.set_yticks(range(len(runs)), [wrapped(run.placement or "local", 10, 2.0) for run in runs])
    axes.set_xlim(0, 1.6 * max(times_us) or 1)
    axes.set_xlabel("time, us")
    axes.invert_yaxis()


def _draw_shares(axes: Axes, shares: list[dict[str, float]], what: str) -> None:
    """Draw a bar for each station of each run, the fullest in a colour of its own and named."""
    axes.set_xlabel(f"use of {what}, % of the time")
    axes.set_xlim(0, 125)  # room for the name of a full one
    axes.set_xticks(range(0, 101, 20))
    for place, of_run in enumerate(shares):
        if not of_run:
            continue
        thickness = _BAR / len(of_run)
        fullest = max(of_run, key=lambda name: of_run[name])
        for number, (name, share) in enumerate(of_run.items()):
            at = place - _BAR / 2 + (number + 0.5) * thickness
            axes.barh(at, 100 * share, thickness * 0.85, color=_FULL if name == fullest else _OTHERS)
            if name == fullest:
                axes.text(100 * share, at, f" {name}: {100 * share:.0f}", va="center", color=INK, fontsize="x-small")
