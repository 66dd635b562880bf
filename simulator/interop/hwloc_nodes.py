"""Nodes, processors, memory and packages in XML of hwloc.

In hwloc 1.x a NUMANode contains its packages (or lies in one); since 2.0 it is a child for memory only, beside the cores.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.interop.cells import MAX_NODES
from simulator.interop.cpus import ranges
from simulator.interop.hwloc_bitmap import bitmap, members
from simulator.interop.hwloc_document import Tag
from simulator.interop.record import NodeRecord
from simulator.interop.source import Source

MAX_CPUS = 65_536  # of all nodes together, counted once a node
BYTES_PER_MIB = 1 << 20
_PACKAGES = ("Package", "Socket")  # hwloc before 1.11 said Socket


@dataclass(frozen=True)
class NodeTag:
    """A node of the file.

    Parameters
    ----------
    id : int
        The operating system's number.
    tag : Tag
    ancestors : tuple of Tag
        Objects around it, outermost first.
    cpus : int, optional
        As a bitmap.
    """

    id: int
    tag: Tag
    ancestors: tuple[Tag, ...]
    cpus: int | None


def node_tags(source: Source, root: Tag) -> tuple[NodeTag, ...]:
    """Return the NUMANode objects in the order of the file, which is hwloc's logical order.

    Raises
    ------
    InputError
        A number is missing, no number or there twice, a bitmap is wrong, or there are too many.
    """
    found: dict[int, NodeTag] = {}
    for tag, ancestors in root.below():
        if tag.attributes.get("type") != "NUMANode":
            continue
        number = tag.number(source, "os_index")
        if number is None:
            raise source.wrong("a NUMANode has no os_index", line=tag.line)
        if number in found:
            raise source.wrong("a NUMANode is there twice", line=tag.line, value=number)
        found[number] = NodeTag(number, tag, ancestors, bitmap(source, tag, "cpuset"))
        if len(found) > MAX_NODES:
            raise source.wrong("has too many nodes", line=tag.line, allowed=f"at most {MAX_NODES}")
    cpus = sum((node.cpus or 0).bit_count() for node in found.values())
    if cpus > MAX_CPUS:
        raise source.wrong("has too many processors in its nodes", value=cpus, allowed=f"at most {MAX_CPUS}")
    return tuple(found.values())


def package_tags(root: Tag) -> tuple[Tag, ...]:
    """Return the packages in the order of the file."""
    return tuple(tag for tag, _ in root.below() if tag.attributes.get("type") in _PACKAGES)


def node_records(source: Source, root: Tag, nodes: tuple[NodeTag, ...]) -> tuple[NodeRecord, ...]:
    """Return the nodes sorted by number; the whole machine as node 0 where the file has no NUMANode."""
    if not nodes:
        return (_machine_as_node(source, root),)
    packages = {id(tag): number for number, tag in enumerate(package_tags(root))}
    records = [
        NodeRecord(
            node.id,
            cpus=None if node.cpus is None else members(node.cpus),
            memory_mib=_memory_mib(source, node.tag),
            package=_package(source, node, packages),
        )
        for node in nodes
    ]
    return tuple(sorted(records, key=lambda record: record.id))


def coverage_warnings(source: Source, root: Tag, nodes: tuple[NodeTag, ...]) -> list[str]:
    """Say which processors and nodes of the machine the file leaves out, and whose memory it does not tell."""
    machine = root.named("object")[0]
    warnings = []
    for present, complete, noun in (("cpuset", "complete_cpuset", "CPUs"), ("nodeset", "complete_nodeset", "nodes")):
        left_out = _finite(source, machine, complete) & ~_finite(source, machine, present)
        if left_out and present in machine.attributes:
            warnings.append(f"not allowed or offline here: {noun} {ranges(members(left_out))}; this is a part of the machine")
    lost = set(members(_finite(source, machine, "nodeset"))) - {node.id for node in nodes} if nodes else set()
    if lost:  # hwloc 2.x writing the format of 1.x keeps one node of those that share processors
        warnings.append(f"the file names nodes {ranges(sorted(lost))} without describing them")
    unknown = [node.id for node in nodes if "local_memory" not in node.tag.attributes]
    if unknown:
        warnings.append(f"the file does not tell the memory of node{'s' if len(unknown) > 1 else ''} {ranges(sorted(unknown))}")
    return warnings


def _finite(source: Source, tag: Tag, attribute: str) -> int:
    """Return a bitmap; nothing where it is missing or infinite, as a nodeset of hwloc 1.x is on a machine without NUMA."""
    if tag.attributes.get(attribute, "").startswith("0xf...f"):
        return 0
    return bitmap(source, tag, attribute) or 0


def _machine_as_node(source: Source, root: Tag) -> NodeRecord:
    machine = root.named("object")[0]
    cpus = bitmap(source, machine, "cpuset")
    return NodeRecord(0, None if cpus is None else members(cpus), _memory_mib(source, machine))


def _memory_mib(source: Source, tag: Tag) -> float | None:
    size_bytes = tag.number(source, "local_memory")
    return None if size_bytes is None else size_bytes / BYTES_PER_MIB


def _package(source: Source, node: NodeTag, packages: dict[int, int]) -> int | None:
    """Return the package around the node, in it, or alone beside it in its group."""
    for ancestor in reversed(node.ancestors):
        if id(ancestor) in packages:
            return _package_number(source, ancestor, packages)
    inside = [tag for tag, _ in node.tag.below() if id(tag) in packages]
    group = next((tag for tag in reversed(node.ancestors) if tag.attributes.get("type") == "Group"), None)
    if not inside and node.cpus and group:
        inside = [tag for tag, _ in group.below() if id(tag) in packages]
    return _package_number(source, inside[0], packages) if len(inside) == 1 else None


def _package_number(source: Source, tag: Tag, packages: dict[int, int]) -> int:
    number = tag.number(source, "os_index")
    return packages[id(tag)] if number is None else number
