"""Traces read to their end, or to what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from simulator.errors import InputError
from simulator.traces import AccessChunk, Trace, TraceCounts

DATA = Path(__file__).parent / "data"
STREAM = DATA / "stream_small.lackey.gz"


@dataclass(frozen=True)
class Read:
    """What came of a trace: rows (thread, address, size, r, w or m, before), and the complaint it ended with."""

    rows: list[tuple[int, int, int, str, int]]
    unit: str | None
    counts: TraceCounts
    complaint: str | None
    form: str | None


def read(path: Path | str, **options: Any) -> Read:
    trace = Trace(path, **options)
    rows: list[tuple[int, int, int, str, int]] = []
    unit, complaint = None, None
    try:
        for chunk in trace.chunks():
            rows += rows_of(chunk)
            unit = chunk.unit
    except InputError as error:
        complaint = str(error)
        assert "\n" not in complaint
        complaint = complaint.replace(str(path), "FILE")
    assert trace.counts.accesses == len(rows)
    return Read(rows, unit, trace.counts, complaint, trace.form)


def read_text(folder: Path, text: str | bytes, **options: Any) -> Read:
    path = folder / "trace"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path, **options)


def rows_of(chunk: AccessChunk) -> list[tuple[int, int, int, str, int]]:
    kinds = {field.name: getattr(chunk, field.name).dtype for field in fields(chunk) if field.name != "unit"}
    expected = [np.int32, np.uint64, np.uint32, np.bool_, np.bool_, np.int64]
    assert list(kinds.values()) == expected
    letters = np.where(chunk.is_modify, "m", np.where(chunk.is_write, "w", "r"))
    columns = (chunk.thread, chunk.address, chunk.size_bytes, letters, chunk.before)
    return list(zip(*(column.tolist() for column in columns), strict=True))
