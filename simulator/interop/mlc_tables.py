"""Rows of the tables of Intel MLC, whose columns run together when a number is wider than its place."""

from __future__ import annotations

import re

from simulator.interop.record import LoadedPoint
from simulator.interop.source import Source

_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
_STUCK = re.compile(r"(?:[0-9]{1,12}\.[0-9]){2,1024}")  # MLC prints cells of its matrices with one decimal
_ONE = re.compile(r"[0-9]{1,12}\.[0-9]")
MB_PER_GB = 1000.0


def number(source: Source, line: int, word: str) -> float:
    """Return a number above 0.

    Raises
    ------
    InputError
        It is none; MLC measures no 0.
    """
    value = float(word) if _NUMBER.fullmatch(word) else 0.0
    if not value:
        raise source.wrong("is no number above 0", line=line, value=word, allowed="digits with or without decimals")
    return value


def matrix_row(source: Source, line: int, columns: int) -> tuple[int, tuple[float | None, ...]]:
    """Return the node and the values of a row; ``-`` is None.

    Numbers that run together (``101196.7101291.9``) come apart after their one decimal, and only where that
    gives as many values as there are columns.

    Raises
    ------
    InputError
        The row has another number of values, or something in it is no number.
    """
    node, *words = source.lines[line].split()
    cells = [cell for word in words for cell in (_ONE.findall(word) if _STUCK.fullmatch(word) else [word])]
    if not (node.isascii() and node.isdigit() and len(node) <= 5) or len(cells) != columns:
        what = f"the row has {len(cells)} values for {columns} columns"
        hint = ": the text is cut off here" if line == source.last_line else ""
        raise source.wrong(what + hint, line=line, value=source.lines[line].strip())
    check_end(source, line, cells[-1])
    return int(node), tuple(None if cell == "-" else number(source, line, cell) for cell in cells)


def check_end(source: Source, line: int, word: str) -> None:
    """Raise InputError where the last number of the text has no decimals, which MLC always prints."""
    if line == source.last_line and word != "-" and "." not in word:
        raise source.wrong("the last number has no decimals: the text is cut off here", line=line, value=word)


def loaded_point(source: Source, line: int) -> LoadedPoint:
    """Return a row of the table of loaded latencies: delay, latency in ns, bandwidth in MB/s.

    Raises
    ------
    InputError
        It is no such row.
    """
    words = source.lines[line].split()
    if len(words) != 3:
        raise source.wrong("is no row of delay, latency and bandwidth", line=line, value=source.lines[line].strip())
    check_end(source, line, words[-1])
    latency_ns, megabytes = (number(source, line, word) for word in words[1:])
    return LoadedPoint(int(words[0]), latency_ns, round(megabytes / MB_PER_GB, 6))
