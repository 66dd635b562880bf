"""Traces as CSV: a header, then a row an access."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np
import numpy.typing as npt

from simulator.errors import InputError
from simulator.optional import needing_numba
from simulator.traces.blocks import Block
from simulator.traces.chunk import MAX_ACCESS_BYTES, MAX_THREAD, AccessChunk, Unit
from simulator.traces.clocks import ThreadClocks
from simulator.traces.complaints import bad_line, cut_off, printable
from simulator.traces.counts import TraceCounts
from simulator.traces.kernels import faults

COLUMNS = ("thread", "time_ns or instr", "address", "size", "rw")  # in the order of the kernel's fields
CLOCKS: dict[str, Unit] = {"time_ns": "time_ns", "instr": "instructions"}
HEADER = "thread,time_ns,address,size,rw or thread,instr,address,size,rw, in any order"
NEVER_FALLS = "values that never fall within a thread"
BOM = b"\xef\xbb\xbf"
_FIELD_OF = {"thread": 0, "time_ns": 1, "instr": 1, "address": 2, "size": 3, "rw": 4, "r/w": 4}
_SHORTEST_ROW = len("0,0,0,1,r\n")


@dataclass(frozen=True)
class Header:
    """What the columns are: numbers of the kernel's fields, by column."""

    fields: tuple[int, ...]
    clock: str


def is_header(line: bytes) -> bool:
    """Say whether a line looks like a header of such a file: some of its words are known."""
    words = set(_words(line))
    return len(words & set(_FIELD_OF)) >= 2


def read_header(line: bytes, name: str) -> Header:
    """Read the header.

    Raises
    ------
    InputError
        A column is unknown, missing or there twice.
    """
    words = _words(line)
    fields = [_FIELD_OF.get(word, -1) for word in words]
    if sorted(fields) != sorted(set(_FIELD_OF.values())):
        raise InputError("the header does not name the columns", file=name, field="header", value=printable(line), allowed=HEADER)
    return Header(tuple(fields), words[fields.index(1)])


def _words(line: bytes) -> list[str]:
    text = line.removeprefix(BOM).decode("utf-8", "replace")
    return [word.strip().lower() for word in text.split(",")]


class CsvReader:
    """Reads blocks of lines.

    Parameters
    ----------
    name : str
        The trace, as the user named it.
    """

    def __init__(self, name: str) -> None:
        self._kernel = _kernel()
        self._cut_faults = (faults.FEW_FIELDS, faults.NO_NUMBER, faults.NO_DIRECTION)  # of a line without an end
        self._name = name
        self._header: Header | None = None
        self._clocks = ThreadClocks(common_start=True)
        self._skipped = 0
        self._accesses = TraceCounts()

    @property
    def counts(self) -> TraceCounts:
        """What was read so far."""
        return replace(self._accesses, skipped=(("empty lines and comments", self._skipped),))

    def chunks(self, blocks: Iterator[Block]) -> Iterator[AccessChunk]:
        """Yield the accesses.

        Raises
        ------
        InputError
            The header or a line is wrong or cut off: after all accesses before it.
        """
        for block in blocks:
            start = 0
            while self._header is None and start < len(block.text):
                line = block.line_at(start)
                start = block.text.find(b"\n", start) + 1 or len(block.text)
                self._take_header(line)
            if start < len(block.text):
                yield from self._read(block, start)
        if self._header is None:
            raise InputError("has no header", file=self._name, allowed=HEADER)

    def _take_header(self, line: bytes) -> None:
        if not line.strip() or line.lstrip().startswith(b"#"):
            self._skipped += 1
            return
        self._header = read_header(line, self._name)
        self._clocks = ThreadClocks(common_start=self._header.clock == "time_ns")

    def _read(self, block: Block, start: int) -> Iterator[AccessChunk]:
        assert self._header is not None
        kernel = self._kernel
        text = np.frombuffer(block.text if block.whole else block.text + b"\n", np.uint8)
        rows = np.empty((len(text) // _SHORTEST_ROW + 1, kernel.FIELDS), np.uint64)
        starts = np.empty(len(rows), np.int64)
        counts = np.zeros(kernel.WORDS, np.int64)
        counts[kernel.AT] = start
        fields = np.array(self._header.fields, np.int64)
        kernel.read_csv(text, fields, rows, starts, counts, np.uint64(MAX_ACCESS_BYTES), np.uint64(MAX_THREAD))
        self._skipped += int(counts[kernel.SKIPPED])
        count, at, fault = (int(counts[word]) for word in (kernel.ACCESSES, kernel.AT, kernel.FAULT))
        cut = not block.whole and (fault in self._cut_faults or (not fault and self._may_go_on(fields)))
        if count and not (cut and not fault):
            yield from self._chunk(block, rows[:count], starts)
        if cut and (count or fault):
            raise cut_off(self._name, block)
        if fault:
            field = COLUMNS[int(counts[kernel.FIELD])]
            raise bad_line(self._name, block.place_at(at), block.line_at(at), fault, field=field, form=HEADER)

    def _may_go_on(self, fields: npt.NDArray[np.int64]) -> bool:
        """Say whether digits may be missing at the end of a line: the last field is a number."""
        return int(fields[-1]) != int(self._kernel.DIRECTION)

    def _chunk(self, block: Block, rows: npt.NDArray[np.uint64], starts: npt.NDArray[np.int64]) -> Iterator[AccessChunk]:
        assert self._header is not None
        kernel = self._kernel
        thread = rows[:, kernel.THREAD].astype(np.int32)
        before, back = self._clocks.since_before(thread, rows[:, kernel.CLOCK].astype(np.int64))
        direction = rows[:, kernel.DIRECTION]
        chunk = AccessChunk(
            thread=thread,
            address=rows[:, kernel.ADDRESS].copy(),
            size_bytes=rows[:, kernel.SIZE].astype(np.uint32),
            is_write=direction != kernel.READ,
            is_modify=direction == kernel.MODIFY,
            before=before,
            unit=CLOCKS[self._header.clock],
        )
        chunk = chunk if back is None else chunk.part(slice(back))
        if len(chunk):
            self._accesses = self._accesses.with_chunk(chunk)
            yield chunk
        if back is not None:
            at = int(starts[back])
            place, line = block.place_at(at), printable(block.line_at(at))
            what = f"{self._header.clock} is less than in the row of this thread before"
            raise InputError(
                what, file=self._name, field=str(place), value=line, allowed="values that never fall within a thread"
            )


@functools.cache
def _kernel() -> ModuleType:
    """Return the kernel, compiled where its code is not kept yet."""
    what = "the reader of CSV traces"
    with needing_numba(what):
        from simulator.traces.kernels import csv
        from simulator.traces.kernels.store import compile_once

        compile_once(what, "read_csv", csv.compile_csv)
    return csv
