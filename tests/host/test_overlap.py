"""Only the time in which all threads had a CPU counts."""

from __future__ import annotations

import numpy as np

from simulator.host.kernels import Log
from simulator.host.overlap import Counted, overlap


def log(*wall: int, held: dict[int, int] | None = None) -> Log:
    """Make the log of a thread that was off its CPU for so many ns in some chunks."""
    wall_ns = np.array(wall, np.int64)
    away = np.zeros(len(wall), np.int64)
    for chunk, time in (held or {}).items():
        away[chunk + 1 :] += time
    return Log(wall_ns, wall_ns - away, 0)


def test_one_thread_without_its_warm_chunks() -> None:
    assert overlap([log(0, 30, 40, 50, 60)], [1]) == (Counted(3, 30),)


def test_from_the_last_to_begin_until_the_first_to_end() -> None:
    fast, slow = log(0, 10, 20, 30, 40, 50, 60, 70, 80, 90), log(5, 25, 45, 65, 85)
    assert overlap([fast, slow], [2, 1]) == (Counted(5, 50), Counted(3, 60))  # 25 to 85: fast 30 to 80, slow 25 to 85
    assert overlap([slow, fast], [1, 2]) == (Counted(3, 60), Counted(5, 50))


def test_a_held_chunk_does_not_count_nor_what_ran_beside_it() -> None:
    steady = log(*range(0, 101, 10))
    held = log(0, 10, 20, 48, 58, 68, 78, 88, 98, held={2: 18})  # off its CPU within 20 to 48
    assert overlap([steady], [0]) == (Counted(10, 100),)
    assert overlap([held], [0]) == (Counted(7, 70),)
    assert overlap([held, steady], [0, 0]) == (Counted(7, 70), Counted(6, 60))  # steady: 0-20 and 50-90


def test_a_tenth_is_the_limit() -> None:
    assert overlap([log(0, 100, 200, held={0: 10})], [0]) == (Counted(2, 200),)
    assert overlap([log(0, 100, 200, held={0: 11})], [0]) == (Counted(1, 100),)


def test_threads_that_never_ran_together() -> None:
    assert overlap([log(0, 10, 20), log(20, 30, 40)], [0, 0]) == (Counted(0, 0), Counted(0, 0))
    assert overlap([log(0), log(0, 10)], [0, 0]) == (Counted(0, 0), Counted(0, 0))
    assert overlap([log(0, 10)], [2]) == (Counted(0, 0),)
