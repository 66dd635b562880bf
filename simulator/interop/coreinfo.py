"""Coreinfo of Windows' Sysinternals: masks of processors by node, and a measured cost of access between nodes.

With more than 64 processors Windows has several groups; then the name comes first and a line of the mask for each group.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simulator.interop.cells import check_nodes, node_number, ordered_rows, positive
from simulator.interop.coreinfo_maps import ProcessorMap, read_map, section
from simulator.interop.cpus import ranges
from simulator.interop.judgement import asymmetric, judged
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import Source

_NODES = "Logical Processor to NUMA Node Map:"
_SOCKETS = "Logical Processor to Socket Map:"
_COSTS = "Approximate Cross-NUMA Node Access Cost"
_HEADER = re.compile(r"[0-9]+(?:\s+[0-9]+)*$")
_ROW = re.compile(r"([0-9]+):((?:\s+[0-9.]+)*)$")
_FAMILY = re.compile(r".* Family [0-9]+ Model [0-9]+ Stepping [0-9]+")
_LARGEST_COST = 1e6


def recognises(source: Source) -> bool:
    """Tell whether the text has a map of nodes or a banner of Coreinfo's."""
    return any(line.startswith((_NODES, "Coreinfo v")) for line in map(str.strip, source.lines))


def read(source: Source) -> Record:
    """Return nodes with their CPUs, sockets and the costs; memory is unknown.

    Raises
    ------
    InputError
        The map of nodes is missing, or what is there contradicts itself or is cut off.
    """
    nodes, sockets = read_map(source, _NODES), read_map(source, _SOCKETS)
    if nodes is None:
        raise source.wrong(f"has no {_NODES[:-1]}", line=source.last_line, allowed="the output of coreinfo, or coreinfo -n")
    check_nodes(source, nodes.last_line, sorted(nodes.cpus))
    costs = _costs(source)
    warnings = [*_about_missing(source, nodes), *(_about_costs(costs) if costs else ())]
    record = Record(
        "coreinfo",
        tuple(NodeRecord(node, nodes.cpus[node], package=_socket(nodes.cpus[node], sockets)) for node in sorted(nodes.cpus)),
        (costs,) if costs else (),
        packages=len(sockets.cpus) if sockets else None,
        title=_title(source),
        warnings=tuple(warnings),
    )
    return judged(record)


def _socket(cpus: Sequence[int], sockets: ProcessorMap | None) -> int | None:
    found = sockets.cpus.items() if sockets and cpus else ()
    return next((socket for socket, others in found if set(cpus) <= set(others)), None)


def _about_missing(source: Source, nodes: ProcessorMap) -> list[str]:
    """Say which processors are in no node; an error where the text ends in the map."""
    missing = sorted(set(range(nodes.processors)) - {cpu for cpus in nodes.cpus.values() for cpu in cpus})
    if missing and nodes.last_line == source.last_line:
        raise source.wrong(f"the map of nodes ends before CPUs {ranges(missing)}: cut off", line=nodes.last_line)
    return [f"CPUs {ranges(missing)} are in no node"] if missing else []


def _costs(source: Source) -> Matrix | None:
    start = section(source, _COSTS)
    if start is None:
        return None
    columns: tuple[int, ...] = ()
    rows: dict[int, tuple[int, list[str]]] = {}
    for line in range(start + 1, len(source.lines)):
        text = source.lines[line].strip()
        row = _ROW.match(text)
        if row is not None and columns:
            node = node_number(source, line, row[1])
            if node in rows:
                raise source.wrong(f"the row of node {node} is there twice", line=line)
            rows[node] = (line, row[2].split())
        elif _HEADER.match(text) and not columns:
            columns = tuple(node_number(source, line, word) for word in text.split())
        elif text and columns:
            break
    if not columns:
        raise source.wrong("the table of costs is missing: the text is cut off here", line=start)
    check_nodes(source, start + 1, columns)
    ordered = ordered_rows(source, columns, rows, "costs")
    values = tuple(tuple(_cost(source, line, word) for word in words) for line, words in ordered)
    return Matrix(Kind.LATENCY, Unit.RELATIVE, columns, columns, values, "access cost")


def _cost(source: Source, line: int, word: str) -> float:
    cost = positive(word, _LARGEST_COST)
    if cost is None or cost < 1 or "." not in word:  # it prints one decimal
        raise source.wrong("is no cost, or one cut off", line=line, value=word, allowed="at least 1.0, that of the fastest")
    return cost


def _about_costs(costs: Matrix) -> list[str]:
    """Say where the costs, which Coreinfo measures once and shortly, are noise."""
    warnings = []
    rows = [(costs.at(node, node), [costs.at(node, other) for other in costs.columns if other != node]) for node in costs.rows]
    if any(own is not None and other is not None and other <= own for own, others in rows for other in others):
        warnings.append("the access costs are unusable: a node's own memory is not its nearest (noise, or no NUMA below)")
    pairs = asymmetric(costs)
    if pairs:
        warnings.append(
            f"the access costs are not symmetric: {len(pairs)} {'pairs differ' if len(pairs) > 1 else 'pair differs'}"
        )
    return warnings


def _title(source: Source) -> str | None:
    lines = [line.strip() for line in source.lines]
    return next((name[:200] for name, after in zip(lines, lines[1:], strict=False) if name and _FAMILY.match(after)), None)
