"""What each mechanism does to crossfire: bars of time a line beside link utilization."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.plots.style import FAINT, INK, SERIES, SIMULATED, house_style, save
from simulator.plots.text import wrapped
from simulator.validation.ablation import CROSSFIRE, AblationRow

_HEIGHT = 0.62  # of a bar, where rows are 1 apart
_OUTLIER = 3.0  # a bar so many times longer than all others is cut
_NAME_INCH = 2.6


def draw_ablations(rows: Sequence[AblationRow], path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw how each change alters time a line and link utilization, in the order of `rows`, the first on top.

    Parameters
    ----------
    rows : sequence of AblationRow
        The unchanged machine among them, at 0 %.
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    with house_style():
        picture = Figure(figsize=(10.0, 1.6 + 0.46 * len(rows)), layout="constrained")
        times, loads = picture.subplots(1, 2, sharey=True, width_ratios=(1.25, 1.0))
        _draw_times(times, rows)
        _draw_loads(loads, rows)
        times.set_yticks(range(len(rows)), [wrapped(row.name, 10, _NAME_INCH) for row in rows])
        times.set_ylim(max(len(rows), 1) - 0.5, -0.5)
        picture.suptitle(f"Crossfire ({' '.join(CROSSFIRE)}) with one mechanism changed at a time", fontsize=12)
        return save(picture, path)


def _draw_times(axes: Axes, rows: Sequence[AblationRow]) -> None:
    lowest, highest = _limits([row.slower_percent for row in rows])
    room = highest - lowest
    for place, row in enumerate(rows):
        shown = min(max(row.slower_percent, lowest), highest)
        axes.barh(place, shown, _HEIGHT, color=SIMULATED if row.slower_percent <= 0 else SERIES[1])
        if shown != row.slower_percent:
            cut = 0.93 * shown
            axes.plot([cut - 0.006 * room, cut + 0.006 * room], [place + 0.42, place - 0.42], color="white", linewidth=4)
        else:
            axes.errorbar(shown, place, xerr=_half_width(row), color=INK, capsize=3, linewidth=1.2)
        text = f"{row.slower_percent:+z.1f} % ({row.time_per_line_ns:.1f} ns)"
        right = max(0.0, shown if shown != row.slower_percent else shown + _half_width(row))
        axes.text(right + 0.015 * room, place, text, ha="left", va="center", fontsize=9, color=INK)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_xlim(lowest - 0.03 * room, highest + 0.5 * room)
    remark = "; a cut bar is longer" if _cut(rows, lowest, highest) else ""
    axes.set_xlabel(f"time a line against the first row, %\n95 % confidence interval of the time{remark}", fontsize=9)
    axes.set_xticks([tick for tick in axes.get_xticks() if lowest - 0.02 * room <= tick <= highest + 0.02 * room])
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _half_width(row: AblationRow) -> float:
    """Return the half width of the time's confidence interval, in per cent of the unchanged machine's time."""
    return (100 + row.slower_percent) * row.ci_percent / 100


def _cut(rows: Sequence[AblationRow], lowest: float, highest: float) -> bool:
    return any(not lowest <= row.slower_percent <= highest for row in rows)


def _limits(changes: Sequence[float]) -> tuple[float, float]:
    """Return how far bars go either way: a single change that dwarfs the others is cut so that those can be seen."""
    sizes = sorted((abs(change) for change in changes), reverse=True)
    longest = sizes[0] if sizes else 0.0
    if len(sizes) > 1 and sizes[1] > 0 and sizes[0] > _OUTLIER * sizes[1]:
        longest = 1.5 * sizes[1]
    lowest, highest = max(min([*changes, 0.0]), -longest), min(max([*changes, 0.0]), longest)
    return (lowest, highest) if highest > lowest else (-1.0, 1.0)


def _draw_loads(axes: Axes, rows: Sequence[AblationRow]) -> None:
    for place, row in enumerate(rows):
        percent = 100 * row.utilization
        axes.barh(place, percent, _HEIGHT, color=SIMULATED)
        axes.text(103, place, f"{percent:.1f} % ({row.link_gb_per_s:.2f} GB/s)", ha="left", va="center", fontsize=9)
    axes.axvline(100, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.set_xlim(0, 165)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("utilization of link 0-1, mean of both ways, %", fontsize=9)
    axes.tick_params(axis="y", length=0)
