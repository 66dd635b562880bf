"""Lines of the threads of a placed program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from simulator.cache import CoreCaches
from simulator.engine.plan import NONE
from simulator.engine.supply import Ints, Lines
from simulator.program import PlacedProgram, ProgramChunk, SharedLinePhase
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
        if chunk.kind == "warm":
            _warm(chunk, caches)
        elif len(chunk):
            yield _lines(chunk, placed, homes, caches, shared)
    if caches is not None:
        yield nothing(compute_before_ps=caches.take_time_ps())


def shared_homes(placed: PlacedProgram) -> dict[int, int]:
    """Return the lines that several threads use on purpose, by address, and the node that each is on when it is used first."""
    found: dict[int, int] = {}
    for step in placed.steps:
        for thread in step.members if isinstance(step.phase, SharedLinePhase) else ():
            for work in works(placed.scene, step, thread):
                address = work.streams[0].order.addresses(0, 1)
                found.setdefault(int(address[0]), int(placed.page_table(step.number).nodes(address)[0]))
    return dict(sorted(found.items()))


def _warm(chunk: ProgramChunk, caches: CoreCaches | None) -> None:
    """Let a chunk pass through the caches; nothing of it is run."""
    if caches is not None:
        caches.run(access_chunk(chunk.address, chunk.is_write, np.zeros_like(chunk.compute_ps)))
        caches.take_time_ps()


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
        return _locked(chunk, compute_ps, homes, placed)
    return _shared(chunk, compute_ps, homes.of(table, chunk.address), shared)


def _locked(chunk: ProgramChunk, compute_ps: Ints, homes: Homes, placed: PlacedProgram) -> Lines:
    """Return two lines for each lock, from memory, since a cache can hold neither half for it; nobody else is served between."""
    address = (chunk.address[:, None] + np.array([0, LINE_BYTES], np.uint64)).ravel()
    home = homes.of(placed.page_table(chunk.step), address)
    homes.count(home)
    before = np.stack([compute_ps, np.zeros_like(compute_ps)], axis=1).ravel()
    lines = lines_of(home, np.ones(len(home), np.bool_), np.full(len(home), NONE), before, dependent=True)
    return replace(lines, lock=np.tile(np.array([_LOCK_FROM, _LOCK_TO]), len(chunk)))


def _shared(chunk: ProgramChunk, compute_ps: Ints, home: Ints, shared: Mapping[int, int]) -> Lines:
    lines = lines_of(home, chunk.is_write, np.full(len(home), NONE), compute_ps, dependent=True)
    return replace(lines, shared=np.array([shared[address] for address in chunk.address.tolist()]))


def _paced(chunk: ProgramChunk) -> Ints:
    """Return the time before each line: what is computed, or what the asked rate leaves between two lines if that is more."""
    if chunk.gb_per_s is None:
        return chunk.compute_ps
    return np.maximum(chunk.compute_ps, round(LINE_BYTES / chunk.gb_per_s * PS_PER_NS))
