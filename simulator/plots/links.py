"""The links of a machine drawn: an arrow for each direction, what differs between links, and what a run put on them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import FancyArrow

from simulator.machine.routing import link_key
from simulator.machine.spec import Link, Machine
from simulator.measure.result import LinkReport
from simulator.plots.layout import Point
from simulator.plots.style import FAINT, INK, UTILIZATION_MAP
from simulator.plots.text import fitting_size
from simulator.plots.ways import ARROW, HEAD, MAX_LABELLED, Way, lane_ends, link_way

SPACING_INCH = 3.3  # between neighbours


def draw_links(
    axes: Axes, machine: Machine, places: Mapping[int, Point], loads: Mapping[str, LinkReport] | None, notes: Mapping[str, str]
) -> None:
    """Draw all links.

    Parameters
    ----------
    loads : mapping of str to LinkReport, optional
        By link key: colours each direction, with its numbers beside.
    notes : mapping of str to str
        By link key: a further line for the direction.
    """
    brief = len(machine.links) > MAX_LABELLED
    kinds = link_kinds(machine)
    differ = len(kinds) > 1
    for link in machine.links:
        way = link_way(machine, link, places)
        for key, offset, there in (
            (link_key(machine, link, link.ends[0]), way.offset + way.lane / 2, True),
            (link_key(machine, link, link.ends[1]), way.offset - way.lane / 2, False),
        ):
            load = None if loads is None else loads.get(key)
            _draw_arrow(axes, way, offset, there, load)
            if load is not None:
                of_rate = f" of {link.gb_per_s:g}" if differ and way.crossed else ""
                lines = [f"{100 * load.utilization:.0f} %"] + ([] if brief else [f"{load.gb_per_s:.2f}{of_rate} GB/s"])
                _label_load(axes, way, offset, there, lines + ([notes[key]] if key in notes else []))
        text = _difference(link, way, differ and not (brief and _kind(link) == kinds[0]))
        if text and not (way.crossed and loads is not None):  # the loads leave no room between crossings
            _label_link(axes, way, text)


def link_kinds(machine: Machine) -> list[tuple[int, float]]:
    """Return the widths and transfer rates that occur, the most frequent first."""
    kinds = [_kind(link) for link in machine.links]
    return sorted(set(kinds), key=lambda kind: (-kinds.count(kind), -kind[0], -kind[1]))


def _kind(link: Link) -> tuple[int, float]:
    return link.width_bits, link.rate_gt_per_s


def colours() -> ListedColormap:
    """Return the colours of 0 to 1: the palest part of the map, hard to see on white, is left out."""
    whole = colormaps[UTILIZATION_MAP]
    return ListedColormap([whole(0.08 + 0.92 * step / 255) for step in range(256)])


def _difference(link: Link, way: Way, rated: bool) -> str:
    """Say what tells a link from others: of parallel ones what it carries, and its rate if that is asked for."""
    parts = [f"#{link.ordinal} {', '.join(link.carries)}"] if way.parallel else []
    if rated:
        parts.append(f"{link.width_bits} bit, {link.gb_per_s:g} GB/s")
    return "; ".join(parts)


def _draw_arrow(axes: Axes, way: Way, offset: float, there: bool, load: LinkReport | None) -> None:
    tail, tip = lane_ends(way, offset, there)
    arrow = FancyArrow(
        *tail,
        tip[0] - tail[0],
        tip[1] - tail[1],
        width=ARROW * way.scale,
        head_width=HEAD[0] * way.scale,
        head_length=HEAD[1] * way.scale,
        length_includes_head=True,
        facecolor="#dddddd" if load is None else colours()(load.utilization),
        edgecolor=FAINT,
        linewidth=0.6,
    )
    axes.add_patch(arrow)


def _label_load(axes: Axes, way: Way, offset: float, there: bool, lines: list[str]) -> None:
    if way.parallel:  # on the arrow, along it: there is no room between
        _write_along(axes, way, way.spot(0.5, offset), ", ".join(lines).replace("\n", " "), 8, room=_inside(way) - 3 * HEAD[1])
        return
    if way.crossed:  # on the arrow, near its start, clear of links that cross it
        _write(axes, way.spot(0.34 if there else 0.66, offset), "\n".join(lines), "center", "center")
        return
    spot = way.spot(0.5, offset + math.copysign(0.035, offset))
    along_x, along_y = way.along
    away_x, away_y = -along_y * offset, along_x * offset
    across = "center" if abs(along_y) < 0.1 else "left" if away_x > 0 else "right"
    upright = "center" if abs(along_x) < 0.1 else "bottom" if away_y > 0 else "top"
    _write(axes, spot, "\n".join(lines), across, upright)


def _label_link(axes: Axes, way: Way, text: str) -> None:
    """Write what a link is between its arrows; near its start where it crosses another."""
    share = 0.33 if way.crossed else 0.5
    room = _inside(way) - (0.0 if way.parallel else 2.4 * HEAD[1])
    _write_along(axes, way, way.spot(share, way.offset), text, 8.5, room=room * (0.6 if way.crossed else 1.0))


def _inside(way: Way) -> float:
    tail, tip = lane_ends(way, way.offset, there=True)
    return math.dist(tail, tip)


def _write_along(axes: Axes, way: Way, spot: Point, text: str, size: float, room: float) -> None:
    size = fitting_size(text, size * min(1.0, 1.15 * way.scale), room * SPACING_INCH)
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "boxstyle": "square,pad=0.1"}
    label = axes.text(*spot, text, ha="center", va="center_baseline", fontsize=size, color=INK, bbox=box)
    label.set_rotation(way.angle)
    label.set_rotation_mode("anchor")


def _write(axes: Axes, spot: Point, text: str, across: str, upright: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "boxstyle": "round,pad=0.15"}
    axes.text(*spot, text, ha=across, va=upright, fontsize=9, linespacing=1.15, bbox=box)
