"""The machine that packets move on: what stands still drawn once, what moves set anew for every instant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrow, FancyBboxPatch, Patch, Rectangle
from matplotlib.text import Text

from simulator.engine.plan import NONE
from simulator.observe.moments import Doing, Moments
from simulator.observe.record import Recording
from simulator.plots.layout import Point, node_positions
from simulator.plots.links import SPACING_INCH
from simulator.plots.packet_looks import legend_entries, look_of
from simulator.plots.style import FAINT, INK
from simulator.plots.text import fitting_size
from simulator.plots.ways import BOX, lanes
from simulator.units import ns_from_ps

SLOT_COLOURS: dict[Doing, str] = {
    "walking": "#2171b5",
    "queueing": "#f16913",
    "probes": "#9e9ac8",
    "core": "#c7d0d9",
    "nothing": "#ffffff",
}
_SLOT_WORDS: dict[Doing, str] = {
    "walking": "line walks",
    "queueing": "line waits in a queue",
    "probes": "line waits for probes",
    "core": "core time",
    "nothing": "no line",
}
_MARGIN = 0.16  # around the boxes, where neighbours are 1 apart
_MOST_PIXELS, _DPI = 1000, 100
_TOP_INCH, _BOTTOM_INCH = 0.75, 0.95  # for title and legend
_SHORTEST = 0.02  # of a packet's streak, share of its lane
_LANE = 0.034
_QUEUE_STEP, _QUEUE_ASIDE, _MOST_QUEUED, _TEXT_ASIDE = 0.032, 0.047, 14, 0.09
_MOST_ROWS, _MOST_SQUARES = 4, 8  # threads of a node, and slots of a thread, drawn one by one
_EMPTY = "#b2182b"


class MovingSquare:
    """A sheet with a machine.

    Attributes
    ----------
    figure : Figure
    moving : list of Artist
        What :meth:`show` changes; the rest can be drawn once.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording, self._plan = recording, recording.trace.plan
        self._places = node_positions(recording.machine)
        self.figure, self._axes = _sheet(list(self._places.values()))
        lane_of = lanes(recording.machine, self._places)
        names = [name.removeprefix("link ") for name in self._plan.ports.name]
        self._lanes = {port: lane_of[name] for port, name in enumerate(names) if name in lane_of}
        for tail, tip in self._lanes.values():
            self._axes.add_patch(_arrow(tail, tip))
        self._packets = LineCollection([], linewidths=5, capstyle="round", zorder=5)
        self._queued = self._axes.scatter([], [], s=34, edgecolors=INK, linewidths=0.4, zorder=6)
        self._axes.add_collection(self._packets)
        self._empty = {port: self._lane_text(port) for port in self._lanes}
        self._slots: dict[tuple[int, int], Rectangle] = {}
        self._memory: dict[int, tuple[Rectangle, Rectangle, Text, float]] = {}
        for index, node in enumerate(self._plan.node_ids):
            self._draw_node(index, node)
        self._clock = self._axes.text(0.98, 1.0, "", transform=self._axes.transAxes, ha="right", va="bottom", fontsize=12)
        self._caption()
        bars = [artist for bar, server, text, _ in self._memory.values() for artist in (bar, server, text)]
        self.moving: list[Artist] = [*self._slots.values(), *bars, self._packets, self._queued, *self._empty.values()]
        self.moving.append(self._clock)
        for artist in self.moving:
            artist.set_animated(True)

    def show(self, moments: Moments, time_ps: int) -> None:
        """Set everything that moves to an instant."""
        opened_ps = self._recording.trace.opened_ps
        self._clock.set_text(f"{ns_from_ps(time_ps - opened_ps):.0f} ns")
        self._show_flights(moments, time_ps)
        waiting = moments.waiting(time_ps)
        _place_dots(self._queued, [dot for port in self._lanes for dot in self._queue(port, waiting.get(port, ()))])
        empty = moments.exhausted(time_ps)
        for port, text in self._empty.items():
            text.set_text("no " + ", ".join(empty[port]) + " credit" if port in empty else "")
        doing = moments.slots(time_ps)
        for key, square in self._slots.items():
            square.set_facecolor(SLOT_COLOURS[doing.get(key, "nothing")])
        serving = moments.serving(time_ps)
        for node, (taken, capacity) in moments.places_taken(time_ps).items():
            bar, server, text, width = self._memory[node]
            bar.set_width(width * taken / capacity)
            kind = serving.get(self._plan.controller_port[node])
            server.set_facecolor("white" if kind is None else look_of(kind))
            text.set_text(f"{taken} of {capacity} places taken")

    def _show_flights(self, moments: Moments, time_ps: int) -> None:
        streaks, colours = [], []
        for flight in sorted(moments.flights(time_ps), key=lambda flight: (flight.port, flight.kind == "NOP", flight.head)):
            tail, tip = self._lanes[flight.port]
            back = max(0.0, min(flight.tail, flight.head - _SHORTEST))
            streaks.append([_between(tail, tip, back), _between(tail, tip, max(flight.head, back + _SHORTEST))])
            colours.append(look_of(flight.kind))
        self._packets.set_segments(streaks)
        self._packets.set_color(colours)

    def _queue(self, port: int, kinds: Sequence[str]) -> list[tuple[Point, str]]:
        """Return a dot for each packet that waits for a link: beside the start of its lane, the first in front."""
        tail, tip = self._lanes[port]
        along, aside = _unit(tail, tip), self._outwards(port)
        x, y = _moved(tail, aside, _QUEUE_ASIDE)
        return [(_moved((x, y), along, _QUEUE_STEP * place), look_of(kind)) for place, kind in enumerate(kinds[:_MOST_QUEUED])]

    def _outwards(self, port: int) -> Point:
        """Return the direction away from the other lane of the link."""
        along = _unit(*self._lanes[port])
        left = (-along[1], along[0])
        reverse = self._plan.ports.reverse[port]
        if reverse == NONE:
            return left
        middle, other = (_between(*self._lanes[lane], 0.5) for lane in (port, reverse))
        side = (middle[0] - other[0]) * left[0] + (middle[1] - other[1]) * left[1]
        return left if side >= 0 else (-left[0], -left[1])

    def _lane_text(self, port: int) -> Text:
        """Return room for words beside a lane, behind the packets that wait."""
        x, y = _moved(_between(*self._lanes[port], 0.5), self._outwards(port), _TEXT_ASIDE)
        along = _unit(*self._lanes[port])
        angle = math.degrees(math.atan2(along[1], along[0]))
        upright = angle - 180 if angle > 90 else angle + 180 if angle <= -90 else angle
        text = self._axes.text(x, y, "", fontsize=7.5, color=_EMPTY, ha="center", va="center", fontweight="bold", zorder=7)
        text.set_rotation(upright)
        text.set_rotation_mode("anchor")
        return text

    # -- what stands still -----------------------------------------------------------------------------------------------

    def _draw_node(self, index: int, node: int) -> None:
        width, height = BOX
        left, low = self._places[node][0] - width / 2, self._places[node][1] - height / 2
        style = "round,pad=0,rounding_size=0.02"
        self._axes.add_patch(FancyBboxPatch((left, low), width, height, boxstyle=style, facecolor="white", edgecolor=INK))
        spot = (left + width / 2, low + height - 0.04)
        self._axes.text(*spot, f"node {node}", ha="center", va="center", fontsize=10, fontweight="bold")
        self._draw_slots(node, left + 0.02, low + height - 0.075)
        if self._plan.controller_pool[index] != NONE:
            self._draw_memory(index, left + 0.02, low + 0.025, width - 0.04)

    def _draw_slots(self, node: int, left: float, top: float) -> None:
        threads = [thread for thread, label in enumerate(self._plan.threads.label) if label.split(".")[0] == str(node)]
        for row, thread in enumerate(threads[:_MOST_ROWS]):
            middle = top - 0.03 - 0.048 * row
            label = self._plan.threads.label[thread]
            self._axes.text(left, middle, label, ha="left", va="center", fontsize=fitting_size(label, 8, 0.14 * SPACING_INCH))
            for slot in range(min(self._plan.threads.window[thread], _MOST_SQUARES)):
                square = Rectangle((left + 0.15 + 0.034 * slot, middle - 0.014), 0.028, 0.028, edgecolor=INK, linewidth=0.6)
                self._slots[thread, slot] = square
                self._axes.add_patch(square)

    def _draw_memory(self, index: int, left: float, low: float, width: float) -> None:
        self._axes.text(left, low + 0.088, "DRAM", ha="left", va="center", fontsize=8)
        server = Rectangle((left + 0.11, low + 0.072), 0.032, 0.032, edgecolor=INK, linewidth=0.6)
        bar = Rectangle((left, low), 0.0, 0.035, facecolor="#9ecae1", linewidth=0)
        frame = Rectangle((left, low), width, 0.035, facecolor="none", edgecolor=FAINT, linewidth=0.8, zorder=3)
        for patch in (server, bar, frame):
            self._axes.add_patch(patch)
        text = self._axes.text(left + width, low + 0.052, "", ha="right", va="center", fontsize=7.5)
        self._memory[index] = (bar, server, text, width)

    def _caption(self) -> None:
        labels = [thread.label for thread in self._recording.workload.threads if not thread.background]
        shown = " ".join(labels[:6] + (["..."] if len(labels) > 6 else [])) or "threads of the background"
        opened = f"time since {ns_from_ps(self._recording.trace.opened_ps):.3f} ns of the run"
        signs = "dots beside a link wait for it, the square at a DRAM is what it serves"
        title = f"{self._recording.machine.name}: {shown}\n{opened}\n{signs}"
        self._axes.text(0.02, 1.0, title, transform=self._axes.transAxes, ha="left", va="bottom", fontsize=9.5, linespacing=1.3)
        kinds = {self._plan.kind_name[hop.packet.kind] for hop in self._recording.trace.hops}
        packets = legend_entries(kinds | {"NOP"})
        handles: list[Artist] = [Line2D([], [], color=colour, linewidth=5, label=words) for words, colour in packets]
        handles += [Patch(facecolor=SLOT_COLOURS[doing], edgecolor=INK, label=words) for doing, words in _SLOT_WORDS.items()]
        self.figure.legend(handles=handles, loc="lower center", ncols=3, frameon=False, fontsize=8)


