"""What a trace shows at one instant: packets on links, packets that wait, slots, places taken, credits gone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from simulator.engine.plan import NONE, PortKind
from simulator.measure.breakdown import LINE_PARTS
from simulator.observe.records import Hop, Trace
from simulator.observe.series import Steps, free_units

Doing = Literal["walking", "queueing", "probes", "core", "nothing"]
_GROUPS: dict[int, Doing] = {part.part: "core" if part.name == "core" else part.group for part in LINE_PARTS}


@dataclass(frozen=True)
class Flight:
    """A packet on a link direction: shares of the way that its header and its tail have gone."""

    port: int
    kind: str
    head: float
    tail: float


class Moments:
    """A trace, to be asked for instants within its window."""

    def __init__(self, trace: Trace) -> None:
        plan = trace.plan
        self._trace, self._plan = trace, plan
        self._links = {port for port, kind in enumerate(plan.ports.kind) if kind == PortKind.LINK}
        self._hops = list(trace.hops)
        self._free = free_units(trace)
        self._spans = [(line.thread, line.slot, span) for line in trace.transactions if not line.eviction for span in line.spans]
        self._open = [line for line in trace.transactions if not line.eviction and line.completed_ps is None]

    def flights(self, time_ps: int) -> Iterator[Flight]:
        """Yield the packets on links, NOPs included."""
        for hop in self._hops:
            if hop.port in self._links and hop.arrival_ps is not None:
                yield from self._flight(time_ps, hop)
        for nop in self._trace.nops:
            if nop.sent_ps <= time_ps < nop.arrival_ps:
                wire_ps = nop.arrival_ps - nop.end_ps
                head = (time_ps - nop.sent_ps) / (nop.arrival_ps - nop.sent_ps)
                yield Flight(nop.port, "NOP", head, max(0.0, (time_ps - nop.end_ps) / wire_ps) if wire_ps else 0.0)

    def _flight(self, time_ps: int, hop: Hop) -> Iterator[Flight]:
        assert hop.granted_ps is not None and hop.header_ps is not None and hop.tail_ps is not None and hop.arrival_ps is not None
        way_ps = hop.arrival_ps - hop.header_ps
        if hop.granted_ps <= time_ps < hop.tail_ps + way_ps:
            head = min(1.0, (time_ps - hop.granted_ps) / (hop.arrival_ps - hop.granted_ps))
            tail = max(0.0, (time_ps - hop.tail_ps) / way_ps)
            yield Flight(hop.port, self._plan.kind_name[hop.packet.kind], head, min(head, tail))

    def waiting(self, time_ps: int) -> dict[int, list[str]]:
        """Return the kinds of packets that wait at each port, the first to come first."""
        found: dict[int, list[tuple[int, str]]] = {}
        for hop in self._hops:
            if hop.queued_ps <= time_ps and (hop.granted_ps is None or time_ps < hop.granted_ps):
                found.setdefault(hop.port, []).append((hop.queued_ps, self._plan.kind_name[hop.packet.kind]))
        return {port: [kind for _, kind in sorted(packets, key=lambda packet: packet[0])] for port, packets in found.items()}

    def serving(self, time_ps: int) -> dict[int, str]:
        """Return the kind of packet that each busy server has in hand."""
        return {
            hop.port: self._plan.kind_name[hop.packet.kind]
            for hop in self._hops
            if hop.serves and (hop.granted_ps or 0) <= time_ps < (hop.tail_ps or 0)
        }

    def slots(self, time_ps: int) -> dict[tuple[int, int], Doing]:
        """Return what each window slot, by thread and slot, does; a slot that is left out has no line."""
        doing: dict[tuple[int, int], Doing] = {
            (line.thread, line.slot): "walking" for line in self._open if line.launched_ps <= time_ps
        }
        for thread, slot, span in self._spans:
            if span.start_ps <= time_ps < span.end_ps:
                doing[thread, slot] = _GROUPS[span.part]
        return doing

    def places_taken(self, time_ps: int) -> dict[int, tuple[int, int]]:
        """Return the places taken in each controller's queue and how many it has, by index of the node."""
        found = {}
        for node, pool in enumerate(self._plan.controller_pool):
            if pool != NONE:
                capacity = self._plan.pools.capacity[pool]
                found[node] = (capacity - self._units(pool, time_ps), capacity)
        return found

    def exhausted(self, time_ps: int) -> dict[int, list[str]]:
        """Return what credits each link direction has none left of, by its port."""
        found: dict[int, list[str]] = {}
        for pool in self._free:
            port = self._plan.pools.claimant[pool]
            if port in self._links and self._units(pool, time_ps) == 0:
                name = self._plan.pools.name[pool].removeprefix(f"{self._plan.ports.name[port]} ").removesuffix(" buffers")
                found.setdefault(port, []).append(name)
        return found

    def _units(self, pool: int, time_ps: int) -> int:
        steps: Steps = self._free.get(pool, ())
        place = bisect_right(steps, time_ps, key=lambda step: step[0])
        return steps[place - 1][1] if place else self._trace.free_at_open[pool]
