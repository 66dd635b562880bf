"""A trace as events of the Trace Event Format: a track a component, flows from request to data, counters.

Tracks: every window slot of every thread, every port of every node, every link direction. On a slot's track a line is a slice
with its parts inside; on a server's, the packets that it is busy with. What overlaps, waits and ways through fixed delays, is
asynchronous.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simulator.engine.plan import NONE, Part, Plan, PortKind
from simulator.observe.records import Hop, Nop, Span, Trace, TransactionLife
from simulator.observe.series import busy_percent, free_units, waiting
from simulator.observe.tables import part_names, port_ends
from simulator.observe.words import line_name, thread_line
from simulator.protocol import CHANNEL_NAMES

Event = dict[str, Any]
_Series = dict[str, dict[int, Any]]
_THREADS, _LINKS, _FIRST_NODE = 1, 2, 10  # process numbers
_FIRST_PORT, _FIRST_SLOT = 1000, 100_000  # track numbers
_RANKS = {"e": 0, "C": 1, "X": 2, "b": 3, "s": 4, "t": 5, "f": 6}  # at one instant: ends first, then what contains, then arrows


@dataclass(frozen=True)
class _Track:
    pid: int
    tid: int

    def ids(self) -> dict[str, int]:
        return {"pid": self.pid, "tid": self.tid}


def trace_events(trace: Trace) -> list[Event]:
    """Return what :class:`simulator.observe.document.TraceDocument` describes as `traceEvents`, in order of time."""
    tracks = _Tracks(trace.plan)
    events: list[Event] = []
    for row, life in enumerate(trace.transactions):
        events += _eviction(tracks, row, life) if life.eviction else _line(trace, tracks, life)
    for row, hop in enumerate(trace.hops):
        events += _hop(trace, tracks, row, hop)
    events += [_nop(tracks, nop) for nop in trace.nops if nop.end_ps > max(nop.sent_ps, trace.opened_ps)]
    events += _flows(trace, tracks)
    events += _counters(trace, tracks)
    events.sort(key=lambda event: (event["ts"], _RANKS[event["ph"]], -event.get("dur", 0)))
    used = {(event["pid"], event["tid"]) for event in events if "tid" in event} | {(event["pid"], None) for event in events}
    return [*(entry for entry in tracks.metadata() if (entry["pid"], entry.get("tid")) in used), *events]


class _Tracks:
    """Where things are drawn."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._first_slot: list[int] = []
        slots = 0
        for window in plan.threads.window:
            self._first_slot.append(slots)
            slots += window
        self._node = [start if kind != PortKind.LINK else None for kind, (start, _) in self._places()]

    def _places(self) -> Iterator[tuple[int, tuple[int | None, int | None]]]:
        return zip(self._plan.ports.kind, port_ends(self._plan), strict=True)

    def slot(self, life: TransactionLife) -> _Track:
        return _Track(_THREADS, _FIRST_SLOT + self._first_slot[life.thread] + life.slot)

    def port(self, port: int) -> _Track:
        node = self._node[port]
        return _Track(_LINKS if node is None else _FIRST_NODE + node, _FIRST_PORT + port)

    def metadata(self) -> Iterator[Event]:
        """Yield the names of all processes and tracks."""
        names = {_THREADS: "threads", _LINKS: "links"}
        names |= {_FIRST_NODE + index: f"node {node}" for index, node in enumerate(self._plan.node_ids)}
        for pid, name in names.items():
            yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
            yield {"ph": "M", "name": "process_sort_index", "pid": pid, "args": {"sort_index": pid}}
        table = self._plan.threads
        for first, label, window in zip(self._first_slot, table.label, table.window, strict=True):
            for slot in range(window):
                yield from _track_name(_Track(_THREADS, _FIRST_SLOT + first + slot), f"{label} slot {slot}")
        for port, name in enumerate(self._plan.ports.name):
            yield from _track_name(self.port(port), name)


def _track_name(track: _Track, name: str) -> Iterator[Event]:
    yield {"ph": "M", "name": "thread_name", **track.ids(), "args": {"name": name}}
    yield {"ph": "M", "name": "thread_sort_index", **track.ids(), "args": {"sort_index": track.tid}}


