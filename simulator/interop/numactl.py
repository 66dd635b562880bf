"""``numactl --hardware`` of all versions.

Old ones (1.0) have neither lines of CPUs nor distances; those after 2.0.16 write CPUs as ``0-15 (16)`` with ``--cpu-compress``.
Written by `hardware()` in numactl.c of https://github.com/numactl/numactl.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from simulator.interop.cells import check_nodes, distance, memory_mib, node_number, ordered_rows
from simulator.interop.cpus import cpu_list, node_list, ranges, room_after
from simulator.interop.judgement import judged
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import Source

_FACT = re.compile(r"node\s+([0-9]+)\s+(cpus|size|free):(.*)$")
_ANNOUNCED = re.compile(r"available:\s*[0-9]+\s+nodes?\s*\(([^()]*)\)$")
_HEADING = re.compile(r"node distances:$")
_HEADER = re.compile(r"node((?:\s+[0-9]+)+)$")
_ROW = re.compile(r"([0-9]+):((?:\s+[0-9]+)*)$")
_WRAPPED = re.compile(r"[0-9][0-9\s,\-]*(?:\([0-9]+\))?$")
_COUNT = re.compile(r"\(([0-9]+)\)$")
_LISTS = (re.compile(r"node\s+[0-9]+\s+cpus:"), _HEADER, _ROW)
_NONE = "No NUMA available on this system"
_UNKNOWN = "<not available>"
Entry = tuple[int, str]  # a line, and what stands there with its wrapped rest
Facts = dict[int, dict[str, Entry]]  # by node and word: cpus, size, free


def recognises(source: Source) -> bool:
    """Tell whether the text has lines of numactl's."""
    lines = [line.strip() for line in source.lines]
    if any(line == _NONE or _FACT.match(line) or _HEADING.match(line) for line in lines):
        return True
    return any(_HEADER.match(line) and _ROW.match(after) for line, after in zip(lines, lines[1:], strict=False))


def read(source: Source) -> Record:
    """Return nodes, CPUs, memory and distances.

    Raises
    ------
    InputError
        The text is not numactl's, contradicts itself or is cut off.
    """
    entries = _entries(source)
    facts, matrix = _facts(source, entries), _matrix(source, entries)
    if not facts and matrix is None:
        return _without_nodes(source)
    _check_complete(source, facts)
    known = sorted({*facts, *(matrix.rows if matrix else ())})
    _check_announced(source, entries, known)
    if matrix is not None and len(matrix.columns) < len(known):
        missing = next(node for node in known if node not in matrix.columns)
        raise source.wrong(f"the distances have no column of node {missing}", line=source.last_line)
    nodes = _nodes(source, known, facts)
    return judged(Record("numactl", nodes, (matrix,) if matrix else ()))


def _without_nodes(source: Source) -> Record:
    if any(line.strip() == _NONE for line in source.lines):
        return Record("numactl", warnings=("no NUMA available: the system has one node at most, and tells nothing of it",))
    raise source.wrong(
        "has no line of a node and no distances", line=source.last_line, allowed="the output of numactl --hardware"
    )


def _entries(source: Source) -> list[Entry]:
    """Return the lines, those of numbers only joined to the list before them that a mail program broke."""
    entries: list[Entry] = []
    parts: dict[int, list[str]] = {}
    open_list: int | None = None
    for line, text in enumerate(source.lines):
        text = text.strip()
        if open_list is not None and _WRAPPED.match(text):
            parts[open_list].append(text)
            continue
        if not text or any(pattern.match(text) for pattern in (_FACT, *_LISTS)):
            open_list = len(entries) if text and any(pattern.match(text) for pattern in _LISTS) else None
        if text:
            parts[len(entries)] = [text]
            entries.append((line, text))
    return [(line, " ".join(parts[place])) for place, (line, _) in enumerate(entries)]


