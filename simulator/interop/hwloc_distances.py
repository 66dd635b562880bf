"""Distances between nodes in XML of hwloc: ``<distances>`` of 1.x, ``<distances2>`` since 2.0.

Other matrices of the same file (packages, cores, NVLink between graphics processors) are no distances between nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator.interop.hwloc_document import Tag, whole_number
from simulator.interop.hwloc_nodes import NodeTag
from simulator.interop.record import OWN, Kind, Matrix, Unit
from simulator.interop.source import Source

# hwloc/distances.h, enum hwloc_distances_kind_e
FROM_OS, MEANS_LATENCY, MEANS_BANDWIDTH = 1, 4, 8
MAX_MATRICES = 64
_MAX_VALUE_CHARACTERS = 40
_INSIDE_NODES = {"Cache", "Core", "PU"}


def distance_matrices(source: Source, root: Tag, nodes: tuple[NodeTag, ...]) -> tuple[list[Matrix], list[str]]:
    """Return the distance matrices between nodes, the firmware's first, and warnings about what was left out.

    Raises
    ------
    InputError
        A matrix does not hold as many numbers as it says, or names nodes that are not there.
    """
    matrices = [_old(source, tag, chosen) for tag, chosen in _old_matrices(source, root)]
    warnings = []
    tags = root.named("distances2")
    if len(tags) > MAX_MATRICES:
        raise source.wrong("has too many matrices", line=tags[0].line, allowed=f"at most {MAX_MATRICES}")
    for tag in tags:
        kind = tag.number(source, "kind") or 0
        if tag.attributes.get("type") != "NUMANode":
            continue
        if kind & MEANS_BANDWIDTH or not kind & MEANS_LATENCY:
            name = tag.attributes.get("name", "without a name")
            warnings.append(f"the matrix {name!r} between nodes is left out: hwloc defines no unit for it")
            continue
        matrices.append(_new(source, tag, nodes, kind))
    matrices.sort(key=lambda matrix: matrix.name != "NUMALatency")  # stable: the others keep the file's order
    return matrices, warnings


def labelled(ids: Sequence[int], cells: Sequence[float], name: str, from_os: bool) -> Matrix:
    """Return the distances in the order of node numbers.

    Parameters
    ----------
    ids : sequence of int
        In the order of the cells.
    cells : sequence of float
        Row by row.
    name : str
    from_os : bool
        From the operating system, hence from the firmware's SLIT; a user's own numbers are taken for that
        if their smallest is 10, else divided by the smallest.
    """
    smallest = min((cell for cell in cells if cell > 0), default=1.0)
    slit = from_os or smallest == OWN
    order = sorted(range(len(ids)), key=lambda place: ids[place])
    rows = [[cells[row * len(ids) + column] for column in order] for row in order]
    values = tuple(tuple(cell if slit else cell / smallest for cell in row) for row in rows)
    numbers = tuple(ids[place] for place in order)
    return Matrix(Kind.DISTANCE, Unit.SLIT if slit else Unit.RELATIVE, numbers, numbers, values, name)


def _new(source: Source, tag: Tag, nodes: tuple[NodeTag, ...], kind: int) -> Matrix:
    names = {_index(source, node, tag.attributes.get("indexing", "os")): node.id for node in nodes}
    indexes = _numbers(source, tag, "indexes")
    for index in indexes:
        if index not in names:
            raise source.wrong("indexes name a node that is not there", line=tag.line, value=index)
    if len(set(indexes)) != len(indexes):
        raise source.wrong("indexes name a node twice", line=tag.line, value=indexes)
    expected = tag.number(source, "nbobjs")
    if not indexes or expected not in (None, len(indexes)):
        raise source.wrong("indexes are not as many as nbobjs says", line=tag.line, value=len(indexes), allowed=str(expected))
    cells = _numbers(source, tag, "u64values")
    _check_count(source, tag, len(cells), len(indexes))
    name = tag.attributes.get("name", "distances")
    return labelled([names[index] for index in indexes], [float(cell) for cell in cells], name, bool(kind & FROM_OS))


def _index(source: Source, node: NodeTag, indexing: str) -> int | None:
    return node.id if indexing == "os" else node.tag.number(source, "gp_index")


def _numbers(source: Source, tag: Tag, name: str) -> list[int]:
    return [
        whole_number(source, child.line, f"a number in {name}", word) for child in tag.named(name) for word in child.text.split()
    ]


def _check_count(source: Source, tag: Tag, got: int, size: int) -> None:
    if got != size * size:
        what = f"a matrix of {size} nodes has another number of values"
        raise source.wrong(what, line=tag.line, value=got, allowed=str(size * size))


def _old_matrices(source: Source, root: Tag) -> list[tuple[Tag, tuple[Tag, ...]]]:
    """Return the ``<distances>`` between nodes, with those nodes in their order.

    hwloc 1.x names the objects by their depth below the element; hwloc 2.x writing that format counts memory as a level
    that the tree does not have. So the number of objects decides, except where the depth names parts of nodes.
    """
    held = [(holder, tag) for holder, _ in root.below() for tag in holder.named("distances")]
    if len(held) > MAX_MATRICES:
        raise source.wrong("has too many matrices", line=held[0][1].line, allowed=f"at most {MAX_MATRICES}")
    found = []
    for holder, tag in held:
        depth, count = tag.number(source, "relative_depth"), tag.number(source, "nbobjs")
        below = [(obj, len(ancestors) + 1) for obj, ancestors in holder.below()]
        nodes = tuple(obj for obj, _ in below if obj.attributes.get("type") == "NUMANode")
        named = [obj.attributes.get("type") for obj, level in below if level == depth]
        if nodes and len(nodes) == count and not (len(named) == count and set(named) <= _INSIDE_NODES):
            found.append((tag, nodes))
    return found


def _old(source: Source, tag: Tag, nodes: tuple[Tag, ...]) -> Matrix:
    base = _decimal(source, tag, "latency_base", "1")
    latencies = [_decimal(source, child, "value", "") * base for child in tag.named("latency")]
    _check_count(source, tag, len(latencies), len(nodes))
    ids = [node.number(source, "os_index") for node in nodes]
    return labelled([number for number in ids if number is not None], latencies, "distances", from_os=base > 1)


def _decimal(source: Source, tag: Tag, attribute: str, default: str) -> float:
    text = tag.attributes.get(attribute, default)
    try:
        value = float(text) if len(text) <= _MAX_VALUE_CHARACTERS else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise source.wrong(f"{attribute} is no number of 0 or more", line=tag.line, value=text)
    return value
