"""A build with more and more jobs: real time and growth of user time, simulated beside measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.plots.style import FAINT, SERIES, house_style, save
from simulator.schedule.kernel_build import BuildRow
from simulator.schedule.measured import MeasuredBuild
from simulator.schedule.result import ScheduleResult

_NAMES = {"4bsd": "4BSD, one queue", "ule": "ULE, a queue a core"}
_MARKERS = ("o", "s")
Timed = MeasuredBuild | ScheduleResult
Series = tuple[str, list[int], list[Timed]]


def draw_builds(rows: Sequence[BuildRow], path: str | os.PathLike[str], source: str) -> tuple[Path, ...]:
    """Draw real time and growth of user time over the number of jobs.

    Parameters
    ----------
    rows : sequence of BuildRow
        Of one build on one number of cores, under one or two schedulers.
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    source : str
        What was measured; the title.
    """
    with house_style():
        picture = Figure(figsize=(10.5, 4.4), layout="constrained")
        left, right = picture.subplots(1, 2)
        for number, name in enumerate(sorted({one.measured.scheduler for one in rows})):
            own = [one for one in rows if one.measured.scheduler == name]
            jobs = [one.measured.jobs for one in own]
            simulated: Series = (f"{_NAMES[name]}: simulated", jobs, [one.simulated for one in own])
            measured: Series = (f"{_NAMES[name]}: measured", jobs, [one.measured for one in own])
            for axes, value in ((left, _real), (right, _growth)):
                _draw(axes, simulated, value, number, line=True)
                _draw(axes, measured, value, number, line=False)
        _finish(left, "real time, s", "Real time")
        _finish(right, "user time against 1 job, %", "Growth of user time")
        left.set_ylim(bottom=0)
        right.axhline(0, color=FAINT, linewidth=0.8)
        left.legend(frameon=False, fontsize=9)
        picture.suptitle(source, fontsize=12)
        return save(picture, path)


def draw_memory_bound(
    rows: Sequence[BuildRow], memory_bound: Sequence[tuple[MeasuredBuild, ScheduleResult]], path: str | os.PathLike[str]
) -> tuple[Path, ...]:
    """Draw growth of user time and speed-up of the described build and of one that is bound by memory.

    Parameters
    ----------
    rows : sequence of BuildRow
    memory_bound : sequence of pairs
        Of the same rows.
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    """
    with house_style():
        picture = Figure(figsize=(10.5, 4.4), layout="constrained")
        left, right = picture.subplots(1, 2)
        for number, name in enumerate(sorted({one.measured.scheduler for one in rows})):
            places = [place for place, one in enumerate(rows) if one.measured.scheduler == name]
            jobs = [rows[place].measured.jobs for place in places]
            compiling: Series = (f"{_NAMES[name]}: compiler as described", jobs, [rows[place].simulated for place in places])
            bound: Series = (f"{_NAMES[name]}: bound by memory", jobs, [memory_bound[place][1] for place in places])
            for axes, value in ((left, _growth), (right, _speedup)):
                _draw(axes, compiling, value, number, line=True)
                _draw(axes, bound, value, number + 2, line=True)
        _finish(left, "user time against 1 job, %", "Growth of user time")
        _finish(right, "times as fast as 1 job", "Speed-up")
        left.axhline(0, color=FAINT, linewidth=0.8)
        right.set_ylim(bottom=0.9)
        left.legend(frameon=False, fontsize=9)
        picture.suptitle("The same build, and one whose compiler streams through memory (simulated)", fontsize=12)
        return save(picture, path)


def _draw(axes: Axes, series: Series, value: Callable[[Timed, Timed], float], number: int, *, line: bool) -> None:
    label, jobs, found = series
    places = [_place(count) for count in jobs]
    heights = [value(one, found[0]) for one in found]
    colour, marker = SERIES[number], _MARKERS[number % len(_MARKERS)]
    if line:
        axes.plot(places, heights, color=colour, marker=marker, markersize=4, linewidth=1.6, label=label)
    else:
        axes.plot(places, heights, color=colour, marker=marker, markersize=8, markerfacecolor="none", linewidth=0, label=label)


def _finish(axes: Axes, what: str, title: str) -> None:
    axes.set_xticks([_place(count) for count in (1, 2, 3, 4, 6, 8, 10, 16)], ["1", "2", "3", "4", "6", "8", "10", "16"])
    axes.set_xlabel("jobs: N of make -jN")
    axes.set_ylabel(what)
    axes.set_title(title)
    axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.8)


def _place(jobs: int) -> int:
    return (1, 2, 3, 4, 6, 8, 10, 16).index(jobs)


def _real(one: Timed, first: Timed) -> float:
    return one.real_s


def _growth(one: Timed, first: Timed) -> float:
    return 100 * (one.user_s / first.user_s - 1)


def _speedup(one: Timed, first: Timed) -> float:
    return first.real_s / one.real_s
