"""Where the links of a machine lie in a picture: a lane for each direction, from box to box."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from simulator.machine.routing import link_key
from simulator.machine.spec import Link, Machine
from simulator.plots.layout import Point, cross

BOX = (0.46, 0.42)  # width and height of a node, where neighbours are 1 apart
ARROW = 0.034  # width of an arrow
HEAD = (2.1 * ARROW, 2.2 * ARROW)  # width, length
MAX_LABELLED = 12  # links with room for more than their utilization
_LANE = 0.09  # between the two directions of a link
_PARALLEL_LANE = 0.115  # the same where several links join two nodes: text stands between
_PARALLEL = 0.22  # between the middles of parallel links
_ACROSS = 0.4  # room of all parallel links
_GAP = 0.012
_THINNEST = 0.5


@dataclass(frozen=True)
class Way:
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


def lanes(machine: Machine, places: Mapping[int, Point]) -> dict[str, tuple[Point, Point]]:
    """Return tail and tip of the arrow that :func:`draw_links` draws for each link direction, by its key."""
    found: dict[str, tuple[Point, Point]] = {}
    for link in machine.links:
        way = link_way(machine, link, places)
        found[link_key(machine, link, link.ends[0])] = lane_ends(way, way.offset + way.lane / 2, there=True)
        found[link_key(machine, link, link.ends[1])] = lane_ends(way, way.offset - way.lane / 2, there=False)
    return found


def link_way(machine: Machine, link: Link, places: Mapping[int, Point]) -> Way:
    """Return how a link is drawn between nodes at these places."""
    beside = [other for other in machine.links if set(other.ends) == set(link.ends)]
    start, end = places[link.ends[0]], places[link.ends[1]]
    crossed = any(cross((start, end), (places[other.ends[0]], places[other.ends[1]])) for other in machine.links)
    if len(beside) == 1:
        scale = min(1.0, max(_THINNEST, MAX_LABELLED / len(machine.links)))
        return Way(start, end, 0.0, scale * _LANE, scale, False, crossed)
    step = min(_PARALLEL, _ACROSS / len(beside))
    scale = step / _PARALLEL
    offset = ((len(beside) - 1) / 2 - beside.index(link)) * step
    turn = 1 if link.ends == beside[0].ends else -1
    return Way(start, end, turn * offset, scale * _PARALLEL_LANE, scale, True, crossed)


def lane_ends(way: Way, offset: float, there: bool) -> tuple[Point, Point]:
    """Return tail and tip, each as far from its box, corners of the arrow included."""
    forth = (abs(way.along[0]), abs(way.along[1]))
    tail_room = [way.scale * ARROW / 2 * across for across in forth[::-1]]
    shoulders = [HEAD[0] / 2 * across - HEAD[1] * step for step, across in zip(forth, forth[::-1], strict=True)]
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
