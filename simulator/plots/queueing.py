"""Queueing against latency: a bar for every case of every figure, in per cent of a line's time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from simulator.measure.breakdown import LINE_PARTS, line_ns
from simulator.measure.result import PathReport
from simulator.plots.style import FAINT, INK, house_style, save
from simulator.validation.breakdown import CaseBreakdown

_WIDTH_INCH, _ROW_INCH = 11.0, 0.27
_HEIGHT = 0.78  # of a bar, where rows are 1 apart
_GAP = 0.9  # rows between two figures, for the name of the next
_ROOM_FOR_TEXT, _SEEN = 3.5, 0.2  # per cent


@dataclass(frozen=True)
class _Share:
    """Parts that are drawn as one, by their names in a report."""

    words: str
    names: tuple[str, ...]
    colour: str
    hatch: str = ""


_WALKING = tuple(part.name for part in LINE_PARTS if part.group == "walking" and part.name != "core")
_SHARES = (
    _Share("walking to the line and back", _WALKING, "#6baed6"),
    _Share("walking: core", ("core",), "#e3e9ef"),
    _Share("queueing in nodes", ("node_queue", "node_buffers", "source"), "#fdd0a2", "----"),
    _Share("queueing at links", ("link_queue", "credits"), "#f16913", "////"),
    _Share("queueing at memory", ("dram_queue", "controller_full", "shared_line"), "#fdae6b", "\\\\\\\\"),
    _Share("wait for probes", ("probe_wait",), "#b2abd2", "||||"),
)
_OTHER = _Share("other: no line in the slot", (), "#ffffff")


def draw_queueing(cases: Sequence[CaseBreakdown], path: str | os.PathLike[str], *, source: str = "") -> tuple[Path, ...]:
    """Draw how much of a line's time is latency and how much queueing, a bar a case, mean over its threads.

    Parameters
    ----------
    cases : sequence of CaseBreakdown
        Figure by figure.
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    source : str
        What the figures are from, for the title.

    Returns
    -------
    tuple of Path
        The files written.
    """
    places = _places(cases)
    with house_style():
        picture = Figure(figsize=(_WIDTH_INCH, 1.6 + _ROW_INCH * (max(places, default=0.0) + 1)), layout="constrained")
        axes = picture.add_subplot()
        for place, case in zip(places, cases, strict=True):
            _draw_case(axes, place, case)
        _name_figures(axes, places, cases)
        _label_axes(axes, places, cases)
        axes.set_title("Where a line's time goes: plain is walking, hatched is waiting" + (f"\n{source}" if source else ""))
        picture.legend(handles=_handles(cases), loc="outside lower center", ncols=4, frameon=False, fontsize=9)
        return save(picture, path)


def _places(cases: Sequence[CaseBreakdown]) -> list[float]:
    """Return a place for each bar, from the top, with room above each figure."""
    places: list[float] = []
    for index, case in enumerate(cases):
        starts = index == 0 or case.figure != cases[index - 1].figure
        places.append((places[-1] + 1 if places else 0.0) + (_GAP if starts else 0.0))
    return places


def _draw_case(axes: Axes, place: float, case: CaseBreakdown) -> None:
    if not case.paths:
        axes.text(1, place, "run came to a standstill", ha="left", va="center", fontsize=8, color=FAINT)
        return
    left = 0.0
    for share in (*_SHARES, _OTHER):
        percent = max(0.0, case.percent(partial(_time_ns, share=share)) or 0.0)
        axes.barh(place, percent, _HEIGHT, left=left, color=share.colour, hatch=share.hatch, edgecolor=INK, linewidth=0.3)
        if percent >= _ROOM_FOR_TEXT:
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6} if share.hatch else None
            axes.text(left + percent / 2, place, f"{percent:.0f}", ha="center", va="center", fontsize=7.5, bbox=box)
        left += percent
    axes.text(101, place, f"{case.mean(lambda path: path.total_ns):.0f} ns", ha="left", va="center", fontsize=8.5)


def _time_ns(path: PathReport, share: _Share) -> float:
    if share is _OTHER:
        return path.other_ns
    return sum(line_ns(path, part) for part in LINE_PARTS if part.name in share.names)


def _name_figures(axes: Axes, places: Sequence[float], cases: Sequence[CaseBreakdown]) -> None:
    for index, (place, case) in enumerate(zip(places, cases, strict=True)):
        if index == 0 or case.figure != cases[index - 1].figure:
            title = f"Figure {case.figure.id}: {case.figure.title}"
            axes.text(0, place - 0.5, title, ha="left", va="bottom", fontsize=9, fontweight="bold")


def _label_axes(axes: Axes, places: Sequence[float], cases: Sequence[CaseBreakdown]) -> None:
    axes.set_yticks(places, [_case_name(case) for case in cases], fontsize=8.5)
    axes.set_ylim(max(places, default=0.0) + 0.6, -0.6)
    axes.set_xlim(0, 109)
    axes.set_xticks(range(0, 101, 20))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("share of a line's time (behind each bar: lines in flight x time a line), %")


def _case_name(case: CaseBreakdown) -> str:
    threads = " ".join(case.case.threads)
    return threads if case.case.name is None else f"{case.case.name}:  {threads}"


def _handles(cases: Sequence[CaseBreakdown]) -> list[Patch]:
    seen = [case for case in cases if case.paths]
    shares = [
        share
        for share in (*_SHARES, _OTHER)
        if any((case.percent(partial(_time_ns, share=share)) or 0.0) > _SEEN for case in seen)
    ]
    return [Patch(facecolor=share.colour, hatch=share.hatch, edgecolor=INK, linewidth=0.4, label=share.words) for share in shares]
