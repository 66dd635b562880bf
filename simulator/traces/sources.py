"""Bytes of a trace: plain, gzip or zstd, from a file, a pipe or standard input, in blocks of bounded size."""

from __future__ import annotations

import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from simulator.errors import InputError
from simulator.optional import optional_module

STANDARD_INPUT = "-"
READABLE = "a trace, plain or compressed by gzip or zstd"
_PIECE_BYTES = 1 << 16  # compressed bytes taken at a time
_MOST_OUT_BYTES = 1 << 20  # decompressed bytes given at a time, however far a piece expands
# A block of zstd of 4 B may stand for 128 KiB, and its decompressor gives all at once: few bytes at a time bound that to 8 MiB.
_ZSTD_PIECE_BYTES = 1 << 8
_MAX_ZSTD_WINDOW_BYTES = 1 << 27  # what the zstd command accepts without being told otherwise
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FOREIGN = {b"\xfd7zXZ": "xz", b"BZh": "bzip2", b"PK\x03\x04": "zip", b"\x04\x22\x4d\x18": "lz4", b"PERFILE2": "perf.data"}
_ADVICE = {"perf.data": "the text that `perf script` makes of it"}


class Damaged(Exception):
    """The bytes end before they should; all that came before has been given out. Its text says what is wrong."""


class _Decompressor(Protocol):
    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes) -> bytes: ...


@contextmanager
def trace_bytes(path: str | os.PathLike[str]) -> Iterator[Iterator[bytes]]:
    """Open a trace and give its decompressed bytes, none of the pieces longer than some MiB.

    Parameters
    ----------
    path : str or path
        ``-`` for standard input. The first bytes say how it is compressed, not the name.

    Raises
    ------
    InputError
        It cannot be opened or is a folder. The iterator raises it where the trace is compressed in another way, and `Damaged`.
    """
    name = os.fspath(path)
    with ExitStack() as stack:
        stream = sys.stdin.buffer if name == STANDARD_INPUT else stack.enter_context(_opened(name))
        yield _decompressed(_pieces(stream), name)


def _opened(name: str) -> BinaryIO:
    try:
        if stat.S_ISDIR(os.stat(name).st_mode):
            raise InputError("is a folder", file=name, allowed=READABLE)
        return Path(name).open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}", file=name, allowed=READABLE) from None
    except ValueError:  # a NUL byte in the name
        raise InputError("is no file name", value=name) from None


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    read: Any = getattr(stream, "read1", stream.read)  # what a pipe has, without waiting for more
    while True:
        try:
            piece = read(_PIECE_BYTES)
        except OSError as error:
            raise Damaged(f"cannot be read on: {(error.strerror or str(error)).lower()}") from None
        if not piece:
            return
        yield piece


def _decompressed(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    head = b""
    while len(head) < len(max(_FOREIGN, key=len)) and (piece := next(pieces, b"")):
        head += piece
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise InputError(f"is {what}, not read here", file=name, allowed=_ADVICE.get(what, READABLE))
    pieces = chain((head,), pieces)
    if head.startswith(_GZIP):
        pieces = _ungzipped(pieces)
    elif head.startswith(_ZSTD):
        pieces = _unzstd(pieces, name)
    yield from pieces


def _ungzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress gzip, members one after another; zeros may follow the last, as tapes leave them."""
    member, fed = zlib.decompressobj(wbits=31), 0
    for piece in pieces:
        while piece:
            if member.eof:
                if not (fed or piece.strip(b"\0")):
                    break
                if not fed and not piece.startswith(_GZIP[: len(piece)]):
                    raise Damaged("has bytes behind the end of what gzip compressed")
                member, fed = zlib.decompressobj(wbits=31), 0
            yield from _inflated(member, piece)
            fed = 0 if member.eof else fed + len(piece)
            piece = member.unused_data
    if not member.eof:
        raise Damaged("is cut off: the data that gzip compressed do not end")


def _inflated(member: Any, piece: bytes) -> Iterator[bytes]:
    """Give what a piece stands for, also the part before a damaged byte."""
    while True:
        before = member.copy()
        try:
            out = member.decompress(piece, _MOST_OUT_BYTES)
        except zlib.error as error:
            yield from _until_damage(before, piece)
            raise Damaged(f"is damaged: gzip says {_reason(error)}") from None
        if out:
            yield out
        piece = member.unconsumed_tail
        if member.eof or not (piece or len(out) == _MOST_OUT_BYTES):
            return


def _until_damage(member: Any, piece: bytes) -> Iterator[bytes]:
    for index in range(len(piece)):
        try:
            out = member.decompress(piece[index : index + 1])
        except zlib.error:
            return
        if out:
            yield out


def _unzstd(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    zstandard = optional_module("zstandard", "zstd", f"{name}, a zstd file,")
    factory = zstandard.ZstdDecompressor(max_window_size=_MAX_ZSTD_WINDOW_BYTES)
    frame: _Decompressor | None = None
    for piece in pieces:
        for first in range(0, len(piece), _ZSTD_PIECE_BYTES):
            part = piece[first : first + _ZSTD_PIECE_BYTES]
            while part:
                frame = factory.decompressobj() if frame is None else frame
                try:
                    out = frame.decompress(part)
                except zstandard.ZstdError as error:
                    raise Damaged(f"is damaged: zstd says {_reason(error)}") from None
                if out:
                    yield out
                part = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    if frame is not None:
        raise Damaged("is cut off: the data that zstd compressed do not end")


def _reason(error: Exception) -> str:
    return str(error).split(": ", 1)[-1].lower()
