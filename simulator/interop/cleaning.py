"""Bytes to plain text: encodings, line ends, and the traces of mail programs and terminals."""

from __future__ import annotations

import quopri
import re

_XML_STARTS = ("<?xml", "<!DOCTYPE", "<topology")
_PRINTABLE_ATTRIBUTE = re.compile(r'\s[A-Za-z_]+=3D"')
_QUOTE = re.compile(r"[ \t]*(?:[>|][ \t]?)++")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")  # colours (ECMA-48 control sequences), as `grep --color=always` writes them
_SOFT_MARKS = re.compile(r"=3D|=20$|=$", re.MULTILINE)
_NOT_SOFT = re.compile(r"=(?![0-9A-F]{2}|$)", re.MULTILINE)
_GLUED = re.compile(r"[0-9a-fA-F.,]\0+[0-9a-fA-F.,]")  # two numbers, or halves of one, decimal or a mask
_SAMPLE_BYTES = 4096


def decoded(data: bytes) -> str:
    """Return bytes as text: UTF-8, UTF-16 as Windows writes redirected output, else Windows' or ISO's Latin."""
    encoding = _utf_16(data)
    if encoding is not None:
        return data.decode(encoding, errors="replace")
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def is_xml(text: str) -> bool:
    """Tell whether the text is XML as a program wrote it, not as a mail program passed it on."""
    start = text[:_SAMPLE_BYTES].lstrip()
    return start.startswith(_XML_STARTS) and _PRINTABLE_ATTRIBUTE.search(start) is None


def plain(text: str) -> str:
    """Return text with newlines only, without colours and hard spaces."""
    text = re.sub(r"\r+\n|\r", "\n", text)
    return _ESCAPE.sub("", text).replace("\xa0", " ").replace("\ufeff", "")


def unpadded(text: str) -> str:
    """Return text without NUL bytes, with which old kernels pad cpumaps."""
    return text.replace("\0", "")


def glued(text: str) -> int | None:
    """Return where a NUL byte stands between digits, which without it would become one number; None: nowhere."""
    match = _GLUED.search(text)
    return None if match is None else match.start()


def unmailed(text: str) -> tuple[str, tuple[str, ...]]:
    """Undo what mail programs do to plain text.

    Returns
    -------
    text : str
        Without quoted-printable and marks of quoting.
    notes : tuple of str
        What was undone.
    """
    notes: list[str] = []
    if _is_quoted_printable(text):
        text = plain(decoded(quopri.decodestring(text.encode())))
        notes.append("the text was quoted-printable, as mail programs write it: decoded")
    if _is_quoted(text):
        text = "\n".join(_unquoted(line) for line in text.split("\n"))
        notes.append("the text was quoted as in a mail: the marks are taken off")
    return text, tuple(notes)


def _utf_16(data: bytes) -> str | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    sample = data[:_SAMPLE_BYTES]
    even, odd, pairs = sample[0::2].count(0), sample[1::2].count(0), len(sample) // 2
    if pairs and odd * 10 >= pairs * 9 and even * 10 <= pairs:
        return "utf-16-le"
    if pairs and even * 10 >= pairs * 9 and odd * 10 <= pairs:
        return "utf-16-be"
    return None


def _is_quoted_printable(text: str) -> bool:
    """Tell whether every equals sign is a code, and one of them is none that plain output has (``stride=128``)."""
    return _SOFT_MARKS.search(text) is not None and _NOT_SOFT.search(text) is None


def _is_quoted(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    return bool(lines) and sum(_has_mark(line) for line in lines) * 2 > len(lines)


def _has_mark(line: str) -> bool:
    """Tell a quoted line from one of a drawn box or table, which also ends with a bar."""
    return _QUOTE.match(line) is not None and not (
        line.lstrip().startswith("|") and line.rstrip().endswith("|") and len(line) > 2
    )


def _unquoted(line: str) -> str:
    mark = _QUOTE.match(line)
    return line[mark.end() :] if mark else line
