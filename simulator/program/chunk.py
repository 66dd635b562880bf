"""What a thread of a workload does, as arrays: one entry a line, a chunk at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

CHUNK_LINES = 1 << 16
Kind = Literal["access", "warm", "shared-line", "split-lock", "migrate"]


@dataclass(frozen=True, eq=False)
class ProgramChunk:
    """Accesses of one thread in one phase, in order; each is that of a whole line.

    Attributes
    ----------
    step : int
        Which of :attr:`simulator.program.touch.PlacedProgram.steps` it belongs to.
    kind : str
        ``access``: ordinary lines, for the cache and the page table. ``warm``: the same, for the caches alone, in no time: what
        was left out of a slice. ``shared-line``: the line is one that other threads write
        too. ``split-lock``: a locked access to the line and to the one behind it, during which nobody else may access anything.
        ``migrate``: the kernel copies a page, past the cache, from node to node as `home_node` says.
    barrier : bool
        Before its first line the thread waits until all threads of the workload have arrived at this step. A chunk without
        lines may carry a barrier: the thread takes part in nothing else of the phase.
    address : uint64 array, shape (n,)
        First byte of the line; n is at most `CHUNK_LINES`.
    is_write : bool array, shape (n,)
    compute_ps : int64 array, shape (n,)
        Time the core computes before the line.
    window : int, optional
        Lines in flight; 1: each needs the one before. None: the thread's own.
    gb_per_s : float, optional
        Most the thread asks for.
    home_node : int32 array, shape (n,), optional
        Node whose memory holds each line, where it is not as the page table says.
    """

    step: int
    kind: Kind
    barrier: bool
    address: NDArray[np.uint64]
    is_write: NDArray[np.bool_]
    compute_ps: NDArray[np.int64]
    window: int | None = None
    gb_per_s: float | None = None
    home_node: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.address)
