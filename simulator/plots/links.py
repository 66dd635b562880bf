"""The links of a machine drawn: an arrow for each direction, what differs between links, and what a run put on them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import FancyArrow

from simulator.machine.routing import link_key
from simulator.machine.spec import Link, Machine
from simulator.measure.result import LinkReport
from simulator.plots.layout import Point, cross
from simulator.plots.style import FAINT, INK, UTILIZATION_MAP
from simulator.plots.text import fitting_size

SPACING_INCH = 3.3  # between neighbours
BOX = (0.46, 0.42)  # width and height of a node, where neighbours are 1 apart
_LANE = 0.09  # between the two directions of a link
_PARALLEL_LANE = 0.115  # the same where several links join two nodes: text stands between
_PARALLEL = 0.22  # between the middles of parallel links
_ACROSS = 0.4  # room of all parallel links
_ARROW = 0.034
_HEAD = (2.1 * _ARROW, 2.2 * _ARROW)  # width, length
_GAP = 0.012
_MAX_LABELLED = 12  # links with room for more than their utilization
_THINNEST = 0.5


@dataclass(frozen=True)
class _Way:
    """A link as it is drawn, from the first of its ends to the second.

    Attributes
    ----------
    start, end : Point
        Middles of the boxes.
    offset : float
        Distance of the link's middle from the line between them, to the left.
    scale : float
        Of arrows and text: less than 1 where many parallel links share the room, or there are many links.
    parallel, crossed : bool
        Whether another link joins the same nodes, and whether one crosses.
    """

    start: Point
    end: Point
    offset: float
    lane: float
    scale: float
    parallel: bool
    crossed: bool

    @property
    def length(self) -> float:
        return math.dist(self.start, self.end)

    @property
    def along(self) -> Point:
        return (self.end[0] - self.start[0]) / self.length, (self.end[1] - self.start[1]) / self.length

    @property
    def slanting(self) -> bool:
        return min(abs(step) for step in self.along) > 0.1

    @property
    def angle(self) -> float:
        """Degrees to turn text along the link, never upside down."""
        angle = math.degrees(math.atan2(self.along[1], self.along[0]))
        turned = angle - 180 if angle > 90 else angle + 180 if angle < -90 else angle
        return 90.0 if abs(abs(turned) - 90) < 1e-6 else turned

    def spot(self, share: float, offset: float) -> Point:
        """Return the place at this share of the way, `offset` to the left of the line between the middles."""
        (along_x, along_y), far = self.along, share * self.length
        return self.start[0] + along_x * far - along_y * offset, self.start[1] + along_y * far + along_x * offset


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
    brief = len(machine.links) > _MAX_LABELLED
    kinds = link_kinds(machine)
    differ = len(kinds) > 1
    for link in machine.links:
        way = _way(machine, link, places)
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


def lanes(machine: Machine, places: Mapping[int, Point]) -> dict[str, tuple[Point, Point]]:
    """Return tail and tip of the arrow that :func:`draw_links` draws for each link direction, by its key."""
    found: dict[str, tuple[Point, Point]] = {}
    for link in machine.links:
        way = _way(machine, link, places)
        found[link_key(machine, link, link.ends[0])] = _ends(way, way.offset + way.lane / 2, there=True)
        found[link_key(machine, link, link.ends[1])] = _ends(way, way.offset - way.lane / 2, there=False)
    return found


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


def _way(machine: Machine, link: Link, places: Mapping[int, Point]) -> _Way:
    beside = [other for other in machine.links if set(other.ends) == set(link.ends)]
    start, end = places[link.ends[0]], places[link.ends[1]]
    crossed = any(cross((start, end), (places[other.ends[0]], places[other.ends[1]])) for other in machine.links)
    if len(beside) == 1:
        scale = min(1.0, max(_THINNEST, _MAX_LABELLED / len(machine.links)))
        return _Way(start, end, 0.0, scale * _LANE, scale, False, crossed)
    step = min(_PARALLEL, _ACROSS / len(beside))
    scale = step / _PARALLEL
    offset = ((len(beside) - 1) / 2 - beside.index(link)) * step
    turn = 1 if link.ends == beside[0].ends else -1
    return _Way(start, end, turn * offset, scale * _PARALLEL_LANE, scale, True, crossed)


def _difference(link: Link, way: _Way, rated: bool) -> str:
    """Say what tells a link from others: of parallel ones what it carries, and its rate if that is asked for."""
    parts = [f"#{link.ordinal} {', '.join(link.carries)}"] if way.parallel else []
    if rated:
        parts.append(f"{link.width_bits} bit, {link.gb_per_s:g} GB/s")
    return "; ".join(parts)


def _draw_arrow(axes: Axes, way: _Way, offset: float, there: bool, load: LinkReport | None) -> None:
    tail, tip = _ends(way, offset, there)
    arrow = FancyArrow(
        *tail,
        tip[0] - tail[0],
        tip[1] - tail[1],
        width=_ARROW * way.scale,
        head_width=_HEAD[0] * way.scale,
        head_length=_HEAD[1] * way.scale,
        length_includes_head=True,
        facecolor="#dddddd" if load is None else colours()(load.utilization),
        edgecolor=FAINT,
        linewidth=0.6,
    )
    axes.add_patch(arrow)


def _ends(way: _Way, offset: float, there: bool) -> tuple[Point, Point]:
    """Return tail and tip, each as far from its box, corners of the arrow included."""
    forth = (abs(way.along[0]), abs(way.along[1]))
    tail_room = [way.scale * _ARROW / 2 * across for across in forth[::-1]]
    shoulders = [_HEAD[0] / 2 * across - _HEAD[1] * step for step, across in zip(forth, forth[::-1], strict=True)]
    head_room = [way.scale * max(0.0, shoulder) for shoulder in shoulders]
    at_start, at_end = (tail_room, head_room) if there else (head_room, tail_room)
    (along_x, along_y), length = way.along, way.length
    out = _way_out((along_x, along_y), offset, at_start) / length
    back = _way_out((-along_x, -along_y), -offset, at_end) / length
    ends = way.spot(out, offset), way.spot(1 - back, offset)
    return ends if there else ends[::-1]


def _way_out(along: Point, offset: float, room: list[float]) -> float:
    """Return how far a line `offset` to the left of a box's middle goes in this direction until it has left the box."""
    beside = (-along[1] * offset, along[0] * offset)
    ways = [
        (half / 2 + _GAP + more - math.copysign(1, step) * shift) / abs(step)
        for half, more, step, shift in zip(BOX, room, along, beside, strict=True)
        if abs(step) > 1e-9
    ]
    return min(ways)


