"""How large the arrays are: beyond the last-level caches, within the memory there is."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.errors import InputError
from simulator.host.topology import Host
from simulator.units import LINE_BYTES

CHUNKS_PER_ARRAY = 64  # looks at the clock in one pass over an array
_AMD_BYTES = 64 << 20  # of each thread, AMD 40555 p.17
_CACHES_PER_ARRAY = 4  # the rule of STREAM: "at least 4 times the size of the sum of all the last-level caches"
_CACHES_PER_CHASE = 8  # a cache that evicts at random still holds at most an eighth of a chase
_LEAST_SHARE_BYTES = 16 << 20  # a thread's part of a bandwidth test
_UNKNOWN_CACHE_BYTES = 64 << 20
_ROUND_BYTES = 2 << 20  # a huge page; also a whole number of lines in every chunk
_MEMORY_SHARE = 4  # no more than a fourth of a node's memory, nor half of all


@dataclass(frozen=True)
class Sizes:
    """Lines of 64 B.

    Attributes
    ----------
    array : int
        Of each thread, where one or two run.
    share : dict of int to int
        Of each thread, by the node whose CPUs all run.
    chase : int
        That a pointer chase goes through.
    area : int
        Of each node's memory, of which all these are parts.
    notes : tuple of str
    """

    array: int
    share: dict[int, int]
    chase: int
    area: int
    notes: tuple[str, ...] = ()


def choose_sizes(host: Host, array_bytes: int | None = None) -> Sizes:
    """Choose the sizes for a machine.

    Parameters
    ----------
    host : Host
    array_bytes : int, optional
        Instead of 64 MB or four times the last-level cache; for tests of the program.

    Raises
    ------
    InputError
        A node has too little memory.
    """
    caches = {node.id: node.cache_bytes or _UNKNOWN_CACHE_BYTES for node in host.askers}
    array = array_bytes or max(_AMD_BYTES, _CACHES_PER_ARRAY * max(caches.values()))
    chase = array * _CACHES_PER_CHASE // _CACHES_PER_ARRAY
    share = {node.id: max(_LEAST_SHARE_BYTES, -(-array // len(node.cpus))) for node in host.askers}
    wanted = max(2 * array, chase, *(share[node.id] * len(node.cpus) for node in host.askers))
    most = min(*(node.free_bytes // _MEMORY_SHARE for node in host.memories), host.left_bytes // (2 * len(host.memories)))
    part = min(1.0, most / wanted)
    sizes = {node: _lines(part * size) for node, size in share.items()}
    if not all((_lines(part * array), *sizes.values())):
        raise InputError("there is too little memory to measure with", value=most, allowed="some tens of MB free on every node")
    return Sizes(
        _lines(part * array),
        sizes,
        _lines(part * chase),
        max(_lines(part * wanted), 2 * _lines(part * array)),
        _notes(part * array, max(caches.values())) if array_bytes is None else (),
    )


def _lines(size_bytes: float) -> int:
    return int(size_bytes) // _ROUND_BYTES * _ROUND_BYTES // LINE_BYTES


def _notes(array_bytes: float, cache_bytes: int) -> tuple[str, ...]:
    if array_bytes >= 2 * cache_bytes:
        return ()
    sizes = f"{array_bytes / (1 << 20):.0f} MiB, less than twice the last-level cache"
    return (f"memory is short: arrays have {sizes}, so that the cache answers a part of the accesses",)
