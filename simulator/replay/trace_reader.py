"""One reading of a trace for all of its threads, each at its own pace, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from simulator.replay.trace_file import TraceSource
from simulator.traces import AccessChunk, by_thread

MOST_HELD = 1 << 20  # accesses read that their threads do not want yet: some 30 MB


class TraceReader:
    """Hands the accesses of one file to its threads.

    A thread that reads on finds accesses of others, which are kept for them. Where too many are kept, the thread that is behind
    the most reads the file by itself from then on.

    Parameters
    ----------
    source : TraceSource
    numbers : iterable of int
        Its threads.
    most_held : int
        Accesses that are kept.
    """

    def __init__(self, source: TraceSource, numbers: Iterable[int], most_held: int = MOST_HELD) -> None:
        self._source, self._most_held = source, most_held
        self._chunks = source.chunks()
        self._kept: dict[int, deque[AccessChunk]] = {number: deque() for number in numbers}
        self._given = dict.fromkeys(self._kept, 0)
        self._alone: set[int] = set()

    def chunks(self, number: int) -> Iterator[AccessChunk]:
        """Yield the accesses of one thread.

        Raises
        ------
        InputError
            The trace is broken.
        """
        while number not in self._alone:
            if self._kept[number]:
                chunk = self._kept[number].popleft()
                self._given[number] += len(chunk)
                yield chunk
            elif not self._read():
                return
        yield from self._rest(number)

    def _read(self) -> bool:
        """Read on; return whether there was anything."""
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        for number, own in by_thread(chunk):
            if number not in self._alone:
                self._kept[number].append(own)
        held = {number: sum(map(len, chunks)) for number, chunks in self._kept.items()}
        while sum(held.values()) > self._most_held:
            last = max(held, key=lambda number: held[number])
            self._alone.add(last)
            self._kept[last].clear()
            held[last] = 0
        return True

    def _rest(self, number: int) -> Iterator[AccessChunk]:
        """Yield what a thread has not got yet, read by itself."""
        got = self._given[number]
        for chunk in self._source.chunks():
            for other, own in by_thread(chunk):
                if other == number and len(own) > got:
                    yield own.part(slice(got, None))
                got = max(0, got - len(own)) if other == number else got
