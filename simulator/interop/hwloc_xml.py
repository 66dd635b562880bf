"""XML of hwloc 1.x, 2.x and 3.x, as ``lstopo --of xml`` writes it.

Source of the format: hwloc's ``hwloc.dtd``, ``hwloc2.dtd`` and ``topology-xml.c``.
"""

from __future__ import annotations

import re

from simulator.interop.hwloc_distances import distance_matrices
from simulator.interop.hwloc_document import Tag, parse_document
from simulator.interop.hwloc_memattrs import attribute_matrices
from simulator.interop.hwloc_nodes import coverage_warnings, node_records, node_tags, package_tags
from simulator.interop.judgement import judged
from simulator.interop.record import Record
from simulator.interop.source import Source

FORMAT = "hwloc-xml"
_HEAD_CHARACTERS = 1 << 16  # where the root must be; only a comment may stand before it
_ROOT = re.compile(r"<(!DOCTYPE\s+)?topology\b")
_NEWEST = 3
_TITLES = ("CPUModel", "DMIProductName", "DMIBoardName")


def recognises(source: Source) -> bool:
    """Say whether this is XML whose root is hwloc's ``topology``."""
    head = source.text[:_HEAD_CHARACTERS].lstrip("\ufeff \t\r\n")
    return head.startswith("<") and _ROOT.search(head) is not None


def read(source: Source) -> Record:
    """Return nodes, processors, memory, distances and memory attributes.

    Raises
    ------
    InputError
        It is no well-formed XML of hwloc, is unsafe (entities, declarations), too large, or contradicts itself.
    """
    root = parse_document(source)
    if root.name != "topology" or not root.named("object"):
        raise source.wrong("is no topology with objects", line=root.line, value=root.name, allowed="XML of `lstopo --of xml`")
    nodes = node_tags(source, root)
    distances, about_distances = distance_matrices(source, root, nodes)
    attributes, about_attributes = attribute_matrices(source, root, nodes)
    warnings = [*_about_version(root), *coverage_warnings(source, root, nodes), *about_distances, *about_attributes]
    if not nodes:
        warnings.append("the file has no NUMANode: the whole machine is taken as one node")
    found = Record(
        format=FORMAT,
        nodes=node_records(source, root, nodes),
        matrices=(*distances, *attributes),
        packages=len(package_tags(root)) or None,
        title=_title(root),
        warnings=tuple(warnings),
    )
    return judged(found)


def _about_version(root: Tag) -> list[str]:
    major = root.attributes.get("version", "1").partition(".")[0]
    if major in [str(number) for number in range(1, _NEWEST + 1)]:
        return []
    return [f"the file is of hwloc's XML version {major[:20]!r}, newer than {_NEWEST}: it was read as that"]


def _title(root: Tag) -> str | None:
    infos: dict[str, str] = {}
    for tag, _ in root.below():
        for info in tag.named("info"):
            infos.setdefault(info.attributes.get("name", ""), " ".join(info.attributes.get("value", "").split()))
    return next((infos[name] for name in _TITLES if infos.get(name)), None)
