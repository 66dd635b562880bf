"""A trace as rows: every packet at every port, and the NOPs."""

from __future__ import annotations

from simulator.observe.records import Hop, Nop, Trace
from simulator.units import ns_from_ps

Row = tuple[object, ...]
COLUMNS = (
    "thread",
    "line",
    "transaction",
    "packet",
    "port",
    "queued_ns",
    "granted_ns",
    "header_out_ns",
    "tail_out_ns",
    "arrived_ns",
)


def hop_rows(trace: Trace) -> list[Row]:
    """Return a row a hop and NOP in order of time, under `COLUMNS`; times in ns since the start of the run, None for not yet."""
    rows = [_hop(trace, hop) for hop in trace.hops] + [_nop(trace, nop) for nop in trace.nops]
    return sorted(rows, key=lambda row: (row[5], row[4], row[6] is None, row[6], str(row[3]), str(row[0])))


def _hop(trace: Trace, hop: Hop) -> Row:
    plan, life = trace.plan, hop.packet.transaction
    times = (hop.queued_ps, hop.granted_ps, hop.header_ps, hop.tail_ps, hop.arrival_ps)
    return (
        plan.threads.label[life.thread],
        life.number,
        plan.transactions.name[life.row],
        plan.kind_name[hop.packet.kind],
        plan.ports.name[hop.port],
        *(None if time is None else ns_from_ps(time) for time in times),
    )


def _nop(trace: Trace, nop: Nop) -> Row:
    times = (nop.sent_ps, nop.sent_ps, nop.end_ps, nop.end_ps, nop.arrival_ps)
    return (None, None, None, "NOP", trace.plan.ports.name[nop.port], *map(ns_from_ps, times))
