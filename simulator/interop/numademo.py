"""numademo of the numactl package: bandwidth from the CPUs of one node to memory of each.

``running on node 1, preferred node 0`` names the node that asks; under it ``local memory`` is its own memory and
``alloc on node 0`` that of another. numademo divides bytes by microseconds, so its MB/s are 1e6 bytes a second.
Written after numademo.c of https://github.com/numactl/numactl.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from simulator.interop.cells import check_nodes, node_number
from simulator.interop.judgement import judged
from simulator.interop.record import Figure, Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import Source

FORMAT = "numademo"
_MAX_RESULTS = 20_000
_RESULT = re.compile(r"(\S.{0,200}?)\s{1,80}Avg (\S+) MB/s Max (\S+) MB/s Min (\S+) MB/s$")
_PART = re.compile(r"\s(?:Avg|Max|Min)\s[0-9]")
_RUNNING = re.compile(r"running on node ([0-9]{1,5}), preferred node -?[0-9]{1,5}$")
_PLACED = re.compile(r"(?:(local memory)|alloc on node ([0-9]{1,5})) (\S+)$")
_RATE = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
Cells = dict[tuple[int, int], float]


def recognises(source: Source) -> bool:
    """Say whether there is a line of numademo's results."""
    return any("MB/s Max" in line and _RESULT.match(line.strip()) for line in source.lines)


def read(source: Source) -> Record:
    """Return one matrix of average bandwidths for each test, such as memset; what names no pair becomes figures.

    Raises
    ------
    InputError
        A result is cut off or there twice, or a rate is no number.
    """
    tests: dict[str, Cells] = {}
    figures: list[Figure] = []
    asking: int | None = None
    for line, raw in enumerate(source.lines):
        text = raw.strip()
        running, result = _RUNNING.match(text), _RESULT.match(text)
        if running:
            asking = node_number(source, line, running.group(1))
        elif result:
            _add(source, line, asking, result, tests, figures)
        elif _PART.search(text):
            raise source.wrong("is a result cut off", line=line, value=text, allowed="Avg, Max and Min in MB/s")
        if len(figures) > _MAX_RESULTS:
            raise source.wrong("has too many results", line=line, allowed=f"at most {_MAX_RESULTS:,}")
    if not (tests or figures):
        raise source.wrong("has no results of numademo", line=source.last_line, allowed="lines with Avg, Max and Min in MB/s")
    nodes = sorted({node for cells in tests.values() for pair in cells for node in pair})
    check_nodes(source, source.last_line, nodes)
    warnings = () if tests else ("no result names the node that asks: numademo did not get as far as `running on node`",)
    matrices = tuple(_matrix(test, cells) for test, cells in tests.items())
    return judged(Record(FORMAT, tuple(map(NodeRecord, nodes)) or None, matrices, tuple(figures), warnings=warnings))


def _add(
    source: Source, line: int, asking: int | None, result: re.Match[str], tests: dict[str, Cells], figures: list[Figure]
) -> None:
    what, *rates = result.groups()
    for rate in rates:
        if not _RATE.fullmatch(rate) or not float(rate):
            raise source.wrong("is no rate", line=line, value=rate, allowed="MB/s above 0")
    name, average = " ".join(what.split()), float(rates[0])
    placed = _PLACED.match(name)
    if asking is None or placed is None:
        where = "" if asking is None else f" (running on node {asking})"
        figures.append(Figure(name + where, average, Unit.MB_PER_S, threads=1))
        return
    target = asking if placed.group(1) else node_number(source, line, placed.group(2))
    cells = tests.setdefault(placed.group(3), {})
    if (asking, target) in cells:
        raise source.wrong(f"node {asking} asks node {target} twice", line=line, value=name)
    cells[asking, target] = average
    if sum(map(len, tests.values())) > _MAX_RESULTS:
        raise source.wrong("has too many results", line=line, allowed=f"at most {_MAX_RESULTS:,}")


def _matrix(test: str, cells: Mapping[tuple[int, int], float]) -> Matrix:
    rows, columns = (tuple(sorted({pair[side] for pair in cells})) for side in (0, 1))
    values = tuple(tuple(cells.get((row, column)) for column in columns) for row in rows)
    return Matrix(Kind.BANDWIDTH, Unit.MB_PER_S, rows, columns, values, test)
