"""Where the bytes come from: files, pipes, gzip and zstd, whole, cut off and damaged."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import zstandard

from simulator.traces import Trace
from simulator.traces.blocks import MAX_LINE_BYTES
from tests.traces.reading import read, read_text

LINES = [f" {kind} {address:x},8\n" for address in range(0x7F0000, 0x7F0000 + 40_000, 8) for kind in "LS"]
PLAIN = "".join(LINES).encode()
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, 9, mtime=0),
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}


@pytest.fixture(params=sorted(PACKERS))
def pack(request: pytest.FixtureRequest) -> Callable[[bytes], bytes]:
    return PACKERS[request.param]


def test_compressed_traces_are_known_by_their_first_bytes(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    expected = read_text(tmp_path, PLAIN).rows
    assert len(expected) == len(LINES)
    done = read_text(tmp_path, pack(PLAIN))
    assert (done.rows, done.complaint) == (expected, None)


def test_files_that_were_joined_are_one_trace(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    done = read_text(tmp_path, pack(PLAIN[:100]) + pack(PLAIN[100:]) + pack(b""))
    assert (len(done.rows), done.complaint) == (len(LINES), None)


def test_a_tape_may_fill_up_gzip_with_zeros(tmp_path: Path) -> None:
    assert read_text(tmp_path, PACKERS["gzip"](PLAIN) + bytes(512)).complaint is None
    done = read_text(tmp_path, PACKERS["gzip"](PLAIN) + b"zeros")
    assert len(done.rows) == len(LINES)
    assert done.complaint is not None
    assert f"line {len(LINES) + 1}, byte {len(PLAIN)}: has bytes behind the end of what gzip compressed" in done.complaint


def test_a_cut_gives_all_that_is_there_and_then_its_place(tmp_path: Path) -> None:
    """For gzip, all that can be decompressed: as much as zlib itself gets out of these bytes."""
    packed = PACKERS["gzip"](PLAIN)
    for length in (len(packed) // 2, len(packed) - 9, len(packed) - 1):
        there = zlib.decompressobj(wbits=31).decompress(packed[:length])
        whole = there[: there.rfind(b"\n") + 1]
        lines, rest = whole.count(b"\n"), len(there) - len(whole)
        done = read_text(tmp_path, packed[:length])
        assert len(done.rows) == lines
        left = f"; the {rest} bytes of a line before that are left out" if rest else ""
        what = f"is cut off: the data that gzip compressed do not end{left}; allowed: a whole trace"
        assert done.complaint == f"FILE: line {lines + 1}, byte {len(whole)}: {what}"


def test_a_cut_of_zstd_is_noticed(tmp_path: Path) -> None:
    random = Random(1)  # of several of zstd's blocks, each of which is whole or not there
    packed = PACKERS["zstd"]("".join(f" L {random.randrange(1 << 40):x},8\n" for _ in range(40_000)).encode())
    done = read_text(tmp_path, packed[: len(packed) * 3 // 4])
    assert 20_000 < len(done.rows) < 30_000
    assert done.complaint is not None
    assert f"line {len(done.rows) + 1}, byte " in done.complaint
    assert "is cut off: the data that zstd compressed do not end" in done.complaint


def test_damage_gives_all_before_it(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """A checksum that is wrong is found at the very end; damage in the middle nearer to its place."""
    packed = bytearray(pack(PLAIN))
    packed[-5 if pack is PACKERS["gzip"] else -1] ^= 255
    done = read_text(tmp_path, bytes(packed))
    assert done.complaint is not None
    assert "is damaged: " in done.complaint
    assert len(done.rows) == len(LINES) or pack is PACKERS["zstd"]


def test_damage_in_the_middle_of_gzip_gives_as_much_as_its_first_half(tmp_path: Path) -> None:
    packed = bytearray(PACKERS["gzip"](PLAIN))
    middle = len(packed) // 2
    there = zlib.decompressobj(wbits=31).decompress(bytes(packed[:middle]))
    packed[middle:] = b"\xff" * (len(packed) - middle)
    done = read_text(tmp_path, bytes(packed))
    assert len(done.rows) >= there.count(b"\n") > 1000
    assert done.complaint is not None


@pytest.mark.parametrize("data", [b"", gzip.compress(b"", mtime=0), zstandard.compress(b"")])
def test_nothing_is_no_trace(data: bytes, tmp_path: Path) -> None:
    done = read_text(tmp_path, data)
    assert done.complaint is not None
    assert done.complaint.startswith("FILE: is empty; allowed: a trace of valgrind")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\xfd7zXZ\x00abc", "is xz, not read here; allowed: a trace, plain or compressed by gzip or zstd"),
        (b"BZh9abc", "is bzip2, not read here"),
        (b"PERFILE2abc", "is perf.data, not read here; allowed: the text that `perf script` makes of it"),
        ("\ufeff L 10,8\n".encode("utf-16-le"), "is text in UTF-16; allowed: ASCII or UTF-8"),
        (b"hello\nworld\n", "is no trace that can be read"),
        (bytes(range(256)) * 10, "is no trace that can be read"),
        (b"\x1f\x8b", "is cut off: the data that gzip compressed do not end"),
    ],
)
def test_what_is_no_trace_is_refused(data: bytes, what: str, tmp_path: Path) -> None:
    done = read_text(tmp_path, data)
    assert done.complaint is not None
    assert what in done.complaint


def test_names_that_are_no_files(tmp_path: Path) -> None:
    assert read(tmp_path).complaint == "FILE: is a folder; allowed: a trace, plain or compressed by gzip or zstd"
    assert "cannot be read: no such file or directory" in str(read(tmp_path / "none").complaint)
    assert "is no file name" in str(read("a\0b").complaint)
    assert "line 1, byte 0: cannot be read on: input/output error" in str(read("/proc/self/mem").complaint)


@pytest.mark.parametrize(
    ("option", "what"), [({"form": "xml"}, "form: is no form of a trace"), ({"thread": -1}, "thread: is no number")]
)
def test_options_are_checked(option: dict[str, object], what: str) -> None:
    with pytest.raises(Exception, match=what):
        Trace("a", **option)  # type: ignore[arg-type]


def test_a_pipe_is_read_as_it_comes(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(pack(PLAIN),))
    writer.start()
    done = read(pipe)
    writer.join()
    assert (len(done.rows), done.complaint) == (len(LINES), None)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN)))
    assert len(read("-").rows) == len(LINES)


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """100 MB of one line, in a hundred kilobytes: refused after some MiB."""
    path = tmp_path / "bomb"
    path.write_bytes(pack(b" L 10,8\n" + b"x" * 100_000_000))
    tracemalloc.start()
    try:
        done = read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(done.rows) == 1
    assert done.complaint == f"FILE: line 2, byte 8: the line does not end; allowed: lines of at most {MAX_LINE_BYTES} bytes"
    assert peak < 30_000_000


@pytest.mark.slow
def test_a_long_trace_takes_the_memory_of_a_short_one(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(pack(b" L 7f10,8\nI  400,3\n" * 10_000_000))
    tracemalloc.start()
    try:
        trace = Trace(path)
        longest = max(len(chunk) for chunk in trace.chunks())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert trace.counts.accesses == 10_000_000
    assert longest < 1_000_000
    assert peak < 100_000_000


@pytest.mark.parametrize("what", ["list(Trace('t').chunks())", "core_caches(load_machine('one-node').caches, 2.0)"])
def test_without_numba_there_is_a_line_and_no_traceback(what: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(PLAIN)
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from simulator import load_machine\nfrom simulator.cache import core_caches\n"
        "from simulator.errors import InputError\nfrom simulator.traces import Trace\n"
        f"try: {what}\nexcept InputError as e: print(e)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=True)
    assert ": needs numba, which cannot be used here: ModuleNotFoundError: " in done.stdout
