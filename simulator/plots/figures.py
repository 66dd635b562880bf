"""A published figure beside its simulation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from simulator.plots.style import FAINT, INK, PUBLISHED, SIMULATED, house_style, save
from simulator.plots.text import wrapped
from simulator.validation import reference
from simulator.validation.report import BarRow

_WIDTH = 0.38  # of a bar, where cases are 1 apart


def draw_figure(
    figure: reference.Figure,
    bars: Sequence[BarRow],
    path: str | os.PathLike[str],
    *,
    base: str,
    level: reference.BackgroundLevel | None = None,
) -> tuple[Path, ...]:
    """Draw published bars beside simulated ones, in the published order, with whiskers for the confidence interval.

    Parameters
    ----------
    figure : Figure
        Of the reference.
    bars : sequence of BarRow
        At least those of this figure.
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    base : str
        Label of the thread that is 100 %.
    level : BackgroundLevel, optional
        Of the figure's background, to say what it asks for.

    Returns
    -------
    tuple of Path
        The files written.
    """
    rows = [bar for bar in bars if bar.figure == figure.id]
    with house_style():
        picture = Figure(figsize=(_inches(len(rows)), 5.0), layout="constrained")
        axes = picture.add_subplot()
        _draw_bars(axes, rows)
        _label_axes(axes, figure, base, level)
        _legend(axes, rows)
        return save(picture, path)


def _inches(cases: int) -> float:
    return max(7.2, 1.9 * cases + 1.6)


def _draw_bars(axes: Axes, rows: Sequence[BarRow]) -> None:
    beside = _WIDTH / 2 if _any_published(rows) else 0.0
    for place, row in enumerate(rows):
        if beside:
            _published_bar(axes, place - beside, row.published_percent)
        _simulated_bar(axes, place + beside, row)
    heights = [value for row in rows for value in (row.published_percent, row.simulated_percent) if value is not None]
    axes.set_ylim(0, 1.22 * max(heights, default=100.0))
    axes.set_xlim(-0.6, len(rows) - 0.4)


def _any_published(rows: Sequence[BarRow]) -> bool:
    return any(row.published_percent is not None for row in rows)


def _published_bar(axes: Axes, x: float, percent: float | None) -> None:
    if percent is None:
        _remark(axes, x, "no published value recorded")
        return
    axes.bar(x, percent, _WIDTH, color=PUBLISHED)
    axes.text(x, percent + 1.5, f"{percent:.0f}", ha="center", va="bottom", color=INK)


def _simulated_bar(axes: Axes, x: float, row: BarRow) -> None:
    if row.simulated_percent is None:
        _remark(axes, x, "run came to a standstill")
        return
    half_width = row.simulated_percent * (row.ci_percent or 0) / 100
    axes.bar(x, row.simulated_percent, _WIDTH, color=SIMULATED)
    if half_width:
        axes.errorbar(x, row.simulated_percent, yerr=half_width, color=INK, capsize=4, linewidth=1.2)
    text = f"{row.simulated_percent:.1f}"
    if row.error_percent is not None:
        text += f"\n({row.error_percent:+z.1f} %)"
    axes.text(x, row.simulated_percent + half_width + 1.5, text, ha="center", va="bottom", color=INK, linespacing=1.1)


def _remark(axes: Axes, x: float, text: str) -> None:
    """Say in a bar's place why there is none."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    axes.text(x, 3, text, rotation=90, ha="center", va="bottom", fontsize=9, color=FAINT, bbox=box)


def _label_axes(axes: Axes, figure: reference.Figure, base: str, level: reference.BackgroundLevel | None) -> None:
    labels = []
    for case in figure.cases:
        threads = "\n".join(case.threads)
        labels.append(threads if case.name is None else f"{case.name}\n{threads}")
    axes.set_xticks(range(len(labels)), labels)
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel(f"time a line, % of {base} alone")
    axes.axhline(100, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.set_title(f"Figure {figure.id} (page {figure.page})\n{figure.title}")
    if figure.background is not None:
        name = figure.background.level.replace("_", " ")
        rate = "" if level is None else f", {level.gb_per_s:g} GB/s a thread{' (assumed)' if level.assumed else ''}"
        text = wrapped(f"background {name}{rate}: {', '.join(figure.background.threads)}", 9, _inches(len(figure.cases)) - 1.2)
        axes.set_xlabel(text, fontsize=9, labelpad=8)


def _legend(axes: Axes, rows: Sequence[BarRow]) -> None:
    published = _any_published(rows)
    remark = " (error)" if published else "; no published values recorded"
    handles = [Patch(color=SIMULATED, label=f"simulated, 95 % confidence interval{remark}")]
    if published:
        handles.insert(0, Patch(color=PUBLISHED, label="published"))
    axes.legend(handles=handles, loc="upper left", ncols=2, frameon=False, fontsize=9)
