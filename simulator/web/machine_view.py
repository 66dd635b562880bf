"""A machine, and the loads of a run on it, as the data that `assets/machine.js` draws."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from simulator.errors import InputError
from simulator.machine.routing import link_key
from simulator.machine.spec import Link, Machine, Node
from simulator.measure.result import RunResult, ThreadReport
from simulator.plots.layout import Point, node_positions
from simulator.plots.ways import BOX, Way, lane_ends, link_way
from simulator.replay.result import ReplayResult, ReplayThread

_LABEL = re.compile(r"(\d{1,5})\.(\d{1,5})\.([rw*])\.(\d{1,5}|\*)", re.ASCII)
Loads = RunResult | ReplayResult
MAX_NODES = 64
_SCALE = 420.0  # drawing units between neighbours; a node's box is BOX of them
_MARGIN = 70.0  # around the boxes: room for the numbers of outer links
_ASIDE = 0.075  # from the middle of a lane to the number beside it, where neighbours are 1 apart
_NEAR_START, _MIDDLE = 0.34, 0.5  # where along a link its number stands: crossed ones keep clear of the crossing


def machine_view(machine: Machine, result: Loads | None = None) -> dict[str, Any]:
    """Return what the drawing shows, ready for JSON.

    Parameters
    ----------
    machine : Machine
    result : RunResult or ReplayResult, optional
        Loads of links and controllers, and the threads.

    Returns
    -------
    dict
        `name`, `title`, `width`, `height`, `box` (drawing units, y downwards); `nodes` with the middle of their box, cores and
        memory; `links`, one a direction, from (`x1`, `y1`) to (`x2`, `y2`) with a number at (`label_x`, `label_y`); `threads`.
        `load` of a node or link is its part of the result, null without one.

    Raises
    ------
    InputError
        More than `MAX_NODES` nodes.
    """
    if len(machine.nodes) > MAX_NODES:
        raise InputError("too many nodes for a drawing", field="nodes", value=len(machine.nodes), allowed=f"at most {MAX_NODES}")
    places = {node: (x, -y) for node, (x, y) in node_positions(machine).items()}
    frame = _Frame(places)
    return {
        "name": machine.name,
        "title": machine.title,
        "width": frame.width,
        "height": frame.height,
        "box": {"width": round(BOX[0] * _SCALE, 1), "height": round(BOX[1] * _SCALE, 1)},
        "nodes": [_node(node, frame.spot(places[node.id]), result) for node in machine.nodes],
        "links": [side for link in machine.links for side in _sides(machine, link, places, frame, result)],
        "threads": [] if result is None else [thread_view(thread) for thread in result.threads],
    }


def thread_view(thread: ThreadReport | ReplayThread) -> dict[str, Any]:
    """Return a thread as the drawing shows it: its report, and what its label says.

    `memory` and `access` are ``*`` for a thread that uses several, and for one of a program or recorded trace.
    """
    if isinstance(thread, ReplayThread):
        return {
            "label": thread.name,
            "node": thread.node,
            "core": thread.core,
            "access": "*",
            "memory": "*",
            "background": False,
            "gb_per_s": thread.gb_per_s,
            "lines": thread.lines,
            "time_ns": thread.time_ns,
            "local_percent": thread.local_percent,
        }
    return {**label_view(thread.label), **thread.model_dump()}


def label_view(label: str) -> dict[str, Any]:
    """Return what a thread's label says: node, core, access and memory, the last two ``*`` where there are several.

    Raises
    ------
    InputError
        It is no label.
    """
    match = _LABEL.fullmatch(label)
    if match is None:
        raise InputError("not a thread label", field="label", value=label, allowed="node.core.r|w.memory, such as 0.0.w.1")
    return {"node": int(match[1]), "core": int(match[2]), "access": match[3], "memory": match[4]}


class _Frame:
    """The sheet: from places where neighbours are 1 apart to drawing units."""

    def __init__(self, places: Mapping[int, Point]) -> None:
        xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
        self._left = min(xs) - BOX[0] / 2 - _MARGIN / _SCALE
        self._top = min(ys) - BOX[1] / 2 - _MARGIN / _SCALE
        self.width = round((max(xs) - self._left + BOX[0] / 2) * _SCALE + _MARGIN, 1)
        self.height = round((max(ys) - self._top + BOX[1] / 2) * _SCALE + _MARGIN, 1)

    def spot(self, place: Point) -> Point:
        return round((place[0] - self._left) * _SCALE, 1), round((place[1] - self._top) * _SCALE, 1)


def _node(node: Node, spot: Point, result: Loads | None) -> dict[str, Any]:
    load = None if result is None else result.controllers.get(str(node.id))
    controller = node.controller
    return {
        "id": node.id,
        "x": spot[0],
        "y": spot[1],
        "cores": node.cores,
        "memory_gib": node.memory_gib,
        "controller": None if controller is None else {"peak_gb_per_s": controller.peak_gb_per_s, "queue": controller.queue},
        "load": None if load is None else load.model_dump(),
    }


def _sides(
    machine: Machine, link: Link, places: Mapping[int, Point], frame: _Frame, result: Loads | None
) -> list[dict[str, Any]]:
    way = link_way(machine, link, places)
    return [
        _side(machine, link, way, frame, result, start=link.ends[0], offset=way.offset + way.lane / 2),
        _side(machine, link, way, frame, result, start=link.ends[1], offset=way.offset - way.lane / 2),
    ]


def _side(
    machine: Machine, link: Link, way: Way, frame: _Frame, result: Loads | None, *, start: int, offset: float
) -> dict[str, Any]:
    key, there = link_key(machine, link, start), start == link.ends[0]
    (x1, y1), (x2, y2) = (frame.spot(place) for place in lane_ends(way, offset, there))
    label_x, label_y = frame.spot(_number_spot(way, offset, there))
    load = None if result is None else result.links.get(key)
    return {
        "key": key,
        "from": start,
        "to": link.ends[1] if there else link.ends[0],
        "x1": x1,
        "y1": y1,
        "x2": x2,
        "y2": y2,
        "label_x": label_x,
        "label_y": label_y,
        "scale": round(way.scale, 3),
        "width_bits": link.width_bits,
        "rate_gb_per_s": link.gb_per_s,
        "latency_ns": link.latency_ns,
        "carries": list(link.carries),
        "load": None if load is None else load.model_dump(),
    }


def _number_spot(way: Way, offset: float, there: bool) -> Point:
    """Return where the utilisation of a direction stands: beside it, or on it where links cross or run in parallel."""
    if way.parallel:
        return way.spot(_MIDDLE, offset)
    if way.crossed:
        return way.spot(_NEAR_START if there else 1 - _NEAR_START, offset)
    return way.spot(_MIDDLE, offset + math.copysign(_ASIDE * way.scale, offset))
