"""Lines of Valgrind's lackey, `--trace-mem=yes`: `I  addr,size`, ` L addr,size`, ` S addr,size`, ` M addr,size`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simulator.traces.kernels import faults
from simulator.traces.kernels.numbers import TOO_LARGE, Text, decimal_number, hex_digit, hex_number
from simulator.traces.kernels.store import compiled

LOAD, STORE, MODIFY, INSTRUCTION, OTHER = 0, 1, 2, 3, 4
# Words of `counts`: where reading stopped, accesses, instructions since the last access, all instructions, lines of
# valgrind, lines of the program, accesses behind text of the program, what is wrong.
AT, ACCESSES, PENDING, INSTRUCTIONS, MESSAGES, OTHERS, BEHIND_TEXT, FAULT, WORDS = 0, 1, 2, 3, 4, 5, 6, 7, 8

_LINE_FEED, _RETURN, _TAB, _ESCAPE, _SPACE, _COMMA, _DELETE = 10, 13, 9, 27, 32, 44, 127
_I, _L, _M, _S, _EQUALS, _MINUS, _STAR = 73, 76, 77, 83, 61, 45, 42
_LAST_ADDRESS = np.uint64(2**64 - 1)
_ONE = np.uint64(1)

Counts = npt.NDArray[np.int64]


@compiled
def kind_of(text: Text, at: int) -> int:
    """Return what the line that starts here is, by its first three characters."""
    first = text[at]
    if first == _I:
        return INSTRUCTION if text[at + 1] == _SPACE and text[at + 2] == _SPACE else OTHER
    if first != _SPACE:
        return OTHER
    letter = text[at + 1]
    if letter == _LINE_FEED or text[at + 2] != _SPACE:
        return OTHER
    if letter == _L:
        return LOAD
    if letter == _S:
        return STORE
    return MODIFY if letter == _M else OTHER


@compiled
def is_message(text: Text, at: int) -> bool:
    """Return whether valgrind says something in the line that starts here: ==pid==, --pid-- or **pid**."""
    first = int(text[at])
    return first in (_EQUALS, _MINUS, _STAR) and int(text[at + 1]) == first


@compiled
def address_and_size(text: Text, at: int, most_bytes: np.uint64) -> tuple[np.uint64, np.uint64, int, int]:
    """Read `addr,size` up to the end of the line: address, size, place of the line feed, what is wrong."""
    zero = np.uint64(0)
    address, behind = hex_number(text, at)
    if behind == TOO_LARGE:
        return address, zero, at, faults.LARGE_ADDRESS
    if behind == at:
        return address, zero, at, faults.NO_ADDRESS
    if text[behind] != _COMMA:
        return address, zero, at, faults.NO_COMMA
    size, end = decimal_number(text, behind + 1)
    if end == behind + 1:
        return address, size, at, faults.NO_SIZE
    if end == TOO_LARGE or size == zero or size > most_bytes:
        return address, size, at, faults.BAD_SIZE
    if text[end] == _RETURN:
        end += 1
    if text[end] != _LINE_FEED:
        return address, size, at, faults.MORE_TEXT
    if size - _ONE > _LAST_ADDRESS - address:
        return address, size, at, faults.WRAPS
    return address, size, end, faults.NONE


@compiled
def end_of_other(text: Text, at: int) -> tuple[int, int]:
    """Go to the line feed of a line that is no trace: its place, and whether there is a byte that no text has."""
    fault = faults.NONE
    while text[at] != _LINE_FEED:
        char = text[at]
        if (char < _SPACE and char != _TAB and char != _RETURN and char != _ESCAPE) or char == _DELETE:
            fault = faults.BINARY
        at += 1
    return at, fault


@compiled
def trace_behind(text: Text, start: int, end: int) -> int:
    """Return where a trace line starts in a line whose text before it had no end, or `end`."""
    at = end
    while at > start and 48 <= text[at - 1] <= 57:
        at -= 1
    if not start < at < end or text[at - 1] != _COMMA:
        return end
    at -= 1
    behind = at
    while at > start and hex_digit(int(text[at - 1])) < 16:
        at -= 1
    if at == behind or at - 3 <= start:
        return end
    kind = kind_of(text, at - 3)
    return at - 3 if kind != OTHER else end


@compiled
def read_lackey(
    text: Text,
    address: npt.NDArray[np.uint64],
    size: npt.NDArray[np.uint32],
    kind: npt.NDArray[np.uint8],
    before: npt.NDArray[np.int64],
    counts: Counts,
    most_bytes: np.uint64,
    most_line: int,
) -> None:
    """Read whole lines from ``counts[AT]`` on, to the end of the text or the first bad line, where ``counts[AT]`` then stands."""
    at, stop = counts[AT], len(text)
    n, pending = counts[ACCESSES], counts[PENDING]
    fault = faults.NONE
    while at < stop:
        start = at
        what = kind_of(text, at)
        if what == OTHER:
            message = is_message(text, at)
            end, fault = end_of_other(text, at)
            if end - start > most_line:
                fault = faults.LONG_LINE
            if fault != faults.NONE:
                break
            behind = end - 1 if end > start and text[end - 1] == _RETURN else end
            trace = behind if message else trace_behind(text, start, behind)
            at = end + 1
            if trace == behind:
                counts[MESSAGES if message else OTHERS] += 1
                continue
            counts[BEHIND_TEXT] += 1
            what, start = kind_of(text, trace), trace
        where, length, end, fault = address_and_size(text, start + 3, most_bytes)
        if fault != faults.NONE:
            at = start
            break
        at = end + 1
        if what == INSTRUCTION:
            pending += 1
            counts[INSTRUCTIONS] += 1
            continue
        address[n], size[n], kind[n], before[n] = where, length, what, pending
        pending = 0
        n += 1
    counts[AT], counts[ACCESSES], counts[PENDING], counts[FAULT] = at, n, pending, fault


def compile_lackey() -> None:
    """Compile all of it, by a call without text."""
    text = np.zeros(0, np.uint8)
    text.flags.writeable = False  # as text that lies in bytes is
    columns = np.zeros(0, np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.uint8), np.zeros(0, np.int64)
    read_lackey(text, *columns, np.zeros(WORDS, np.int64), np.uint64(1), 1)
