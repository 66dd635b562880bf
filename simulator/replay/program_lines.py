"""Lines of the threads of a placed program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from simulator.cache import CoreCaches
from simulator.engine.plan import NONE
from simulator.engine.supply import Ints, Lines
from simulator.program import PlacedProgram, ProgramChunk, SharedLinePhase, SplitLockPhase
from simulator.program.work import works
from simulator.replay.homes import Homes, through_caches
from simulator.replay.spool import ALL_THREADS, lines_of, nothing
from simulator.traces import access_chunk
from simulator.units import LINE_BYTES, PS_PER_NS

_LOCK_FROM, _LOCK_TO = 1, 2


def program_lines(
    placed: PlacedProgram, thread: int, homes: Homes, caches: CoreCaches | None, shared: Mapping[int, int]
) -> Iterator[Lines]:
    """Yield the lines of a thread, with the time that is computed before each.

    Parameters
    ----------
    placed : PlacedProgram
    thread : int
        Its place among the program's threads.
    homes : Homes
    caches : CoreCaches, optional
        Those of its core; None: the machine's file describes none, so every access is a line.
    shared : mapping of int to int
        Number of each shared line, by address.
    """
    for chunk in placed.chunks(thread):
        if chunk.barrier:
            yield nothing(ALL_THREADS, 0 if caches is None else caches.take_time_ps())
        if len(chunk):
            yield _lines(chunk, placed, homes, caches, shared)
    if caches is not None:
        yield nothing(compute_before_ps=caches.take_time_ps())


def shared_addresses(placed: PlacedProgram) -> tuple[int, ...]:
    """Return the addresses of all lines that several threads use on purpose, ascending."""
    found: set[int] = set()
    for step in placed.steps:
        if isinstance(step.phase, (SharedLinePhase, SplitLockPhase)):
            beside = (0, LINE_BYTES) if isinstance(step.phase, SplitLockPhase) else (0,)
            for thread in step.members:
                for work in works(placed.scene, step, thread):
                    first = int(work.streams[0].order.addresses(0, 1)[0])
                    found.update(first + offset for offset in beside)
    return tuple(sorted(found))


def _lines(
    chunk: ProgramChunk, placed: PlacedProgram, homes: Homes, caches: CoreCaches | None, shared: Mapping[int, int]
) -> Lines:
    table = placed.page_table(chunk.step)
    compute_ps = _paced(chunk)
    if chunk.home_node is not None:
        home = homes.index(chunk.home_node)
        homes.count(home)
        return lines_of(home, chunk.is_write, np.where(chunk.is_write, home, NONE), compute_ps)
    if chunk.kind == "access":
        accesses = access_chunk(chunk.address, chunk.is_write, compute_ps)
        return homes.lines(through_caches(accesses, caches), table, dependent=chunk.window == 1)
    if chunk.kind == "split-lock":
        return _locked(chunk, compute_ps, homes, placed, shared)
    home = homes.of(table, chunk.address)
    numbers = np.array([shared[int(address)] for address in chunk.address])
    return _shared(home, chunk.is_write, compute_ps, numbers, np.zeros(len(chunk), np.int64))


def _locked(chunk: ProgramChunk, compute_ps: Ints, homes: Homes, placed: PlacedProgram, shared: Mapping[int, int]) -> Lines:
    """Return two lines for each locked access, between which nobody else is served."""
    beside = np.array([0, LINE_BYTES], np.uint64)
    address = (chunk.address[:, None] + beside).ravel()
    home = homes.of(placed.page_table(chunk.step), address)
    numbers = np.array([shared[int(one)] for one in address])
    before = np.stack([compute_ps, np.zeros_like(compute_ps)], axis=1).ravel()
    lock = np.tile(np.array([_LOCK_FROM, _LOCK_TO]), len(chunk))
    return _shared(home, np.ones(len(address), np.bool_), before, numbers, lock)


def _shared(home: Ints, writes: object, compute_ps: Ints, numbers: Ints, lock: Ints) -> Lines:
    lines = lines_of(home, writes, np.full(len(home), NONE), compute_ps, dependent=True)
    return replace(lines, shared=numbers, lock=lock)


def _paced(chunk: ProgramChunk) -> Ints:
    """Return the time before each line: what is computed, or what the asked rate leaves between two lines if that is more."""
    if chunk.gb_per_s is None:
        return chunk.compute_ps
    return np.maximum(chunk.compute_ps, round(LINE_BYTES / chunk.gb_per_s * PS_PER_NS))
