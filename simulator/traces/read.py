"""One recorded trace, whatever its form."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import chain
from typing import Literal, Protocol, get_args

from simulator.errors import InputError
from simulator.traces import parquet
from simulator.traces.blocks import line_blocks
from simulator.traces.chunk import MAX_THREAD, AccessChunk
from simulator.traces.counts import TraceCounts
from simulator.traces.csv_text import CsvReader, is_header
from simulator.traces.lackey import LackeyReader
from simulator.traces.parquet import ParquetReader
from simulator.traces.perf_script import PerfReader, is_sample
from simulator.traces.sources import Damaged, trace_bytes

Format = Literal["lackey", "perf", "csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
KNOWN = "a trace of valgrind --tool=lackey --trace-mem=yes, perf script, CSV or Parquet; docs/traces.md shows each"
_LOOKED_AT_BYTES, _LOOKED_AT_LINES = 1 << 16, 1000
_LACKEY = re.compile(rb"^(?:==\d+== |(?:I | [LSM]) [0-9a-fA-F]+,\d+\r?$)")
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class _Reader(Protocol):
    @property
    def counts(self) -> TraceCounts: ...


class Trace:
    """A recorded trace, read once from its start to its end, in constant memory.

    Parameters
    ----------
    path : str or path
        ``-`` for standard input. Gzip and zstd are known by their first bytes.
    form : str, optional
        One of `FORMATS`; found out from the first lines if left out.
    thread : int
        Whose accesses a form without threads holds (lackey's).

    Raises
    ------
    InputError
        The form or the thread is none.
    """

    def __init__(self, path: str | os.PathLike[str], form: Format | None = None, thread: int = 0) -> None:
        if form is not None and form not in FORMATS:
            raise InputError("is no form of a trace", field="form", value=form, allowed=", ".join(FORMATS))
        if not 0 <= thread <= MAX_THREAD:
            raise InputError("is no number of a thread", field="thread", value=thread, allowed=f"0 to {MAX_THREAD}")
        self.name = os.fspath(path)
        self.form: Format | None = form
        self._thread = thread
        self._reader: _Reader | None = None

    @property
    def counts(self) -> TraceCounts:
        """What was read so far, and what was skipped."""
        return TraceCounts() if self._reader is None else self._reader.counts

    def chunks(self) -> Iterator[AccessChunk]:
        """Yield the accesses in the order of the trace.

        Raises
        ------
        InputError
            Whatever is wrong, with line and byte: after all accesses before it have been given.
        """
        with trace_bytes(self.name) as pieces:
            pieces, head = _with_head(pieces)
            if not head:
                yield from self._nothing(pieces)
            self.form = self.form or self._form_of(head)
            if self.form == "parquet":
                reader = ParquetReader(self.name)
                self._reader = reader
                yield from reader.chunks()
            else:
                lines = self._line_reader(self.form)
                self._reader = lines
                yield from lines.chunks(line_blocks(pieces, self.name))

    def _line_reader(self, form: Format) -> LackeyReader | PerfReader | CsvReader:
        if form == "lackey":
            return LackeyReader(self.name, self._thread)
        return PerfReader(self.name) if form == "perf" else CsvReader(self.name)

    def _nothing(self, pieces: Iterator[bytes]) -> Iterator[AccessChunk]:
        for _ in line_blocks(pieces, self.name):  # complains of damage before the first byte
            yield from ()
        raise InputError("is empty", file=self.name, allowed=KNOWN)

    def _form_of(self, head: bytes) -> Format:
        if head.startswith(parquet.MAGIC):
            return "parquet"
        for mark, encoding in _OTHER_ENCODINGS.items():
            if head.startswith(mark):
                raise InputError(f"is text in {encoding}", file=self.name, allowed="ASCII or UTF-8")
        for line in head.split(b"\n")[:_LOOKED_AT_LINES]:
            if _LACKEY.match(line):
                return "lackey"
            if is_header(line):
                return "csv"
            if is_sample(line[:1000]):
                return "perf"
        raise InputError("is no trace that can be read", file=self.name, value=head[:40], allowed=KNOWN)


def _with_head(pieces: Iterator[bytes]) -> tuple[Iterator[bytes], bytes]:
    """Return the bytes again, and the first of them; damage comes when its place is reached."""
    taken: list[bytes] = []
    damage: Damaged | None = None
    while sum(map(len, taken)) < _LOOKED_AT_BYTES:
        try:
            piece = next(pieces, b"")
        except Damaged as error:
            damage = error
            break
        if not piece:
            break
        taken.append(piece)
    rest = pieces if damage is None else _raise(damage)
    return chain(taken, rest), b"".join(taken)[:_LOOKED_AT_BYTES]


def _raise(damage: Damaged) -> Iterator[bytes]:
    raise damage
    yield b""
