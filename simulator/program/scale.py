"""Scaling a placed workload down: which share of each phase is run, and how often each stretch counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from simulator.machine.spec import CacheSpec, CachesSpec
from simulator.program.patterns import stream_accesses
from simulator.program.slice import LARGEST_SHARE, Slice
from simulator.program.spec import InitPhase, MigratePhase
from simulator.program.threads import PlacedThread
from simulator.program.touch import PlacedProgram
from simulator.program.work import Step, works
from simulator.units import LINE_BYTES

_WARMINGS = 2  # times the lines that the caches hold pass through them before what is run
_ITERATIONS = 2  # the first, and one that stands for all others


@dataclass(frozen=True)
class Scaled:
    """A slice of a workload.

    Attributes
    ----------
    placed : PlacedProgram
        Pages are where the whole workload has them.
    weights : tuple of float
        How much longer than in the slice each stretch between two barriers takes in the whole workload.
    """

    placed: PlacedProgram
    weights: tuple[float, ...]


def scaled(
    placed: PlacedProgram,
    lines: int,
    *,
    key: int = 1,
    caches: CachesSpec | None = None,
    counts: Callable[[PlacedThread], bool] = lambda thread: True,
) -> Scaled:
    """Return a slice of a workload in which no thread has many more than so many lines between two barriers.

    A stretch in which none has more than twice as many is run whole.

    Between two barriers all threads do the same share of their work, so that they stay in step. Of the iterations two are run;
    the second stands for those left out.

    Parameters
    ----------
    placed : PlacedProgram
    lines : int
        Most lines of a thread between two barriers.
    key : int
        Of the random choice of lines.
    caches : CachesSpec, optional
        Those that are filled before each part that is run, with twice the lines that they hold; None: there are none.
    counts : callable
        Which threads may have no more than so many; others do the same share of theirs, however much that is.
    """
    kept = _with_two_iterations(placed)
    stretches = _stretches(kept)
    shares = [_share(lines, _lines(kept, steps, counts)) for steps in stretches]
    times = [_times(kept, steps) for steps in stretches]
    by_step = {step.number: share for share, steps in zip(shares, stretches, strict=True) for step in steps}
    first = shares[0] if shares else 1.0
    threads = tuple(replace(thread, start_ns=thread.start_ns * first) for thread in kept.threads)
    part = replace(kept, threads=threads, slice=Slice(by_step, key, _warm_lines(kept.threads, caches)))
    return Scaled(part, tuple(count / share for count, share in zip(times, shares, strict=True)))


def _warm_lines(threads: Sequence[PlacedThread], caches: CachesSpec | None) -> tuple[int, ...]:
    """Return how many accesses fill what each thread has of the caches; the threads of a node share its L3."""
    if caches is None:
        return ()
    own = _cache_lines(caches.l1) + _cache_lines(caches.l2)
    sharing = Counter(thread.node for thread in threads)
    return tuple(_WARMINGS * (own + _cache_lines(caches.l3) // sharing[thread.node]) for thread in threads)


def _cache_lines(cache: CacheSpec | None) -> int:
    return 0 if cache is None else cache.size_kib * 1024 // LINE_BYTES


def _share(lines: int, of: int) -> float:
    share = lines / max(of, 1)
    return share if share <= LARGEST_SHARE else 1.0


def _with_two_iterations(placed: PlacedProgram) -> PlacedProgram:
    """Leave out all iterations but two, unless they run into each other without a barrier."""
    leading, length = _leading(placed), len(placed.program.phases) - _leading(placed)
    later = [step for step in placed.busy_steps if step.number >= leading + length]
    if placed.program.iterations <= _ITERATIONS or not later or not later[0].phase.barrier:
        return placed
    return replace(placed, steps=tuple(step for step in placed.steps if step.number < leading + _ITERATIONS * length))


def _times(kept: PlacedProgram, steps: Sequence[Step]) -> int:
    """Return how many stretches of the whole workload one stands for."""
    left_out = kept.program.iterations - _ITERATIONS
    whole = len(kept.steps) == _leading(kept) + kept.program.iterations * (len(kept.program.phases) - _leading(kept))
    last = steps[0].number >= _leading(kept) + (_ITERATIONS - 1) * (len(kept.program.phases) - _leading(kept))
    return 1 if whole or not last else 1 + left_out


def _leading(placed: PlacedProgram) -> int:
    """Return how many `init` phases stand before all others."""
    phases = placed.program.phases
    return next((n for n, phase in enumerate(phases) if not isinstance(phase, InitPhase)), len(phases))


def _stretches(placed: PlacedProgram) -> list[list[Step]]:
    """Part the steps at the barriers."""
    found: list[list[Step]] = []
    for step in placed.busy_steps:
        if step.phase.barrier or not found:
            found.append([])
        found[-1].append(step)
    return found


def _lines(placed: PlacedProgram, steps: Sequence[Step], counts: Callable[[PlacedThread], bool]) -> int:
    """Return the lines of the thread that has most, of those that count; of all where none of them has any."""
    found = {number: sum(_step_lines(placed, step, number) for step in steps) for number in range(len(placed.threads))}
    counted = max((lines for number, lines in found.items() if counts(placed.threads[number])), default=0)
    return counted or max(found.values())


def _step_lines(placed: PlacedProgram, step: Step, thread: int) -> int:
    if isinstance(step.phase, MigratePhase):
        moved = placed.migrations[step.number] if thread == step.members[0] else ()
        return sum(2 * len(one.addresses) * one.page_bytes // LINE_BYTES for one in moved)
    return sum(stream_accesses(work, stream) for work in works(placed.scene, step, thread) for stream in work.streams)
