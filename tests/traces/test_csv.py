"""Traces as CSV: columns by their names, clocks of threads, and a word about every bad row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.traces import Trace, blocks, by_thread
from simulator.traces.chunk import MAX_ACCESS_BYTES
from tests.traces.reading import read_text

HEADER = "thread,time_ns,address,size,rw\n"
TWO_THREADS = HEADER + "3,1000,0x7fFF00,8,r\n4,1500,64,4,W\n3,1500,0,1,m\n5,900,18446744073709551615,1,r\n4,1500,128,64,R\n"
ROWS = [
    (3, 0x7FFF00, 8, "r", 0),
    (4, 64, 4, "w", 500),
    (3, 0, 1, "m", 500),
    (5, 2**64 - 1, 1, "r", 0),
    (4, 128, 64, "r", 0),
]


def test_times_start_with_the_first_access_and_pass_for_each_thread(tmp_path: Path) -> None:
    """A thread that starts later has waited so long; one that starts earlier than the first access seen starts with it."""
    done = read_text(tmp_path, TWO_THREADS)
    assert (done.rows, done.unit, done.complaint, done.form) == (ROWS, "time_ns", None, "csv")


def test_instructions_are_counted_by_each_thread_from_its_start(tmp_path: Path) -> None:
    done = read_text(tmp_path, "thread,instr,address,size,rw\n0,100,0,1,r\n1,7,0,1,r\n0,130,0,1,w\n")
    assert done.unit == "instructions"
    assert [row[4] for row in done.rows] == [100, 7, 30]


def test_columns_may_come_in_any_order_with_blanks_comments_and_empty_lines(tmp_path: Path) -> None:
    text = "# made by hand\n\nRW , size,address,\tTIME_NS,thread\r\nw, 8 ,0x10 ,5, 1\r\n\n  # half way\n r,1,0x20,9,1\n"
    done = read_text(tmp_path, text)
    assert done.rows == [(1, 16, 8, "w", 0), (1, 32, 1, "r", 4)]
    assert done.counts.skipped == (("empty lines and comments", 4),)


def test_a_mark_of_utf_8_before_the_header(tmp_path: Path) -> None:
    assert read_text(tmp_path, "\ufeff" + TWO_THREADS).rows == ROWS


@pytest.mark.parametrize("size", [1, 25, 60])
def test_blocks_of_any_size_give_the_same(size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", size)
    monkeypatch.setattr("simulator.traces.sources._PIECE_BYTES", size)
    assert read_text(tmp_path, TWO_THREADS).rows == ROWS


def test_many_rows_of_many_threads_are_what_numpy_says(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    count = 20_000
    thread, address = rng.integers(0, 50, count), rng.integers(0, 2**63, count)
    time = np.cumsum(rng.integers(0, 9, count)) + 10**15
    rows = "".join(f"{t},{ns},{a:#x},8,r\n" for t, ns, a in zip(thread, time, address, strict=True))
    done = read_text(tmp_path, HEADER + rows)
    assert [row[1] for row in done.rows] == address.tolist()
    sums = {number: sum(row[4] for row in done.rows if row[0] == number) for number in range(50)}
    assert sums == {number: int(time[thread == number][-1] - time[0]) for number in range(50)}


def test_by_thread_keeps_each_threads_order(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(TWO_THREADS)
    (chunk,) = Trace(tmp_path / "trace").chunks()
    assert [(number, part.address.tolist()) for number, part in by_thread(chunk)] == [
        (3, [0x7FFF00, 0]),
        (4, [64, 128]),
        (5, [2**64 - 1]),
    ]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("x,1,0,1,r", "thread is no number (got 'x,1,0,1,r'); allowed: a decimal number without a sign"),
        ("-1,1,0,1,r", "thread is no number"),
        ("2147483648,1,0,1,r", "thread is too large (got '2147483648,1,0,1,r'); allowed: 0 to 2147483647"),
        ("0,,0,1,r", "time_ns or instr is no number"),
        ("0,1.5,0,1,r", "time_ns or instr has more text behind it"),
        ("0,9223372036854775808,0,1,r", "time_ns or instr is too large"),
        ("0,99999999999999999999,0,1,r", "time_ns or instr is too large"),
        ("0,1,ff,1,r", "address is no number"),
        ("0,1,0xg,1,r", "address is no number"),
        ("0,1,0x10000000000000000,1,r", "address has an address that is too large"),
        ("0,1,18446744073709551616,1,r", "address has an address that is too large"),
        ("0,1,0,0,r", f"size has a size that no access has (got '0,1,0,0,r'); allowed: 1 to {MAX_ACCESS_BYTES} bytes"),
        ("0,1,0,-4,r", "size is no number"),
        ("0,1,0xffffffffffffffff,2,r", "address has an access that goes beyond the last address"),
        ("0,1,0,1,x", "rw is no direction (got '0,1,0,1,x'); allowed: r, w, or m for both"),
        ("0,1,0,1,", "rw is no direction"),
        ("0,1,0,1", "size is the last field, but there should be more"),
        ("0,1,0,1,r,5", "rw should be the last field, but there are more"),
        ("0,1,0,1,read", "rw has more text behind it"),
        ('"0",1,0,1,r', "thread is no number"),
        (
            "0,999,0,1,r",
            "time_ns is less than in the row of this thread before (got '0,999,0,1,r'); allowed: values that never fall",
        ),
    ],
)
def test_a_bad_row_is_named_after_all_before_it(row: str, what: str, tmp_path: Path) -> None:
    done = read_text(tmp_path, HEADER + "0,1000,0,1,r\n# one\n0,1000,0,1,r\n" + row + "\n0,1000,0,1,r\n")
    assert len(done.rows) == 2
    assert done.complaint is not None
    assert done.complaint.startswith("FILE: line 5, byte 63: ")
    assert what in done.complaint


def test_a_clock_that_goes_back_is_found_across_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", 1)
    monkeypatch.setattr("simulator.traces.sources._PIECE_BYTES", 13)
    done = read_text(tmp_path, HEADER + "0,5,0,1,r\n1,9,0,1,r\n0,4,0,1,r\n")
    assert len(done.rows) == 2
    assert done.complaint is not None
    assert done.complaint.startswith("FILE: line 4, byte 51: time_ns is less")


@pytest.mark.parametrize(
    ("header", "rows", "cut"),
    [
        (HEADER, "0,1,0,1,r", False),
        (HEADER, "0,1,0,1,", True),
        (HEADER, "0,1,0,1", True),
        (HEADER, "0,1,0x", True),
        (HEADER, "0", True),
        ("rw,thread,time_ns,address,size\n", "r,0,1,0,1", True),  # it may have been a size of 16
    ],
)
def test_a_last_row_without_an_end_counts_only_if_nothing_can_be_missing(
    header: str, rows: str, cut: bool, tmp_path: Path
) -> None:
    done = read_text(tmp_path, header + rows)
    assert len(done.rows) == (not cut)
    place = f"FILE: line 2, byte {len(header)}: the trace ends in the middle of this line (got '{rows}'); allowed: a whole trace"
    assert done.complaint == (place if cut else None)


@pytest.mark.parametrize(
    "header",
    [
        "thread,address,size,rw\n",
        "thread,time_ns,instr,address,size,rw\n",
        "thread,time_ns,address,size,rw,rw\n",
        "thread,address\n",
    ],
)
def test_the_header_names_all_columns(header: str, tmp_path: Path) -> None:
    done = read_text(tmp_path, header + "0,1,0,1,r\n")
    assert done.complaint is not None
    assert done.complaint.startswith(
        f"FILE: header: the header does not name the columns (got '{header.strip()}'); allowed: thread,"
    )


def test_a_header_is_needed(tmp_path: Path) -> None:
    assert read_text(tmp_path, "0,1,0,1,r\n").form is None
    assert "the header does not name the columns" in str(read_text(tmp_path, "0,1,0,1,r\n", form="csv").complaint)
    assert read_text(tmp_path, "# nothing\n", form="csv").complaint.startswith("FILE: has no header")  # type: ignore[union-attr]
    assert read_text(tmp_path, HEADER.strip()).rows == []
