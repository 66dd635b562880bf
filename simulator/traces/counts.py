"""What a reader has seen of a trace, so that nothing is left out unsaid."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from simulator.traces.chunk import AccessChunk


@dataclass(frozen=True)
class TraceCounts:
    """What was read so far.

    Attributes
    ----------
    accesses : int
        All, each instruction's load and store of the same bytes as one.
    writes : int
        Of them, stores, the modifying ones included.
    modifies : int
        Of them, load and store.
    bytes_touched : int
        Sum of their sizes.
    skipped : tuple of (str, int)
        Lines, or rows, that are no accesses: of what kind, and how many.
    remarks : tuple of (str, int)
        Lines that were read, but not as they should be.
    after_last : int
        Instructions behind the last access, where the trace names instructions.
    """

    accesses: int = 0
    writes: int = 0
    modifies: int = 0
    bytes_touched: int = 0
    skipped: tuple[tuple[str, int], ...] = ()
    remarks: tuple[tuple[str, int], ...] = ()
    after_last: int = 0

    def with_chunk(self, chunk: AccessChunk) -> TraceCounts:
        """Return the counts with a chunk added."""
        return replace(
            self,
            accesses=self.accesses + len(chunk),
            writes=self.writes + int(np.count_nonzero(chunk.is_write)),
            modifies=self.modifies + int(np.count_nonzero(chunk.is_modify)),
            bytes_touched=self.bytes_touched + int(chunk.size_bytes.sum(dtype=np.uint64)),
        )
