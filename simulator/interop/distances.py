"""Distances alone: ``cat /sys/devices/system/node/node*/distance``, or the bare matrix of a firmware's table."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from simulator.interop.cells import MAX_NODES, distance, whole
from simulator.interop.judgement import judged
from simulator.interop.record import OWN, UNREACHABLE, Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import Source

_PROMPTS = ("$", "#", "%")
_LARGEST = MAX_NODES * MAX_NODES * 5  # characters of a matrix of the most nodes
Row = tuple[int, list[str]]  # a line and its words


def recognises(source: Source) -> bool:
    """Tell whether there are rows of distances, and nothing else but a prompt with a command."""
    rows = _rows(source) if len(source.text) <= _LARGEST else []
    return bool(rows) and all(map(_is_distance, {word for _, words in rows for word in words}))


def read(source: Source) -> Record:
    """Return nodes 0, 1, ... and their distances; CPUs and memory are unknown.

    Raises
    ------
    InputError
        The rows make no square.
    """
    if len(source.text) > _LARGEST:
        raise source.wrong("is too large for a matrix of distances", allowed=f"at most {MAX_NODES:,} nodes")
    rows = _rows(source)
    values = [[distance(source, line, word) for word in words] for line, words in rows]
    warnings: list[str] = []
    if _are_wrapped(values):
        values = _unwrapped(values)
        warnings.append("the rows were broken over several lines: joined")
    else:
        _check_square(source, rows)
    if not _has_own(values) and _has_own(_by_number(values)):
        values = _by_number(values)
        warnings.append("the rows came in the order of the names (node1, node10, node2): put in the order of the numbers")
    ids = tuple(range(len(values)))
    matrix = Matrix(Kind.DISTANCE, Unit.SLIT, ids, ids, tuple(tuple(row) for row in values), "distance")
    return judged(Record("distances", tuple(NodeRecord(node) for node in ids), (matrix,), warnings=tuple(warnings)))


def _rows(source: Source) -> list[Row]:
    lines = ((line, text.strip()) for line, text in enumerate(source.lines))
    return [(line, text.split()) for line, text in lines if text and not _is_command(text)]


def _is_command(text: str) -> bool:
    return text.startswith("cat ") or any(f"{prompt} cat " in text or text.startswith(prompt) for prompt in _PROMPTS)


def _is_distance(word: str) -> bool:
    number = whole(word, int(UNREACHABLE))
    return number is not None and (number == 0 or number >= OWN)


def _check_square(source: Source, rows: Sequence[Row]) -> None:
    if not rows:
        raise source.wrong("has no row of distances", allowed="rows of numbers")
    line, words = rows[0]
    columns = len(words)
    if columns > MAX_NODES:
        raise source.wrong(f"has {columns:,} columns", line=line, allowed=f"at most {MAX_NODES:,}")
    for line, words in rows:
        if len(words) != columns:
            raise source.wrong(f"the row has {len(words)} distances, the first one {columns}", line=line)
    if len(rows) == 1 and columns > 1:
        what = f"one row of {columns} is no matrix: the rows of the other {columns - 1} nodes are missing"
        raise source.wrong(what, line=line, allowed="all rows, as cat node*/distance prints them")
    if len(rows) != columns:
        raise source.wrong(f"there are {len(rows)} rows of {columns} distances", line=line, allowed=f"{columns} rows")


def _are_wrapped(values: Sequence[Sequence[float]]) -> bool:
    """Tell whether more rows than columns make a square with 10 on the diagonal when put together."""
    count = sum(len(row) for row in values)
    size = isqrt(count)
    return 1 < size < len(values) and size <= MAX_NODES and size**2 == count and _has_own(_unwrapped(values))


def _unwrapped(values: Sequence[Sequence[float]]) -> list[list[float]]:
    cells = [value for row in values for value in row]
    size = isqrt(len(cells))
    return [cells[start : start + size] for start in range(0, size * size, size)]


def _has_own(values: Sequence[Sequence[float]]) -> bool:
    return all(row[node] == OWN for node, row in enumerate(values))


def _by_number(values: Sequence[Sequence[float]]) -> list[list[float]]:
    names = sorted(range(len(values)), key=str)
    return [list(values[names.index(node)]) for node in range(len(values))]
