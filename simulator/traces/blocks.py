"""Blocks of whole lines, with the number of the first line and the byte where it starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.traces.sources import Damaged

MAX_LINE_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 21


@dataclass(frozen=True)
class Place:
    """A line of a trace: its number, from 1, and the byte where it starts, from 0, once decompressed."""

    line: int
    byte: int

    def __str__(self) -> str:
        return f"line {self.line}, byte {self.byte}"


@dataclass(frozen=True)
class Block:
    """Some lines.

    Attributes
    ----------
    text : bytes
        Every line ends with a line feed, but the last of the trace may not.
    place : Place
        Where the first line starts.
    whole : bool
        The last line ends with a line feed.
    """

    text: bytes
    place: Place
    whole: bool = True

    def place_at(self, index: int) -> Place:
        """Return the place of the line that holds ``text[index]``."""
        start = self.text.rfind(b"\n", 0, index) + 1
        return Place(self.place.line + self.text.count(b"\n", 0, start), self.place.byte + start)

    def line_at(self, index: int) -> bytes:
        """Return the line that holds ``text[index]``, without its end."""
        start = self.text.rfind(b"\n", 0, index) + 1
        end = self.text.find(b"\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip(b"\r")


def line_blocks(pieces: Iterator[bytes], name: str) -> Iterator[Block]:
    """Yield the lines of a trace in blocks of some MiB.

    Raises
    ------
    InputError
        A line is longer than `MAX_LINE_BYTES`, or the bytes end in damage: after all whole lines before have been given.
    """
    held, place = b"", Place(1, 0)
    waiting: list[bytes] = []
    size = 0
    damage: Damaged | None = None
    while damage is None:
        try:
            piece = next(pieces, None)
        except Damaged as error:
            piece, damage = None, error
        if piece is not None:
            waiting.append(piece)
            size += len(piece)
            if size < _BLOCK_BYTES:
                continue
        text = b"".join([held, *waiting])
        waiting, size = [], 0
        end = text.rfind(b"\n") + 1
        held = text[end:]
        if end:
            yield Block(text[:end], place)
            place = Place(place.line + text.count(b"\n"), place.byte + end)
        if len(held) > MAX_LINE_BYTES:
            raise too_long(name, place)
        if piece is None:
            break
    if damage is not None:
        left = f"; the {len(held)} bytes of a line before that are left out" if held else ""
        raise InputError(f"{damage}{left}", file=name, field=str(place), allowed="a whole trace")
    if held:
        yield Block(held, place, whole=False)


def too_long(name: str, place: Place) -> InputError:
    """Make the error about a line without an end."""
    return InputError("the line does not end", file=name, field=str(place), allowed=f"lines of at most {MAX_LINE_BYTES} bytes")
