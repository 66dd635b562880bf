"""Matrices of distances as ``lstopo --distances`` and ``lstopo -v`` print them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

from simulator.interop.cells import MAX_NODE, MAX_NODES, positive, whole
from simulator.interop.hwloc_distances import FROM_OS, labelled
from simulator.interop.record import Matrix
from simulator.interop.source import Source

HEADING = re.compile(
    r"(?:relative )?latency matrix (?:\(name (.{1,80}) kind ([0-9]{1,9})\) )?between ([0-9]{1,9}) NUMANodes? "
    r"\(depth -?[0-9]+\) by (logical|physical) indexes:$",
    re.IGNORECASE,
)
_MAX_MATRICES = 64
_LARGEST = 1e9


def text_matrices(source: Source, physical: Mapping[int, int]) -> tuple[list[Matrix], list[str]]:
    """Return the distance matrices between nodes, and warnings.

    Parameters
    ----------
    source : Source
    physical : mapping
        The operating system's number of each node by hwloc's, where the text tells it.

    Raises
    ------
    InputError
        A matrix is cut off, or its rows are not those of its heading.
    """
    headings = [(line, HEADING.match(text.strip())) for line, text in enumerate(source.lines) if "matrix" in text]
    found = [(line, match) for line, match in headings if match]
    if len(found) > _MAX_MATRICES:
        raise source.wrong("has too many matrices", line=found[0][0], allowed=f"at most {_MAX_MATRICES}")
    matrices, warnings = [], []
    for line, match in found:
        name, kind, count, indexes = match.groups()
        ids, cells = _square(source, line, int(count))
        if indexes.lower() == "logical" and all(number in physical for number in ids):
            ids = [physical[number] for number in ids]
        elif indexes.lower() == "logical":
            warnings.append("the nodes of the distances are numbered by hwloc (logical), maybe not as the operating system does")
        plain = "distances" if name in (None, "(null)") else str(name)
        matrices.append(labelled(ids, cells, plain, bool(int(kind or "0") & FROM_OS)))
    return matrices, warnings


def _square(source: Source, heading: int, count: int) -> tuple[list[int], list[float]]:
    if not 0 < count <= MAX_NODES:
        raise source.wrong("is a matrix of too many nodes, or none", line=heading, value=count, allowed=f"1 to {MAX_NODES}")
    numbered = islice(enumerate(source.lines), heading + 1, None)
    body = list(islice(((line, text.split()) for line, text in numbered if text.strip()), count + 1))
    line, words = body[0] if body else (heading, [])
    ids = [whole(word, MAX_NODE) for word in words[1:]]
    if words[:1] != ["index"] or len(ids) != count or None in ids or len(set(ids)) != count:
        raise source.wrong(f"has no line of the {count} indexes here", line=line, allowed="index and different numbers")
    numbers = [number for number in ids if number is not None]
    cells: list[float] = []
    for place, number in enumerate(numbers, start=1):
        if place >= len(body):
            raise source.wrong(f"the matrix ends before the row of {number}", line=source.last_line)
        line, words = body[place]
        values = [positive(word, _LARGEST) for word in words[1:]]
        if words[0] != str(number) or len(values) != count or None in values:
            raise source.wrong(f"is no row of {number} with {count} values", line=line, value=source.lines[line].strip())
        cells += [value for value in values if value is not None]
    return numbers, cells
