"""How many packets wait, and how many places of a controller are taken, over a window of a run."""

from __future__ import annotations

import os
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from simulator.observe.queues import Queue, longest_queues
from simulator.observe.record import Recording
from simulator.observe.records import Trace
from simulator.observe.series import values_at
from simulator.observe.words import threads_words
from simulator.plots.style import FAINT, INK, SERIES, house_style, save
from simulator.units import ns_from_ps

MOST_PANELS = 8
_WIDTH_INCH, _PANEL_INCH = 11.0, 1.35
_COLOURS = {"request": SERIES[0], "posted": SERIES[4], "response": SERIES[3], "probe": SERIES[5], "places taken": "#bfbfbf"}


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
    panels = longest_queues(trace)[:MOST_PANELS]
    with house_style():
        picture = Figure(figsize=(_WIDTH_INCH, 1.3 + _PANEL_INCH * max(1, len(panels))), layout="constrained")
        axes = picture.subplots(max(1, len(panels)), 1, sharex=True, squeeze=False)[:, 0]
        for one, panel in zip(axes, panels, strict=False):
            _draw_panel(one, trace, panel)
        if not panels:
            axes[0].set_title("nothing waits in this window", fontsize=9.5, color=FAINT)
        axes[-1].set_xlim(0, ns_from_ps(trace.closed_ps - trace.opened_ps))
        axes[-1].set_xlabel(f"time since {ns_from_ps(trace.opened_ps):.3f} ns of the run, ns")
        picture.suptitle(f"The longest queues: {threads_words(recording)}", x=0.01, ha="left", fontsize=12)
        handles = {handle.get_label(): handle for one in axes for handle in one.get_legend_handles_labels()[0]}
        picture.legend(handles=list(handles.values()), loc="outside lower center", ncols=6, frameon=False, fontsize=9)
        return save(picture, path)


def _draw_panel(axes: Axes, trace: Trace, panel: Queue) -> None:
    times = sorted({time for steps in panel.series.values() for time, _ in steps} | {trace.closed_ps})
    xs = [ns_from_ps(time - trace.opened_ps) for time in times]
    below = [0] * len(times)
    for name, steps in panel.series.items():
        above = [low + value for low, value in zip(below, values_at(steps, times), strict=True)]
        axes.fill_between(xs, below, above, step="post", color=_COLOURS[name], linewidth=0, label=name)
        below = above
    axes.step(xs, below, where="post", color=INK, linewidth=0.5)
    of = "" if panel.capacity is None else f" of {panel.capacity}"
    axes.set_title(f"{panel.name}: mean {panel.mean:.2f}{of}", fontsize=9.5, pad=3)
    axes.set_ylim(0, max(1, *below) * 1.08)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.set_ylabel("packets" if panel.capacity is None else "places", fontsize=8.5)
    axes.tick_params(labelsize=8.5)
