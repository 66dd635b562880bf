"""From a recording to the tables of its document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from simulator.engine.plan import NONE, Plan, PortKind
from simulator.measure.breakdown import LINE_PARTS
from simulator.observe.record import Recording
from simulator.observe.records import Trace
from simulator.protocol import CHANNEL_NAMES

Columns = dict[str, list[Any]]
_KINDS = {PortKind.INTERNAL: "internal", PortKind.LINK: "link", PortKind.DRAM: "dram"}


def trace_data(recording: Recording) -> dict[str, Any]:
    """Return what :class:`simulator.observe.document.TraceData` describes, ready for JSON."""
    trace, plan = recording.trace, recording.trace.plan
    return {
        "machine": recording.machine.name,
        "opened": trace.opened_ps,
        "closed": trace.closed_ps,
        "nodes": list(plan.node_ids),
        "parts": part_names(),
        "threads": _threads(plan),
        "kinds": _kinds(plan),
        "ports": _ports(plan),
        "pools": _pools(trace),
        **_lives(trace),
        "provenance": recording.provenance.model_dump(mode="json"),
    }


def part_names() -> list[str]:
    """Return the names of the parts of a line's time, in the order of :class:`simulator.engine.plan.Part`."""
    return [part.name for part in sorted(LINE_PARTS, key=lambda part: part.part)]


def port_ends(plan: Plan) -> list[tuple[int | None, int | None]]:
    """Return the nodes (indices) that each port lies between; None where nothing of this workload goes through it."""
    ends: list[tuple[int | None, int | None]] = [(None, None)] * len(plan.ports.name)
    stages, branches = plan.stages, plan.branches
    for stage, (first, count) in enumerate(zip(stages.first, stages.count, strict=True)):
        for branch in range(first, first + count):
            ends[branches.port[branch]] = (stages.node[stage], stages.node[branches.stage[branch]])
    for port, reverse in enumerate(plan.ports.reverse):
        if ends[port] == (None, None) and reverse != NONE:
            ends[port] = ends[reverse][::-1]
    return ends


def _threads(plan: Plan) -> list[dict[str, Any]]:
    table = plan.threads
    rows = zip(table.label, table.background, table.window, strict=True)
    return [{"label": label, "background": bool(background), "slots": window} for label, background, window in rows]


def _kinds(plan: Plan) -> list[dict[str, Any]]:
    rows = zip(plan.kind_name, plan.kind_channel, plan.kind_bytes, plan.kind_data_bytes, strict=True)
    return [
        {"name": name, "channel": CHANNEL_NAMES[channel], "bytes": size, "data_bytes": data} for name, channel, size, data in rows
    ]


def _ports(plan: Plan) -> list[dict[str, Any]]:
    def number(node: int | None) -> int | None:
        return None if node is None else plan.node_ids[node]

    rows = zip(plan.ports.name, plan.ports.kind, port_ends(plan), strict=True)
    return [
        {"name": name, "kind": _KINDS[PortKind(kind)], "from_node": number(start), "to_node": number(end)}
        for name, kind, (start, end) in rows
    ]


def _pools(trace: Trace) -> list[dict[str, Any]]:
    table = trace.plan.pools
    rows = zip(table.name, table.claimant, table.capacity, trace.free_at_open, table.credit_class, strict=True)
    return [
        {"name": name, "port": port, "capacity": capacity, "free_at_open": free, "credit_class": _place(credit_class)}
        for name, port, capacity, free, credit_class in rows
    ]


def _lives(trace: Trace) -> dict[str, Columns]:
    plan = trace.plan
    transactions, hops = trace.transactions, list(trace.hops)
    packets = [packet for transaction in transactions for packet in transaction.packets]
    row_of: dict[object, int] = {}
    for rows in (transactions, packets, hops):
        row_of.update((record, row) for row, record in enumerate(rows))
    nodes = plan.node_ids
    return {
        "transactions": _columns(
            transactions,
            thread=lambda life: life.thread,
            slot=lambda life: life.slot,
            number=lambda life: life.number,
            name=lambda life: plan.transactions.name[life.row],
            eviction=lambda life: life.eviction,
            issued=lambda life: life.issued_ps,
            launched=lambda life: life.launched_ps,
            data=lambda life: life.data_ps,
            completed=lambda life: life.completed_ps,
            core_time=lambda life: life.core_ps,
            over=lambda life: life.over_ps,
        ),
        "spans": _columns(
            [(row, span) for row, life in enumerate(transactions) for span in life.spans],
            transaction=lambda pair: pair[0],
            start=lambda pair: pair[1].start_ps,
            end=lambda pair: pair[1].end_ps,
            part=lambda pair: int(pair[1].part),
            port=lambda pair: _place(pair[1].port),
            node=lambda pair: None if pair[1].node == NONE else nodes[pair[1].node],
            lacks=lambda pair: _place(pair[1].lacks),
        ),
        "packets": _columns(
            packets,
            transaction=lambda packet: row_of[packet.transaction],
            kind=lambda packet: packet.kind,
            cause=lambda packet: row_of.get(packet.cause),
            born=lambda packet: packet.born_ps,
            gone=lambda packet: packet.gone_ps,
            node=lambda packet: nodes[packet.node],
        ),
        "hops": _columns(
            hops,
            packet=lambda hop: row_of[hop.packet],
            port=lambda hop: hop.port,
            queued=lambda hop: hop.queued_ps,
            granted=lambda hop: hop.granted_ps,
            header_out=lambda hop: hop.header_ps,
            tail_out=lambda hop: hop.tail_ps,
            arrived=lambda hop: hop.arrival_ps,
            serves=lambda hop: hop.serves,
            command_pool=lambda hop: _place(hop.command_pool),
            data_pool=lambda hop: _place(hop.data_pool),
        ),
        "pool_changes": _columns(
            trace.pool_events,
            time=lambda event: event.time_ps,
            pool=lambda event: event.pool,
            change=lambda event: event.change.name.lower(),
            count=lambda event: event.count,
            free=lambda event: event.free,
            hop=lambda event: row_of.get(event.hop),
        ),
        "nops": _columns(
            trace.nops,
            port=lambda nop: nop.port,
            sent=lambda nop: nop.sent_ps,
            end=lambda nop: nop.end_ps,
            arrived=lambda nop: nop.arrival_ps,
            released=lambda nop: list(nop.released),
        ),
    }


def _columns(rows: Iterable[Any], **columns: Callable[[Any], Any]) -> Columns:
    whole = list(rows)
    return {name: [value(row) for row in whole] for name, value in columns.items()}


def _place(row: int) -> int | None:
    return None if row == NONE else row
