"""Whether a trace document is consistent: what its schema cannot say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from simulator.observe.document import AsyncPart, Counter, Flow, Metadata, Slice, TraceData, TraceDocument

MOST_BYTES = 100_000_000  # a browser's Perfetto opens several times as much, with patience
_TINY_US = 5e-7  # half a ps: times are whole ps, written as us


def inconsistencies(document: TraceDocument) -> list[str]:
    """Return what is wrong, a sentence each; empty for a consistent document.

    Held are: events in order of time; beginnings matched by ends; slices of a track one after another or nested, a server's never
    nested; arrows with both ends, each in a slice; counters that never go back in time nor below zero; every track named; tables
    whose columns are as long as each other, whose references exist, whose hops go forwards, and whose spans add up to the latency
    of their line.
    """
    events, data = document.traceEvents, document.otherData
    timed = [event for event in events if not isinstance(event, Metadata)]
    slices = [event for event in events if isinstance(event, Slice)]
    found = [f"{two.ph} event at {two.ts} us stands behind one at {one.ts} us" for one, two in pairwise(timed) if two.ts < one.ts]
    found += _unmatched(event for event in events if isinstance(event, AsyncPart))
    found += _overlapping(slices)
    found += _loose_arrows([event for event in events if isinstance(event, Flow)], slices)
    found += _counters(event for event in events if isinstance(event, Counter))
    found += _unnamed(events)
    found += _ragged(data)
    return found or [*_references(data), *_hops(data), *_spans(data), *_free(data)]


def _unmatched(parts: Iterable[AsyncPart]) -> Iterator[str]:
    began: dict[tuple[str, str], AsyncPart] = {}
    for part in parts:
        key = (part.cat, part.id)
        if part.ph == "b":
            if key in began:
                yield f"{part.cat} {part.id} begins twice"
            began[key] = part
        elif key not in began:
            yield f"{part.cat} {part.id} ends but has not begun"
        else:
            start = began.pop(key)
            if (start.name, start.pid, start.tid) != (part.name, part.pid, part.tid):
                yield f"{part.cat} {part.id} ends elsewhere than it begins"
    yield from (f"{category} {number} begins but does not end" for category, number in began)


def _overlapping(slices: Iterable[Slice]) -> Iterator[str]:
    around: dict[tuple[int, int], list[float]] = defaultdict(list)
    for piece in slices:
        ends = around[piece.pid, piece.tid]
        while ends and ends[-1] <= piece.ts + _TINY_US:
            ends.pop()
        end = piece.ts + piece.dur
        if ends and (end > ends[-1] + _TINY_US or piece.cat in ("service", "nop")):  # a server has one in hand at a time
            yield f"slice {piece.name} at {piece.ts} us on track {piece.tid} overlaps the one before it"
        ends.append(end)


def _loose_arrows(flows: Sequence[Flow], slices: Sequence[Slice]) -> Iterator[str]:
    by_track: dict[tuple[int, int], list[Slice]] = defaultdict(list)
    for piece in slices:
        by_track[piece.pid, piece.tid].append(piece)
    ways: dict[tuple[str, int], str] = defaultdict(str)
    for flow in flows:
        ways[flow.cat, flow.id] += flow.ph
        if not _is_within(flow, by_track[flow.pid, flow.tid]):
            yield f"arrow {flow.cat} {flow.id} at {flow.ts} us is in no slice of track {flow.tid}"
    for (category, number), phases in ways.items():
        if phases[0] != "s" or phases[-1] != "f" or set(phases[1:-1]) - {"t"}:
            yield f"arrow {category} {number} has not one beginning and one end: {phases}"


def _is_within(flow: Flow, slices: Sequence[Slice]) -> bool:
    """Search backwards from the last slice that begins no later; slices that contain others begin before them."""
    low, high = 0, len(slices)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if slices[middle].ts <= flow.ts + _TINY_US else (low, middle)
    return any(flow.ts < piece.ts + piece.dur - _TINY_US for piece in reversed(slices[max(0, low - 64) : low]))


def _counters(counters: Iterable[Counter]) -> Iterator[str]:
    last: dict[tuple[int, str], Counter] = {}
    for counter in counters:
        before = last.get((counter.pid, counter.name))
        if before is not None and counter.ts <= before.ts:
            yield f"counter {counter.name} goes back in time at {counter.ts} us"
        if min(counter.args.values(), default=0) < 0:
            yield f"counter {counter.name} is below zero at {counter.ts} us"
        last[counter.pid, counter.name] = counter


def _unnamed(events: Sequence[Any]) -> Iterator[str]:
    named = {(event.pid, event.tid) for event in events if isinstance(event, Metadata) and event.name.endswith("_name")}
    used = {(event.pid, getattr(event, "tid", None)) for event in events if not isinstance(event, Metadata)}
    used |= {(pid, None) for pid, _ in used}
    yield from (f"track {tid} of process {pid} has no name" for pid, tid in sorted(used - named, key=str))


def _ragged(data: TraceData) -> Iterator[str]:
    for name in ("transactions", "spans", "packets", "hops", "pool_changes", "nops"):
        lengths = {len(column) for column in dict(getattr(data, name)).values()}
        if len(lengths) > 1:
            yield f"columns of {name} differ in length"


def _references(data: TraceData) -> Iterator[str]:
    sizes = {
        "threads": len(data.threads),
        "kinds": len(data.kinds),
        "parts": len(data.parts),
        "ports": len(data.ports),
        "pools": len(data.pools),
        "transactions": len(data.transactions.thread),
        "packets": len(data.packets.kind),
        "hops": len(data.hops.port),
    }
    references: tuple[tuple[str, Sequence[int | None], str], ...] = (
        ("transactions.thread", data.transactions.thread, "threads"),
        ("spans.transaction", data.spans.transaction, "transactions"),
        ("spans.part", data.spans.part, "parts"),
        ("spans.port", data.spans.port, "ports"),
        ("spans.lacks", data.spans.lacks, "pools"),
        ("packets.transaction", data.packets.transaction, "transactions"),
        ("packets.kind", data.packets.kind, "kinds"),
        ("packets.cause", data.packets.cause, "packets"),
        ("hops.packet", data.hops.packet, "packets"),
        ("hops.port", data.hops.port, "ports"),
        ("hops.command_pool", data.hops.command_pool, "pools"),
        ("hops.data_pool", data.hops.data_pool, "pools"),
        ("pool_changes.pool", data.pool_changes.pool, "pools"),
        ("pool_changes.hop", data.pool_changes.hop, "hops"),
        ("nops.port", data.nops.port, "ports"),
        ("pools.port", [pool.port for pool in data.pools], "ports"),
    )
    for name, column, table in references:
        if any(row is not None and not 0 <= row < sizes[table] for row in column):
            yield f"{name} names a row that {table} does not have"


def _hops(data: TraceData) -> Iterator[str]:
    hops = data.hops
    for row, times in enumerate(zip(hops.queued, hops.granted, hops.header_out, hops.tail_out, strict=True)):
        known = [time for time in times if time is not None]
        if known != sorted(known) or None in times[: len(known)]:
            yield f"hop {row} goes back in time"
    for row, (header, arrived) in enumerate(zip(hops.header_out, hops.arrived, strict=True)):
        if arrived is not None and (header is None or arrived < header):
            yield f"hop {row} arrives before it has left"


def _spans(data: TraceData) -> Iterator[str]:
    lines, spans = data.transactions, data.spans
    core = data.parts.index("core") if "core" in data.parts else None
    reached = dict(enumerate(lines.issued))
    for row, start, end, part in zip(spans.transaction, spans.start, spans.end, spans.part, strict=True):
        if part == core:
            continue
        if start != reached.get(row) or end <= start:
            yield f"spans of transaction {row} have a gap at {start} ps"
        reached[row] = end
    for row, (completed, eviction) in enumerate(zip(lines.completed, lines.eviction, strict=True)):
        if completed is not None and not eviction and reached[row] != completed:
            yield f"spans of transaction {row} do not add up to its latency"


def _free(data: TraceData) -> Iterator[str]:
    free, changes = [pool.free_at_open for pool in data.pools], data.pool_changes
    last = data.opened
    rows = zip(changes.time, changes.pool, changes.change, changes.count, changes.free, strict=True)
    for time, pool, change, count, after in rows:
        free[pool] += {"taken": -count, "owed": 0, "back": count}[change]
        if free[pool] != after or not 0 <= after <= data.pools[pool].capacity:
            yield f"free units of {data.pools[pool].name} do not add up at {time} ps"
            free[pool] = after
        if time < last:
            yield f"changes of pools go back in time at {time} ps"
        last = time