def _slice(name: str, category: str, start_ps: int, end_ps: int, track: _Track, args: Event) -> Event:
    times = {"ts": _us(start_ps), "dur": _us(end_ps - start_ps)}
    return {"ph": "X", "name": name, "cat": category, **times, **track.ids(), "args": args}


def _pair(name: str, category: str, number: str, start_ps: int, end_ps: int, track: _Track, args: Event) -> list[Event]:
    common = {"name": name, "cat": category, "id": number, **track.ids()}
    return [{"ph": "b", **common, "ts": _us(start_ps), "args": args}, {"ph": "e", **common, "ts": _us(end_ps)}]


# -- transactions ----------------------------------------------------------------------------------------------------------


def _line(trace: Trace, tracks: _Tracks, life: TransactionLife) -> list[Event]:
    """Return the slice of a line and those of its parts, as far as they were known when the window closed."""
    plan, track = trace.plan, tracks.slot(life)
    end_ps = trace.closed_ps if life.completed_ps is None else life.completed_ps
    args = {"thread": plan.threads.label[life.thread], "line": life.number, "issued_ps": life.issued_ps}
    args |= {"cut": True} if life.completed_ps is None else {"latency_ps": end_ps - life.issued_ps}
    spans = [span for span in life.spans if span.start_ps >= life.launched_ps]
    events = [_slice(line_name(plan, life), "line", life.launched_ps, end_ps, track, args)]
    return events + [_part(plan, track, span) for span in spans]


def _part(plan: Plan, track: _Track, span: Span) -> Event:
    args: Event = {"ps": span.end_ps - span.start_ps}
    if span.port != NONE:
        args["at"] = plan.ports.name[span.port]
    if span.lacks != NONE:
        args["lacks"] = plan.pools.name[span.lacks]
    return _slice(part_names()[Part(span.part)], "part", span.start_ps, span.end_ps, track, args)


def _eviction(tracks: _Tracks, row: int, life: TransactionLife) -> list[Event]:
    """Return an eviction's beginning and, once it is in memory, its end."""
    if life.completed_ps is None:
        return []
    return _pair("eviction", "eviction", f"v{row}", life.issued_ps, life.completed_ps, tracks.slot(life), {"line": life.number})


# -- packets ---------------------------------------------------------------------------------------------------------------


def _hop(trace: Trace, tracks: _Tracks, row: int, hop: Hop) -> Iterator[Event]:
    plan, track = trace.plan, tracks.port(hop.port)
    kind, name = plan.kind_name[hop.packet.kind], plan.ports.name[hop.port]
    args = {"line": thread_line(plan, hop.packet.transaction)}
    granted_ps = trace.closed_ps if hop.granted_ps is None else hop.granted_ps
    if granted_ps > max(hop.queued_ps, trace.opened_ps):
        cut = {"cut": True} if hop.granted_ps is None else {}
        yield from _pair(f"{kind} waits: {name}", "wait", f"w{row}", hop.queued_ps, granted_ps, track, {**args, **cut})
    if hop.serves and hop.granted_ps is not None and hop.tail_ps is not None and hop.tail_ps > trace.opened_ps:
        yield _slice(kind, "service", hop.granted_ps, hop.tail_ps, track, args)
    if hop.header_ps is not None and hop.arrival_ps is not None and hop.arrival_ps > max(hop.header_ps, trace.opened_ps):
        yield from _pair(f"{kind} passes: {name}", "way", f"p{row}", hop.header_ps, hop.arrival_ps, track, args)


def _nop(tracks: _Tracks, nop: Nop) -> Event:
    args = {"released": list(nop.released)}
    return _slice("NOP", "nop", nop.sent_ps, nop.end_ps, tracks.port(nop.port), args)


# -- flows -----------------------------------------------------------------------------------------------------------------


