"""From the tables of a trace document back to its records, for whoever tells a line's life from a file."""

from __future__ import annotations

from simulator.engine.lower import lower
from simulator.engine.plan import NONE, Part, Plan
from simulator.errors import InputError
from simulator.machine.resolve import restore
from simulator.measure.breakdown import LINE_PARTS
from simulator.observe.document import TraceData
from simulator.observe.records import Hop, Nop, PacketLife, PoolChange, PoolEvent, Span, Trace, TransactionLife
from simulator.workload.read_back import workload_of

_CHANGES = {"taken": PoolChange.TAKEN, "owed": PoolChange.OWED, "back": PoolChange.BACK}
_ALLOWED = "a trace that this version has recorded"


def trace_of(data: TraceData, file: str | None = None) -> Trace:
    """Return the records that the tables were written from, over the Plan of the machine and workload in their provenance.

    What was taken from a pool before the window opened is not in the tables, and so missing from `Hop.taken`.

    Parameters
    ----------
    data : TraceData
        Consistent, as :func:`simulator.observe.write.read_trace` returns it.
    file : str, optional
        What messages call it.

    Raises
    ------
    InputError
        The provenance is damaged, or the tables name what its machine and workload do not have.
    """
    machine = restore(data.provenance.machine, file or "the trace")
    plan = lower(machine, workload_of(data.provenance.workload, file), data.provenance.seed)
    _check_same_names(data, plan, file)
    transactions = _transactions(data, plan, file)
    packets = _packets(data, plan, transactions)
    hops = _hops(data, packets)
    return Trace(
        plan=plan,
        opened_ps=data.opened,
        closed_ps=data.closed,
        transactions=tuple(transactions),
        pool_events=_pool_events(data, hops),
        nops=tuple(Nop(*row) for row in _nop_rows(data)),
        free_at_open=tuple(pool.free_at_open for pool in data.pools),
    )


def _check_same_names(data: TraceData, plan: Plan, file: str | None) -> None:
    for what, found, known in (
        ("ports", [port.name for port in data.ports], plan.ports.name),
        ("pools", [pool.name for pool in data.pools], plan.pools.name),
        ("kinds", [kind.name for kind in data.kinds], plan.kind_name),
        ("threads", [thread.label for thread in data.threads], plan.threads.label),
        ("nodes", data.nodes, plan.node_ids),
    ):
        if list(found) != list(known):
            raise InputError("differs from what its machine and workload have", file=file, field=what, allowed=_ALLOWED)


def _transactions(data: TraceData, plan: Plan, file: str | None) -> list[TransactionLife]:
    table, row_of = data.transactions, {name: row for row, name in enumerate(plan.transactions.name)}
    unknown = next((name for name in table.name if name not in row_of), None)
    if unknown is not None:
        raise InputError("is none of this machine and workload", file=file, field="transactions", value=unknown, allowed=_ALLOWED)
    lives = [
        TransactionLife(row_of[name], eviction, *rest)
        for name, eviction, *rest in zip(
            table.name,
            table.eviction,
            table.thread,
            table.slot,
            table.number,
            table.issued,
            table.launched,
            table.data,
            table.completed,
            table.core_time,
            table.over,
            strict=True,
        )
    ]
    part_of = {part.name: part.part for part in LINE_PARTS}
    parts = [part_of.get(name, Part.SOURCE) for name in data.parts]
    node_of = {node: index for index, node in enumerate(plan.node_ids)}
    spans = data.spans
    for row, start, end, part, port, node, lacks in zip(
        spans.transaction, spans.start, spans.end, spans.part, spans.port, spans.node, spans.lacks, strict=True
    ):
        index = NONE if node is None else node_of.get(node, NONE)
        lives[row].spans.append(Span(start, end, parts[part], _row(port), index, _row(lacks)))
    return lives


def _packets(data: TraceData, plan: Plan, transactions: list[TransactionLife]) -> list[PacketLife]:
    table, node_of = data.packets, {node: index for index, node in enumerate(plan.node_ids)}
    packets = [
        PacketLife(transactions[row], kind, None, born, node_of.get(node, 0), gone)
        for row, kind, born, node, gone in zip(table.transaction, table.kind, table.born, table.node, table.gone, strict=True)
    ]
    for packet, cause in zip(packets, table.cause, strict=True):
        packet.cause = None if cause is None else packets[cause]
        packet.transaction.packets.append(packet)
    return packets


def _hops(data: TraceData, packets: list[PacketLife]) -> list[Hop]:
    table = data.hops
    hops = [
        Hop(packets[packet], port, _row(command), _row(store), *times)
        for packet, port, command, store, *times in zip(
            table.packet,
            table.port,
            table.command_pool,
            table.data_pool,
            table.queued,
            table.granted,
            table.header_out,
            table.tail_out,
            table.arrived,
            table.serves,
            strict=True,
        )
    ]
    for hop in hops:
        hop.packet.hops.append(hop)
    return hops


def _pool_events(data: TraceData, hops: list[Hop]) -> tuple[PoolEvent, ...]:
    table, events = data.pool_changes, []
    for time, pool, change, count, free, hop in zip(
        table.time, table.pool, table.change, table.count, table.free, table.hop, strict=True
    ):
        taker = None if hop is None else hops[hop]
        if taker is not None:
            taker.taken.append((pool, free))
        events.append(PoolEvent(time, pool, _CHANGES[change], count, free, taker))
    return tuple(events)


def _nop_rows(data: TraceData) -> zip[tuple[int, int, int, int, tuple[int, ...]]]:
    nops = data.nops
    return zip(nops.port, nops.sent, nops.end, nops.arrived, map(tuple, nops.released), strict=True)


def _row(place: int | None) -> int:
    return NONE if place is None else place
