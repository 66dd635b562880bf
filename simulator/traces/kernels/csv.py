"""Rows of CSV: five fields, in the order of the header."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simulator.traces.kernels import faults
from simulator.traces.kernels.numbers import TOO_LARGE, Text, decimal_number, hex_number
from simulator.traces.kernels.store import compiled

THREAD, CLOCK, ADDRESS, SIZE, DIRECTION, FIELDS = 0, 1, 2, 3, 4, 5
# Words of `counts`: where reading stopped, accesses, empty lines and comments, what is wrong, in which field.
AT, ACCESSES, SKIPPED, FAULT, FIELD, WORDS = 0, 1, 2, 3, 4, 5
READ, WRITE, MODIFY = 0, 1, 2

_LINE_FEED, _RETURN, _TAB, _SPACE, _COMMA, _HASH, _ZERO, _X = 10, 13, 9, 32, 44, 35, 48, 120
_R, _W, _M = 114, 119, 109
_ONE, _LAST_ADDRESS, _LAST_INTEGER = np.uint64(1), np.uint64(2**64 - 1), np.uint64(2**63 - 1)


@compiled
def behind_blanks(text: Text, at: int) -> int:
    """Skip blanks and tabs, and the carriage return before a line feed."""
    while text[at] == _SPACE or text[at] == _TAB:
        at += 1
    return at + 1 if text[at] == _RETURN and text[at + 1] == _LINE_FEED else at


@compiled
def number(text: Text, at: int) -> tuple[np.uint64, int]:
    """Read a decimal number, or a hexadecimal one that starts with 0x."""
    if text[at] == _ZERO and (text[at + 1] | 32) == _X:
        value, behind = hex_number(text, at + 2)
        return (value, at) if behind == at + 2 else (value, behind)
    return decimal_number(text, at)


@compiled
def direction(char: int) -> int:
    """Return what r, w or m means, or -1."""
    letter = char | 32
    if letter == _R:
        return READ
    if letter == _W:
        return WRITE
    return MODIFY if letter == _M else -1


@compiled
def read_field(text: Text, at: int, field: int) -> tuple[np.uint64, int, int]:
    """Read one field: its value, the place behind it, what is wrong."""
    if field == DIRECTION:
        way = direction(int(text[at]))
        return np.uint64(max(way, 0)), at + 1, faults.NONE if way >= 0 else faults.NO_DIRECTION
    value, behind = number(text, at) if field == ADDRESS else decimal_number(text, at)
    if behind == TOO_LARGE:
        return value, at, faults.LARGE_ADDRESS if field == ADDRESS else faults.LARGE_NUMBER
    return value, behind, faults.NO_NUMBER if behind == at else faults.NONE


@compiled
def read_row(text: Text, at: int, fields: npt.NDArray[np.int64], row: npt.NDArray[np.uint64]) -> tuple[int, int, int]:
    """Read the row that starts here: place of its line feed, what is wrong, in which field."""
    for column in range(FIELDS):
        field = fields[column]
        value, at, fault = read_field(text, behind_blanks(text, at), field)
        if fault != faults.NONE:
            return at, fault, field
        row[field] = value
        at = behind_blanks(text, at)
        if column < FIELDS - 1:
            if text[at] == _LINE_FEED:
                return at, faults.FEW_FIELDS, field
            if text[at] != _COMMA:
                return at, faults.MORE_TEXT, field
            at += 1
        elif text[at] != _LINE_FEED:
            return at, faults.MANY_FIELDS if text[at] == _COMMA else faults.MORE_TEXT, field
    return at, faults.NONE, 0


@compiled
def fault_of_row(row: npt.NDArray[np.uint64], most_bytes: np.uint64, last_thread: np.uint64) -> tuple[int, int]:
    """Return what is wrong with the numbers of a row, and in which field."""
    if row[THREAD] > last_thread:
        return faults.LARGE_THREAD, THREAD
    if row[CLOCK] > _LAST_INTEGER:
        return faults.LARGE_NUMBER, CLOCK
    if row[SIZE] < _ONE or row[SIZE] > most_bytes:
        return faults.BAD_SIZE, SIZE
    if row[SIZE] - _ONE > _LAST_ADDRESS - row[ADDRESS]:
        return faults.WRAPS, ADDRESS
    return faults.NONE, 0


@compiled
def skipped_line(text: Text, at: int) -> int:
    """Return the line feed of an empty line or a comment that starts here, or -1."""
    at = behind_blanks(text, at)
    if text[at] == _HASH:
        while text[at] != _LINE_FEED:
            at += 1
    return at if text[at] == _LINE_FEED else -1


@compiled
def read_csv(
    text: Text,
    fields: npt.NDArray[np.int64],
    rows: npt.NDArray[np.uint64],
    starts: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    most_bytes: np.uint64,
    last_thread: np.uint64,
) -> None:
    """Read whole lines from ``counts[AT]`` on, to the end of the text or the first bad line, where ``counts[AT]`` then stands.

    ``rows`` has a row an access and a column a field; ``starts`` is where each row starts in the text.
    """
    at, stop, n = counts[AT], len(text), 0
    fault, field = faults.NONE, 0
    while at < stop:
        end = skipped_line(text, at)
        if end >= 0:
            counts[SKIPPED] += 1
            at = end + 1
            continue
        end, fault, field = read_row(text, at, fields, rows[n])
        if fault == faults.NONE:
            fault, field = fault_of_row(rows[n], most_bytes, last_thread)
        if fault != faults.NONE:
            break
        starts[n] = at
        n += 1
        at = end + 1
    counts[AT], counts[ACCESSES], counts[FAULT], counts[FIELD] = at, n, fault, field


def compile_csv() -> None:
    """Compile all of it, by a call without text."""
    text = np.zeros(0, np.uint8)
    text.flags.writeable = False  # as text that lies in bytes is
    words = np.zeros(0, np.int64)
    read_csv(text, words, np.zeros((0, FIELDS), np.uint64), words, np.zeros(WORDS, np.int64), np.uint64(1), np.uint64(1))