def _flows(trace: Trace, tracks: _Tracks) -> Iterator[Event]:
    """Yield the arrows of lines that were issued and had their data in the window."""
    number = 0
    for life in trace.transactions:
        inside = trace.opened_ps <= life.launched_ps and life.data_ps is not None and life.completed_ps is not None
        if life.eviction or not inside:
            continue
        answers = [("answer", points) for points in _answers(trace, tracks, life)]
        for name, points in (("line", _line_points(trace, tracks, life)), *answers):
            number += 1
            yield from _arrow(name, number, points)


def _arrow(name: str, number: int, points: list[tuple[int, _Track]]) -> Iterator[Event]:
    for place, (time_ps, track) in enumerate(points):
        phase = "s" if place == 0 else "f" if place == len(points) - 1 else "t"
        event = {"ph": phase, "name": name, "cat": name, "id": number, "ts": _us(time_ps), **track.ids()}
        yield event | {"bp": "e"} if phase == "f" else event


def _line_points(trace: Trace, tracks: _Tracks, life: TransactionLife) -> list[tuple[int, _Track]]:
    """Return the slot, every server that carried the line, and the slot again when its data reached the node's SRI."""
    carries = trace.plan.kind_carries_line
    hops = [hop for hop in life.hops if carries[hop.packet.kind]]
    return [(life.launched_ps, tracks.slot(life)), *_served(tracks, hops), (hops[-1].granted_ps or 0, tracks.slot(life))]


def _answers(trace: Trace, tracks: _Tracks, life: TransactionLife) -> Iterator[list[tuple[int, _Track]]]:
    """Yield, for each answer that came over a link, the servers that its probe and it went through, and the slot at its end."""
    table = trace.plan.transactions
    for packet in life.packets:
        if packet.kind != table.answer_kind[life.row] or packet.gone_ps is None:
            continue
        hops, ancestor = list(packet.hops), packet.cause
        while ancestor is not None and ancestor.kind == table.probe_kind[life.row]:
            hops = [*(hop for hop in ancestor.hops if hop.queued_ps < hops[0].queued_ps), *hops]
            ancestor = ancestor.cause
        served = list(_served(tracks, hops))
        if served:
            yield [*served, (hops[-1].granted_ps or 0, tracks.slot(life))]


def _served(tracks: _Tracks, hops: list[Hop]) -> Iterator[tuple[int, _Track]]:
    return ((hop.granted_ps, tracks.port(hop.port)) for hop in hops if hop.serves and hop.granted_ps is not None)


# -- counters --------------------------------------------------------------------------------------------------------------


def _counters(trace: Trace, tracks: _Tracks) -> Iterator[Event]:
    plan = trace.plan
    for port, by_channel in waiting(trace).items():
        series: _Series = {CHANNEL_NAMES[channel]: dict(steps) for channel, steps in by_channel.items()}
        yield from _counter(tracks.port(port), f"waiting: {plan.ports.name[port]}", series)
    for port, pools in _by_claimant(trace).items():
        name = plan.ports.name[port]
        free: _Series = {plan.pools.name[pool].removeprefix(f"{name} "): dict(steps) for pool, steps in pools.items()}
        yield from _counter(tracks.port(port), f"free: {name}", free)
    for port, shares in busy_percent(trace).items():
        yield from _counter(tracks.port(port), f"busy %: {plan.ports.name[port]}", {"busy": dict(shares)})


def _by_claimant(trace: Trace) -> dict[int, dict[int, tuple[tuple[int, int], ...]]]:
    found: dict[int, dict[int, tuple[tuple[int, int], ...]]] = {}
    for pool, steps in free_units(trace).items():
        found.setdefault(trace.plan.pools.claimant[pool], {})[pool] = steps
    return found


def _counter(track: _Track, name: str, series: _Series) -> Iterator[Event]:
    """Yield a value of every series whenever one of them changes."""
    values: dict[str, float] = {}
    for time_ps in sorted({time for steps in series.values() for time in steps}):
        values |= {key: round(steps[time_ps], 3) for key, steps in series.items() if time_ps in steps}
        yield {"ph": "C", "name": name, "ts": _us(time_ps), "pid": track.pid, "args": dict(values)}


def _us(time_ps: int) -> float:
    return time_ps / 1_000_000
