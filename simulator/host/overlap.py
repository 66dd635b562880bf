"""Which part of a run counts: that in which all threads had a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulator.host.kernels import Integers, Log

HELD_SHARE = 0.1  # of a chunk's time without a CPU: others ran there


@dataclass(frozen=True)
class Counted:
    """What counts of one thread."""

    chunks: int
    time_ns: int


def overlap(logs: Sequence[Log], warm: Sequence[int]) -> tuple[Counted, ...]:
    """Return the chunks of each thread that it did while all threads ran.

    That is after the last thread has done its warm chunks and before the first has ended, without the chunks in which a thread
    was held off its CPU for more than a tenth of the time, and without those of other threads beside such a one.

    Parameters
    ----------
    logs : sequence of Log
    warm : sequence of int
        Of each thread: its first chunks, which do not count.
    """
    if any(len(log.wall_ns) <= skipped for log, skipped in zip(logs, warm, strict=True)):
        return tuple(Counted(0, 0) for _ in logs)
    first = max(log.wall_ns[skipped] for log, skipped in zip(logs, warm, strict=True))
    last = min(log.wall_ns[-1] for log in logs)
    held = [_held(log) for log in logs]
    return tuple(_counted(log, first, last, held) for log in logs)


def _held(log: Log) -> tuple[Integers, Integers]:
    """Return when the chunks in which a thread was held began and ended."""
    wall, cpu = np.diff(log.wall_ns), np.diff(log.cpu_ns)
    away = (wall - cpu) > HELD_SHARE * wall
    return log.wall_ns[:-1][away], log.wall_ns[1:][away]


def _counted(log: Log, first: int, last: int, held: Sequence[tuple[Integers, Integers]]) -> Counted:
    begin, end = log.wall_ns[:-1], log.wall_ns[1:]
    good: npt.NDArray[np.bool_] = (begin >= first) & (end <= last)
    for starts, ends in held:  # a thread's chunks follow each other, so both are sorted
        good &= np.searchsorted(starts, end, "left") <= np.searchsorted(ends, begin, "right")
    return Counted(int(good.sum()), int((end - begin)[good].sum()))
