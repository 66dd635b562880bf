"""Console text of ``lstopo-no-graphics`` or ``lstopo --of console`` of hwloc 1.x and 2.x, with or without ``--distances``.

Up to 1.x the processors stand under their NUMANode; since 2.0 the NUMANode stands beside them, under the same object.
Source of the format: ``utils/lstopo/lstopo-text.c`` of hwloc, and what version 2.9 prints.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simulator.interop.cells import MAX_NODE, check_nodes
from simulator.interop.cpus import ranges
from simulator.interop.judgement import judged
from simulator.interop.lstopo_distances import HEADING, text_matrices
from simulator.interop.lstopo_tree import Object, Tree, parse_tree
from simulator.interop.record import Matrix, NodeRecord, Record
from simulator.interop.source import Source

FORMAT = "lstopo"
MAX_CPUS = 1 << 17  # of all nodes together, counted once a node
_TREE = re.compile(r"\s*(?:Machine|System)\b(?: [LP]#| \(|\s*$| \+)")
_OBJECT = re.compile(r"(?:NUMANode|PU|Core|Package|Socket)(?:\([^()]*\))? [LP]#[0-9]")
_SIZE = re.compile(r"(?:[ (]|local=)([0-9]{1,12}(?:\.[0-9]{1,3})?)(K|M|G|T)i?B\b")
_MIB = {"K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2}  # hwloc counts by 1024 whatever it calls them
_MODEL = re.compile(r'CPUModel="([^"]{1,200})"')


def recognises(source: Source) -> bool:
    """Say whether there is a tree with a Machine at its root, or a matrix of distances between nodes."""
    lines = source.lines
    tree = any(_TREE.match(line) for line in lines) and any(_OBJECT.search(line) for line in lines)
    return tree or any("matrix" in line and HEADING.match(line.strip()) for line in lines)


def read(source: Source) -> Record:
    """Return nodes, processors, memory and distances.

    Raises
    ------
    InputError
        It is no such text, or is cut off inside an object or a matrix.
    """
    tree = parse_tree(source)
    nodes = tree.nodes if tree else ()
    physical = {node.logical: node.physical for node in nodes if node.logical is not None and node.physical is not None}
    matrices, warnings = text_matrices(source, physical)
    if tree is None and not matrices:
        raise source.wrong("has no Machine and no matrix of distances", allowed="what lstopo-no-graphics prints")
    records = _without_tree(matrices) if tree is None else _nodes(source, tree, warnings)
    model = _MODEL.search(source.text)
    found = Record(
        format=FORMAT,
        nodes=records,
        matrices=tuple(matrices),
        packages=len(tree.packages) or None if tree else None,
        title=" ".join(model.group(1).split()) if model else None,
        warnings=tuple(warnings),
    )
    return judged(found)


def _without_tree(matrices: Sequence[Matrix]) -> tuple[NodeRecord, ...]:
    return tuple(NodeRecord(number) for number in sorted({row for matrix in matrices for row in matrix.rows}))


def _nodes(source: Source, tree: Tree, warnings: list[str]) -> tuple[NodeRecord, ...]:
    if not tree.nodes:
        warnings.append("the text has no NUMANode: the whole machine is taken as one node")
        cpus = _numbers(source, tree, tree.pus) if tree.pus else None
        return (NodeRecord(0, cpus, _memory_mib(tree.machine)),)
    last = next((tree.lines[node.row] for node in tree.nodes if node.number > MAX_NODE), None)
    if last is not None:
        raise source.wrong("is no number of a node", line=last, allowed=f"0 to {MAX_NODE}")
    check_nodes(source, tree.lines[tree.nodes[-1].row], [node.number for node in tree.nodes])
    if any(found.physical is None for found in (*tree.nodes, *tree.pus)):
        warnings.append("the numbers are hwloc's own (lstopo -l), maybe not the operating system's")
    if any(_rounded(node.text) for node in tree.nodes):
        warnings.append("memory is rounded to whole GB")
    holders = _holders(tree)
    held = _held(source, tree, holders, warnings)
    records = [
        NodeRecord(node.number, cpus, _memory_mib(node.text), _package(tree, node, holder))
        for node, holder, cpus in zip(tree.nodes, holders, held, strict=True)
    ]
    return tuple(sorted(records, key=lambda record: record.id))


def _holders(tree: Tree) -> list[int]:
    """Return the row that holds the processors of each node: its own up to hwloc 1.x, else the one it stands under."""
    if any(tree.inside(tree.pus, node.row) for node in tree.nodes):
        return [node.row for node in tree.nodes]
    holders = []
    for node in tree.nodes:
        row = node.row if tree.kinds[node.row] not in ("NUMANode", "MemCache") else tree.parents[node.row]
        while row > 0 and tree.kinds[row] == "MemCache":
            row = tree.parents[row]
        holders.append(max(row, 0))
    return holders


def _held(source: Source, tree: Tree, holders: Sequence[int], warnings: list[str]) -> list[tuple[int, ...] | None]:
    """Return the processors of each node: all that its holder has.

    hwloc puts nodes without processors right under the machine, so a node there has only those of no other node.
    """
    if not tree.pus:
        warnings.append("the text shows no processing units: CPUs are unknown")
        return [None] * len(holders)
    inside = {row: tree.inside(tree.pus, row) for row in holders}
    if sum(len(inside[row]) for row in holders) > MAX_CPUS:
        raise source.wrong("has too many processors in its nodes", allowed=f"at most {MAX_CPUS:,}")
    taken = {place for row, places in inside.items() if row for place in places}
    shares = {row: [tree.pus[place] for place in places if row or place not in taken] for row, places in inside.items()}
    emptied = sorted(node.number for node, row in zip(tree.nodes, holders, strict=True) if inside[row] and not shares[row])
    if emptied:
        some = f"node{'s' if len(emptied) > 1 else ''} {ranges(emptied)}"
        warnings.append(f"all processors are those of other nodes: {some} under the machine itself is taken as without CPUs")
    cpus = {row: _numbers(source, tree, units) for row, units in shares.items()}
    return [cpus[row] for row in holders]


def _numbers(source: Source, tree: Tree, units: Sequence[Object]) -> tuple[int, ...]:
    numbers = tuple(sorted(unit.number for unit in units))
    if len(set(numbers)) != len(numbers):
        raise source.wrong("a processing unit is there twice in one node", line=tree.lines[units[0].row])
    return numbers


def _package(tree: Tree, node: Object, holder: int) -> int | None:
    """Return the package that the node stands in, else the only one beside or under it."""
    row = node.row
    while row >= 0:
        on_row = [found for found in _slice(tree, row) if found.row == row]
        if on_row:
            return on_row[0].number
        row = tree.parents[row]
    beside = _slice(tree, holder)
    return beside[0].number if len(beside) == 1 else None


def _slice(tree: Tree, row: int) -> tuple[Object, ...]:
    inside = tree.inside(tree.packages, row)
    return tree.packages[inside.start : inside.stop]


def _memory_mib(text: str) -> float | None:
    """Return the size in an object's brackets; hwloc prints none for 0, so none is unknown."""
    size = _SIZE.search(text)
    return None if size is None else float(size.group(1)) * _MIB[size.group(2)]


def _rounded(text: str) -> bool:
    size = _SIZE.search(text)
    return size is not None and size.group(2) in "GT" and "." not in size.group(1)
