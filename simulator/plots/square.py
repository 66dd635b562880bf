"""A machine drawn: nodes with cores and memory, links, and what a run put on them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from simulator.errors import InputError
from simulator.machine.spec import Machine, Node
from simulator.measure.result import ControllerReport, RunResult, ThreadReport
from simulator.plots.layout import Point, node_positions
from simulator.plots.links import SPACING_INCH, colours, draw_links, link_kinds
from simulator.plots.style import FAINT, INK, house_style, save
from simulator.plots.text import fitting_size, wrapped
from simulator.plots.ways import BOX

MAX_NODES = 64
_MARGIN = (0.22, 0.1)  # around the boxes, where neighbours are 1 apart
_MIN_WIDTH_INCH = 5.6
_MAX_CORES = 4  # drawn one by one


def draw_machine(
    machine: Machine,
    path: str | os.PathLike[str],
    run_result: RunResult | None = None,
    *,
    heading: str | None = None,
    notes: Mapping[str, str] | None = None,
) -> tuple[Path, ...]:
    """Draw a machine, and the loads of a run on it.

    Parameters
    ----------
    machine : Machine
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    run_result : RunResult, optional
        Colours each link direction and memory by its utilization, with GB/s beside.
    heading : str, optional
        A line under the machine's title.
    notes : mapping of str to str, optional
        By link key (``0->1``): a line under the load of that direction.

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    InputError
        More than `MAX_NODES` nodes, or a file cannot be written.
    """
    if len(machine.nodes) > MAX_NODES:
        raise InputError("too many nodes for a picture", field="nodes", value=len(machine.nodes), allowed=f"at most {MAX_NODES}")
    places = node_positions(machine)
    with house_style():
        board = _board(places)
        draw_links(board.axes, machine, places, None if run_result is None else run_result.links, notes or {})
        for node in machine.nodes:
            _draw_node(board.axes, node, places[node.id], run_result)
        _caption(board, machine, run_result, heading)
        return save(board.picture, path)


@dataclass(frozen=True)
class _Board:
    """A sheet on which neighbours are always `SPACING_INCH` apart, whatever the text around: text never outgrows its box."""

    picture: Figure
    axes: Axes
    width: float  # inches
    height: float


def _board(places: dict[int, Point]) -> _Board:
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    left, right = min(xs) - BOX[0] / 2 - _MARGIN[0], max(xs) + BOX[0] / 2 + _MARGIN[0]
    low, high = min(ys) - BOX[1] / 2 - _MARGIN[1], max(ys) + BOX[1] / 2 + _MARGIN[1]
    missing = max(0.0, _MIN_WIDTH_INCH / SPACING_INCH - (right - left))
    left, right = left - missing / 2, right + missing / 2
    size = ((right - left) * SPACING_INCH, (high - low) * SPACING_INCH)
    picture = Figure(figsize=size)
    axes = picture.add_axes((0, 0, 1, 1))
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.set_axis_off()
    return _Board(picture, axes, *size)


def _draw_node(axes: Axes, node: Node, place: Point, result: RunResult | None) -> None:
    width, height = BOX
    left, low = place[0] - width / 2, place[1] - height / 2
    axes.add_patch(
        FancyBboxPatch(
            (left, low), width, height, boxstyle="round,pad=0,rounding_size=0.02", facecolor="white", edgecolor=INK, linewidth=1.2
        )
    )
    axes.text(place[0], low + height - 0.04, f"node {node.id}", ha="center", va="center", fontsize=11, fontweight="bold")
    threads = [] if result is None else [thread for thread in result.threads if thread.label.startswith(f"{node.id}.")]
    _draw_cores(axes, node, (left, low), threads)
    _draw_memory(axes, node, (left, low), None if result is None else result.controllers.get(str(node.id)))


def _draw_cores(axes: Axes, node: Node, corner: Point, threads: list[ThreadReport]) -> None:
    left, low = corner[0] + 0.025, corner[1] + 0.2
    width, height = BOX[0] - 0.05, 0.145
    if not 1 <= node.cores <= _MAX_CORES:
        busy = f", {len(threads)} in use" if threads else ""
        text = f"{node.cores} cores{busy}" if node.cores else "no cores"
        _fit(axes, (left + width / 2, low + height / 2), text, 9, width)
        return
    step = width / node.cores
    for core in range(node.cores):
        own = [thread for thread in threads if thread.label.split(".")[1] == str(core)]
        face = "white" if not own else "#e8eef4" if own[0].background else "#bfd9ec"
        axes.add_patch(
            Rectangle((left + core * step + 0.006, low), step - 0.012, height, facecolor=face, edgecolor=FAINT, linewidth=0.8)
        )
        text = f"core {core}" + "".join("\n" + _activity(thread, node.cores < 3) for thread in own)
        _fit(axes, (left + (core + 0.5) * step, low + height / 2), text, 8 if node.cores < 3 else 7, step - 0.024)


def _fit(axes: Axes, spot: Point, text: str, size: float, width: float) -> None:
    size = fitting_size(text, size, width * SPACING_INCH)
    axes.text(*spot, text, ha="center", va="center", fontsize=size, linespacing=1.2)


def _activity(thread: ThreadReport, wide: bool) -> str:
    _, _, mode, memory = thread.label.split(".")
    verb = {"r": "reads", "w": "writes"}.get(mode, "uses")
    return f"{verb} {memory}\n{thread.gb_per_s:.2f}{' ' if wide else chr(10)}GB/s"


def _draw_memory(axes: Axes, node: Node, corner: Point, load: ControllerReport | None) -> None:
    left, low = corner[0] + 0.031, corner[1] + 0.03
    width, height = BOX[0] - 0.062, 0.145
    if node.controller is None:
        _fit(axes, (left + width / 2, low + height / 2), "no memory", 9, width)
        return
    axes.add_patch(Rectangle((left, low), width, height, facecolor="white", edgecolor=FAINT, linewidth=0.8))
    size = "memory" if node.memory_gib is None else f"memory {node.memory_gib:g} GiB"
    if load is None:
        _fit(axes, (left + width / 2, low + height / 2), size, 9, width - 0.01)
        return
    bar = 0.035
    axes.add_patch(
        Rectangle((left, low), width * min(load.utilization, 1.0), bar, facecolor=colours()(load.utilization), linewidth=0)
    )
    axes.add_patch(Rectangle((left, low), width, bar, facecolor="none", edgecolor=FAINT, linewidth=0.8))
    text = f"{size}\n{load.gb_per_s:.2f} GB/s, busy {100 * load.utilization:.0f} %"
    _fit(axes, (left + width / 2, low + (bar + height) / 2), text, 8, width - 0.012)


def _caption(board: _Board, machine: Machine, result: RunResult | None, heading: str | None) -> None:
    lines = [machine.title, *([] if heading is None else [heading]), *([] if result is None else [_threads(result)])]
    title = wrapped("\n".join(lines), 12, board.width)
    board.axes.text(0.5, 1.0, title, transform=board.axes.transAxes, ha="center", va="bottom", fontsize=12)
    if result is None:
        text = wrapped(_constants(machine), 9, board.width)
        board.axes.text(0.5, 0.0, text, transform=board.axes.transAxes, ha="center", va="top", fontsize=9, color=FAINT)
        return
    scale = board.picture.add_axes((0.1, -0.15 / board.height, 0.8, 0.13 / board.height))
    bar = board.picture.colorbar(ScalarMappable(Normalize(0, 100), colours()), cax=scale, orientation="horizontal")
    bar.set_label(wrapped("utilization of a link direction (flow control and CRC included) or of a memory, %", 10, board.width))


def _threads(result: RunResult) -> str:
    foreground = " ".join(thread.label for thread in result.threads if not thread.background) or "no foreground"
    rates = [thread.rate_gb_per_s for thread in result.threads if thread.background]
    if not rates:
        return foreground
    each = " or ".join(f"{rate:g}" for rate in sorted({rate for rate in rates if rate is not None}))
    return f"{foreground}, background (paler): {len(rates)} thread{'s' if len(rates) > 1 else ''} at {each or 'no set'} GB/s"


def _constants(machine: Machine) -> str:
    links = [f"{width} bit at {rate:g} GT/s = {width / 8 * rate:g} GB/s" for width, rate in link_kinds(machine)]
    memories = sorted({node.controller.peak_gb_per_s for node in machine.nodes if node.controller is not None}, reverse=True)
    parts = [f"links: {' or '.join(links)} each way"] if links else []
    peaks = " or ".join(f"{peak:g} GB/s" for peak in memories)
    return "; ".join(parts + ([f"memory peak {peaks} a node"] if memories else []))
