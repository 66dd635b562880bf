"""Numbers in the text of tools, and the bounds beyond which a text is not believed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from simulator.interop.record import OWN, UNREACHABLE
from simulator.interop.source import Source

_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_BYTES = tuple(float(number) for number in range(256))  # one object for each value, for matrices of a quarter of a million
MAX_NODES = 1 << 9  # half of Linux's MAX_NUMNODES at its largest; machines of 256 sockets have been built
MAX_LISTED_NODES = 1 << 10  # Linux: MAX_NUMNODES, which /sys/devices/system/node/possible may list on any machine
MAX_NODE = (1 << 16) - 1
MAX_CPUS = 1 << 20
MAX_MEMORY_MIB = 1 << 40
Rows = Mapping[int, tuple[int, Sequence[str]]]  # by node: the line and the words of its values


def whole(word: str, largest: int) -> int | None:
    """Return a whole number of decimal digits; None for anything else or beyond `largest`."""
    if not (word.isascii() and word.isdigit()) or len(word) > 18:
        return None
    number = int(word)
    return number if number <= largest else None


def positive(word: str, largest: float) -> float | None:
    """Return a number of at least 0, with or without decimals; None for anything else or beyond `largest`."""
    if len(word) > 30 or not _DECIMAL.fullmatch(word):
        return None
    number = float(word)
    return number if number <= largest else None


def node_number(source: Source, line: int, word: str) -> int:
    """Return the number of a node.

    Raises
    ------
    InputError
        It is none.
    """
    number = whole(word, MAX_NODE)
    if number is None:
        raise source.wrong("is no number of a node", line=line, value=word, allowed=f"0 to {MAX_NODE}")
    return number


def distance(source: Source, line: int, word: str) -> float:
    """Return a distance of the ACPI SLIT, or the 0 that some firmware gives.

    Raises
    ------
    InputError
        It is none: 1 to 9 are reserved (ACPI 6.5, section 5.2.17), a byte ends at 255.
    """
    number = whole(word, int(UNREACHABLE))
    if number is None or 0 < number < OWN:
        allowed = f"{OWN:g} to {UNREACHABLE:g}"
        raise source.wrong("is no distance, or a number cut off", line=line, value=word, allowed=allowed)
    return _BYTES[number]


def memory_mib(source: Source, line: int, word: str) -> float:
    """Return an amount of memory.

    Raises
    ------
    InputError
        It is none.
    """
    number = positive(word, MAX_MEMORY_MIB)
    if number is None:
        raise source.wrong("is no amount of memory", line=line, value=word, allowed=f"0 to {MAX_MEMORY_MIB:,}")
    return number


def check_nodes(source: Source, line: int, nodes: Sequence[int]) -> None:
    """Raise InputError where a list names a node twice or more nodes than any machine has."""
    if len(nodes) > MAX_NODES:
        raise source.wrong(f"there are {len(nodes):,} nodes", line=line, allowed=f"at most {MAX_NODES:,}")
    seen: set[int] = set()
    for node in nodes:
        if node in seen:
            raise source.wrong(f"node {node} is listed twice", line=line)
        seen.add(node)


def ordered_rows(source: Source, columns: Sequence[int], rows: Rows, noun: str) -> list[tuple[int, Sequence[str]]]:
    """Return the rows of a square table in the order of its columns.

    Raises
    ------
    InputError
        A row is missing, is of a node without a column, or has another number of values than there are columns.
    """
    for node, (line, words) in rows.items():
        if node not in columns:
            raise source.wrong(f"{noun} have a row of node {node}, but no column", line=line)
        if len(words) < len(columns):
            end = ": the text is cut off here" if line == source.last_line else ""
            raise source.wrong(f"the row of node {node} has {len(words)} of {len(columns)} {noun}{end}", line=line)
        if len(words) > len(columns):
            raise source.wrong(f"the row of node {node} has {len(words)} {noun} for {len(columns)} columns", line=line)
    missing = [node for node in columns if node not in rows]
    if missing:
        raise source.wrong(f"{noun} end before the row of node {missing[0]}", line=source.last_line)
    return [rows[node] for node in columns]
