"""What this process may use of the machine it runs on: nodes, CPUs, memory and last-level caches, as Linux tells."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from simulator.errors import InputError
from simulator.host.limits import cpu_quota, memory_left
from simulator.host.sysfs import kilobytes, parse_list, parse_size, read_list, read_text

_MOST_NODES = 1024  # MAX_NUMNODES of Linux


@dataclass(frozen=True)
class HostNode:
    """One node as Linux numbers it.

    Attributes
    ----------
    id : int
    cpus : tuple of int
        Those this process may use; a CPU's place here is the ``core`` of AMD's labels. One CPU of each physical core comes
        first, then the second hardware threads.
    free_bytes : int
        Memory that can be had there; 0 where the node has none or this process may not use it.
    cache_bytes : int or None
        Last-level caches of these CPUs together; None where Linux does not tell.
    """

    id: int
    cpus: tuple[int, ...]
    free_bytes: int
    cache_bytes: int | None


@dataclass(frozen=True)
class Host:
    """The machine at hand.

    Attributes
    ----------
    nodes : tuple of HostNode
        Sorted by number; only those with a CPU or memory to use.
    left_bytes : int
        Memory that can be had in all.
    notes : tuple of str
        What a reader of the numbers should know, one sentence each without a full stop.
    """

    nodes: tuple[HostNode, ...]
    left_bytes: int
    notes: tuple[str, ...] = ()

    @property
    def askers(self) -> tuple[HostNode, ...]:
        """The nodes with a CPU."""
        return tuple(node for node in self.nodes if node.cpus)

    @property
    def memories(self) -> tuple[HostNode, ...]:
        """The nodes with memory."""
        return tuple(node for node in self.nodes if node.free_bytes)


def look_at_host() -> Host:
    """Return the machine at hand.

    Raises
    ------
    InputError
        It is not Linux, where threads can be pinned and memory placed; or no node has memory to use.
    """
    if sys.platform != "linux" or not hasattr(os, "sched_setaffinity"):
        raise InputError(
            "threads cannot be pinned, nor memory placed, on this operating system", value=sys.platform, allowed="Linux"
        )
    return read_host(Path("/"), os.sched_getaffinity(0))


def read_host(root: Path, allowed: Collection[int]) -> Host:
    """Return the machine that a tree of ``/sys`` and ``/proc`` below `root` tells of.

    Parameters
    ----------
    root : path
    allowed : collection of int
        CPUs this process may use.

    Raises
    ------
    InputError
        No node has a CPU, or none has memory, that this process may use.
    """
    left = memory_left(root)
    nodes = _nodes(root, allowed, left)
    notes = []
    if not nodes:
        notes.append("the kernel tells of no nodes: everything is taken as node 0")
        nodes = (HostNode(0, _in_label_order(root, allowed), left, _cache_bytes(root, allowed)),)
    usable = tuple(node for node in nodes if node.cpus or node.free_bytes)
    host = Host(usable, left, (*notes, *_notes(root, usable, allowed)))
    if not host.memories or not host.askers:
        what = "memory" if host.askers else "CPU"
        raise InputError(f"no node has a {what} that this process may use", file=str(root / "sys/devices/system/node"))
    return host


def _nodes(root: Path, allowed: Collection[int], left: int) -> tuple[HostNode, ...]:
    folder = root / "sys/devices/system/node"
    numbers = read_list(folder / "online") or _numbered_folders(folder)
    memories = _allowed_memories(root)
    return tuple(_node(root, number, allowed, memories, left) for number in numbers[:_MOST_NODES])


def _numbered_folders(folder: Path) -> tuple[int, ...]:
    """Find nodes by their folders: some containers show these, but not the list of nodes that are online."""
    try:
        names = [entry.name.removeprefix("node") for entry in folder.glob("node[0-9]*")]
    except OSError:
        return ()
    return tuple(sorted(int(name) for name in names if name.isdecimal()))


def _node(root: Path, number: int, allowed: Collection[int], memories: Collection[int] | None, left: int) -> HostNode:
    folder = root / f"sys/devices/system/node/node{number}"
    cpus = set(read_list(folder / "cpulist") or ()) & set(allowed)
    meminfo = read_text(folder / "meminfo")
    free = (kilobytes(meminfo, "MemFree") or 0) + (kilobytes(meminfo, "FilePages") or 0)  # cached files make room
    usable = memories is None or number in memories
    return HostNode(number, _in_label_order(root, cpus), min(free, left) if usable else 0, _cache_bytes(root, cpus))


def _allowed_memories(root: Path) -> tuple[int, ...] | None:
    for line in (read_text(root / "proc/self/status") or "").splitlines():
        if line.startswith("Mems_allowed_list:"):
            return parse_list(line.partition(":")[2])
    return None


def _in_label_order(root: Path, cpus: Collection[int]) -> tuple[int, ...]:
    def place(cpu: int) -> tuple[int, int]:
        siblings = [other for other in _siblings(root, cpu) if other in cpus]
        return (siblings.index(cpu) if cpu in siblings else 0, cpu)

    return tuple(sorted(cpus, key=place))


def _siblings(root: Path, cpu: int) -> tuple[int, ...]:
    return read_list(root / f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") or (cpu,)


def _cache_bytes(root: Path, cpus: Collection[int]) -> int | None:
    instances: dict[str, int] = {}
    for cpu in cpus:
        found = _last_cache(root / f"sys/devices/system/cpu/cpu{cpu}/cache")
        if found is None:
            return None
        instances[found[0]] = found[1]
    return sum(instances.values()) or None


def _last_cache(folder: Path) -> tuple[str, int] | None:
    """Return the CPUs that share the last cache for data, as a key, and its bytes."""
    last: tuple[int, str, int] | None = None
    for index in range(16):
        cache = folder / f"index{index}"
        level, size = read_list(cache / "level"), parse_size(read_text(cache / "size"))
        shared = read_text(cache / "shared_cpu_list")
        if not level or not size or shared is None or read_text(cache / "type") not in ("Data", "Unified"):
            continue
        if last is None or level[0] > last[0]:
            last = (level[0], shared, size)
    return last and last[1:]


def _notes(root: Path, nodes: Collection[HostNode], allowed: Collection[int]) -> list[str]:
    notes = []
    quota = cpu_quota(root)
    if quota is not None and quota < len(allowed):
        notes.append(f"a quota of {quota:g} CPUs holds this process back now and then: numbers may be too slow")
    if any(node.cache_bytes is None for node in nodes if node.cpus):
        notes.append("the size of the last-level cache is not known: 64 MiB is assumed")
    if sum(len(node.cpus) > 0 for node in nodes) == 1 and sum(node.free_bytes > 0 for node in nodes) == 1:
        notes.append("there is one node: everything is local, and no distance can be measured")
    return notes
