"""Intel Memory Latency Checker: matrices of idle latency and bandwidth, peak bandwidths by mix, loaded latencies.

MLC says itself that its MB/s are 1,000,000 bytes a second. Only nodes with CPUs have a row; every node with memory has a column.
Written after what versions 3.0 to 3.11 print; they differ in headings (``Memory node`` and ``Socket``, later ``Numa node``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from simulator.interop.cells import check_nodes
from simulator.interop.judgement import judged
from simulator.interop.mlc_tables import check_end, loaded_point, matrix_row, number
from simulator.interop.record import Figure, Kind, LoadedPoint, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import Source

FORMAT = "mlc"
INTERLEAVED_SHARE = 0.015  # local and remote closer than this: nodes are interleaved below the operating system
_MAX_TABLES = 64
_SECTION = re.compile(r"\s*Measuring\s+(.*)$")
_MARKS = (
    re.compile(r"\s*Intel\(R\) Memory Latency Checker"),
    re.compile(r"\s*Measuring (?:idle latenc|Loaded Latenc|cache-to-cache)"),
    re.compile(r"\s*Measuring (?:Peak Injection|Maximum Memory Band|Memory Bandwidths between)"),
)
_HEADER = re.compile(r"\s*(?:Numa node|Socket|CPU node|Memory node)((?:\s+[0-9]{1,5})+)\s*$", re.IGNORECASE)
_PEAK = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9:+ \-]{0,60}?)\s{0,40}:\s*([0-9][0-9.]*)\s*$")
_CACHE = re.compile(r"\s*((?:Local|Remote) Socket \S+\s+\S+\s+latency)\s+([0-9][0-9.]*)\s*$")
_ITERATION = re.compile(r"\s*Each iteration took .{1,60}\(\s*([0-9][0-9.]*)\s*ns\s*\)")
_POINT = re.compile(r"\s*[0-9]{5,6}(?:\s|$)")
_SECTIONS = (
    ("idle latenc", "latency"),
    ("memory bandwidths between", "bandwidth"),
    ("peak injection", "peak"),
    ("maximum memory bandwidths", "maximum"),
    ("loaded latenc", "loaded"),
    ("cache-to-cache", "cache"),
)


@dataclass
class _Found:
    """What was read so far."""

    matrices: list[Matrix] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    loaded: list[LoadedPoint] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def recognises(source: Source) -> bool:
    """Say whether there is MLC's banner or the heading of one of its measurements."""
    return any(mark.match(line) for line in source.lines for mark in _MARKS)


def read(source: Source) -> Record:
    """Return matrices, figures and loaded latencies.

    Raises
    ------
    InputError
        A table is cut off, or a row has another number of values than the table has columns.
    """
    found = _Found()
    for count, (start, end, kind) in enumerate(_sections(source)):
        if count >= _MAX_TABLES:
            raise source.wrong("has too many measurements", line=start, allowed=f"at most {_MAX_TABLES}")
        if kind in ("latency", "bandwidth"):
            _read_matrix(source, start, end, kind, found)
        elif kind == "loaded":
            _read_loaded(source, start, end, found)
        elif kind:
            _read_figures(source, start, end, kind, found)
    _read_iterations(source, found)
    if not (found.matrices or found.figures or found.loaded):
        raise source.wrong("has no results: MLC stopped before its first, or the text is cut off", line=source.last_line)
    nodes = _nodes(found)
    tables = tuple(found.matrices), tuple(found.figures), tuple(found.loaded)
    return judged(Record(FORMAT, nodes, *tables, warnings=tuple(found.warnings)))


def _sections(source: Source) -> Iterator[tuple[int, int, str | None]]:
    """Yield first line, line after the last, and kind of each measurement; None for one that this reader does not know."""
    starts = [line for line, text in enumerate(source.lines) if _SECTION.match(text)]
    for start, end in zip(starts, [*starts[1:], len(source.lines)], strict=False):
        title = " ".join(source.lines[start].split()).lower()
        yield start, end, next((kind for words, kind in _SECTIONS if words in title), None)


