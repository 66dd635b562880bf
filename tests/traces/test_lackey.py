"""Lackey's traces: every access of them, and a word about every line that is none."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from random import Random

import pytest

from simulator.traces import blocks
from simulator.traces.chunk import MAX_ACCESS_BYTES
from tests.traces.reading import STREAM, read, read_text

SMALL = (
    "==7== Memcheck of a friend\nI  04001000,3\n L 1ffe80,8\nI  04001003,5\nI  04001008,2\n S 00ABcd,4\n M 10,1\nI  0400100a,1\n"
)
ROWS = [(0, 0x1FFE80, 8, "r", 1), (0, 0xABCD, 4, "w", 2), (0, 0x10, 1, "m", 0)]
GOOD = " L 10,8\n"


def test_loads_stores_and_modifies_with_the_instructions_before_them(tmp_path: Path) -> None:
    done = read_text(tmp_path, SMALL)
    assert (done.rows, done.unit, done.complaint, done.form) == (ROWS, "instructions", None, "lackey")
    assert (done.counts.writes, done.counts.modifies, done.counts.bytes_touched, done.counts.after_last) == (2, 1, 13, 1)
    assert done.counts.skipped == (("lines of valgrind", 1), ("lines of the program", 0))


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    assert read_text(tmp_path, SMALL.replace("\n", "\r\n")).rows == ROWS


def test_the_thread_is_given(tmp_path: Path) -> None:
    assert {row[0] for row in read_text(tmp_path, SMALL, thread=7).rows} == {7}


def test_a_recorded_trace_is_read_as_a_regular_expression_reads_it() -> None:
    done = read(STREAM)
    before, expected = 0, []
    for line in gzip.decompress(STREAM.read_bytes()).decode().splitlines():
        found = re.fullmatch(r"(I | [LSM]) ([0-9a-f]+),(\d+)", line)
        if found is None:
            continue
        if found[1] == "I ":
            before += 1
            continue
        expected.append((0, int(found[2], 16), int(found[3]), {"L": "r", "S": "w", "M": "m"}[found[1][1]], before))
        before = 0
    assert done.rows == expected
    assert done.complaint is None
    assert done.counts.after_last == before


def test_the_recorded_program_is_what_its_source_says() -> None:
    """4096 numbers an array: 6 loads and 7 stores of 8 bytes of each index, the arrays' first values among them."""
    rows = read(STREAM).rows
    heap = [row for row in rows if row[2] == 8 and 0x4A00000 <= row[1] < 0x4B00000 or 0x4000000 < row[1] < 0x6000000]
    numbers = 4096
    assert 6 * numbers <= sum(row[3] == "r" for row in heap) < 6.2 * numbers
    assert 7 * numbers <= sum(row[3] == "w" for row in heap) < 7.2 * numbers


@pytest.mark.parametrize("size", [1, 7, 100, 5000])
def test_blocks_of_any_size_give_the_same(size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = gzip.decompress(STREAM.read_bytes()).splitlines(keepends=True)
    part = b"".join([*text[:400], *text[-400:]])
    expected = read_text(tmp_path, part).rows
    monkeypatch.setattr(blocks, "_BLOCK_BYTES", size)
    monkeypatch.setattr("simulator.traces.sources._PIECE_BYTES", size)
    monkeypatch.setattr("simulator.traces.read._LOOKED_AT_BYTES", 30)
    again = read_text(tmp_path, part)
    assert (again.rows, again.complaint) == (expected, None)
    assert len(expected) > 50


def test_what_the_program_writes_is_skipped_and_counted(tmp_path: Path) -> None:
    text = f"starting...\n{GOOD}\nresult: 3,5\n--7-- warning\n**7** client\ngr\u00fc\u00dfe \x1b[1m\ttab\n{GOOD}X 10,8\n L\n"
    done = read_text(tmp_path, text)
    assert (len(done.rows), done.complaint) == (2, None)
    assert done.counts.skipped == (("lines of valgrind", 2), ("lines of the program", 6))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_trace_line_behind_text_without_an_end_is_read_and_said(end: str, tmp_path: Path) -> None:
    """Where the program's output goes into the same file, a line of it without an end stands before the next access."""
    done = read_text(tmp_path, f"{GOOD}hello L 20,4{end}50% I  400,3{end}: S fF,2{end}")
    assert done.rows == [(0, 0x10, 8, "r", 0), (0, 0x20, 4, "r", 0), (0, 0xFF, 2, "w", 1)]
    assert done.counts.remarks == (("accesses or instructions behind text of the program", 3),)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (" L ,8", "the line has no address (got ' L ,8'); allowed: hexadecimal digits"),
        (" S xyz,8", "has no address"),
        (" L -10,8", "has no address"),
        (" L 10000000000000000,8", "has an address that is too large"),
        (" L 10 8", "has no comma behind the address (got ' L 10 8'); allowed: `I  addr,size`"),
        (" L 10", "has no comma"),
        (" L 10,", "has no size"),
        (" L 10,-8", "has no size"),
        (" L 10,0", f"has a size that no access has (got ' L 10,0'); allowed: 1 to {MAX_ACCESS_BYTES} bytes"),
        (f" L 10,{MAX_ACCESS_BYTES + 1}", "has a size that no access has"),
        (" L 10,99999999999999999999999", "has a size that no access has"),
        (" L 10,8 ", "has more text behind it"),
        (" L 10,8 S 20,8", "has more text behind it"),
        ("I  10,x", "has no size"),
        (" M ffffffffffffffff,2", "has an access that goes beyond the last address"),
        ("\x00\x00\x00", "has bytes that no text has (got '\\x00\\x00\\x00'); allowed: the text of a trace"),
        ("a\x7fb", "has bytes that no text has"),
        ("x" * (blocks.MAX_LINE_BYTES + 1), "does not end"),
    ],
)
def test_a_bad_line_is_named_after_all_before_it(line: str, what: str, tmp_path: Path) -> None:
    done = read_text(tmp_path, f"{GOOD}some output\n{GOOD}{line}\n{GOOD}")
    assert len(done.rows) == 2
    assert done.complaint is not None
    assert done.complaint.startswith("FILE: line 4, byte 28: the line ")
    assert what in done.complaint


