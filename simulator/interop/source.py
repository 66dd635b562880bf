"""The text of a file from outside, cleaned of what mail and terminals do to it, and places in it for messages."""

from __future__ import annotations

import stat
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from simulator.errors import InputError
from simulator.interop.cleaning import decoded, glued, is_xml, plain, unmailed, unpadded

STDIN, STDIN_LABEL = "-", "standard input"
NO_NAME = "the name of a file, or - for standard input"
MAX_SOURCE_BYTES = 16 << 20
MAX_LINES = 200_000  # 512 nodes of /sys/devices/system/node, each with its whole meminfo, are an eighth of this
MAX_LINE_CHARACTERS = 1 << 18


@dataclass(frozen=True)
class Source:
    """Text as a reader gets it.

    Parameters
    ----------
    label : str
        What the user calls the file.
    text : str
        Decoded, with line ends as newlines; XML is as it stands in the file.
    notes : tuple of str
        What was undone on the way (mail quoting, quoted-printable), as warnings.
    places : tuple of str
        What messages call the lines where these come from many files; empty where they are lines of one file.
    """

    label: str
    text: str
    notes: tuple[str, ...] = ()
    places: tuple[str, ...] = ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its lines, without their ends."""
        return tuple(self.text.split("\n"))

    @cached_property
    def last_line(self) -> int:
        """The last line that is not blank, counted from 0: where a text that was cut off ends."""
        return max((line for line, text in enumerate(self.lines) if text.strip()), default=0)

    def wrong(self, what: str, *, line: int | None = None, value: object = None, allowed: str | None = None) -> InputError:
        """Return an error that says where: `line` counts from 0 here, from 1 in the message."""
        field = None if line is None else self.place(line)
        return InputError(what, file=self.label, field=field, value=value, allowed=allowed)

    def place(self, line: int) -> str:
        """Return what messages call a line: ``line 7``, or the file it came from."""
        return self.places[line] if line < len(self.places) else f"line {line + 1}"


def read_source(path: str | Path) -> Source:
    """Read a file that may be anything; ``-`` is the standard input.

    Raises
    ------
    InputError
        It has no name, cannot be read, is no regular file, too large, empty, or has more or longer lines than any tool prints.
    """
    if path == STDIN:
        return source_of(_read_stdin(), STDIN_LABEL)
    label = file_name(path)
    return source_of(read_bounded(Path(path), label, MAX_SOURCE_BYTES), label)


def file_name(path: str | Path) -> str:
    """Return what the user calls a file; raise InputError where that is nothing."""
    if not str(path):
        raise InputError("is no file name", field="FILE", value="", allowed=NO_NAME)
    return str(path)


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise InputError("is closed", file=STDIN_LABEL, allowed="the output of a tool")
    try:
        return sys.stdin.buffer.read(MAX_SOURCE_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}", file=STDIN_LABEL) from None


def source_of(data: bytes, label: str) -> Source:
    """Make a source of bytes, such as those of a file or of the standard input.

    Raises
    ------
    InputError
        They are too many, none, or make more or longer lines than any tool prints.
    """
    if len(data) > MAX_SOURCE_BYTES:
        raise InputError("is too large", file=label, allowed=f"at most {MAX_SOURCE_BYTES:,} bytes")
    text = decoded(data)
    notes: tuple[str, ...] = ()
    if not is_xml(text):
        text, notes = _cleaned(text, label)
    if not text.strip():
        raise InputError("is empty", file=label, allowed="the output of a tool")
    return Source(label, text, notes)


def _cleaned(text: str, label: str) -> tuple[str, tuple[str, ...]]:
    text = _unpadded(plain(text), label)
    _check_lines(Source(label, text))
    text, notes = unmailed(text)
    text = _unpadded(text, label)  # what was quoted-printable may have held NUL bytes too
    if notes and not is_xml(text):
        _check_lines(Source(label, text))  # soft line breaks are gone
    return text, notes


def _unpadded(text: str, label: str) -> str:
    place = glued(text)
    if place is not None:
        allowed = "NUL bytes as padding only: without this one two numbers would read as one"
        raise Source(label, "").wrong("has a NUL byte within a number", line=text.count("\n", 0, place), allowed=allowed)
    return unpadded(text)


def read_bounded(path: Path, label: str, limit: int) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes.

    Raises
    ------
    InputError
        It cannot be read, is no regular file or is larger.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(
                f"is {'a folder' if stat.S_ISDIR(status.st_mode) else 'no regular file'}", file=label, allowed="a file"
            )
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}", file=label) from None
    except ValueError:  # a NUL byte in the name
        raise InputError("is no file name", value=label) from None
    if len(data) > limit:
        raise InputError("is too large", file=label, allowed=f"at most {limit:,} bytes")
    return data


def _check_lines(source: Source) -> None:
    if source.text.count("\n") > MAX_LINES:
        raise source.wrong("has too many lines", allowed=f"at most {MAX_LINES:,}")
    long = next((line for line, text in enumerate(source.lines) if len(text) > MAX_LINE_CHARACTERS), None)
    if long is not None:
        raise source.wrong("is too long", line=long, allowed=f"at most {MAX_LINE_CHARACTERS:,} characters")
