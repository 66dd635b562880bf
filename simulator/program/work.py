"""From a phase to what each thread has to do in it: streams of lines over parts of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import assert_never

from simulator.errors import InputError
from simulator.program.chunk import Kind
from simulator.program.layout import PlacedArray
from simulator.program.orders import Chain, Order, Random, Strided, key_of
from simulator.program.spec import (
    Division,
    InitPhase,
    KernelPhase,
    MigratePhase,
    MixPhase,
    Phase,
    SharedLinePhase,
    SplitLockPhase,
    StreamSpec,
    SweepPhase,
    WorkPhase,
)
from simulator.program.threads import PlacedThread
from simulator.units import LINE_BYTES, ps_from_ns
from simulator.workload.mix import exact_share


@dataclass(frozen=True)
class Stream:
    """Lines of one array: their order, how many stand together in a turn, and `writes` of each `of` lines written."""

    array: PlacedArray
    order: Order
    burst: int = 1
    writes: int = 0
    of: int = 1


@dataclass(frozen=True)
class Work:
    """Streams taken in turn until the first has done its lines.

    Attributes
    ----------
    streams : tuple of Stream
    lines : int
        Of the first stream, all passes together.
    """

    streams: tuple[Stream, ...]
    lines: int
    kind: Kind = "access"
    compute_ps: int = 0
    window: int | None = None
    gb_per_s: float | None = None
    traffic: bool = True


@dataclass(frozen=True)
class Step:
    """One phase of one iteration: who takes part, by place among the threads."""

    number: int
    phase: Phase
    phase_number: int
    members: tuple[int, ...]

    @property
    def field(self) -> str:
        """How messages call it."""
        return f"phases[{self.phase_number + 1}]"


@dataclass(frozen=True)
class Scene:
    """The threads and arrays that steps speak of, and the seed of their random numbers."""

    threads: tuple[PlacedThread, ...]
    arrays: tuple[PlacedArray, ...]
    seed: int

    def instance(self, name: str, thread: int) -> PlacedArray:
        """Return the array of that name, the thread's own where each has one."""
        found = self.instances(name)
        return found[0 if found[0].owner is None else thread]

    def instances(self, name: str) -> tuple[PlacedArray, ...]:
        """Return the array of that name, or those of all threads, in their order."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, tuple[PlacedArray, ...]]:
        return {name: tuple(found) for name, found in groupby(self.arrays, key=lambda one: one.array.name)}


def works(scene: Scene, step: Step, thread: int) -> tuple[Work, ...]:
    """Return what a thread does in a step, one after the other; nothing for one that takes no part.

    Raises
    ------
    InputError
        The phase does not fit its arrays or threads.
    """
    phase = step.phase
    if thread not in step.members or isinstance(phase, MigratePhase):
        return ()
    if isinstance(phase, InitPhase):
        parts = [part for name in phase.arrays for part in _init_parts(scene, step, name, phase.division, thread)]
        return tuple(
            Work((Stream(array, Strided(start, lines, LINE_BYTES, lines), writes=1),), lines, traffic=phase.traffic)
            for array, start, lines in parts
            if lines
        )
    streams, lines = _streams(scene, step, phase, thread)
    if not streams:
        return ()
    kind: Kind = phase.pattern if isinstance(phase, (SharedLinePhase, SplitLockPhase)) else "access"
    window = 1 if isinstance(phase, SweepPhase) and phase.pattern == "pointer-chase" else phase.window
    compute_ps = _compute_ps(phase, scene.threads[thread], step.field)
    return (Work(streams, lines * phase.repeat, kind, compute_ps, window, phase.gb_per_s),)


def _streams(scene: Scene, step: Step, phase: WorkPhase, thread: int) -> tuple[tuple[Stream, ...], int]:
    """Return the streams of a phase and the lines of the first one in a pass; no streams where the thread's part is empty."""
    if isinstance(phase, SweepPhase):
        found = [_stream(scene, step, phase, thread, 0, phase.lines)]
    elif isinstance(phase, MixPhase):
        found = [
            _stream(scene, step, stream, thread, place, phase.lines if place == 0 else None)
            for place, stream in enumerate(phase.streams)
        ]
    elif isinstance(phase, KernelPhase):
        names = (*phase.reads, phase.writes)
        found = [_kernel_stream(scene, step, phase, name, thread, place == len(phase.reads)) for place, name in enumerate(names)]
    elif isinstance(phase, (SharedLinePhase, SplitLockPhase)):
        found = [_shared_line(scene, step, phase, thread)]
    else:
        assert_never(phase)
    streams = tuple(stream for stream in found if stream is not None)
    if len(streams) < len(found):
        return (), 0
    return streams, streams[0].order.pass_lines


