"""One line's life, step by step: what happens, where, why it waits, and which part of the breakdown the time belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from simulator.engine.plan import NONE, Part, PortKind
from simulator.measure.breakdown import LINE_PARTS
from simulator.observe.records import Hop, Nop, PacketLife, Span, Trace, TransactionLife
from simulator.observe.words import pool_words, thread_line
from simulator.units import ns_from_ps

PART_WORDS = {part.part: part.words for part in LINE_PARTS}
_MOST_NAMED = 3


@dataclass(frozen=True)
class Step:
    """One row of a life.

    Attributes
    ----------
    at_ps : int
        Since the line's issue.
    takes_ps : int or None
        None for what goes on beside: probes, answers, the eviction, notes.
    part : Part or None
    where, what : str
    """

    at_ps: int
    takes_ps: int | None
    part: Part | None
    where: str
    what: str


def line_steps(trace: Trace, line: TransactionLife) -> list[Step]:
    """Return a complete line's steps in order of time.

    The steps with a part follow each other without gaps; all but the core time add up to the line's latency, to the last ps.
    """
    return Lives(trace).steps(line)


class Lives:
    """Tells line after line of one trace."""

    def __init__(self, trace: Trace) -> None:
        self._index = _Index(trace)

    def steps(self, line: TransactionLife) -> list[Step]:
        """Return what :func:`line_steps` does."""
        telling = _Telling(self._index, line)
        steps = [*telling.own_steps(), *telling.other_steps()]
        return sorted(steps, key=lambda step: (step.at_ps, step.takes_ps is None))


def part_sums(line: TransactionLife) -> dict[Part, int]:
    """Return the ps that a line spent on each part that it has, core included."""
    sums: dict[Part, int] = {}
    for span in line.spans:
        sums[span.part] = sums.get(span.part, 0) + span.end_ps - span.start_ps
    return {part.part: sums[part.part] for part in LINE_PARTS if part.part in sums}


class _Index:
    """What of a trace is looked up again and again."""

    def __init__(self, trace: Trace) -> None:
        self.plan = trace.plan
        self.served: dict[int, list[Hop]] = {}
        self.nops: dict[int, list[Nop]] = {}
        self.evictions: dict[tuple[int, int], list[TransactionLife]] = {}
        for hop in trace.hops:
            if hop.serves:
                self.served.setdefault(hop.port, []).append(hop)
        for nop in trace.nops:
            self.nops.setdefault(nop.port, []).append(nop)
        for life in trace.transactions:
            if life.eviction:
                self.evictions.setdefault((life.thread, life.number), []).append(life)


class _Telling:
    """Finds the words for one line."""

    def __init__(self, index: _Index, line: TransactionLife) -> None:
        self._index, self._plan, self._line = index, index.plan, line
        self._carriers = [hop for hop in line.hops if index.plan.kind_carries_line[hop.packet.kind]]

    # -- the line itself -------------------------------------------------------------------------------------------------

    def own_steps(self) -> Iterator[Step]:
        """Yield a step a span."""
        told: set[Hop] = set()
        for span in self._line.spans:
            hop = self._hop_of(span)
            what = self._what(span, hop)
            if hop is not None and hop not in told and span.start_ps == hop.granted_ps:
                told.add(hop)
                what += self._buffers(hop)
            yield Step(span.start_ps - self._line.issued_ps, span.end_ps - span.start_ps, span.part, self._where(span), what)

    def _hop_of(self, span: Span) -> Hop | None:
        hops = [hop for hop in self._carriers if hop.port == span.port and hop.queued_ps <= span.start_ps]
        return hops[-1] if hops else None

    def _where(self, span: Span) -> str:
        plan = self._plan
        if span.part in (Part.SOURCE, Part.CORE, Part.PROBES):
            return f"thread {plan.threads.label[self._line.thread]}"
        if span.part == Part.SHARED_LINE:
            return f"node {plan.node_ids[span.node]} controller"
        name, node = plan.ports.name[span.port], "" if span.node == NONE else f"node {plan.node_ids[span.node]}"
        by_part = {Part.CROSSBAR: f"{node} crossbar", Part.SRI: f"{node} SRI", Part.CONTROLLER: f"{node} controller"}
        return name if span.node == NONE else by_part.get(span.part, f"{name} wire" if span.part == Part.WIRE else name)

    def _what(self, span: Span, hop: Hop | None) -> str:
        if hop is None:
            return self._what_without_packet(span)
        plan, kind = self._plan, self._plan.kind_name[hop.packet.kind]
        if span.node == NONE:
            return f"{kind} waits {self._why(span)}"
        if span.part != plan.ports.service_part[span.port] or span.start_ps != hop.granted_ps:
            return f"{kind} passes"
        if plan.ports.kind[span.port] == PortKind.DRAM:
            return f"{kind}: DRAM {'writes' if plan.kind_writes[hop.packet.kind] else 'reads'} the line"
        if not hop.serves:
            return f"{kind}: its tail comes after its header"
        size = plan.kind_bytes[hop.packet.kind]
        ahead = "" if hop.header_ps == hop.tail_ps else f", header after {_ns(span.end_ps - span.start_ps)}"
        return f"{kind} is sent, {size} B in {_ns((hop.tail_ps or 0) - (hop.granted_ps or 0))}{ahead}"

    def _what_without_packet(self, span: Span) -> str:
        if span.part == Part.SOURCE:
            return "arrived; waits for a free slot"
        if span.part == Part.SHARED_LINE:
            return "waits until its home is done with the one before that asked for the same line"
        if span.part == Part.CORE:
            return "the line is complete; core time"
        late = [answer for answer in self._answers() if (answer.gone_ps or 0) > span.start_ps]
        nodes = ", ".join(str(self._asked_node(answer)) for answer in late) or "its own node"
        return f"the data is there; waits for the answer of node {nodes}"

    def _why(self, span: Span) -> str:
        plan = self._plan
        if span.part == plan.ports.queue_part[span.port]:
            return f"behind {self._ahead(span)}"
        if span.lacks == NONE:
            return "for its turn"
        return f"for one of the {plan.pools.capacity[span.lacks]} {pool_words(plan, span.lacks)}"

    def _ahead(self, span: Span) -> str:
        """Name what the port is busy with meanwhile."""
        names: list[str] = []
        for hop in self._index.served.get(span.port, ()):
            if _overlap(hop.granted_ps, hop.tail_ps, span):
                names.append(f"{self._plan.kind_name[hop.packet.kind]} of {thread_line(self._plan, hop.packet.transaction)}")
        nops = sum(_overlap(nop.sent_ps, nop.end_ps, span) for nop in self._index.nops.get(span.port, ()))
        shown = names[:_MOST_NAMED] + ([f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else [])
        shown += [f"{nops} NOP{'s' if nops > 1 else ''}"] if nops else []
        return ", ".join(shown) or "others"

    def _buffers(self, hop: Hop) -> str:
        return "".join(f"; takes one of {pool_words(self._plan, pool)}, {free} left" for pool, free in hop.taken)

    # -- what goes on beside ---------------------------------------------------------------------------------------------

    def other_steps(self) -> Iterator[Step]:
        """Yield a step a hop of every other packet, and what each brings about."""
        eviction = self._index.evictions.get((self._line.thread, self._line.number), ())
        yield from self._hops_of(self._line, "")
        for life in eviction:
            yield from self._hops_of(life, "eviction: ")
            if life.completed_ps is not None:
                yield self._note(life.completed_ps, "the evicted line is in memory: the slot's victim buffer is free")
        for answer in self._answers():
            yield self._note(answer.gone_ps or 0, f"answer of node {self._asked_node(answer)} is there")
        if self._line.over_ps is not None:
            home = self._plan.node_ids[self._plan.transactions.home[self._line.row]]
            at_ps = self._line.over_ps - self._line.issued_ps
            yield Step(at_ps, None, None, f"node {home} controller", "SrcDone is there: the place in the queue is free")

    def _note(self, time_ps: int, what: str) -> Step:
        return Step(time_ps - self._line.issued_ps, None, None, f"thread {self._plan.threads.label[self._line.thread]}", what)

    def _hops_of(self, life: TransactionLife, prefix: str) -> Iterator[Step]:
        for hop in life.hops:
            if life is self._line and self._plan.kind_carries_line[hop.packet.kind]:
                continue
            kind, port = self._plan.kind_name[hop.packet.kind], self._plan.ports.name[hop.port]
            yield Step(hop.queued_ps - self._line.issued_ps, None, None, port, f"{prefix}{kind}{', '.join(_times(hop))}")

    def _answers(self) -> Iterable[PacketLife]:
        """Return the answers that came as packets, in order of arrival."""
        kind = self._plan.transactions.answer_kind[self._line.row]
        answers = [packet for packet in self._line.packets if packet.kind == kind and packet.gone_ps is not None]
        return sorted(answers, key=lambda packet: packet.gone_ps or 0)

    def _asked_node(self, answer: PacketLife) -> int:
        return self._plan.node_ids[NONE if answer.cause is None else answer.cause.node]


def _times(hop: Hop) -> Iterator[str]:
    if hop.granted_ps is None:
        yield " waits until after the window"
        return
    waited, busy = hop.granted_ps - hop.queued_ps, (hop.tail_ps or 0) - hop.granted_ps
    yield f" waits {_ns(waited)}" if waited else " goes at once"
    if busy:
        yield f"out after {_ns(busy)}"
    if hop.arrival_ps is not None:
        yield f"arrives {_ns(hop.arrival_ps - hop.queued_ps)} after it came"


def _overlap(start_ps: int | None, end_ps: int | None, span: Span) -> bool:
    return start_ps is not None and end_ps is not None and start_ps < span.end_ps and end_ps > span.start_ps


def _ns(time_ps: int) -> str:
    return f"{ns_from_ps(time_ps):.3f} ns"
