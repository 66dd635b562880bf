"""A machine drawn: nodes with cores and memory, links, and what a run put on them."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrow, FancyBboxPatch, Rectangle

from simulator.errors import InputError
from simulator.machine.routing import link_key
from simulator.machine.spec import Link, Machine, Node
from simulator.measure.result import ControllerReport, LinkReport, RunResult, ThreadReport
from simulator.plots.layout import Point, node_positions
from simulator.plots.style import FAINT, INK, UTILIZATION_MAP, house_style, save

MAX_NODES = 64
_SPACING_INCH = 3.3  # between neighbours
_BOX = (0.46, 0.42)  # width and height of a node, where neighbours are 1 apart
_LANE = 0.045  # half the distance between the two directions of a link
_ARROW = 0.034
_MAX_CORES = 4  # drawn one by one
_MAX_LABELLED = 12  # links with room for more than their utilization


def draw_machine(machine: Machine, path: str | os.PathLike[str], run_result: RunResult | None = None) -> tuple[Path, ...]:
    """Draw a machine, and the loads of a run on it.

    Parameters
    ----------
    machine : Machine
    path : path
        See :func:`simulator.plots.style.picture_paths`.
    run_result : RunResult, optional
        Colours each link direction and memory by its utilization, with GB/s beside.

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
        picture, axes = _canvas(places)
        for lane in _lanes(machine):
            load = None if run_result is None else run_result.links.get(lane.key)
            _draw_lane(axes, lane, places, load, brief=len(machine.links) > _MAX_LABELLED)
        for node in machine.nodes:
            _draw_node(axes, node, places[node.id], run_result)
        _caption(picture, axes, machine, run_result)
        return save(picture, path)


@dataclass(frozen=True)
class _Lane:
    """One direction of a link; `offset` is its distance from the line between the nodes, to the left of its way."""

    key: str
    start: int
    end: int
    offset: float
    rate_gb_per_s: float


def _lanes(machine: Machine) -> list[_Lane]:
    lanes = []
    for link in machine.links:
        parallel = [other for other in machine.links if set(other.ends) == set(link.ends)]
        shift = (2 * parallel.index(link) - (len(parallel) - 1)) * 2 * _LANE
        first, second = link.ends
        lanes.append(_lane(machine, link, first, second, _LANE + shift))
        lanes.append(_lane(machine, link, second, first, _LANE - shift))
    return lanes


def _lane(machine: Machine, link: Link, start: int, end: int, offset: float) -> _Lane:
    return _Lane(link_key(machine, link, start), start, end, offset, link.gb_per_s)


def _canvas(places: dict[int, Point]) -> tuple[Figure, Axes]:
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    left, right = min(xs) - _BOX[0] / 2 - 0.22, max(xs) + _BOX[0] / 2 + 0.22
    low, high = min(ys) - _BOX[1] / 2 - 0.16, max(ys) + _BOX[1] / 2 + 0.16
    size = (max(5.6, (right - left) * _SPACING_INCH), (high - low) * _SPACING_INCH + 0.8)
    picture = Figure(figsize=size, layout="constrained")
    axes = picture.add_subplot()
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return picture, axes


def _draw_lane(axes: Axes, lane: _Lane, places: dict[int, Point], load: LinkReport | None, brief: bool) -> None:
    (x0, y0), (x1, y1) = places[lane.start], places[lane.end]
    length = math.hypot(x1 - x0, y1 - y0)
    along_x, along_y = (x1 - x0) / length, (y1 - y0) / length
    left_x, left_y = -along_y, along_x
    gap = _way_out(along_x, along_y) + 0.012
    tail_x, tail_y = x0 + along_x * gap + left_x * lane.offset, y0 + along_y * gap + left_y * lane.offset
    arrow = FancyArrow(
        tail_x,
        tail_y,
        along_x * (length - 2 * gap),
        along_y * (length - 2 * gap),
        width=_ARROW,
        head_width=2.1 * _ARROW,
        head_length=2.2 * _ARROW,
        length_includes_head=True,
        facecolor="#dddddd" if load is None else _colours()(load.utilization),
        edgecolor=FAINT,
        linewidth=0.6,
    )
    axes.add_patch(arrow)
    if load is None:
        return
    text = f"{100 * load.utilization:.0f} %" + ("" if brief else f"\n{load.gb_per_s:.2f} GB/s")
    if min(abs(along_x), abs(along_y)) > 0.1:  # slanting: on the arrow, near its start, clear of links that cross it
        spot = (x0 + along_x * length * 0.3 + left_x * lane.offset, y0 + along_y * length * 0.3 + left_y * lane.offset)
        _label(axes, spot, (0.0, 0.0), text)
        return
    distance = lane.offset + math.copysign(0.035, lane.offset)
    spot = (x0 + along_x * length / 2 + left_x * distance, y0 + along_y * length / 2 + left_y * distance)
    _label(axes, spot, (left_x * distance, left_y * distance), text)


def _way_out(along_x: float, along_y: float) -> float:
    """Return how far it is from the middle of a node's box to its edge in this direction."""
    ways = [half / abs(step) for half, step in ((_BOX[0] / 2, along_x), (_BOX[1] / 2, along_y)) if abs(step) > 1e-9]
    return min(ways)


def _label(axes: Axes, spot: Point, away: Point, text: str) -> None:
    steep = abs(away[0]) > abs(away[1])
    across = ("left" if away[0] > 0 else "right") if steep else "center"
    upright = "center" if steep or away == (0.0, 0.0) else ("bottom" if away[1] > 0 else "top")
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "boxstyle": "round,pad=0.15"}
    axes.text(*spot, text, ha=across, va=upright, fontsize=9, linespacing=1.15, bbox=box)


