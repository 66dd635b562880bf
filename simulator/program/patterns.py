"""The accesses of a thread, chunk by chunk, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simulator.placement.migration import Migration
from simulator.program.chunk import CHUNK_LINES, ProgramChunk
from simulator.program.orders import Ints
from simulator.program.work import Stream, Work
from simulator.units import LINE_BYTES


def work_chunks(work: Work, step: int, barrier: bool) -> Iterator[ProgramChunk]:
    """Yield the accesses of a work; the first chunk carries the barrier.

    Parameters
    ----------
    work : Work
    step : int
    barrier : bool
    """
    bursts = [stream.burst for stream in work.streams]
    rounds = -(-work.lines // bursts[0])
    together = max(CHUNK_LINES // sum(bursts), 1)
    for first in range(0, rounds, together):
        stop = min(first + together, rounds)
        columns = [stream.order.addresses(first * stream.burst, stop * stream.burst) for stream in work.streams]
        written = [_written(stream, first * stream.burst, stop * stream.burst) for stream in work.streams]
        shape = [(stop - first, burst) for burst in bursts]
        address = np.concatenate([column.reshape(size) for column, size in zip(columns, shape, strict=True)], axis=1).ravel()
        is_write = np.concatenate([column.reshape(size) for column, size in zip(written, shape, strict=True)], axis=1).ravel()
        if stop * bursts[0] > work.lines:  # the last turn of the first stream is a short one
            beyond = np.zeros((stop - first, sum(bursts)), dtype=bool)
            beyond[-1, work.lines - (stop - 1) * bursts[0] : bursts[0]] = True
            address, is_write = address[~beyond.ravel()], is_write[~beyond.ravel()]
        compute_ps = np.full(len(address), work.compute_ps, dtype=np.int64)
        for low in range(0, len(address), CHUNK_LINES):
            part = slice(low, low + CHUNK_LINES)
            yield ProgramChunk(
                step,
                work.kind,
                barrier and first == 0 and low == 0,
                address[part],
                is_write[part],
                compute_ps[part],
                work.window,
                work.gb_per_s,
            )


def migration_chunks(migration: Migration, step: int, barrier: bool, page_move_ps: int) -> Iterator[ProgramChunk]:
    """Yield the copying of pages: each line is read from the old node and written to the new one."""
    lines = migration.page_bytes // LINE_BYTES
    together = max(CHUNK_LINES // (2 * lines), 1)
    for first in range(0, len(migration.addresses), together):
        part = slice(first, first + together)
        pages = len(migration.addresses[part])
        offsets = np.repeat(np.arange(lines, dtype=np.uint64) * np.uint64(LINE_BYTES), 2)
        address = (migration.addresses[part, None] + offsets).ravel()
        is_write = np.tile(np.array([False, True]), pages * lines)
        nodes = np.stack([migration.from_nodes[part], migration.to_nodes[part]], axis=1)
        home_node = np.broadcast_to(nodes[:, None, :], (pages, lines, 2)).ravel()
        compute_ps = np.zeros((pages, 2 * lines), dtype=np.int64)
        compute_ps[:, 0] = page_move_ps
        first_one = barrier and first == 0
        yield ProgramChunk(step, "migrate", first_one, address, is_write, compute_ps.ravel(), None, None, home_node)


def arrival(step: int) -> ProgramChunk:
    """Return the chunk of a thread that only waits for the others."""
    empty = np.empty(0, dtype=np.uint64)
    return ProgramChunk(step, "access", True, empty, empty.astype(bool), empty.astype(np.int64))


def touch_turns(work: Work, stream: Stream, numbers: Ints) -> Ints:
    """Return which access of the thread, of all its streams, each access of one stream is."""
    bursts = [one.burst for one in work.streams]
    before = sum(bursts[: work.streams.index(stream)])
    return numbers // stream.burst * sum(bursts) + before + numbers % stream.burst


def stream_accesses(work: Work, stream: Stream) -> int:
    """Return how many accesses of a stream the work has."""
    if stream is work.streams[0]:
        return work.lines
    return -(-work.lines // work.streams[0].burst) * stream.burst


def _written(stream: Stream, first: int, stop: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    number = np.arange(first, stop, dtype=np.int64) % stream.of
    return (number + 1) * stream.writes // stream.of > number * stream.writes // stream.of
