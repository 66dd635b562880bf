"""Linux: what ``grep -H . /sys/devices/system/node/{online,possible} .../node*/{cpulist,cpumap,distance,meminfo}`` prints.

A tree of such files is read as the listing of itself (:mod:`simulator.interop.sysfs_tree`). An empty file gives no line.
Formats: Documentation/ABI/stable/sysfs-devices-node of the Linux kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from simulator.interop.cells import check_nodes, distance, memory_mib, node_number, whole
from simulator.interop.cpus import cpu_list, cpu_mask, node_list, ranges, room_after
from simulator.interop.judgement import judged
from simulator.interop.record import OWN, Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import Source

_LINE = re.compile(r"(?:\S*/)?node([0-9]+)/(cpulist|cpumap|distance|meminfo):(.*)$")
_MACHINE = re.compile(r"(?:\S*/)?(online|possible):([0-9][0-9,\-]*)$")
_PACKAGE = re.compile(r"(?:\S*/)?cpu([0-9]+)/topology/physical_package_id:([0-9]+)$")
_NUMBERS = re.compile(r"[0-9][0-9\s]*$")
_TOTAL = re.compile(r"Node\s+([0-9]+)\s+MemTotal:\s*(.*)$")
Entry = tuple[int, str]  # a line, and the text of the file there
Facts = dict[int, dict[str, Entry]]  # by node and file: cpulist, cpumap, distance, meminfo


def recognises(source: Source) -> bool:
    """Tell whether a line is of a file of a node."""
    return any(_LINE.match(line.strip()) for line in source.lines)


def read(source: Source) -> Record:
    """Return nodes, CPUs, memory and distances; also packages where the listing has the topology of CPUs.

    Raises
    ------
    InputError
        The listing has no node, contradicts itself or is cut off.
    """
    facts = _facts(source)
    if not facts:
        raise source.wrong("has no file of a node", allowed="lines such as node0/distance:10 20")
    ids = sorted(facts)
    check_nodes(source, source.last_line, ids)
    machine = _machine(source)
    warnings = _check_online(source, ids, machine.get("online"))
    packages = _packages(source)
    nodes: list[NodeRecord] = []
    for node in ids:
        cpus, notes = _cpus(source, node, facts, room_after(other.cpus for other in nodes))
        nodes.append(NodeRecord(node, cpus, _memory(source, node, facts)))
        warnings += notes
    matrix, notes = _matrix(source, facts, machine.get("possible"))
    record = Record("sysfs", tuple(nodes), matrix, warnings=(*warnings, *notes))
    return judged(with_packages(record, packages))


def with_packages(record: Record, packages: Mapping[int, int]) -> Record:
    """Return the record with the sockets of its nodes, where all CPUs of a node are in one.

    Parameters
    ----------
    packages : mapping of int to int
        The socket of each CPU.
    """
    nodes = tuple(replace(node, package=_package(node.cpus, packages)) for node in record.nodes or ())
    return replace(record, nodes=nodes, packages=len(set(packages.values())) or None)


def _facts(source: Source) -> Facts:
    facts: Facts = {}
    for line, text in _unwrapped(source):
        match = _LINE.match(text)
        if match is None or (match[2] == "meminfo" and not _TOTAL.match(match[3].strip())):
            continue
        node, name = node_number(source, line, match[1]), match[2]
        if name in facts.setdefault(node, {}):
            raise source.wrong(f"node{node}/{name} is there twice, first in {source.place(facts[node][name][0])}", line=line)
        facts[node][name] = (line, match[3].strip())
    return facts


def _unwrapped(source: Source) -> list[Entry]:
    """Return the lines, those of numbers only joined to the distances before them that a mail program broke."""
    parts: list[tuple[int, list[str]]] = []
    for line, text in enumerate(source.lines):
        text = text.strip()
        if parts and "/distance:" in parts[-1][1][0] and _NUMBERS.match(text):
            parts[-1][1].append(text)
        else:
            parts.append((line, [text]))
    return [(line, " ".join(texts)) for line, texts in parts]


def _machine(source: Source) -> dict[str, tuple[int, ...]]:
    found = ((line, _MACHINE.match(text.strip())) for line, text in enumerate(source.lines))
    return {match[1]: node_list(source, line, match[2]) for line, match in found if match}


def _packages(source: Source) -> dict[int, int]:
    """Return the sockets of CPUs."""
    packages: dict[int, int] = {}
    for text in source.lines:
        match = _PACKAGE.match(text.strip())
        cpu, package = (whole(match[1], 1 << 20), whole(match[2], 1 << 20)) if match else (None, None)
        if cpu is not None and package is not None:
            packages[cpu] = package
    return packages


def _package(cpus: Iterable[int] | None, packages: Mapping[int, int]) -> int | None:
    found = {packages.get(cpu) for cpu in cpus or ()}
    return found.pop() if len(found) == 1 else None


def _check_online(source: Source, ids: Sequence[int], online: Sequence[int] | None) -> list[str]:
    if online is None:
        return []
    missing = sorted(set(online) - set(ids))
    if missing:
        raise source.wrong(f"node {missing[0]} is online, but none of its files is here", line=source.last_line)
    extra = sorted(set(ids) - set(online))
    return [f"nodes {ranges(extra)} are here, but not in the list of those online"] if extra else []


def _cpus(source: Source, node: int, facts: Facts, room: int) -> tuple[tuple[int, ...] | None, list[str]]:
    """Return the CPUs of a node and a warning where list and mask differ; an empty list gives no line."""
    listed, mapped = facts[node].get("cpulist"), facts[node].get("cpumap")
    mask = cpu_mask(source, *mapped, room) if mapped else None
    if listed is None:
        others = any("cpulist" in found for found in facts.values())
        return (() if mask is None and others else mask), []
    cpus = cpu_list(source, *listed, room)
    if mask is None or mask == cpus:
        return cpus, []
    return cpus, [f"node {node}: cpulist names {len(cpus)} CPUs, cpumap {len(mask)}: cpulist is believed"]


def _memory(source: Source, node: int, facts: Facts) -> float | None:
    found = facts[node].get("meminfo")
    if found is None:
        if any("meminfo" in other for other in facts.values()):
            raise source.wrong(f"node{node}/meminfo is missing, though other nodes have it", line=_end(facts[node]))
        return None
    line, text = found
    total = _TOTAL.match(text)
    number, _, unit = total[2].partition(" ") if total else ("", "", "")
    if total is None or int(total[1][:9]) != node or unit.strip() != "kB":
        raise source.wrong("is no MemTotal of this node, or one cut off", line=line, value=text, allowed="a number with kB")
    return memory_mib(source, line, number) / 1024  # the kernel's kB are 1024 bytes


def _matrix(source: Source, facts: Facts, possible: Sequence[int] | None) -> tuple[tuple[Matrix, ...], list[str]]:
    entries = {node: found["distance"] for node, found in facts.items() if "distance" in found}
    if not entries:
        return (), []
    ids = sorted(facts)
    missing = next((node for node in ids if node not in entries), None)
    if missing is not None:
        raise source.wrong(f"node{missing}/distance is missing, though other nodes have it", line=_end(facts[missing]))
    rows = {node: [distance(source, line, word) for word in text.split()] for node, (line, text) in sorted(entries.items())}
    for node, row in rows.items():
        if len(row) < len(ids):
            raise source.wrong(f"the row of node {node} has {len(row)} distances for {len(ids)} nodes", line=entries[node][0])
        if len(row) != len(rows[ids[0]]):
            what = f"the row of node {node} has {len(row)} distances, that of node {ids[0]} {len(rows[ids[0]])}"
            raise source.wrong(what, line=entries[node][0])
    columns, notes = _columns(source, rows, entries[ids[0]][0], possible)
    values = tuple(tuple(rows[node][column] for column in columns) for node in ids)
    return (Matrix(Kind.DISTANCE, Unit.SLIT, tuple(ids), tuple(ids), values, "distance"),), notes


def _columns(
    source: Source, rows: Mapping[int, Sequence[float]], line: int, possible: Sequence[int] | None
) -> tuple[list[int], list[str]]:
    """Return which column is that of each node: the k-th of the k-th node, or where the row has its 10 if there are more."""
    ids, width = list(rows), len(rows[next(iter(rows))])
    if width == len(ids):
        return list(range(width)), []
    note = f"the distances have {width} columns, more than there are nodes ({len(ids)}): those of nodes not here are left out"
    if possible is not None and len(possible) == width and set(ids) <= set(possible):
        return [possible.index(node) for node in ids], [note]
    columns = [row.index(OWN) for row in rows.values() if list(row).count(OWN) == 1]
    if len(columns) < len(ids) or columns != sorted(set(columns)):
        raise source.wrong(f"{width} distances for {len(ids)} nodes, and no telling which is whose", line=line)
    return columns, [note]


def _end(found: Mapping[str, Entry]) -> int:
    return max(line for line, _ in found.values())