def _draw_node(axes: Axes, node: Node, place: Point, result: RunResult | None) -> None:
    width, height = _BOX
    left, low = place[0] - width / 2, place[1] - height / 2
    axes.add_patch(
        FancyBboxPatch(
            (left, low), width, height, boxstyle="round,pad=0,rounding_size=0.02", facecolor="white", edgecolor=INK, linewidth=1.2
        )
    )
    axes.text(place[0], low + height - 0.035, f"node {node.id}", ha="center", va="center", fontsize=11, fontweight="bold")
    threads = [] if result is None else [thread for thread in result.threads if thread.label.startswith(f"{node.id}.")]
    _draw_cores(axes, node, (left, low), threads)
    _draw_memory(axes, node, (left, low), None if result is None else result.controllers.get(str(node.id)))


def _draw_cores(axes: Axes, node: Node, corner: Point, threads: list[ThreadReport]) -> None:
    left, low = corner[0] + 0.025, corner[1] + 0.2
    width, height = _BOX[0] - 0.05, 0.145
    if not 1 <= node.cores <= _MAX_CORES:
        busy = f", {len(threads)} in use" if threads else ""
        text = f"{node.cores} cores{busy}" if node.cores else "no cores"
        axes.text(left + width / 2, low + height / 2, text, ha="center", va="center", fontsize=9)
        return
    step = width / node.cores
    for core in range(node.cores):
        own = [thread for thread in threads if thread.label.split(".")[1] == str(core)]
        face = "white" if not own else "#e8eef4" if own[0].background else "#bfd9ec"
        axes.add_patch(
            Rectangle((left + core * step + 0.006, low), step - 0.012, height, facecolor=face, edgecolor=FAINT, linewidth=0.8)
        )
        text = f"core {core}" + "".join("\n" + _activity(thread) for thread in own)
        axes.text(
            left + (core + 0.5) * step, low + height / 2, text, ha="center", va="center", fontsize=8 if node.cores < 3 else 7
        )


def _activity(thread: ThreadReport) -> str:
    _, _, mode, memory = thread.label.split(".")
    verb = {"r": "reads", "w": "writes"}.get(mode, "uses")
    return f"{verb} {memory}\n{thread.gb_per_s:.2f} GB/s"


def _draw_memory(axes: Axes, node: Node, corner: Point, load: ControllerReport | None) -> None:
    left, low = corner[0] + 0.031, corner[1] + 0.03
    width, height = _BOX[0] - 0.062, 0.145
    if node.controller is None:
        axes.text(left + width / 2, low + height / 2, "no memory", ha="center", va="center", fontsize=9)
        return
    axes.add_patch(Rectangle((left, low), width, height, facecolor="white", edgecolor=FAINT, linewidth=0.8))
    size = "memory" if node.memory_gib is None else f"memory {node.memory_gib:g} GiB"
    if load is None:
        axes.text(left + width / 2, low + height / 2, size, ha="center", va="center", fontsize=9)
        return
    bar = 0.035
    axes.add_patch(
        Rectangle((left, low), width * min(load.utilization, 1.0), bar, facecolor=_colours()(load.utilization), linewidth=0)
    )
    axes.add_patch(Rectangle((left, low), width, bar, facecolor="none", edgecolor=FAINT, linewidth=0.8))
    text = f"{size}\n{load.gb_per_s:.2f} GB/s, busy {100 * load.utilization:.0f} %"
    axes.text(left + width / 2, low + (bar + height) / 2, text, ha="center", va="center", fontsize=8, linespacing=1.25)


def _caption(picture: Figure, axes: Axes, machine: Machine, result: RunResult | None) -> None:
    axes.set_title(machine.title if result is None else f"{machine.title}\n{_threads(result)}", loc="center")
    if result is None:
        axes.text(0.5, 0.0, _constants(machine), transform=axes.transAxes, ha="center", va="top", fontsize=9, color=FAINT)
        return
    bar = picture.colorbar(
        ScalarMappable(Normalize(0, 100), _colours()),
        ax=axes,
        orientation="horizontal",
        fraction=0.045,
        pad=0.02,
        aspect=40,
        shrink=0.8,
    )
    bar.set_label("utilization of a link direction (flow control and CRC included) or of a memory, %")


def _threads(result: RunResult) -> str:
    foreground = " ".join(thread.label for thread in result.threads if not thread.background) or "no foreground"
    rates = [thread.rate_gb_per_s for thread in result.threads if thread.background]
    if not rates:
        return foreground
    each = " or ".join(f"{rate:g}" for rate in sorted({rate for rate in rates if rate is not None}))
    return f"{foreground}, background (paler): {len(rates)} thread{'s' if len(rates) > 1 else ''} at {each or 'no set'} GB/s"


def _constants(machine: Machine) -> str:
    links = sorted({_link_constants(link) for link in machine.links})
    memories = sorted({f"{node.controller.peak_gb_per_s:g} GB/s" for node in machine.nodes if node.controller is not None})
    parts = [f"links: {' or '.join(links)}"] if links else []
    return "; ".join(parts + ([f"memory peak {' or '.join(memories)} a node"] if memories else []))


def _link_constants(link: Link) -> str:
    return f"{link.width_bits} bit at {link.rate_gt_per_s:g} GT/s = {link.gb_per_s:g} GB/s each way"


def _colours() -> ListedColormap:
    """Return the colours of 0 to 1: the palest part of the map, hard to see on white, is left out."""
    whole = colormaps[UTILIZATION_MAP]
    return ListedColormap([whole(0.08 + 0.92 * step / 255) for step in range(256)])
