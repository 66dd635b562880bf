"""Lists and masks of processors, as Linux, numactl and likwid write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from simulator.interop.cells import MAX_CPUS, MAX_LISTED_NODES, MAX_NODE, whole
from simulator.interop.source import Source

_SEPARATORS = re.compile(r"[\s,]+")
_MASK = re.compile(r"[0-9a-fA-F,]+")


def cpu_list(source: Source, line: int, text: str, room: int = MAX_CPUS) -> tuple[int, ...]:
    """Return the processors of a list such as ``0-3,8`` or ``0 1 2``.

    Parameters
    ----------
    room : int
        How many there may be: what the lists before have left of the most that a machine has.

    Raises
    ------
    InputError
        Something in it is no number or range, it names one twice, or too many.
    """
    return _expanded(source, line, text, "CPU", MAX_CPUS - 1, room)


def node_list(source: Source, line: int, text: str) -> tuple[int, ...]:
    """Return the nodes of a list such as ``0-2,33``; raise InputError as :func:`cpu_list` does."""
    return _expanded(source, line, text, "node", MAX_NODE, MAX_LISTED_NODES)


def cpu_mask(source: Source, line: int, text: str, room: int = MAX_CPUS) -> tuple[int, ...]:
    """Return the processors of a mask such as ``0000,0000003f``: words of 32 bits, the highest first, an empty one is 0.

    Raises
    ------
    InputError
        It is no such mask, or names too many.
    """
    if not _MASK.fullmatch(text) or any(len(word) > 8 for word in text.split(",")[1:]):
        raise source.wrong("is no mask of CPUs", line=line, value=text, allowed="words of 8 hexadecimal digits, with commas")
    first, *others = text.split(",")
    digits = (first + "".join(word.zfill(8) for word in others)).lstrip("0")
    if len(digits) * 4 > MAX_CPUS:
        raise source.wrong("is a mask of too many CPUs", line=line, allowed=f"numbers below {MAX_CPUS:,}")
    bits = bin(int(digits or "0", 16))[2:]
    _check_room(source, line, bits.count("1"), "CPU", room)
    return tuple(number for number, bit in enumerate(reversed(bits)) if bit == "1")


def room_after(lists: Iterable[tuple[int, ...] | None]) -> int:
    """Return how many processors a file may still list."""
    return MAX_CPUS - sum(len(cpus) for cpus in lists if cpus is not None)


def ranges(numbers: Iterable[int]) -> str:
    """Write sorted numbers as a list, such as ``0-2,33``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in spans)


def _expanded(source: Source, line: int, text: str, noun: str, largest: int, room: int) -> tuple[int, ...]:
    spans = [_span(source, line, word, noun, largest) for word in _SEPARATORS.split(text) if word]
    _check_room(source, line, sum(len(span) for span in spans), noun, room)
    numbers = sorted(number for span in spans for number in span)
    twice = next((low for low, high in zip(numbers, numbers[1:], strict=False) if low == high), None)
    if twice is not None:
        raise source.wrong(f"{noun} {twice} is listed twice", line=line)
    return tuple(numbers)


def _span(source: Source, line: int, word: str, noun: str, largest: int) -> range:
    low_word, dash, high_word = word.partition("-")
    low = whole(low_word, largest)
    high = whole(high_word, largest) if dash else low
    if low is None or high is None or high < low:
        raise source.wrong(f"is no number or range of {noun}s", line=line, value=word, allowed=f"0 to {largest}, such as 0-3")
    return range(low, high + 1)


def _check_room(source: Source, line: int, count: int, noun: str, room: int) -> None:
    if count > room:
        raise source.wrong(f"lists {count:,} {noun}s", line=line, allowed=f"at most {max(room, 0):,} more here")
