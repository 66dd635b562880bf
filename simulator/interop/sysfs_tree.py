"""A tree such as /sys/devices/system/node, of this machine or copied from another, as the listing of its files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from simulator.errors import InputError
from simulator.interop import sysfs
from simulator.interop.cells import MAX_CPUS, MAX_NODES, whole
from simulator.interop.cleaning import glued, unpadded
from simulator.interop.record import Record
from simulator.interop.source import MAX_LINES, Source, read_bounded

_NODE = re.compile(r"node([0-9]{1,5})$")
_CPU = re.compile(r"cpu([0-9]{1,7})$")
_ROOTS = ("", "node", "system/node", "devices/system/node", "sys/devices/system/node")
_MACHINE_FILES, _NODE_FILES = ("online", "possible"), ("cpulist", "cpumap", "distance", "meminfo")
_LIVE = Path("sys/devices/system/node")
_MAX_FILE_BYTES, _MAX_CPUINFO_BYTES = 1 << 18, 16 << 20
_MAX_ENTRIES = 1 << 16  # of one folder: a node has a link for each of its CPUs and blocks of memory


def read_tree(folder: Path, label: str | None = None) -> Record:
    """Read a copy of /sys/devices/system/node, or a folder that has it below.

    Raises
    ------
    InputError
        There is none, or what is in it cannot be.
    """
    return sysfs.read(tree_source(folder, label or str(folder)))


def read_live(root: Path = Path("/")) -> Record:
    """Read the machine that this runs on; its title is the model name of /proc/cpuinfo.

    Returns
    -------
    Record
        Without nodes, and saying so, where the kernel knows no NUMA.
    """
    title, packages = _cpuinfo(root)
    place = root / _LIVE
    if not _numbered(place, _NODE):
        return Record("sysfs", title=title, warnings=("no NUMA: this kernel lists no nodes",))
    record = read_tree(place)
    if record.packages is None:  # sysfs has no topology of the CPUs
        return replace(sysfs.with_packages(record, packages), title=title)
    return replace(record, title=title)


def tree_source(folder: Path, label: str) -> Source:
    """Return the files of a tree as lines of a listing, which messages call by their files.

    Raises
    ------
    InputError
        There is no node, or a file is unreadable or larger than any of Linux.
    """
    place = next((found for found in (folder / root for root in _ROOTS) if _numbered(found, _NODE)), None)
    if place is None:
        raise InputError("has no folder node0 or the like", file=label, allowed="a tree as /sys/devices/system/node")
    lines = [(name, text) for name in _files(place) for text in _lines(place / name, f"{label}/{name}")]
    if len(lines) > MAX_LINES:
        raise InputError("has too many lines", file=label, allowed=f"at most {MAX_LINES:,}")
    return Source(label, "\n".join(f"{name}:{text}" for name, text in lines), places=tuple(name for name, _ in lines))


def _files(place: Path) -> Iterator[str]:
    yield from _MACHINE_FILES
    nodes = _numbered(place, _NODE)
    if len(nodes) > MAX_NODES:
        raise InputError(f"has {len(nodes):,} nodes", file=str(place), allowed=f"at most {MAX_NODES:,}")
    for node in nodes:
        yield from (f"{node}/{name}" for name in _NODE_FILES)
        yield from (f"{node}/{cpu}/topology/physical_package_id" for cpu in _numbered(place / node, _CPU))


def _numbered(place: Path, pattern: re.Pattern[str]) -> list[str]:
    """Return the entries of a folder that are named so, in the order of their numbers; none where there is no folder."""
    found: list[tuple[int, str]] = []
    try:
        with os.scandir(place) as entries:
            for count, entry in enumerate(entries):
                if count >= _MAX_ENTRIES:
                    raise InputError("has too many entries", file=str(place), allowed=f"at most {_MAX_ENTRIES:,}")
                match = pattern.match(entry.name)
                if match and entry.is_dir():
                    found.append((int(match[1]), entry.name))
    except (OSError, ValueError):
        return []
    return [name for _, name in sorted(found)]


def _lines(path: Path, label: str) -> list[str]:
    """Return the lines of a file that are not empty; none where there is no file, as sysfs leaves some out."""
    if not os.path.exists(path):
        return []
    text = read_bounded(path, label, _MAX_FILE_BYTES).decode("latin-1")
    if glued(text) is not None:
        raise InputError("has a NUL byte within a number", file=label, allowed="NUL bytes as padding only")
    return [line for line in unpadded(text).splitlines() if line.strip()]


def _cpuinfo(root: Path) -> tuple[str | None, dict[int, int]]:
    """Return the model name of the processor, and the socket of each CPU where it is there (x86 has it)."""
    path = root / "proc/cpuinfo"
    text = read_bounded(path, str(path), _MAX_CPUINFO_BYTES).decode("utf-8", "replace") if path.exists() else ""
    title: str | None = None
    packages: dict[int, int] = {}
    cpu: int | None = None
    for line in text.splitlines():
        key, _, value = (part.strip() for part in line.partition(":"))
        if key == "processor":
            cpu = whole(value, MAX_CPUS)
        elif key == "model name":
            title = title or value[:200] or None
        elif key == "physical id" and cpu is not None and (package := whole(value, MAX_CPUS)) is not None:
            packages[cpu] = package
    return title, packages
