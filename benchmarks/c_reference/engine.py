"""The C reference behind the interface that the engines have, without the deadlock report."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np
import numpy.typing as npt

from simulator.engine.interface import LATENCY_BINS, Snapshot, Stop
from simulator.engine.plan import NONE, Plan
from simulator.engine.random_numbers import stream_start

Table = npt.NDArray[np.int64]
_STOPS = (Stop.REACHED, Stop.EXHAUSTED, Stop.BUDGET)


class CReferenceEngine:
    """Runs one plan from its start.

    Parameters
    ----------
    plan : Plan
    library : Path
        What `build_library` made.
    """

    name = "C reference"

    def __init__(self, plan: Plan, library: Path) -> None:
        self._plan = plan
        self._library = _declare(ctypes.CDLL(str(library)))
        self._tables = _tables(plan)  # the kernel keeps pointers into them
        addresses = (ctypes.c_void_p * len(self._tables))(*(table.ctypes.data for table in self._tables))
        self._kernel = self._library.kernel_new(addresses)
        self._histogram: Sequence[int] = ()

    def __del__(self) -> None:
        if hasattr(self, "_kernel"):
            self._library.kernel_free(self._kernel)

    def advance(self, target_lines: Sequence[int], event_budget: int) -> Stop:
        """Run until every thread has completed its target of lines (or the end of its program)."""
        targets = (ctypes.c_int64 * len(target_lines))(*target_lines)
        return _STOPS[self._library.kernel_advance(self._kernel, targets, event_budget)]

    def snapshot(self) -> Snapshot:
        """Return the counters as they stand."""
        plan = self._plan
        threads, ports, pools, kinds = len(plan.threads.label), len(plan.ports.name), len(plan.pools.name), len(plan.kind_name)
        lengths = (1, 1, threads, threads, threads, ports, ports, ports, ports, ports * kinds, pools)
        words = (ctypes.c_int64 * sum(lengths))()
        self._library.kernel_snapshot(self._kernel, words)
        ends = list(accumulate(lengths))
        parts = [tuple(words[end - length : end]) for end, length in zip(ends, lengths, strict=True)]
        (time_ps,), (events,), lines, last_ps, latency_ps, busy_ps, waiting_ps, nops, crcs, sent, held_ps = parts
        return Snapshot(
            time_ps=time_ps,
            events=events,
            thread_lines=lines,
            thread_last_ps=last_ps,
            thread_latency_ps=latency_ps,
            path_lines=(),  # it does not take a line's time apart
            path_parts_ps=(),
            port_busy_ps=busy_ps,
            port_waiting_ps=waiting_ps,
            port_sent=tuple(sent[port * kinds : (port + 1) * kinds] for port in range(ports)),
            port_nops=nops,
            port_crcs=crcs,
            pool_held_ps=held_ps,
        )

    def start_latency_record(self) -> None:
        """Begin to count latencies of foreground lines."""
        self._histogram = self._library.kernel_record_latencies(self._kernel)

    def latency_histogram(self) -> Sequence[int]:
        """Return foreground lines by latency."""
        return self._histogram[:LATENCY_BINS]


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    kernel, integers = ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64)
    library.kernel_new.argtypes, library.kernel_new.restype = [ctypes.c_void_p], kernel
    library.kernel_free.argtypes, library.kernel_free.restype = [kernel], None
    library.kernel_advance.argtypes, library.kernel_advance.restype = [kernel, integers, ctypes.c_int64], ctypes.c_int64
    library.kernel_record_latencies.argtypes, library.kernel_record_latencies.restype = [kernel], integers
    library.kernel_snapshot.argtypes, library.kernel_snapshot.restype = [kernel, integers], None
    return library


def _tables(plan: Plan) -> list[Table]:
    """Return the rows of kernel.c's `Tables`, member by member."""
    return [
        _sizes(plan),
        _rows(plan.kind_channel, plan.kind_bytes, plan.kind_data_bytes, plan.kind_writes),
        *_port_tables(plan),
        _rows(plan.pools.capacity, plan.pools.claimant, plan.pools.credit_class),
        _rows(plan.delays.time_ps),
        _rows(plan.stages.action, plan.stages.node, plan.stages.first, plan.stages.count),
        _rows(*(getattr(plan.branches, name) for name in ("port", "command_pool", "data_pool", "delay", "stage"))),
        *_transaction_tables(plan),
        _rows(plan.program.transaction, plan.program.victim, plan.program.core_draw, plan.program.barrier),
        *_thread_tables(plan),
        *_draw_tables(plan),
        _rows(plan.barrier_parties),
    ]


def _sizes(plan: Plan) -> Table:
    counted = (
        plan.kind_name,
        plan.node_ids,
        plan.ports.name,
        plan.pools.name,
        plan.delays.name,
        plan.stages.action,
        plan.branches.port,
        plan.transactions.name,
        plan.threads.label,
        plan.barrier_parties,
    )
    return _rows([len(rows) for rows in counted])


def _port_tables(plan: Plan) -> list[Table]:
    ports = plan.ports
    columns = (
        ports.kind,
        ports.strict,
        ports.service_draw,
        ports.turnaround_ps,
        ports.reverse,
        ports.nop_ps,
        ports.nop_latency_ps,
        ports.nop_bytes,
        ports.nop_releases,
        ports.crc_every_bytes,
        ports.crc_ps,
    )
    streams = _bits([stream_start(plan.seed, f"port {name}") for name in ports.name])
    return [_rows(*columns), _flat(ports.service_ps), _flat(ports.header_ps), streams]


def _transaction_tables(plan: Plan) -> list[Table]:
    table, nodes = plan.transactions, len(plan.node_ids)
    columns = (
        table.requester,
        table.victim,
        table.joins,
        table.request_kind,
        table.request_stage,
        table.probe_kind,
        table.probe_stage,
        table.reply_kind,
        table.reply_stage,
        table.answer_kind,
        table.done_kind,
        table.done_stage,
    )
    return [_rows(*columns), _flat([answers or (NONE,) * nodes for answers in table.answer_stage])]


def _thread_tables(plan: Plan) -> list[Table]:
    threads = plan.threads
    columns = (
        threads.background,
        threads.window,
        threads.first,
        threads.count,
        threads.repeat,
        threads.start_ps,
        threads.interval_draw,
        threads.open,
        threads.slice_period_ps,
        threads.slice_start_ps,
        threads.slice_length_ps,
    )
    return [_rows(*columns), _bits(threads.stream)]


def _draw_tables(plan: Plan) -> list[Table]:
    lengths = [len(values) for values in plan.draws.values]
    firsts = [end - length for end, length in zip(accumulate(lengths), lengths, strict=True)]
    return [_rows(firsts, lengths), _rows([value for values in plan.draws.values for value in values])]


def _rows(*columns: Sequence[int]) -> Table:
    """Return one row after the other, from columns."""
    return np.ascontiguousarray(np.array(columns, np.int64).T)


def _flat(rows: Sequence[Sequence[int]]) -> Table:
    return np.array(rows, np.int64).reshape(-1)


def _bits(values: Sequence[int]) -> Table:
    return np.array(values, np.uint64).view(np.int64)
