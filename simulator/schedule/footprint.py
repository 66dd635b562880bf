"""How a process uses memory: regions with sizes and shares, as addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from simulator.errors import InputError
from simulator.program.orders import Random
from simulator.traces import access_chunk
from simulator.traces.chunk import AccessChunk
from simulator.units import LINE_BYTES

_DRAWS = 1 << 20  # shares are kept to a millionth
_GAP_BYTES = 1 << 30  # between regions, so that none touches another
_KEYS = {"region": 101, "write": 102}  # of random numbers; those of the regions' lines are 1 and up


@dataclass(frozen=True)
class Region:
    """A part of a process's memory.

    Attributes
    ----------
    size_kib : float
    share : float
        Of the process's accesses; those of all its regions add up to 1.
    order : {'random', 'stream'}
        Any line as likely as the others; or 8 bytes behind 8 bytes, again and again.
    """

    size_kib: float
    share: float
    order: Literal["random", "stream"] = "random"


@dataclass(frozen=True)
class Footprint:
    """How a process uses memory.

    Attributes
    ----------
    name : str
    regions : tuple of Region
    write_share : float
        Share of the accesses that store.
    instructions_per_access : int
        The access included.
    dependent : bool
        A line waits for the one before it, as where pointers are followed; else the core's window is filled.
    """

    name: str
    regions: tuple[Region, ...]
    write_share: float = 0.25
    instructions_per_access: int = 3
    dependent: bool = True

    def __post_init__(self) -> None:
        if not self.regions or abs(sum(region.share for region in self.regions) - 1) > 1e-6:
            raise InputError("shares of regions do not add up to 1", field=f"footprint {self.name}", allowed="a sum of 1")
        for region in self.regions:
            if not (LINE_BYTES / 1024 <= region.size_kib <= 1 << 20 and 0 <= region.share <= 1):
                raise InputError("a region out of range", field=f"footprint {self.name}", value=region, allowed="64 B to 1 GiB")
        if not 0 <= self.write_share <= 1 or self.instructions_per_access < 1:
            raise InputError("out of range", field=f"footprint {self.name}", value=self, allowed="shares 0 to 1, 1 instruction")

    def accesses(self, first: int, stop: int) -> AccessChunk:
        """Return accesses `first` to `stop` - 1 of the process; any part can be made alone."""
        draws = _draws("region", first, stop)
        bounds = np.cumsum([round(region.share * _DRAWS) for region in self.regions[:-1]])
        which = np.searchsorted(bounds, draws, side="right")
        columns = [self._addresses(number, first, stop) for number in range(len(self.regions))]
        address = np.choose(which, columns) if len(columns) > 1 else columns[0]
        written = _draws("write", first, stop) < self.write_share * _DRAWS
        return access_chunk(address, written, self.instructions_per_access, unit="instructions")

    def reused_lines(self, caches_bytes: int) -> tuple[tuple[int, float], ...]:
        """Return lines and share of the regions that the caches can hold."""
        small = [region for region in self.regions if region.size_kib * 1024 <= caches_bytes]
        return tuple((int(region.size_kib * 1024 / LINE_BYTES), region.share) for region in small)

    def _addresses(self, number: int, first: int, stop: int) -> npt.NDArray[np.uint64]:
        region = self.regions[number]
        start, lines = (number + 1) * _GAP_BYTES, int(region.size_kib * 1024) // LINE_BYTES
        if region.order == "random":
            return Random(start, lines, lines, key=number + 1).addresses(first, stop)
        own = np.floor(np.arange(first, stop) * region.share).astype(np.uint64)  # it moves on at its own accesses only
        address: npt.NDArray[np.uint64] = own * np.uint64(8) % np.uint64(lines * LINE_BYTES) + np.uint64(start)
        return address


def _draws(what: Literal["region", "write"], first: int, stop: int) -> npt.NDArray[np.uint64]:
    return Random(0, _DRAWS, _DRAWS, _KEYS[what]).addresses(first, stop) // np.uint64(LINE_BYTES)