def _sheet(places: Sequence[Point]) -> tuple[Figure, Axes]:
    xs, ys = [x for x, _ in places], [y for _, y in places]
    left, right = min(xs) - BOX[0] / 2 - _MARGIN, max(xs) + BOX[0] / 2 + _MARGIN
    low, high = min(ys) - BOX[1] / 2 - _MARGIN, max(ys) + BOX[1] / 2 + _MARGIN
    missing = max(0.0, 6.0 / SPACING_INCH - (right - left))
    left, right = left - missing / 2, right + missing / 2
    width, inner = (right - left) * SPACING_INCH, (high - low) * SPACING_INCH
    height = inner + _TOP_INCH + _BOTTOM_INCH
    figure = Figure(figsize=(width, height), dpi=min(_DPI, _MOST_PIXELS / max(width, height)), facecolor="white")
    axes = figure.add_axes((0.0, _BOTTOM_INCH / height, 1.0, inner / height))
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.set_axis_off()
    return figure, axes


def _place_dots(dots: PathCollection, places: Sequence[tuple[Point, str]]) -> None:
    dots.set_offsets(np.array([spot for spot, _ in places]).reshape(-1, 2))
    dots.set_facecolor([colour for _, colour in places])


def _between(start: Point, end: Point, share: float) -> Point:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def _moved(spot: Point, direction: Point, distance: float) -> Point:
    return spot[0] + direction[0] * distance, spot[1] + direction[1] * distance


def _arrow(tail: Point, tip: Point) -> FancyArrow:
    step = (tip[0] - tail[0], tip[1] - tail[1])
    head = 2 * _LANE
    looks: dict[str, Any] = {"facecolor": "#f4f4f4", "edgecolor": FAINT, "linewidth": 0.6}
    return FancyArrow(*tail, *step, width=_LANE, head_width=head, head_length=head, length_includes_head=True, **looks)


def _unit(start: Point, end: Point) -> Point:
    length = math.dist(start, end)
    return (end[0] - start[0]) / length, (end[1] - start[1]) / length
