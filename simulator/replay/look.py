"""A first look through recorded traces: which threads they hold, whether they are whole, and who touches which page first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulator.errors import InputError
from simulator.placement import Allocator, LocalAlloc, Policy, Segment, Touches
from simulator.placement.page_table import PAGE_BYTES, PAGE_SHIFT, Addresses, PageTable
from simulator.replay.trace_file import TraceFile, TraceSource, sources
from simulator.traces import AccessChunk, TraceCounts

MOST_THREADS = 1024
_SEEN = 0  # the one node of the table that notes which pages were seen


@dataclass(frozen=True)
class TraceThread:
    """A thread of a trace.

    Attributes
    ----------
    source : int
        Place of its file.
    number : int
        Its number there.
    accesses : int
    """

    source: int
    number: int
    accesses: int

    @property
    def name(self) -> str:
        """Place of the file and number: ``0.7``."""
        return f"{self.source}.{self.number}"


@dataclass(frozen=True, eq=False)
class TraceLook:
    """What a first look through some traces finds.

    Attributes
    ----------
    sources : tuple of TraceSource
    counts : tuple of TraceCounts
        By file.
    damages : tuple of str or None
        What ends a file early, by file; None: it is whole.
    threads : tuple of TraceThread
        By file and number.
    pages : ndarray of uint64, shape (n,)
        Numbers of the pages of 4 KiB in the order of their first touches.
    toucher : ndarray of int64, shape (n,)
        Who touches each first, by place in `threads`.
    """

    sources: tuple[TraceSource, ...]
    counts: tuple[TraceCounts, ...]
    damages: tuple[str | None, ...]
    threads: tuple[TraceThread, ...]
    pages: Addresses
    toucher: npt.NDArray[np.int64]


def look_through(files: Sequence[TraceFile]) -> TraceLook:
    """Read every trace once: of several a stretch of each in turn, which is also the order of their first touches.

    Raises
    ------
    InputError
        A trace is broken and `partial` does not accept that, holds nothing, or cannot be read twice; there are too many threads.
    """
    look, found = sources(files), _FirstTouches()
    readers = [(place, source.chunks()) for place, source in enumerate(look)]
    while readers:
        still = []
        for place, chunks in readers:
            chunk = next(chunks, None)
            if chunk is not None:
                still.append((place, chunks))
                found.add(place, chunk, look[place].file.path)
        readers = still
    threads = found.threads()
    if not threads:
        raise InputError("holds no access", file=files[0].path, allowed="at least one, in any of the traces")
    rank = {(thread.source, thread.number): index for index, thread in enumerate(threads)}
    place_of = np.array([rank[key] for key in found.numbers], np.int64)
    pages = np.concatenate(found.pages or [np.empty(0, np.uint64)])
    toucher = place_of[np.concatenate(found.toucher or [np.empty(0, np.int64)])]
    return TraceLook(look, tuple(one.counts for one in look), tuple(one.damage for one in look), threads, pages, toucher)


def place_pages(
    look: TraceLook,
    allocator: Allocator,
    cpu_nodes: Sequence[int],
    policy: Policy | None = None,
    page_bytes: int = PAGE_BYTES,
) -> PageTable:
    """Place every page at its first touch.

    Parameters
    ----------
    look : TraceLook
    allocator : Allocator
    cpu_nodes : sequence of int, one a thread
        Where it runs.
    policy : Policy, optional
        Of all memory; None: local.
    page_bytes : int

    Raises
    ------
    InputError
        Out of memory.
    """
    segment = Segment(0, policy or LocalAlloc(), page_bytes, ", ".join(source.file.path for source in look.sources))
    touches = []
    for thread in np.unique(look.toucher).tolist():
        turns = np.flatnonzero(look.toucher == thread)
        touches.append(Touches(segment, thread, cpu_nodes[thread], look.pages[turns] << np.uint64(PAGE_SHIFT), turns))
    allocator.touch(touches)
    return allocator.table


class _FirstTouches:
    """Collects first touches; `numbers` gives (file, number) of each thread in the order in which they appear."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, int], int] = {}
        self.pages: list[Addresses] = []
        self.toucher: list[npt.NDArray[np.int64]] = []
        self._accesses: dict[tuple[int, int], int] = {}
        self._seen = PageTable((_SEEN,))

    def add(self, source: int, chunk: AccessChunk, path: str) -> None:
        """Take note of some accesses of a file."""
        self._count(source, chunk, path)
        access, pages = touched_pages(chunk)
        first = np.unique(pages, return_index=True)[1]
        first = np.sort(first[self._seen.indices(pages[first]) < 0])
        if len(first):
            self._seen.map(pages[first], np.zeros(len(first), np.int8))
            self.pages.append(pages[first])
            threads, which = np.unique(chunk.thread[access[first]], return_inverse=True)
            self.toucher.append(np.array([self.numbers[source, number] for number in threads.tolist()], np.int64)[which])

    def threads(self) -> tuple[TraceThread, ...]:
        """Return all threads by file and number."""
        return tuple(TraceThread(*key, count) for key, count in sorted(self._accesses.items()))

    def _count(self, source: int, chunk: AccessChunk, path: str) -> None:
        numbers, counts = np.unique(chunk.thread, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            self.numbers.setdefault((source, number), len(self.numbers))
            self._accesses[source, number] = self._accesses.get((source, number), 0) + count
        if len(self.numbers) > MOST_THREADS:
            allowed = f"{MOST_THREADS} in all traces"
            raise InputError("too many threads", file=path, value=len(self.numbers), allowed=allowed)


def touched_pages(chunk: AccessChunk) -> tuple[npt.NDArray[np.int64], Addresses]:
    """Return the pages of 4 KiB that accesses touch, in their order, each with the access that touches it.

    A page that an access touches and the one before it has touched is left out.
    """
    first = chunk.address >> np.uint64(PAGE_SHIFT)
    last = (chunk.address + (chunk.size_bytes - np.uint32(1)).astype(np.uint64)) >> np.uint64(PAGE_SHIFT)
    count = (last - first).astype(np.int64) + 1
    access = np.repeat(np.arange(len(chunk)), count)
    within = np.arange(len(access)) - np.repeat(np.cumsum(count) - count, count)
    pages = first[access] + within.astype(np.uint64)
    changes = np.flatnonzero(np.append(True, (pages[1:] != pages[:-1]) | (chunk.thread[access[1:]] != chunk.thread[access[:-1]])))
    return access[changes], pages[changes]
