"""Where a line's time goes: a bar a path, stacked from its parts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from simulator.engine.plan import Part
from simulator.measure.breakdown import LINE_PARTS, line_ns, path_names, shown_paths
from simulator.measure.result import PathReport, RunResult
from simulator.plots.style import FAINT, INK, house_style, save
from simulator.plots.text import fitting_size

MOST_BARS = 64
_WIDTH_INCH = 11.0
_BAR_INCH = 8.2  # room for the longest bar; the rest is for the sums behind it
_HEIGHT = 0.66  # of a bar, where bars are 1 apart
_LARGEST_TEXT, _SMALLEST_TEXT, _MOST_OF_THREE_LINES = 8.0, 6.5, 7.0
_SEEN = 0.002  # a part that is nowhere more than this share of its bar is left out


@dataclass(frozen=True)
class Look:
    """How a part is drawn: blue and plain for walking, with hatches for what waits, so that grey tells them apart too."""

    words: str
    colour: str
    hatch: str = ""
    ink: str = INK


# Neighbours differ in lightness; blue and orange are told apart with every common colour blindness.
_LOOKS = {
    "sri": ("#08306b", "", "white"),
    "crossbar": ("#6baed6",),
    "wire": ("#2171b5", "", "white"),
    "serialisation": ("#c6dbef",),
    "controller": ("#4292c6", "", "white"),
    "dram_service": ("#9ecae1",),
    "core": ("#e3e9ef",),
    "node_queue": ("#fdd0a2", "...."),
    "link_queue": ("#f16913", "////"),
    "dram_queue": ("#fdae6b", "\\\\\\\\"),
    "controller_full": ("#d94801", "xxxx"),
    "node_buffers": ("#fdd0a2", "----"),
    "credits": ("#a63603", "++++"),
    "shared_line": ("#7f2704", "\\\\\\\\"),
    "source": ("#feedde", "oooo"),
    "probe_wait": ("#b2abd2", "||||"),
}
_PART_LOOKS = tuple(Look(part.words, *_LOOKS[part.name]) for part in LINE_PARTS)
_OTHER = Look("other: no line in the slot", "#ffffff")
_Stack = Mapping[Look, float]


def part_looks() -> dict[Part, Look]:
    """Return how each part is drawn."""
    return {part.part: look for part, look in zip(LINE_PARTS, _PART_LOOKS, strict=True)}


def draw_breakdown(result: RunResult, path: str | os.PathLike[str], *, heading: str | None = None) -> tuple[Path, ...]:
    """Draw where a line's time goes, a bar each path of the foreground; of all threads where there is no foreground.

    Parameters
    ----------
    result : RunResult
        With a breakdown; the first `MOST_BARS` paths are drawn.
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    heading : str, optional
        A line under the title.

    Returns
    -------
    tuple of Path
        The files written.
    """
    paths = shown_paths(result)[:MOST_BARS]
    stacks = [_stack(report) for report in paths]
    looks = [look for look in (*_PART_LOOKS, _OTHER) if any(_is_seen(stack, look) for stack in stacks)]
    longest_ns = max((sum(stack.values()) for stack in stacks), default=1.0)
    with house_style():
        height = 1.9 + 0.62 * max(2, len(paths)) + 0.22 * ((len(looks) + 3) // 4)
        picture = Figure(figsize=(_WIDTH_INCH, height), layout="constrained")
        axes = picture.add_subplot()
        for place, (report, stack) in enumerate(zip(paths, stacks, strict=True)):
            _draw_bar(axes, place, stack, longest_ns)
            axes.text(sum(stack.values()) + 0.01 * longest_ns, place, _sums(report), ha="left", va="center", fontsize=8.5)
        _label_axes(axes, result, paths, longest_ns)
        _title(axes, result, heading)
        picture.legend(handles=[_patch(look) for look in looks], loc="outside lower center", ncols=4, frameon=False, fontsize=9)
        return save(picture, path)


def _stack(report: PathReport) -> _Stack:
    """Return the parts of a bar in ns; `other` from 0 up, for the ends of the window may cut off more than there is of it."""
    parts = {look: line_ns(report, part) for look, part in zip(_PART_LOOKS, LINE_PARTS, strict=True)}
    return parts | {_OTHER: max(0.0, report.other_ns)}


def _is_seen(stack: _Stack, look: Look) -> bool:
    return stack[look] > _SEEN * sum(stack.values())


def _draw_bar(axes: Axes, place: int, stack: _Stack, longest_ns: float) -> None:
    left = 0.0
    for look, width in stack.items():
        if _is_seen(stack, look):
            axes.barh(place, width, _HEIGHT, left=left, color=look.colour, hatch=look.hatch, edgecolor=INK, linewidth=0.4)
            _write_in(axes, left + width / 2, place, look, width, width / longest_ns * _BAR_INCH)
        left += width


def _write_in(axes: Axes, x: float, y: float, look: Look, width_ns: float, inches: float) -> None:
    """Write name and time into a part, or the time alone, or nothing: what there is room for."""
    narrow = "\n".join((*look.words.split(" ", 1), f"{width_ns:.1f}"))
    for text in (f"{look.words}\n{width_ns:.1f}", narrow, f"{width_ns:.0f}"):
        most = _MOST_OF_THREE_LINES if text.count("\n") > 1 else _LARGEST_TEXT
        size = fitting_size(text, most, inches - 0.08) if inches > 0.1 else 0.0
        if size >= _SMALLEST_TEXT:
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0} if look.hatch else None
            axes.text(x, y, text, ha="center", va="center", fontsize=size, color=look.ink, bbox=box, linespacing=1.1)
            return


def _sums(report: PathReport) -> str:
    sums = f"walking {report.walking_ns:.0f}, queueing {report.queueing_ns:.0f},"
    return f"{sums}\nprobes {report.parts_ns.probe_wait:.0f} of {report.total_ns:.0f} ns"


def _label_axes(axes: Axes, result: RunResult, paths: Sequence[PathReport], longest_ns: float) -> None:
    axes.set_yticks(range(len(paths)), path_names(paths))
    axes.set_ylim(len(paths) - 0.4, -0.6)
    axes.set_xlim(0, longest_ns * (_WIDTH_INCH - 1.2) / _BAR_INCH)
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= longest_ns])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    more = len(shown_paths(result)) - len(paths)
    axes.set_xlabel("time of a line and of its slot, ns" + (f"; {more} more are not drawn" if more else ""), loc="left")
    axes.axvline(0, color=FAINT, linewidth=0.8)


def _title(axes: Axes, result: RunResult, heading: str | None) -> None:
    title = f"Where a line's time goes on {result.machine}: plain is walking, hatched is waiting"
    axes.set_title(title if heading is None else f"{title}\n{heading}")


def _patch(look: Look) -> Patch:
    return Patch(facecolor=look.colour, hatch=look.hatch, edgecolor=INK, linewidth=0.4, label=look.words)