def test_the_last_address_may_be_touched(tmp_path: Path) -> None:
    assert read_text(tmp_path, " M ffffffffffffffff,1\n L 0000000000000000000000fffffffffffffff8,8\n").complaint is None


@pytest.mark.parametrize("rest", [" L 1ffeff", " L 10,8", " L ", " L", "I  0400", "I", "==12", "--", "text L 10,"])
def test_a_last_line_without_an_end_is_cut_off(rest: str, tmp_path: Path) -> None:
    """Also where it looks whole: a digit may be missing."""
    done = read_text(tmp_path, GOOD * 3 + rest)
    assert len(done.rows) == 3
    assert done.complaint == (
        f"FILE: line 4, byte 24: the trace ends in the middle of this line (got '{rest}'); allowed: a whole trace"
    )


def test_a_last_line_of_the_program_needs_no_end(tmp_path: Path) -> None:
    done = read_text(tmp_path, GOOD + "bye")
    assert (len(done.rows), done.complaint, done.counts.skipped[1][1]) == (1, None, 1)


def test_a_trace_without_its_closing_lines_is_cut_off(tmp_path: Path) -> None:
    """Where valgrind's heading is there. The cut is at the end of a line, so nothing else shows it."""
    lines = gzip.decompress(STREAM.read_bytes()).splitlines(keepends=True)
    cut = lines[:5000]
    done = read_text(tmp_path, b"".join(cut))
    expected = sum(line[:3] in (b" L ", b" S ", b" M ") for line in cut)
    assert len(done.rows) == expected > 0
    assert done.complaint is not None
    assert done.complaint.startswith(
        f"FILE: line 5001, byte {sum(map(len, cut))}: the trace ends before valgrind's closing lines"
    )
    assert read_text(tmp_path, b"".join(line for line in cut if not line.startswith(b"=="))).complaint is None


def test_a_trace_of_nothing_is_refused(tmp_path: Path) -> None:
    done = read_text(tmp_path, "==7== a\nhello\n", form="lackey")
    assert done.complaint is not None
    assert done.complaint.startswith(
        "FILE: holds no access and no instruction in its 2 lines; allowed: what valgrind --tool=lackey"
    )


def test_garbage_never_breaks_the_reader(tmp_path: Path) -> None:
    """Random damage to a good trace: rows before it as they were, then a complaint, or fewer rows and more lines skipped."""
    random = Random(8)
    good = (GOOD + "I  400,3\n S 7fff00,4\n") * 40
    for _ in range(200):
        data = bytearray(good.encode())
        at = random.randrange(len(data))
        data[at : at + random.randrange(3)] = bytes(random.randrange(256) for _ in range(random.randrange(4)))
        done = read_text(tmp_path, bytes(data), form="lackey")
        whole = (at // len(GOOD + "I  400,3\n S 7fff00,4\n")) * 2
        assert done.rows[:whole] == ([(0, 16, 8, "r", 0), (0, 0x7FFF00, 4, "w", 1)] * 40)[:whole]
        if done.complaint is not None:
            assert "line " in done.complaint
