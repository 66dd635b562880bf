"""Pinned threads that start at the same moment, and the time for which all of them ran."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Thread

from simulator.errors import InputError
from simulator.host.area import CHASE_WORD, Words
from simulator.host.kernels import Log, Work, make_flags, stop_all, work
from simulator.host.overlap import overlap

_LOGGED_PER_QUOTA = 16


@dataclass(frozen=True)
class Share:
    """What one thread does.

    Attributes
    ----------
    cpu : int
        As Linux numbers it.
    kind : {'r', 'w', 'chase'}
    words : ndarray of uint64
    chunk : int
        Lines between two looks at the clock.
    warm : int
        Chunks before the measured ones.
    quota : int
        Measured chunks at least.
    at : int
        Word at which a chase begins; else anything.
    """

    cpu: int
    kind: Work
    words: Words
    chunk: int
    warm: int
    quota: int
    at: int = CHASE_WORD


@dataclass(frozen=True)
class Outcome:
    """What threads did together.

    Attributes
    ----------
    time_per_line_ns : tuple of float or None
        Of each thread, while all ran; None where they did not run together for even one chunk each.
    counted : float
        How many of its measured chunks count, as a share of those it had to do: of the thread with the fewest.
    results : tuple of int
        Of each thread, as in its log.
    """

    time_per_line_ns: tuple[float, ...] | None
    counted: float
    results: tuple[int, ...]


def run_together(shares: Sequence[Share]) -> Outcome:
    """Run each share in a thread pinned to its CPU.

    Raises
    ------
    InputError
        A thread cannot be pinned.
    """
    flags = make_flags(len(shares))
    ended: list[Log | Exception] = [RuntimeError("not run")] * len(shares)

    def one(me: int, share: Share) -> None:
        try:
            os.sched_setaffinity(0, {share.cpu})  # of this thread alone
            quota = share.warm + share.quota
            most = _LOGGED_PER_QUOTA * quota
            ended[me] = work(share.kind, share.words, share.chunk, quota, share.at, flags, me, most)
        except Exception as error:  # told by the caller's thread
            ended[me] = error
            stop_all(flags)

    threads = [Thread(target=one, args=(me, share)) for me, share in enumerate(shares)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:  # Ctrl-C: no thread may go on behind it
        stop_all(flags)
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        raise
    return _outcome(shares, ended)


def _outcome(shares: Sequence[Share], ended: Sequence[Log | Exception]) -> Outcome:
    logs = []
    for share, end in zip(shares, ended, strict=True):
        if isinstance(end, OSError):
            raise InputError(f"a thread cannot be pinned: {(end.strerror or str(end)).lower()}", field=f"CPU {share.cpu}")
        if isinstance(end, Exception):
            raise end
        logs.append(end)
    counted = overlap(logs, [share.warm for share in shares])
    least = min(each.chunks / share.quota for each, share in zip(counted, shares, strict=True))
    times = (
        tuple(each.time_ns / (each.chunks * share.chunk) for each, share in zip(counted, shares, strict=True)) if least else None
    )
    return Outcome(times, least, tuple(log.result for log in logs))
