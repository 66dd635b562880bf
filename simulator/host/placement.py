"""Memory on a node of one's choice: the system calls mbind and move_pages, without libnuma.

Constants are those of Linux, include/uapi/linux/mempolicy.h; numbers of the calls, arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass

_MPOL_BIND = 2
_MAX_NODES = 1024
_GENERIC = (235, 239)
_CALLS = {"x86_64": (237, 279), "aarch64": _GENERIC, "riscv64": _GENERIC, "loongarch64": _GENERIC}  # mbind, move_pages
_MOST_PAGES_ASKED = 4096
_BITS = 8 * ctypes.sizeof(ctypes.c_ulong)


@dataclass(frozen=True)
class Placement:
    """The two calls of this machine.

    Attributes
    ----------
    mbind : callable
        Takes address, bytes and node; returns 0 or the error's number.
    where : callable
        Takes addresses; returns the node of each page (negative: an error's number), or None where the kernel does not say.
    """

    mbind: Callable[[int, int, int], int]
    where: Callable[[list[int]], list[int] | None]


def this_placement() -> Placement:
    """Return the calls of the machine at hand; they refuse where their numbers are not known."""
    numbers = _CALLS.get(platform.machine()) if sys.maxsize > 2**32 else None
    if numbers is None:
        return Placement(lambda address, size, node: errno.ENOSYS, lambda addresses: None)
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long

    def mbind(address: int, size: int, node: int) -> int:
        mask = (ctypes.c_ulong * (_MAX_NODES // _BITS))()
        mask[node // _BITS] = 1 << node % _BITS
        most = ctypes.c_ulong(_MAX_NODES + 1)  # the kernel takes one off
        done = syscall(numbers[0], ctypes.c_void_p(address), ctypes.c_ulong(size), _MPOL_BIND, mask, most, ctypes.c_uint(0))
        return 0 if done == 0 else ctypes.get_errno()

    def where(addresses: list[int]) -> list[int] | None:
        pages, found = (ctypes.c_void_p * len(addresses))(*addresses), (ctypes.c_int * len(addresses))()
        done = syscall(numbers[1], 0, ctypes.c_ulong(len(addresses)), pages, None, found, 0)  # no targets: only asks
        return list(found) if done == 0 else None

    return Placement(mbind, where)


def share_on_node(placement: Placement, address: int, size: int, node: int) -> float | None:
    """Return which share of the touched pages, evenly picked, lies on a node; None where the kernel does not say."""
    pages = size // mmap.PAGESIZE
    step = max(1, -(-pages // _MOST_PAGES_ASKED))
    found = placement.where([address + page * mmap.PAGESIZE for page in range(0, pages, step)])
    if not found:
        return None
    return sum(place == node for place in found) / len(found)


def reason(number: int) -> str:
    """Return what an error's number means, in small letters."""
    return os.strerror(number).lower()
