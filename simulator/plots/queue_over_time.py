"""How many packets wait, and how many places of a controller are taken, over a window of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from simulator.engine.plan import NONE
from simulator.observe.record import Recording
from simulator.observe.records import Trace
from simulator.observe.series import Steps, free_units, waiting
from simulator.plots.style import FAINT, INK, SERIES, house_style, save
from simulator.protocol import CHANNEL_NAMES
from simulator.units import ns_from_ps

MOST_PANELS = 8
_WIDTH_INCH, _PANEL_INCH = 11.0, 1.35
_COLOURS = {"request": SERIES[0], "posted": SERIES[4], "response": SERIES[3], "probe": SERIES[5], "places taken": "#bfbfbf"}


@dataclass(frozen=True)
class _Panel:
    """One queue: how long it was, by what waited."""

    name: str
    mean: float
    series: Mapping[str, Steps]
    capacity: int | None = None


def draw_queues(recording: Recording, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw the longest queues of a window, at most `MOST_PANELS`; time counts from its opening.

    Parameters
    ----------
    recording : Recording
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    trace = recording.trace
    panels = sorted([*_ports(trace), *_controllers(trace)], key=lambda panel: (-panel.mean, panel.name))[:MOST_PANELS]
    with house_style():
        picture = Figure(figsize=(_WIDTH_INCH, 1.3 + _PANEL_INCH * max(1, len(panels))), layout="constrained")
        axes = picture.subplots(max(1, len(panels)), 1, sharex=True, squeeze=False)[:, 0]
        for one, panel in zip(axes, panels, strict=False):
            _draw_panel(one, trace, panel)
        if not panels:
            axes[0].set_title("nothing waits in this window", fontsize=9.5, color=FAINT)
        axes[-1].set_xlim(0, ns_from_ps(trace.closed_ps - trace.opened_ps))
        axes[-1].set_xlabel(f"time since {ns_from_ps(trace.opened_ps):.3f} ns of the run, ns")
        labels = " ".join(thread.label for thread in recording.workload.threads if not thread.background) or "background"
        picture.suptitle(f"The longest queues on {recording.machine.name}: {labels}", x=0.01, ha="left", fontsize=12)
        handles = {handle.get_label(): handle for one in axes for handle in one.get_legend_handles_labels()[0]}
        picture.legend(handles=list(handles.values()), loc="outside lower center", ncols=6, frameon=False, fontsize=9)
        return save(picture, path)


def _ports(trace: Trace) -> list[_Panel]:
    panels = []
    for port, by_channel in waiting(trace).items():
        series: dict[str, Steps] = {CHANNEL_NAMES[channel]: steps for channel, steps in by_channel.items()}
        mean = sum(_mean(steps, trace.closed_ps) for steps in series.values())
        panels.append(_Panel(trace.plan.ports.name[port], mean, series))
    return panels


def _controllers(trace: Trace) -> list[_Panel]:
    """Return the places taken in every controller's queue, waiting for DRAM or for what comes after."""
    free, plan, panels = free_units(trace), trace.plan, []
    for node, pool in zip(plan.node_ids, plan.controller_pool, strict=True):
        if pool != NONE and pool in free:
            capacity = plan.pools.capacity[pool]
            taken = tuple((time, capacity - units) for time, units in free[pool])
            panels.append(_Panel(f"node {node} controller", _mean(taken, trace.closed_ps), {"places taken": taken}, capacity))
    return panels


def _mean(steps: Steps, closed_ps: int) -> float:
    ends = [*(time for time, _ in steps[1:]), closed_ps]
    whole = closed_ps - steps[0][0]
    return sum(value * (end - start) for (start, value), end in zip(steps, ends, strict=True)) / whole


def _draw_panel(axes: Axes, trace: Trace, panel: _Panel) -> None:
    times = sorted({time for steps in panel.series.values() for time, _ in steps} | {trace.closed_ps})
    xs = [ns_from_ps(time - trace.opened_ps) for time in times]
    below = [0] * len(times)
    for name, steps in panel.series.items():
        above = [low + value for low, value in zip(below, _at(steps, times), strict=True)]
        axes.fill_between(xs, below, above, step="post", color=_COLOURS[name], linewidth=0, label=name)
        below = above
    axes.step(xs, below, where="post", color=INK, linewidth=0.5)
    of = "" if panel.capacity is None else f" of {panel.capacity}"
    axes.set_title(f"{panel.name}: mean {panel.mean:.2f}{of}", fontsize=9.5, pad=3)
    axes.set_ylim(0, max(1, *below) * 1.08)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.set_ylabel("packets" if panel.capacity is None else "places", fontsize=8.5)
    axes.tick_params(labelsize=8.5)


def _at(steps: Steps, times: Sequence[int]) -> list[int]:
    values, current = dict(steps), 0
    found = []
    for time in times:
        current = values.get(time, current)
        found.append(current)
    return found
