"""What a link direction carries, by what the bytes are for, and what is left of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from simulator.measure.result import LinkReport, RunResult
from simulator.plots.lines import TILE_WIDTH_INCH
from simulator.plots.style import FAINT, INK, house_style, save
from simulator.plots.text import wrapped

_HEIGHT, _ROW_INCH = 0.66, 0.46
_LEAST_ROOM = 6.0  # per cent that a number needs


@dataclass(frozen=True)
class _Look:
    words: str
    colour: str
    hatch: str = ""
    ink: str = INK


_LOOKS = {
    "data": _Look("data", "#2171b5", "", "white"),
    "command": _Look("commands", "#c6dbef"),
    "probe": _Look("probes", "#b2abd2", "||||"),
    "response": _Look("responses", "#6baed6", "////"),
    "flow_control": _Look("flow control", "#fdae6b", "\\\\\\\\"),
    "crc": _Look("CRC", "#a63603", "", "white"),
}


def draw_link_bytes(
    runs: Mapping[str, RunResult], link: str, path: str | os.PathLike[str], *, title: str, published_percent: float | None = None
) -> tuple[Path, ...]:
    """Draw how full a link direction is in each run, in per cent of its rate, as a small picture.

    Parameters
    ----------
    runs : mapping of str to RunResult
        By the words for the run, the first on top; the time a line is written beside them.
    link : str
        Its key, such as ``0->1``.
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    title : str
    published_percent : float, optional
        A measured utilization, drawn as a line.

    Returns
    -------
    tuple of Path
        The files written.
    """
    with house_style():
        picture = Figure(figsize=(TILE_WIDTH_INCH, 2.0 + _ROW_INCH * max(2, len(runs))), layout="constrained")
        axes = picture.add_subplot()
        for place, result in enumerate(runs.values()):
            _draw_bar(axes, place, result.links[link])
        if published_percent is not None:
            axes.axvline(published_percent, color=INK, linewidth=1.4, linestyle=(0, (4, 3)))
        axes.set_yticks(range(len(runs)), [f"{name}\n{_time(result)}" for name, result in runs.items()])
        axes.set_ylim(len(runs) - 0.4, -0.6)
        axes.set_xlim(0, 116)
        axes.set_xticks(range(0, 101, 20))
        axes.tick_params(axis="y", length=0)
        axes.set_axisbelow(True)
        axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.8)
        dashed = "" if published_percent is None else f" (dashed: published, {published_percent:g} %)"
        axes.set_xlabel(f"utilization of link {link}, %{dashed}")
        axes.set_title(wrapped(title, 11, TILE_WIDTH_INCH - 0.7), fontsize=11)
        picture.legend(handles=_handles(), loc="outside lower left", ncols=3, frameon=False, fontsize=9)
        return save(picture, path)


def _draw_bar(axes: Axes, place: int, load: LinkReport) -> None:
    sizes = load.bytes_by_class.model_dump()
    whole = sum(sizes.values())
    left = 0.0
    for name, look in _LOOKS.items():
        percent = 100 * load.utilization * sizes[name] / whole if whole else 0.0
        axes.barh(place, percent, _HEIGHT, left=left, color=look.colour, hatch=look.hatch, edgecolor=INK, linewidth=0.4)
        if percent >= _LEAST_ROOM:
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8} if look.hatch else None
            axes.text(left + percent / 2, place, f"{percent:.0f}", ha="center", va="center", fontsize=9, color=look.ink, bbox=box)
        left += percent
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # the dashed line may cross it
    whole_text = f"{100 * load.utilization:.0f} %"
    axes.text(left + 1.5, place, whole_text, ha="left", va="center", fontsize=10, fontweight="bold", bbox=box)


def _time(result: RunResult) -> str:
    times = [thread.time_per_line_ns for thread in result.threads if not thread.background and thread.time_per_line_ns]
    return f"{sum(times) / len(times):.1f} ns a line" if times else "no line"


def _handles() -> list[Patch]:
    return [
        Patch(facecolor=look.colour, hatch=look.hatch, edgecolor=INK, linewidth=0.4, label=look.words) for look in _LOOKS.values()
    ]
