"""The caches of a node's cores, kept between chunks."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from simulator.cache.lines import Addresses, CacheCounts, Leftover, LineChunk
from simulator.errors import InputError
from simulator.machine.spec import CacheSpec, CachesSpec
from simulator.optional import needing_numba
from simulator.traces.chunk import AccessChunk, Unit
from simulator.units import LINE_BYTES, PS_PER_NS

_MICRO = 1_000_000
_MOST_PS = 2**62  # 53 days: sums of two such times still fit
_L3_POLICIES = {"victim": 1, "inclusive": 2}
Words = npt.NDArray[np.uint64]


class NodeCaches:
    """L1 and L2 of each core, and the L3 of all, of one node; docs/traces.md, "The cache model", says what they do.

    Parameters
    ----------
    spec : CachesSpec
    clock_ghz : float
        Of the cores.
    cores : int
        How many, at least 1.
    cycles_per_instruction : float, optional
        Of the program; the machine's if left out.

    Raises
    ------
    InputError
        `cycles_per_instruction` is not above 0 and at most 1000.
    """

    def __init__(self, spec: CachesSpec, clock_ghz: float, cores: int, cycles_per_instruction: float | None = None) -> None:
        per_instruction = spec.cycles_per_instruction if cycles_per_instruction is None else cycles_per_instruction
        if not 0 < per_instruction <= 1000:
            allowed = "above 0 to 1000"
            raise InputError("is out of range", field="cycles_per_instruction", value=per_instruction, allowed=allowed)
        _prepare()
        from simulator.cache.kernels import sets

        self._shape = _shape(spec)
        lines = [_lines(cache) for cache in (spec.l1, spec.l2, spec.l3)]
        self._l1, self._l2 = (np.full((cores, count), sets.EMPTY, np.uint64) for count in lines[:2])
        self._l3 = np.full(lines[2], sets.EMPTY, np.uint64)
        self._costs = {unit: _costs(spec, clock_ghz, per_instruction, unit) for unit in ("instructions", "time_ns", "compute_ps")}
        ring = (
            cores * (lines[0] + lines[1]) + lines[2] + 2
        )  # as many as can wait: each was fetched, and each fetch takes one away
        self.cores = tuple(CoreCaches(self, core, ring) for core in range(cores))

    def flush(self) -> Addresses:
        """Empty the L3, and return its dirty lines by ascending address."""
        return _emptied(self._l3)

    def _filter(self, core: int, chunk: AccessChunk, victims: Words, state: npt.NDArray[np.int64]) -> LineChunk:
        from simulator.cache.kernels import filter as kernel

        costs = self._costs[chunk.unit]
        _check_times(chunk, int(costs[kernel.UNIT_MICRO_PS]))
        room = _line_accesses(chunk)
        lines, gone, times = np.empty(room, np.uint64), np.empty(room, np.uint64), np.empty(room, np.int64)
        writes, has = np.empty(room, np.bool_), np.empty(room, np.bool_)
        address, size, is_write, is_modify, before = _columns(chunk)
        filled = kernel.filter_accesses(
            core, address, size, is_write, is_modify, before,
            self._l1, self._l2, self._l3, self._shape, costs, victims, state,
            lines, writes, gone, has, times,
        )  # fmt: skip
        part = slice(filled)
        return LineChunk(lines[part].copy(), writes[part].copy(), gone[part].copy(), has[part].copy(), times[part].copy())


class CoreCaches:
    """The caches as one core sees them.

    Cores that share an L3 see each other's accesses in the order of the calls of `run`.
    """

    def __init__(self, node: NodeCaches, core: int, ring: int) -> None:
        from simulator.cache.kernels import filter as kernel

        self._node, self._core = node, core
        self._victims = np.zeros(ring, np.uint64)
        self._state = np.zeros(kernel.STATE_WORDS, np.int64)

    @property
    def counts(self) -> CacheCounts:
        """What happened so far."""
        return CacheCounts(*self._state[:7].tolist())

    def run(self, chunk: AccessChunk) -> LineChunk:
        """Pass accesses through the caches.

        Parameters
        ----------
        chunk : AccessChunk
            Of one thread, which runs on this core.

        Raises
        ------
        InputError
            A time between two accesses is longer than 53 days.
        """
        return self._node._filter(self._core, chunk, self._victims, self._state)

    def take_time_ps(self) -> int:
        """Return the time since the core's last line and count anew: what follows waits for something else first."""
        from simulator.cache.kernels import filter as kernel

        time_ps = int(self._state[kernel.TIME_PS])
        self._state[kernel.TIME_PS] = 0
        return time_ps

    def flush(self) -> Leftover:
        """Empty the core's own caches and what waits to be written back, and return it with the time since the last line."""
        from simulator.cache.kernels import filter as kernel

        first, count = (int(self._state[word]) for word in (kernel.RING_FIRST, kernel.RING_COUNT))
        waiting = self._victims[(first + np.arange(count)) % len(self._victims)] * np.uint64(LINE_BYTES)
        held = [_emptied(words[self._core]) for words in (self._node._l1, self._node._l2)]
        time_ps = int(self._state[kernel.TIME_PS])
        self._state[kernel.RING_COUNT] = self._state[kernel.TIME_PS] = self._state[kernel.TIME_MICRO_PS] = 0
        return Leftover(np.concatenate([waiting, np.unique(np.concatenate(held))]), time_ps)


