"""Accesses of threads as arrays, a chunk at a time, so that a trace of any length takes the same memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Unit = Literal["instructions", "time_ns", "compute_ps"]
MAX_THREAD = 2**31 - 1
MAX_ACCESS_BYTES = 1 << 16  # the longest a reader takes; the widest of x86 (XSAVE) is some 11 KB


@dataclass(frozen=True, eq=False)
class AccessChunk:
    """Accesses in the order of the trace.

    Attributes
    ----------
    thread : ndarray of int32, shape (n,)
    address : ndarray of uint64, shape (n,)
        First byte.
    size_bytes : ndarray of uint32, shape (n,)
        1 to `MAX_ACCESS_BYTES`; the last byte is at most 2^64 - 1.
    is_write : ndarray of bool, shape (n,)
    is_modify : ndarray of bool, shape (n,)
        A load and a store of the same bytes by one instruction; such an access is also `is_write`.
    before : ndarray of int64, shape (n,)
        What the thread did since its access before, at least 0, in `unit`.
    unit : str
        ``"instructions"``: executed, that of the access included; ``"time_ns"``: as a recorder's clock showed it, so with
        the waiting of the machine that recorded; ``"compute_ps"``: time in which the core computes and does not wait.
    """

    thread: npt.NDArray[np.int32]
    address: npt.NDArray[np.uint64]
    size_bytes: npt.NDArray[np.uint32]
    is_write: npt.NDArray[np.bool_]
    is_modify: npt.NDArray[np.bool_]
    before: npt.NDArray[np.int64]
    unit: Unit

    def __len__(self) -> int:
        return len(self.address)

    def part(self, which: slice | npt.NDArray[Any]) -> AccessChunk:
        """Return some of the accesses: a slice, indices in order, or a mask."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return AccessChunk(**{name: value if name == "unit" else value[which] for name, value in columns.items()})


def access_chunk(
    address: npt.ArrayLike,
    is_write: npt.ArrayLike = False,
    before: npt.ArrayLike = 0,
    *,
    size_bytes: npt.ArrayLike = 8,
    is_modify: npt.ArrayLike = False,
    thread: npt.ArrayLike = 0,
    unit: Unit = "compute_ps",
) -> AccessChunk:
    """Make a chunk of addresses; what is the same for all of them may be one value.

    Parameters
    ----------
    address : array_like of int, shape (n,)
    is_write, before, size_bytes, is_modify, thread : array_like, scalar or shape (n,)
    unit : str
        Of `before`.
    """
    where = np.atleast_1d(np.asarray(address, np.uint64))
    modify = _column(is_modify, np.bool_, where)
    return AccessChunk(
        thread=_column(thread, np.int32, where),
        address=where,
        size_bytes=_column(size_bytes, np.uint32, where),
        is_write=_column(is_write, np.bool_, where) | modify,
        is_modify=modify,
        before=_column(before, np.int64, where),
        unit=unit,
    )


def by_thread(chunk: AccessChunk) -> Iterator[tuple[int, AccessChunk]]:
    """Yield each thread's accesses, in their order, by ascending number of the thread."""
    threads = np.unique(chunk.thread)
    if len(threads) == 1:
        yield int(threads[0]), chunk
        return
    for thread in threads:
        yield int(thread), chunk.part(chunk.thread == thread)


def _column(values: npt.ArrayLike, kind: Any, like: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
    return np.broadcast_to(np.asarray(values, kind), like.shape)
