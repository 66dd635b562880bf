"""What changes over a window: packets that wait, free buffers, busy servers. All derived from the records, exact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from simulator.observe.records import PoolChange, Trace

Steps = tuple[tuple[int, int], ...]  # (time in ps, value from then on), times strictly rising, the first at the opening
_BINS = 100


def waiting(trace: Trace) -> Mapping[int, Mapping[int, Steps]]:
    """Return the number of packets that wait, by port and virtual channel; those that never wait for a moment are left out."""
    changes: dict[int, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    for hop in trace.hops:
        end_ps = trace.closed_ps if hop.granted_ps is None else hop.granted_ps
        if end_ps > max(hop.queued_ps, trace.opened_ps):
            channel = trace.plan.kind_channel[hop.packet.kind]
            changes[hop.port][channel] += [(max(hop.queued_ps, trace.opened_ps), 1)]
            if hop.granted_ps is not None:
                changes[hop.port][channel] += [(hop.granted_ps, -1)]
    return {
        port: {channel: _added_up(changes[port][channel], trace.opened_ps) for channel in sorted(changes[port])}
        for port in sorted(changes)
    }


def free_units(trace: Trace) -> Mapping[int, Steps]:
    """Return the free units of every pool that changes in the window."""
    found: dict[int, dict[int, int]] = {}
    for event in trace.pool_events:
        if event.change is not PoolChange.OWED:
            steps = found.setdefault(event.pool, {trace.opened_ps: trace.free_at_open[event.pool]})
            steps[event.time_ps] = event.free
    return {pool: tuple(found[pool].items()) for pool in sorted(found)}


def busy(trace: Trace) -> Mapping[int, list[tuple[int, int, str]]]:
    """Return when each server is busy within the window, and with what: a kind of packet or NOP; by port, if it ever is."""
    found: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for hop in trace.hops:
        if hop.serves and hop.granted_ps is not None and hop.tail_ps is not None:
            found[hop.port].append((hop.granted_ps, hop.tail_ps, trace.plan.kind_name[hop.packet.kind]))
    for nop in trace.nops:
        if nop.end_ps > nop.sent_ps:
            found[nop.port].append((nop.sent_ps, nop.end_ps, "NOP"))
    clipped = {
        port: [
            (max(start, trace.opened_ps), min(end, trace.closed_ps), what)
            for start, end, what in sorted(stretches)
            if end > trace.opened_ps and start < trace.closed_ps
        ]
        for port, stretches in sorted(found.items())
    }
    return {port: stretches for port, stretches in clipped.items() if stretches}


def busy_percent(trace: Trace) -> Mapping[int, tuple[tuple[int, float], ...]]:
    """Return the share of time, per cent, that each port's server is busy, in a hundred stretches of the window."""
    length_ps = trace.closed_ps - trace.opened_ps
    width_ps = max(1, -(-length_ps // _BINS))
    shares: dict[int, tuple[tuple[int, float], ...]] = {}
    for port, stretches in busy(trace).items():
        busy_ps = [0] * -(-length_ps // width_ps)
        for start_ps, end_ps, _ in stretches:
            first, last = (start_ps - trace.opened_ps) // width_ps, (end_ps - 1 - trace.opened_ps) // width_ps
            for place in range(first, last + 1):
                left_ps = trace.opened_ps + place * width_ps
                busy_ps[place] += min(end_ps, left_ps + width_ps) - max(start_ps, left_ps)
        starts = [trace.opened_ps + place * width_ps for place in range(len(busy_ps))]
        widths = [min(width_ps, trace.closed_ps - start) for start in starts]
        shares[port] = tuple((start, 100 * time / width) for start, time, width in zip(starts, busy_ps, widths, strict=True))
    return shares


def values_at(steps: Steps, times_ps: Sequence[int]) -> list[int]:
    """Return the values of steps at times in rising order, every step's time among them; 0 before the first."""
    values, current, found = dict(steps), 0, []
    for time_ps in times_ps:
        current = values.get(time_ps, current)
        found.append(current)
    return found


def _added_up(changes: Iterable[tuple[int, int]], opened_ps: int) -> Steps:
    steps, value = {opened_ps: 0}, 0
    for time_ps, change in sorted(changes):
        value += change
        steps[time_ps] = value
    return tuple(steps.items())