def core_caches(spec: CachesSpec, clock_ghz: float, cycles_per_instruction: float | None = None) -> CoreCaches:
    """Return the caches of a core that shares none.

    Parameters
    ----------
    spec, clock_ghz, cycles_per_instruction
        As of `NodeCaches`.
    """
    return NodeCaches(spec, clock_ghz, 1, cycles_per_instruction).cores[0]


@functools.cache
def _prepare() -> None:
    """Compile the kernel where its code is not kept yet; looked up once a process."""
    what = "the cache model"
    with needing_numba(what):
        from simulator.cache.kernels import filter as kernel
        from simulator.cache.kernels.store import compile_once

        compile_once(what, "filter_accesses", kernel.compile_filter)


def _lines(cache: CacheSpec | None) -> int:
    return 0 if cache is None else cache.size_kib * 1024 // LINE_BYTES


def _shape(spec: CachesSpec) -> npt.NDArray[np.int64]:
    sets_and_ways = [(_lines(cache) // cache.ways, cache.ways) if cache else (0, 0) for cache in (spec.l1, spec.l2, spec.l3)]
    policy = _L3_POLICIES[spec.l3.policy] if spec.l3 else 0
    return np.array([*sum(sets_and_ways, ()), spec.l2.policy == "exclusive", policy], np.int64)


def _costs(spec: CachesSpec, clock_ghz: float, cycles_per_instruction: float, unit: Unit) -> npt.NDArray[np.int64]:
    """Return millionths of a ps: of one unit of `before`, of a load's hit in the L2, in the L3.

    A trace with times holds the waiting for hits already.
    """
    cycle_ps = PS_PER_NS / clock_ghz
    units = {"instructions": cycles_per_instruction * cycle_ps, "time_ns": float(PS_PER_NS), "compute_ps": 1.0}
    share = 0.0 if unit == "time_ns" else spec.exposed_share
    beyond = [max(0.0, cache.hit_cycles - spec.l1.hit_cycles) if cache else 0.0 for cache in (spec.l2, spec.l3)]
    times_ps = [units[unit], *(share * cycles * cycle_ps for cycles in beyond)]
    return np.array([round(time * _MICRO) for time in times_ps], np.int64)


def _columns(chunk: AccessChunk) -> tuple[Any, ...]:
    """Return the columns as the kernel is compiled for them."""
    columns = (chunk.address, chunk.size_bytes, chunk.is_write, chunk.is_modify, chunk.before)
    return tuple(np.require(column, requirements=("C", "W")) for column in columns)


def _line_accesses(chunk: AccessChunk) -> int:
    """Return how many lines the accesses touch, a line counted each time."""
    last_byte = chunk.address + (chunk.size_bytes - np.uint32(1)).astype(np.uint64)
    spans = last_byte // np.uint64(LINE_BYTES) - chunk.address // np.uint64(LINE_BYTES)
    return len(chunk) + int(spans.sum())


def _check_times(chunk: AccessChunk, unit_micro_ps: int) -> None:
    if not len(chunk):
        return
    longest = int(chunk.before.max())
    if longest * unit_micro_ps > _MOST_PS * _MICRO:
        what = "an access comes too long after the one before it"
        raise InputError(what, field=chunk.unit, value=longest, allowed="less than 53 days")


def _emptied(words: Words) -> Addresses:
    from simulator.cache.kernels import sets

    dirty = words[(words != sets.EMPTY) & (words & sets.ONE != 0)]
    words[...] = sets.EMPTY
    return np.sort(dirty >> sets.ONE) * np.uint64(LINE_BYTES)
