"""Traces as Parquet, with the columns of the CSV form: read a batch at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simulator.errors import InputError
from simulator.optional import optional_module
from simulator.traces.chunk import MAX_ACCESS_BYTES, MAX_THREAD, AccessChunk
from simulator.traces.clocks import ThreadClocks
from simulator.traces.counts import TraceCounts
from simulator.traces.csv_text import CLOCKS, NEVER_FALLS
from simulator.traces.sources import STANDARD_INPUT

MAGIC = b"PAR1"
COLUMNS = "thread, time_ns or instr, address and size (whole numbers without gaps), and rw (r, w or m)"
_BATCH_ROWS = 1 << 18
_DIRECTIONS = ("r", "w", "m")


@dataclass(frozen=True)
class _Rule:
    """What a column may hold."""

    column: str
    lowest: int
    highest: int


class ParquetReader:
    """Reads a file; a pipe cannot be read so, for Parquet begins at its end.

    Parameters
    ----------
    name : str
        Its path.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._parquet = optional_module("pyarrow.parquet", "parquet", f"{name}, a Parquet file,")
        self._accesses = TraceCounts()
        self._row = 0

    @property
    def counts(self) -> TraceCounts:
        """What was read so far."""
        return self._accesses

    def chunks(self) -> Iterator[AccessChunk]:
        """Yield the accesses.

        Raises
        ------
        InputError
            It is cut off or damaged, a column is missing or of another kind, or a value is not allowed: after all accesses
            before.
        """
        file = self._opened()
        with file:
            clock = self._clock(file.schema_arrow)
            clocks = ThreadClocks(common_start=clock == "time_ns")
            for batch in self._batches(file, clock):
                yield from self._chunk(batch, clock, clocks)
                self._row += batch.num_rows

    def _opened(self) -> Any:
        if self._name == STANDARD_INPUT or not os.path.isfile(self._name):
            raise InputError("Parquet cannot be read from a pipe", file=self._name, allowed="a file")
        try:
            with open(self._name, "rb") as stream:
                plain = stream.read(len(MAGIC)) == MAGIC
            if not plain:
                raise InputError("is Parquet that is compressed as a whole", file=self._name, allowed="a Parquet file as it is")
            return self._parquet.ParquetFile(self._name)
        except (OSError, ValueError) as error:  # pyarrow's errors are of these two kinds
            size = os.path.getsize(self._name)
            what = f"is no whole Parquet file, at its {size:,} bytes: {_first_line(error)}"
            raise InputError(what, file=self._name, allowed="a Parquet file that is not cut off") from None

    def _clock(self, schema: Any) -> str:
        names = [name for name in schema.names if name in CLOCKS]
        missing = [name for name in ("thread", "address", "size", "rw") if name not in schema.names]
        if missing or len(names) != 1 or len(set(schema.names)) != len(schema.names):
            raise InputError("has other columns", file=self._name, value=", ".join(schema.names), allowed=COLUMNS)
        types = optional_module("pyarrow.types", "parquet", "Parquet")
        for name in ("thread", names[0], "address", "size"):
            if not types.is_integer(schema.field(name).type):
                raise InputError(
                    "holds no whole numbers", file=self._name, field=name, value=str(schema.field(name).type), allowed=COLUMNS
                )
        kind = schema.field("rw").type
        if not types.is_string(kind.value_type if types.is_dictionary(kind) else kind):
            raise InputError("holds no text", file=self._name, field="rw", value=str(kind), allowed=COLUMNS)
        return str(names[0])

    def _batches(self, file: Any, clock: str) -> Iterator[Any]:
        batches = file.iter_batches(batch_size=_BATCH_ROWS, columns=["thread", clock, "address", "size", "rw"])
        while True:
            try:
                batch = next(batches, None)
            except (OSError, ValueError) as error:
                raise InputError(f"is damaged: {_first_line(error)}", file=self._name, field=f"after row {self._row}") from None
            if batch is None:
                return
            yield batch

    def _chunk(self, batch: Any, clock: str, clocks: ThreadClocks) -> Iterator[AccessChunk]:
        rules = (
            _Rule("thread", 0, MAX_THREAD),
            _Rule(clock, 0, 2**63 - 1),
            _Rule("address", 0, 2**64 - 1),
            _Rule("size", 1, MAX_ACCESS_BYTES),
        )
        found = [self._first_outside(batch, rule) for rule in rules]
        directions = _direction_codes(batch.column("rw"))
        outside = np.flatnonzero(directions < 0)
        found.append((int(outside[0]), "rw", "r, w or m") if len(outside) else None)
        bad = min((item for item in found if item is not None), default=None, key=lambda item: item[0])
        good = batch.num_rows if bad is None else bad[0]
        if good:
            yield from self._good_rows(batch.slice(0, good), directions[:good], clock, clocks)
        if bad is not None:
            row, column, allowed = bad
            raise self._bad_row(row, column, batch.column(column)[row].as_py(), allowed)

    def _good_rows(self, batch: Any, directions: npt.NDArray[np.int8], clock: str, clocks: ThreadClocks) -> Iterator[AccessChunk]:
        thread, address, size = (batch.column(name).to_numpy() for name in ("thread", "address", "size"))
        beyond = np.flatnonzero(size.astype(np.uint64) - 1 > np.uint64(2**64 - 1) - address.astype(np.uint64))
        good = int(beyond[0]) if len(beyond) else len(thread)
        ticks = batch.column(clock).to_numpy().astype(np.int64)
        thread = thread.astype(np.int32)
        before, back = clocks.since_before(thread, ticks)
        good = good if back is None else min(good, back)
        chunk = AccessChunk(
            thread=thread,
            address=address.astype(np.uint64),
            size_bytes=size.astype(np.uint32),
            is_write=directions > 0,
            is_modify=directions == _DIRECTIONS.index("m"),
            before=before,
            unit=CLOCKS[clock],
        ).part(slice(good))
        if good:
            self._accesses = self._accesses.with_chunk(chunk)
            yield chunk
        if good == back:
            raise self._bad_row(good, clock, int(ticks[good]), NEVER_FALLS)
        if good < len(thread):
            raise self._bad_row(good, "address", int(address[good]), "accesses up to the last address, 2^64 - 1")

    def _first_outside(self, batch: Any, rule: _Rule) -> tuple[int, str, str] | None:
        column = batch.column(rule.column)
        allowed = f"{rule.lowest} to {rule.highest}"
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        if len(missing):
            return int(missing[0]), rule.column, allowed
        values = column.to_numpy()
        outside = np.flatnonzero((values < rule.lowest) | (values > rule.highest))
        return (int(outside[0]), rule.column, allowed) if len(outside) else None

    def _bad_row(self, row: int, column: str, value: object, allowed: str) -> InputError:
        what = "is not allowed" if value is not None else "is missing"
        return InputError(what, file=self._name, field=f"row {self._row + row + 1}, {column}", value=value, allowed=allowed)


def _direction_codes(column: Any) -> npt.NDArray[np.int8]:
    """Return 0 for r, 1 for w, 2 for m, -1 for anything else."""
    encoded = column if hasattr(column, "dictionary") else column.dictionary_encode()
    words = [str(word).lower() for word in encoded.dictionary.to_pylist()]
    codes = np.array([_DIRECTIONS.index(word) if word in _DIRECTIONS else -1 for word in words] + [-1], np.int8)
    places = encoded.indices.fill_null(len(words)).to_numpy().astype(np.int64)
    found: npt.NDArray[np.int8] = codes[places]
    return found


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