def _label_load(axes: Axes, way: _Way, offset: float, there: bool, lines: list[str]) -> None:
    if way.parallel:  # on the arrow, along it: there is no room between
        _write_along(axes, way, way.spot(0.5, offset), ", ".join(lines).replace("\n", " "), 8, room=_inside(way) - 3 * _HEAD[1])
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


def _label_link(axes: Axes, way: _Way, text: str) -> None:
    """Write what a link is between its arrows; near its start where it crosses another."""
    share = 0.33 if way.crossed else 0.5
    room = _inside(way) - (0.0 if way.parallel else 2.4 * _HEAD[1])
    _write_along(axes, way, way.spot(share, way.offset), text, 8.5, room=room * (0.6 if way.crossed else 1.0))


def _inside(way: _Way) -> float:
    tail, tip = _ends(way, way.offset, there=True)
    return math.dist(tail, tip)


def _write_along(axes: Axes, way: _Way, spot: Point, text: str, size: float, room: float) -> None:
    size = fitting_size(text, size * min(1.0, 1.15 * way.scale), room * SPACING_INCH)
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "boxstyle": "square,pad=0.1"}
    label = axes.text(*spot, text, ha="center", va="center_baseline", fontsize=size, color=INK, bbox=box)
    label.set_rotation(way.angle)
    label.set_rotation_mode("anchor")


def _write(axes: Axes, spot: Point, text: str, across: str, upright: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "boxstyle": "round,pad=0.15"}
    axes.text(*spot, text, ha=across, va=upright, fontsize=9, linespacing=1.15, bbox=box)