def _stream(scene: Scene, step: Step, spec: SweepPhase | StreamSpec, thread: int, place: int, lines: int | None) -> Stream | None:
    array = scene.instance(spec.array, thread)
    start, size = _part(array, spec.division, step.members, thread)
    if not size:
        return None
    share = exact_share(spec.read_fraction)
    burst = spec.burst if isinstance(spec, StreamSpec) else 1
    order: Order
    if spec.pattern == "random":
        key = key_of(scene.seed, scene.threads[thread].name, step.number, place)
        order = Random(start, size, lines or size, key)
    elif spec.pattern == "pointer-chase":
        everybody = array.owner is None and spec.division == "whole"
        offset = step.members.index(thread) * size // len(step.members) if everybody else 0
        order = Chain(start, size, lines or size, key_of(scene.seed, array.name, start, size), offset)
    else:
        stride = spec.stride_bytes or LINE_BYTES
        count = -(-size * LINE_BYTES // stride)
        order = Strided(start, count, stride, lines or count)
    return Stream(array, order, burst, share.denominator - share.numerator, share.denominator)


def _kernel_stream(scene: Scene, step: Step, phase: KernelPhase, name: str, thread: int, written: bool) -> Stream | None:
    array = scene.instance(name, thread)
    start, lines = _part(array, phase.division, step.members, thread)
    return Stream(array, Strided(start, lines, LINE_BYTES, lines), writes=int(written)) if lines else None


def _shared_line(scene: Scene, step: Step, phase: SharedLinePhase | SplitLockPhase, thread: int) -> Stream:
    array = scene.instance(phase.array, thread)
    if array.owner is not None:
        allowed = "an array that is not per_thread"
        raise InputError("nobody shares a line of such an array", field=f"{step.field}.array", value=phase.array, allowed=allowed)
    padded = isinstance(phase, SharedLinePhase) and phase.padded
    needed = len(step.members) if padded else 2 if isinstance(phase, SplitLockPhase) else 1
    if array.lines < needed:
        allowed = f"at least {needed * LINE_BYTES} B"
        raise InputError("the array is too small", field=f"{step.field}.array", value=phase.array, allowed=allowed)
    start = array.start + (step.members.index(thread) * LINE_BYTES if padded else 0)
    share = exact_share(phase.read_fraction if isinstance(phase, SharedLinePhase) else 0.0)
    order = Strided(start, 1, LINE_BYTES, phase.locks if isinstance(phase, SplitLockPhase) else phase.lines)
    return Stream(array, order, 1, share.denominator - share.numerator, share.denominator)


def _part(array: PlacedArray, division: Division, members: Sequence[int], thread: int) -> tuple[int, int]:
    """Return first address and lines of a thread's part of an array."""
    if array.owner is not None or division == "whole":
        return array.start, array.lines
    place, count = members.index(thread), len(members)
    first, last = place * array.lines // count, (place + 1) * array.lines // count
    return array.start + first * LINE_BYTES, last - first


def _init_parts(scene: Scene, step: Step, name: str, division: Division, thread: int) -> list[tuple[PlacedArray, int, int]]:
    """Return array, first address and lines of what a thread has to write first.

    Of arrays that every thread has for itself the first member writes those whose threads take no part.
    """
    found = []
    for array in scene.instances(name):
        writer = array.owner if array.owner in step.members or array.owner is None else step.members[0]
        if writer in (None, thread):
            found.append((array, *_part(array, division, step.members, thread)))
    return found


def _compute_ps(phase: WorkPhase, thread: PlacedThread, field: str) -> int:
    time_ns = phase.compute_ns + phase.accesses_per_line * phase.access_ns
    if phase.flops_per_byte:
        if thread.flops_per_ns is None:
            allowed = "flops_per_ns in the threads' table"
            raise InputError(f"nothing says how fast {thread.name} computes", field=f"{field}.flops_per_byte", allowed=allowed)
        time_ns += LINE_BYTES * phase.flops_per_byte / thread.flops_per_ns
    return ps_from_ns(time_ns)
