"""Which CPUs (hardware threads) are one core, where a file tells: the operating system's CPUs alone do not.

hwloc and lstopo have Core objects, likwid-topology a table, Coreinfo a map; Linux has files beside those of the nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from simulator.errors import InputError
from simulator.interop.cells import MAX_CPUS, whole
from simulator.interop.coreinfo_maps import section
from simulator.interop.cpus import cpu_list
from simulator.interop.hwloc_bitmap import bitmap, members
from simulator.interop.hwloc_document import parse_document
from simulator.interop.lstopo_tree import parse_tree
from simulator.interop.record import NodeRecord, Record
from simulator.interop.source import Source, read_bounded

Cores = Mapping[int, int]  # by CPU: the core it is in, in any numbers
_LSTOPO_CORE = re.compile(r"\bCore(?:\([^()]*\))? [LP]#")
_LIKWID_TABLE = re.compile(r"HWThread\s+Thread\s+Core\s")
_LIKWID_PLACE = ("Socket", "Die", "Core")  # old versions number the cores of each socket anew
_COREINFO_HEADING = "Logical to Physical Processor Map:"
_COREINFO_CORE = re.compile(r"([*\-]+)\s+Physical Processor [0-9]+")
_CPUS, _SIBLINGS = "sys/devices/system/cpu", ("core_cpus_list", "thread_siblings_list")  # Linux from 5.2 on, and before
_MAX_BYTES = 1 << 16


def cores_told(source: Source, record: Record) -> Cores:
    """Return the core of each CPU, as far as the text tells; empty where its format has none."""
    told = _READERS.get(record.format)
    return {} if told is None else _numbered(told(source))


def live_cores(record: Record, root: Path = Path("/")) -> Cores:
    """Return the core of each CPU of the record on the machine that this runs on; empty where Linux does not tell."""
    cpus = [cpu for node in record.nodes or () for cpu in node.cpus or ()]
    return _numbered(_siblings(root, cpu) for cpu in cpus)


def live_cpus(root: Path = Path("/")) -> tuple[int, ...] | None:
    """Return the CPUs that are online on the machine that this runs on; None where Linux does not tell."""
    return _listed(root / _CPUS / "online")


def cores_in(node: NodeRecord, cores: Cores) -> int | None:
    """Return how many cores the CPUs of a node are in; None where that is not told of all of them."""
    found = {cores.get(cpu) for cpu in node.cpus or ()}
    return None if node.cpus is None or None in found else len(found)


def _numbered(groups: Iterable[Iterable[int]]) -> Cores:
    return {cpu: number for number, group in enumerate(groups) for cpu in group}


def _hwloc(source: Source) -> list[tuple[int, ...]]:
    tags = (tag for tag, _ in parse_document(source).below() if tag.attributes.get("type") == "Core")
    return [members(bitmap(source, tag, "cpuset") or 0) for tag in tags]


def _lstopo(source: Source) -> list[tuple[int, ...]]:
    tree = parse_tree(source)
    rows = range(len(tree.lines)) if tree else ()
    cores = [row for row in rows if tree and _LSTOPO_CORE.search(source.lines[tree.lines[row]])]
    return [tuple(tree.pus[place].number for place in tree.inside(tree.pus, row)) for row in cores if tree]


def _likwid(source: Source) -> list[list[int]]:
    columns: list[str] = []
    groups: dict[tuple[str, ...], list[int]] = {}
    for words in map(str.split, source.lines):
        if _LIKWID_TABLE.match(" ".join(words)):
            columns = words
        elif columns and len(words) >= len(columns) - 1 and (cpu := whole(words[0], MAX_CPUS)) is not None:
            key = tuple(words[columns.index(name)] for name in _LIKWID_PLACE if name in columns)
            groups.setdefault(key, []).append(cpu)
        elif groups:
            break
    return list(groups.values())


def _coreinfo(source: Source) -> list[tuple[int, ...]]:
    start = section(source, _COREINFO_HEADING)
    groups: list[tuple[int, ...]] = []
    for text in source.lines[start + 1 :] if start is not None else ():
        match = _COREINFO_CORE.match(text.strip())
        if match is None:  # the end; or several groups of processors, which stand otherwise
            break
        groups.append(tuple(cpu for cpu, sign in enumerate(match[1]) if sign == "*"))
    return groups


def _siblings(root: Path, cpu: int) -> tuple[int, ...]:
    found = (_listed(root / _CPUS / f"cpu{cpu}" / "topology" / name) for name in _SIBLINGS)
    return next((cpus for cpus in found if cpus), ())


def _listed(path: Path) -> tuple[int, ...] | None:
    try:
        text = read_bounded(path, str(path), _MAX_BYTES).decode("ascii", "replace").strip()
        return cpu_list(Source(str(path), text), 0, text)
    except InputError:
        return None


_READERS: Mapping[str, Callable[[Source], Iterable[Iterable[int]]]] = {
    "hwloc-xml": _hwloc,
    "lstopo": _lstopo,
    "likwid": _likwid,
    "coreinfo": _coreinfo,
}
