"""Memory attributes in XML of hwloc (since 2.3): bandwidths and latencies from processors to the memory of a node.

hwloc/memattrs.h gives bandwidths in MiB/s and latencies in ns; attributes that users add have no unit and are left out.
"""

from __future__ import annotations

from simulator.interop.hwloc_bitmap import bitmap
from simulator.interop.hwloc_document import Tag
from simulator.interop.hwloc_nodes import NodeTag
from simulator.interop.record import Kind, Matrix, Unit
from simulator.interop.source import Source

BYTES_PER_MIB, BYTES_PER_MB = 1 << 20, 1e6
MAX_VALUES = 10_000
_BANDWIDTHS = ("Bandwidth", "ReadBandwidth", "WriteBandwidth")
_LATENCIES = ("Latency", "ReadLatency", "WriteLatency")
_BUILT_IN = ("Capacity", "Locality")


def attribute_matrices(source: Source, root: Tag, nodes: tuple[NodeTag, ...]) -> tuple[list[Matrix], list[str]]:
    """Return one matrix for each attribute that names pairs of nodes, and warnings about what was left out.

    A value holds for every node all of whose processors are among the initiator's; where several hold, the
    initiator with the fewest processors is the nearest description and wins.

    Raises
    ------
    InputError
        A value is no number, its target is no object of the file, or there are too many.
    """
    objects = {tag.attributes.get("gp_index"): tag for tag, _ in root.below()}
    matrices, warnings = [], []
    _check_size(source, root)
    for attribute in root.named("memattr"):
        name = attribute.attributes.get("name", "")
        if name in _BANDWIDTHS or name in _LATENCIES:
            cells, left_out = _cells(source, attribute, nodes, objects)
            matrices += [_matrix(name, cells)] if cells else []
            if left_out:
                warnings.append(f"{left_out} values of the memory attribute {name} are left out: their initiators are no nodes")
        elif name not in _BUILT_IN and attribute.named("memattr_value"):
            warnings.append(f"the memory attribute {name!r} is left out: hwloc defines no unit for it")
    return matrices, warnings


def _check_size(source: Source, root: Tag) -> None:
    attributes = root.named("memattr")
    if sum(1 + len(attribute.children) for attribute in attributes) > MAX_VALUES:
        raise source.wrong("has too many memory attributes", line=attributes[0].line, allowed=f"at most {MAX_VALUES:,} values")


def _cells(
    source: Source, attribute: Tag, nodes: tuple[NodeTag, ...], objects: dict[str | None, Tag]
) -> tuple[dict[tuple[int, int], float], int]:
    ids = {id(node.tag): node.id for node in nodes}
    chosen: dict[tuple[int, int], tuple[int, float]] = {}
    left_out = 0
    for entry in attribute.named("memattr_value"):
        target = objects.get(entry.attributes.get("target_obj_gp_index"))
        value = entry.number(source, "value")
        if target is None or value is None:
            raise source.wrong("a memory attribute has no value or no target in this file", line=entry.line)
        initiator = _initiator(source, entry, objects)
        rows = [node.id for node in nodes if node.cpus and not node.cpus & ~initiator] if id(target) in ids else []
        left_out += not rows
        for row in rows:
            pair = (row, ids[id(target)])
            if pair not in chosen or initiator.bit_count() < chosen[pair][0]:
                chosen[pair] = (initiator.bit_count(), float(value))
    return {pair: value for pair, (_, value) in chosen.items()}, left_out


def _initiator(source: Source, entry: Tag, objects: dict[str | None, Tag]) -> int:
    named = objects.get(entry.attributes.get("initiator_obj_gp_index"))
    own = bitmap(source, entry, "initiator_cpuset")
    if own is not None:
        return own
    return 0 if named is None else bitmap(source, named, "cpuset") or 0


def _matrix(name: str, cells: dict[tuple[int, int], float]) -> Matrix:
    rows, columns = (tuple(sorted({pair[side] for pair in cells})) for side in (0, 1))
    bandwidth = name in _BANDWIDTHS
    if bandwidth:
        cells = {pair: value * BYTES_PER_MIB / BYTES_PER_MB for pair, value in cells.items()}
    values = tuple(tuple(cells.get((row, column)) for column in columns) for row in rows)
    kind, unit = (Kind.BANDWIDTH, Unit.MB_PER_S) if bandwidth else (Kind.LATENCY, Unit.NS)
    return Matrix(kind, unit, rows, columns, values, name)
