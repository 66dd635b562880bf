"""Traces as Parquet: the same columns, a batch at a time."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from tests.traces.reading import read
from tests.traces.test_csv import ROWS

COLUMNS: dict[str, list[Any]] = {
    "thread": [3, 4, 3, 5, 4],
    "time_ns": [1000, 1500, 1500, 900, 1500],
    "address": [0x7FFF00, 64, 0, 2**64 - 1, 128],
    "size": [8, 4, 1, 1, 64],
    "rw": ["r", "W", "m", "r", "R"],
}
TYPES = {"address": pyarrow.uint64(), "thread": pyarrow.int16()}


def write(path: Path, columns: dict[str, Any], rows: int = 2, **types: Any) -> Path:
    kinds = {**TYPES, **types}
    arrays = {name: pyarrow.array(values, kinds.get(name)) for name, values in columns.items()}
    pyarrow.parquet.write_table(pyarrow.table(arrays), path, row_group_size=rows)
    return path


@pytest.mark.parametrize("rows", [1, 2, 100])
@pytest.mark.parametrize("text", [pyarrow.string(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())])
def test_the_rows_are_those_of_csv(rows: int, text: Any, tmp_path: Path) -> None:
    done = read(write(tmp_path / "trace.parquet", COLUMNS, rows, rw=text))
    assert (done.rows, done.unit, done.complaint, done.form) == (ROWS, "time_ns", None, "parquet")


def test_more_columns_and_instructions(tmp_path: Path) -> None:
    columns = {"note": ["a"] * 5, "instr": [5, 6, 7, 8, 9], **{name: COLUMNS[name] for name in COLUMNS if name != "time_ns"}}
    done = read(write(tmp_path / "trace", columns))
    assert (done.unit, [row[4] for row in done.rows]) == ("instructions", [5, 6, 2, 8, 3])


@pytest.mark.parametrize(
    ("column", "values", "what"),
    [
        ("thread", [3, 4, -1, 5, 4], "row 3, thread: is not allowed (got -1); allowed: 0 to 2147483647"),
        ("time_ns", [1000, 1500, None, 9, 9], "row 3, time_ns: is missing; allowed: 0 to 9223372036854775807"),
        ("time_ns", [1000, 1500, 999, 9, 9], "row 3, time_ns: is not allowed (got 999); allowed: values that never fall"),
        ("size", [8, 4, 0, 1, 1], "row 3, size: is not allowed (got 0); allowed: 1 to"),
        ("size", [8, 4, 1 << 20, 1, 1], "row 3, size: is not allowed"),
        ("rw", ["r", "w", "x", "r", "r"], "row 3, rw: is not allowed (got 'x'); allowed: r, w or m"),
        ("rw", ["r", "w", None, "r", "r"], "row 3, rw: is missing"),
        (
            "address",
            [0, 1, 2**64 - 1, 0, 0],
            "row 3, address: is not allowed (got 18446744073709551615)",
        ),
    ],
)
@pytest.mark.parametrize("rows", [1, 100])
def test_a_bad_row_is_named_after_all_before_it(column: str, values: list[Any], what: str, rows: int, tmp_path: Path) -> None:
    columns = {**COLUMNS, "size": [8, 4, 2, 1, 64], column: values}
    done = read(write(tmp_path / "trace", columns, rows))
    assert len(done.rows) == 2
    assert done.complaint is not None
    assert done.complaint.startswith(f"FILE: {what}")


SMALL = {**COLUMNS, "address": [1, 2, 3, 4, 5]}


@pytest.mark.parametrize(
    "columns",
    [
        {name: SMALL[name] for name in SMALL if name != "rw"},
        {name: SMALL[name] for name in SMALL if name != "time_ns"},
        {**SMALL, "instr": [1] * 5},
        {**SMALL, "size": ["8"] * 5},
        {**SMALL, "rw": [1] * 5},
        {**SMALL, "address": [1.0] * 5},
    ],
)
def test_columns_are_checked(columns: dict[str, Any], tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "trace")
    done = read(tmp_path / "trace")
    assert done.rows == []
    assert done.complaint is not None
    assert "; allowed: thread, time_ns or instr, address and size" in done.complaint


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "trace", COLUMNS)
    path.write_bytes(path.read_bytes()[:-20])
    complaint = str(read(path).complaint)
    assert complaint.startswith(f"FILE: is no whole Parquet file, at its {path.stat().st_size:,} bytes: ")
    assert "; allowed: a Parquet file that is not cut off" in complaint


def test_damage_within_is_told_after_the_rows_before(tmp_path: Path) -> None:
    many = {name: values * 2000 for name, values in COLUMNS.items()} | {"time_ns": list(range(10_000))}
    path = write(tmp_path / "trace", many, 1000)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 3000] = b"\xff" * 3000
    path.write_bytes(bytes(data))
    done = read(path)
    assert len(done.rows) < 10_000
    assert done.complaint is not None


def test_parquet_comes_from_a_file_as_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It begins at its end, so it cannot come through a pipe, and gzip around it does not help."""
    data = write(tmp_path / "trace", COLUMNS).read_bytes()
    (tmp_path / "packed").write_bytes(gzip.compress(data))
    assert str(read(tmp_path / "packed").complaint).startswith(
        "FILE: is Parquet that is compressed as a whole; allowed: a Parquet"
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read("-").complaint == "FILE: Parquet cannot be read from a pipe; allowed: a file"
