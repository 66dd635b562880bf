"""One large piece of memory on each node, of which tests take their arrays."""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import numpy as np
import numpy.typing as npt

from simulator.errors import InputError
from simulator.host.placement import Placement, reason, share_on_node
from simulator.host.sysfs import kilobytes
from simulator.host.topology import Host, HostNode
from simulator.units import LINE_BYTES

WORDS_PER_LINE = LINE_BYTES // 8
CHASE_WORD = 1  # streams use word 0 of each line, so that a chase's order survives them
_PLACED_SHARE = 0.99
_SEED = 1
_BLOCK = 1 << 20  # lines

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Area:
    """Memory of one node.

    Attributes
    ----------
    node : int
    words : ndarray of uint64, shape (8 x lines,)
        Begins at the start of a page.
    huge_share : float or None
        Which share lies in transparent huge pages; None where the kernel does not say.
    notes : tuple of str
    """

    node: int
    words: Words
    huge_share: float | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def lines(self) -> int:
        """How many lines of 64 B it has."""
        return len(self.words) // WORDS_PER_LINE

    def part(self, place: int, lines: int) -> Words:
        """Return the `place`-th piece of so many lines."""
        first, last = place * lines * WORDS_PER_LINE, (place + 1) * lines * WORDS_PER_LINE
        if last > len(self.words):
            raise ValueError(f"node {self.node} has {self.lines} lines; piece {place} of {lines} lies beyond")
        return self.words[first:last]


def make_area(host: Host, node: HostNode, lines: int, chase_lines: int, placement: Placement) -> Area:
    """Take memory of a node, touch all of it, see where it came to lie, and lay a chase into its first lines.

    Raises
    ------
    InputError
        The memory cannot be had, or lies on another node.
    """
    size_bytes = lines * LINE_BYTES
    try:
        memory = mmap.mmap(-1, size_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, ValueError) as error:
        raise _failed(node, f"{size_bytes:,} bytes cannot be had: {error}") from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        _wish_for_huge_pages(memory)
    words = np.frombuffer(memory, dtype=np.uint64)
    address = int(words.ctypes.data)
    notes: tuple[str, ...] = ()
    if len(host.nodes) > 1:
        notes = _place(node, words, placement)
    words[:: mmap.PAGESIZE // 8] = 0
    lay_chase(words[: chase_lines * WORDS_PER_LINE])
    if len(host.nodes) > 1:
        notes += _verify(node, share_on_node(placement, address, size_bytes, node.id))
    return Area(node.id, words, _huge_share(address, size_bytes), notes)


def lay_chase(words: Words) -> None:
    """Write into each line the place of the next: one random cycle through all lines, the same at every call."""
    order = np.arange(len(words) // WORDS_PER_LINE, dtype=np.uint64)
    np.random.default_rng(_SEED).shuffle(order)
    order *= WORDS_PER_LINE
    order += CHASE_WORD
    for first in range(0, len(order), _BLOCK):  # in blocks, for copies of the whole order would need much memory
        here = order[first : first + _BLOCK + 1]
        words[here[:-1]] = here[1:]
    words[order[-1]] = order[0]


def _wish_for_huge_pages(memory: mmap.mmap) -> None:
    try:
        memory.madvise(mmap.MADV_HUGEPAGE)
    except OSError:  # a kernel without them: small pages, and `huge_share` tells
        return


def _place(node: HostNode, words: Words, placement: Placement) -> tuple[str, ...]:
    failed = placement.mbind(int(words.ctypes.data), words.nbytes, node.id)
    if not failed:
        return ()
    if not node.cpus:
        raise _failed(node, f"memory cannot be placed there: mbind says {reason(failed)}, and no CPU of it can touch it first")
    _touch_from(node.cpus[0], words)
    return (f"mbind says {reason(failed)}: memory of node {node.id} was placed by touching it first from CPU {node.cpus[0]}",)


def _touch_from(cpu: int, words: Words) -> None:
    def touch() -> None:
        os.sched_setaffinity(0, {cpu})  # of this thread alone
        words[:: mmap.PAGESIZE // 8] = 0

    thread = Thread(target=touch)
    thread.start()
    thread.join()


def _verify(node: HostNode, share: float | None) -> tuple[str, ...]:
    if share is None:
        return (f"the kernel does not say on which node the pages meant for node {node.id} lie",)
    if share < _PLACED_SHARE:
        raise _failed(node, f"only {100 * share:.0f} % of the pages asked for lie there; is its memory full?")
    return ()


def _huge_share(address: int, size_bytes: int) -> float | None:
    """Read ``/proc/self/smaps``, whose mappings begin with a line such as ``7f00-7f80 rw-p ...``."""
    inside, lines = False, []
    try:
        with Path("/proc/self/smaps").open(encoding="ascii", errors="replace") as stream:
            for line in stream:
                if line[0] in "0123456789abcdef":
                    first, _, last = line.split(maxsplit=1)[0].partition("-")
                    inside = int(first, 16) < address + size_bytes and address < int(last, 16)
                elif inside and line.startswith("AnonHugePages:"):
                    lines.append(line)
    except (OSError, ValueError):
        return None
    return min(1.0, sum(kilobytes(line, "AnonHugePages") or 0 for line in lines) / size_bytes) if lines else None


def _failed(node: HostNode, what: str) -> InputError:
    return InputError(what, file=f"memory of node {node.id}")