def _facts(source: Source, entries: Sequence[Entry]) -> Facts:
    facts: Facts = {}
    for line, text in entries:
        match = _FACT.match(text)
        if match is None:
            continue
        node, word = node_number(source, line, match[1]), match[2]
        if word in facts.setdefault(node, {}):
            first = source.place(facts[node][word][0])
            raise source.wrong(f"node {node} {word} is there twice, first in {first}", line=line)
        facts[node][word] = (line, match[3].strip())
    check_nodes(source, source.last_line, sorted(facts))
    return facts


def _check_complete(source: Source, facts: Mapping[int, Mapping[str, Entry]]) -> None:
    """See that every node has the lines that any has: versions differ, nodes of one output do not."""
    for word in ("cpus", "size", "free"):
        missing = [node for node in facts if word not in facts[node]]
        if missing and len(missing) < len(facts):
            last = max(line for line, _ in facts[missing[0]].values())
            raise source.wrong(f"node {missing[0]} has no line {word!r}, as other nodes have: missing or cut off", line=last)


def _check_announced(source: Source, entries: Sequence[Entry], known: Sequence[int]) -> None:
    for line, text in entries:
        match = _ANNOUNCED.match(text)
        missing = [node for node in node_list(source, line, match[1]) if node not in known] if match else []
        if missing:
            plural = len(missing) > 1
            which = f"node{'s' if plural else ''} {ranges(missing)}"
            what = f"line {line + 1} announces {which} too, but the text ends without {'them' if plural else 'it'}"
            raise source.wrong(what, line=source.last_line)


def _nodes(source: Source, known: Sequence[int], facts: Facts) -> tuple[NodeRecord, ...]:
    nodes: list[NodeRecord] = []
    for node in known:
        found = facts.get(node, {})
        cpus = _cpus(source, found["cpus"], room_after(other.cpus for other in nodes)) if "cpus" in found else None
        nodes.append(NodeRecord(node, cpus, _size(source, found["size"]) if "size" in found else None))
    return tuple(nodes)


def _cpus(source: Source, entry: Entry, room: int) -> tuple[int, ...]:
    line, text = entry
    count = _COUNT.search(text)
    cpus = cpu_list(source, line, text[: count.start()] if count else text, room)
    if count and int(count[1][:9]) != len(cpus):
        raise source.wrong(f"lists {len(cpus)} CPUs, but counts {count[1][:9]}", line=line)
    return cpus


def _size(source: Source, entry: Entry) -> float | None:
    line, text = entry
    if text == _UNKNOWN:
        return None
    number, _, unit = text.partition(" ")
    if unit.strip() != "MB":
        raise source.wrong("is no size, or one cut off", line=line, value=text, allowed="a number with MB")
    return memory_mib(source, line, number)


def _matrix(source: Source, entries: Sequence[Entry]) -> Matrix | None:
    header = next(((place, line, match) for place, line, match in _matches(_HEADER, entries)), None)
    if header is None:
        heading = next((line for _, line, _ in _matches(_HEADING, entries)), None)
        if heading is not None:
            raise source.wrong("the table of distances is missing: the text is cut off here", line=heading)
        return None
    place, line, match = header
    columns = tuple(node_number(source, line, word) for word in match[1].split())
    check_nodes(source, line, columns)
    rows: dict[int, tuple[int, list[str]]] = {}
    for _, at, row in _matches(_ROW, entries[place + 1 :]):
        node = node_number(source, at, row[1])
        if node in rows:
            raise source.wrong(f"the row of node {node} is there twice, first in {source.place(rows[node][0])}", line=at)
        rows[node] = (at, row[2].split())
    ordered = ordered_rows(source, columns, rows, "distances")
    values = tuple(tuple(distance(source, at, word) for word in words) for at, words in ordered)
    return Matrix(Kind.DISTANCE, Unit.SLIT, columns, columns, values, "node distances")


def _matches(pattern: re.Pattern[str], entries: Sequence[Entry]) -> list[tuple[int, int, re.Match[str]]]:
    found = ((place, line, pattern.match(text)) for place, (line, text) in enumerate(entries))
    return [(place, line, match) for place, line, match in found if match]
