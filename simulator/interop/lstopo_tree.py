"""The indented tree of lstopo's console text: which object stands under which, and which processors each holds."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from simulator.interop.source import Source

MAX_ROWS = 50_000  # a machine of 1024 processing units has about a tenth
_LINE = re.compile(r"[A-Z][A-Za-z0-9]*(?:\([^()]*\))?(?:\s|$)")
_MACHINE = re.compile(r"(?:Machine|System)\b")
_END = re.compile(r"\s*(?:depth 0:|Special depth|(?:Relative )?(?:latency|bandwidth) matrix)", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:\([^()]*\))?(?: L#([0-9]{1,9}))?(?:\s*\(?P#([0-9]{1,9}))?(?:[ )]|$)")
_PACKAGES = ("Package", "Socket")  # hwloc before 1.11 said Socket


@dataclass(frozen=True)
class Object:
    """One object of the text.

    Parameters
    ----------
    kind : str
        NUMANode, PU, Package and so on.
    logical, physical : int, optional
        hwloc's own number and the operating system's, where the text has them.
    row : int
        Its place among the rows of the tree.
    text : str
        As printed.
    """

    kind: str
    logical: int | None
    physical: int | None
    row: int
    text: str

    @property
    def number(self) -> int:
        """The operating system's number, else hwloc's."""
        number = self.logical if self.physical is None else self.physical
        assert number is not None
        return number


@dataclass(frozen=True)
class Tree:
    """All rows of the text.

    Parameters
    ----------
    lines : tuple of int
        Line of each row, from 0.
    kinds : tuple of str
        First object of each row.
    parents : tuple of int
        Row that each row stands under; -1 for the first.
    ends : tuple of int
        First row after all that stands under each row.
    nodes, pus, packages : tuple of Object
        In the order of the text.
    machine : str
        The text of the first row.
    """

    lines: tuple[int, ...]
    kinds: tuple[str, ...]
    parents: tuple[int, ...]
    ends: tuple[int, ...]
    nodes: tuple[Object, ...]
    pus: tuple[Object, ...]
    packages: tuple[Object, ...]
    machine: str

    def inside(self, objects: tuple[Object, ...], row: int) -> range:
        """Return which of `objects` stand on this row or under it."""
        first, after = (bisect_left(objects, place, key=lambda found: found.row) for place in (row, self.ends[row]))
        return range(first, after)


def parse_tree(source: Source) -> Tree | None:
    """Return the tree; None where there is no line of a Machine.

    Raises
    ------
    InputError
        A node or processor has no number: the text is cut off there; or there are too many lines.
    """
    start = next((number for number, line in enumerate(source.lines) if _MACHINE.match(line.strip())), None)
    if start is None:
        return None
    rows = _rows(source, start)
    parents, ends = _nested([indent for _, indent, _ in rows])
    found: dict[str, list[Object]] = {"NUMANode": [], "PU": [], "Package": []}
    for row, (line, _, text) in enumerate(rows):
        for part in text.split(" + "):
            kind = "Package" if part.startswith(_PACKAGES) else part.partition(" ")[0].partition("(")[0]
            if kind in found:
                found[kind].append(_object(source, line, kind, row, part))
    return Tree(
        lines=tuple(line for line, _, _ in rows),
        kinds=tuple(text.partition(" ")[0].partition("(")[0] for _, _, text in rows),
        parents=parents,
        ends=ends,
        nodes=tuple(found["NUMANode"]),
        pus=tuple(found["PU"]),
        packages=tuple(found["Package"]),
        machine=rows[0][2],
    )


def _rows(source: Source, start: int) -> list[tuple[int, int, str]]:
    """Return line, indent and text of each row; what else was printed between them starts at the margin or with no name."""
    rows: list[tuple[int, int, str]] = []
    for number in range(start, len(source.lines)):
        line = source.lines[number].expandtabs()
        text, indent = line.strip(), len(line) - len(line.lstrip())
        if _END.match(line):
            break
        if len(rows) > MAX_ROWS:
            raise source.wrong("has too many objects", line=number, allowed=f"at most {MAX_ROWS:,} lines")
        if not rows or (_LINE.match(text) and (indent > rows[0][1] or _MACHINE.match(text))):
            rows.append((number, indent, text))
    return rows


def _nested(indents: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    parents, ends = [-1] * len(indents), [len(indents)] * len(indents)
    open_rows: list[int] = []
    for row, indent in enumerate(indents):
        while open_rows and indents[open_rows[-1]] >= indent:
            ends[open_rows.pop()] = row
        parents[row] = open_rows[-1] if open_rows else -1
        open_rows.append(row)
    return tuple(parents), tuple(ends)


def _object(source: Source, line: int, kind: str, row: int, text: str) -> Object:
    rest = text[len("Socket" if text.startswith("Socket") else kind) :]
    match = _NUMBERED.match(rest)
    logical, physical = match.groups() if match else (None, None)
    closed = text.count("(") == text.count(")")
    if (logical is None and physical is None) or not closed:
        what = f"a {kind} has no number, or the text is cut off here"
        raise source.wrong(what, line=line, value=text, allowed=f"such as {kind} L#0 (P#0)")
    return Object(kind, _whole(logical), _whole(physical), row, text)


def _whole(digits: str | None) -> int | None:
    return None if digits is None else int(digits)