def _read_matrix(source: Source, start: int, end: int, kind: str, found: _Found) -> None:
    header, columns = _header(source, start, end)
    rows: dict[int, tuple[float | None, ...]] = {}
    wanted, gap = {str(column) for column in columns}, False
    for line in range(header + 1, end):
        text = source.lines[line]
        first = text.strip().partition(" ")[0].partition("\t")[0]
        gap = gap or (not first and bool(rows))
        if gap and first and not (first in wanted and int(first) not in rows):
            break  # after a blank line only further rows of this matrix are its own
        if first[:1].isdigit():
            node, values = matrix_row(source, line, len(columns))
            if node in rows:
                raise source.wrong(f"node {node} has two rows", line=line)
            rows[node] = values
    check_nodes(source, header, tuple(rows))
    if not rows:
        raise source.wrong("the matrix has no rows: the text is cut off", line=source.last_line)
    title = source.lines[start].lower()
    name = "idle latency" if kind == "latency" else "bandwidth"
    name += ", random access" if "random" in title else ", sequential access" if "sequential" in title else ""
    of, unit = (Kind.LATENCY, Unit.NS) if kind == "latency" else (Kind.BANDWIDTH, Unit.MB_PER_S)
    matrix = Matrix(of, unit, tuple(rows), columns, tuple(rows.values()), name)
    found.matrices.append(matrix)
    if kind == "latency" and _is_interleaved(matrix):
        share = f"{100 * INTERLEAVED_SHARE:g} %"
        what = f"local and remote latency differ by at most {share}"
        found.warnings.append(f"{what}: node interleaving is on, and there is no NUMA to see")


def _header(source: Source, start: int, end: int) -> tuple[int, tuple[int, ...]]:
    for line in range(start + 1, end):
        match = _HEADER.match(source.lines[line])
        if match:
            columns = tuple(int(word) for word in match.group(1).split())
            check_nodes(source, line, columns)
            return line, columns
    raise source.wrong("the matrix has no line of columns: the text is cut off", line=start, allowed="Numa node 0 1 ...")


def _is_interleaved(matrix: Matrix) -> bool:
    if len(matrix.rows) < 2:
        return False
    for node, values in zip(matrix.rows, matrix.values, strict=True):
        own = matrix.at(node, node)
        if not own or any(value is None or abs(value - own) > INTERLEAVED_SHARE * own for value in values):
            return False
    return True


def _read_loaded(source: Source, start: int, end: int, found: _Found) -> None:
    lines = [line for line in range(start + 1, end) if _POINT.match(source.lines[line])]
    if not lines:
        raise source.wrong("the table of loaded latencies has no rows: the text is cut off", line=min(end - 1, source.last_line))
    if found.loaded:
        found.warnings.append(f"the table of loaded latencies at line {start + 1} is left out: it is not the first")
        return
    found.loaded += [loaded_point(source, line) for line in lines]


def _read_figures(source: Source, start: int, end: int, kind: str, found: _Found) -> None:
    pattern, unit = (_CACHE, Unit.NS) if kind == "cache" else (_PEAK, Unit.MB_PER_S)
    prefix = "maximum: " if kind == "maximum" else ""
    for line in range(start + 1, end):
        match = pattern.match(source.lines[line])
        if match:
            check_end(source, line, match.group(2))
            name = prefix + " ".join(match.group(1).split())
            found.figures.append(Figure(name, number(source, line, match.group(2)), unit))


def _read_iterations(source: Source, found: _Found) -> None:
    """Read ``mlc --idle_latency``, which has a line and no table."""
    for line, text in enumerate(source.lines):
        match = _ITERATION.match(text)
        if match:
            found.figures.append(Figure("idle latency", number(source, line, match.group(1)), Unit.NS))


def _nodes(found: _Found) -> tuple[NodeRecord, ...] | None:
    asking = {row for matrix in found.matrices for row in matrix.rows}
    asked = {column for matrix in found.matrices for column in matrix.columns}
    if not found.matrices:
        return None
    silent = sorted(asked - asking)
    if silent:
        found.warnings.append(f"no row of {_listed(silent)}: taken as without CPUs, unless the text is cut off")
    return tuple(NodeRecord(node, cpus=() if node in silent else None) for node in sorted(asking | asked))


def _listed(nodes: Sequence[int]) -> str:
    return f"node{'s' if len(nodes) > 1 else ''} {', '.join(map(str, nodes[:16]))}"
