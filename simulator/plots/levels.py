"""Figures that differ in their background only, in one picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.plots.style import FAINT, SERIES, house_style, save
from simulator.validation import reference
from simulator.validation.report import BarRow

_MARKERS = ("o", "s", "^", "D", "v", "P")


def draw_levels(
    whole: reference.Reference, figures: Sequence[reference.Figure], bars: Sequence[BarRow], path: str | os.PathLike[str]
) -> tuple[Path, ...]:
    """Draw each case over the rate that a background thread asks for; hollow marks are published.

    Parameters
    ----------
    whole : Reference
    figures : sequence of Figure
        With the same cases each; one without background is at 0 GB/s.
    bars : sequence of BarRow
        At least those of these figures.
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    with house_style():
        picture = Figure(figsize=(9.0, 5.6), layout="constrained")
        axes = picture.add_subplot()
        for place, case in enumerate(figures[0].cases):
            _draw_case(axes, whole, figures, case, bars, SERIES[place % len(SERIES)], _MARKERS[place % len(_MARKERS)])
        _label(axes, whole, figures)
        picture.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
        return save(picture, path)


def _draw_case(
    axes: Axes,
    whole: reference.Reference,
    figures: Sequence[reference.Figure],
    case: reference.Case,
    bars: Sequence[BarRow],
    colour: str,
    marker: str,
) -> None:
    rows = {bar.figure: bar for bar in bars if bar.threads == case.threads}
    points = [(_rate(whole, figure), rows[figure.id]) for figure in figures if figure.id in rows]
    simulated = [
        (rate, bar.simulated_percent, bar.ci_percent or 0.0) for rate, bar in points if bar.simulated_percent is not None
    ]
    axes.errorbar(
        [rate for rate, _, _ in simulated],
        [height for _, height, _ in simulated],
        yerr=[height * ci / 100 for _, height, ci in simulated],
        color=colour,
        marker=marker,
        capsize=3,
        linewidth=1.6,
        label=f"{case.title} ({' '.join(case.threads)})",
    )
    published = [(rate, bar.published_percent) for rate, bar in points if bar.published_percent is not None]
    axes.plot(
        [rate for rate, _ in published],
        [height for _, height in published],
        linestyle="none",
        marker=marker,
        markersize=10,
        markerfacecolor="none",
        markeredgecolor=colour,
    )


def _label(axes: Axes, whole: reference.Reference, figures: Sequence[reference.Figure]) -> None:
    rates = [_rate(whole, figure) for figure in figures]
    ticks = [f"{rate:g}\nfigure {figure.id}{_assumed(whole, figure)}" for rate, figure in zip(rates, figures, strict=True)]
    axes.set_xticks(rates, ticks, fontsize=9)
    axes.set_xlabel("GB/s that each background thread asks for")
    lowest, highest = axes.get_ylim()
    bottom = 100 if lowest >= 100 else 0
    axes.set_ylim(bottom, highest)
    axes.set_ylabel(f"time a line, % of {whole.base.threads[0]} alone" + (" (axis starts at 100 %)" if bottom else ""))
    names = [figure.id for figure in figures]
    axes.set_title(f"Figures {', '.join(names)} over their background; filled: simulated, hollow: published")
    axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.8)


def _rate(whole: reference.Reference, figure: reference.Figure) -> float:
    return 0.0 if figure.background is None else whole.level(figure.background.level).gb_per_s


def _assumed(whole: reference.Reference, figure: reference.Figure) -> str:
    assumed = figure.background is not None and whole.level(figure.background.level).assumed
    return "\n(assumed)" if assumed else ""
