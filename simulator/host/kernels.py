"""The compiled loops: one access to each line of 64 B, in order or by pointer, and the clock around them.

They run without Python's lock, so that threads run together. All wait for each other before the first access, and each goes
on until the slowest has done its share.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from simulator.host.area import WORDS_PER_LINE, Words

Work = Literal["r", "w", "chase"]
Integers = npt.NDArray[np.int64]

_READ, _WRITE, _CHASE = 0, 1, 2
_CODES: dict[Work, int] = {"r": _READ, "w": _WRITE, "chase": _CHASE}
_HERE, _DONE = 1, 2
_STRIDE, _ONE = np.uint64(WORDS_PER_LINE), np.uint64(1)
_FLAG_STRIDE = WORDS_PER_LINE  # flags of two threads share no line
_MONOTONIC, _THREAD_TIME = time.CLOCK_MONOTONIC, time.CLOCK_THREAD_CPUTIME_ID

# An outer call in each round of waiting: the compiler has to read the flags anew.
_clock_gettime = ctypes.CDLL(None).clock_gettime
_clock_gettime.argtypes, _clock_gettime.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_int
_Function = TypeVar("_Function", bound=Callable[..., object])


def _compile(function: _Function) -> _Function:
    return cast(_Function, numba.njit(function, nogil=True))


@dataclass(frozen=True)
class Log:
    """When a thread did what.

    Attributes
    ----------
    wall_ns, cpu_ns : ndarray of int64, shape (chunks + 1,)
        Time, and the time this thread had a CPU: at its start and at the end of each chunk.
    result : int
        The checksum, the last value written, or the word where the chase ended.
    """

    wall_ns: Integers
    cpu_ns: Integers
    result: int


# Both loops carry a value from line to line in a way that cannot be reordered. Of a plain sum or a constant the compiler makes
# gathers and scatters of 8 lines, which a Zen 5 runs at half the speed of single loads.


@_compile
def read_lines(words: Words, first: int, last: int, checksum: np.uint64) -> np.uint64:
    """Read word 0 of the lines from `first` to before `last`; of each word, checksum = (checksum ^ word) + 1."""
    for line in range(first, last):
        checksum = (checksum ^ words[np.uint64(line) * _STRIDE]) + _ONE
    return checksum


@_compile
def write_lines(words: Words, first: int, last: int, value: np.uint64) -> np.uint64:
    """Write word 0 of the lines from `first` to before `last`; for each line, value = (value ^ line) + 1 first."""
    for line in range(first, last):
        value = (value ^ np.uint64(line)) + _ONE
        words[np.uint64(line) * _STRIDE] = value
    return value


@_compile
def chase_lines(words: Words, at: np.uint64, steps: int) -> np.uint64:
    """Go so many steps from word `at`, each to where the word before it points, and return where that ends."""
    for _ in range(steps):
        at = words[at]
    return at


@_compile
def _now_ns(clock: int, pair: Integers) -> int:
    _clock_gettime(clock, pair.ctypes)
    time_ns: int = pair[0] * 1_000_000_000 + pair[1]
    return time_ns


@_compile
def _wait_for_all(flags: Integers, threads: int, me: int, pair: Integers) -> None:
    flags[me * _FLAG_STRIDE] = _HERE
    for other in range(threads):
        while flags[other * _FLAG_STRIDE] == 0 and flags[threads * _FLAG_STRIDE] == 0:
            _now_ns(_MONOTONIC, pair)


@_compile
def _all_done(flags: Integers, threads: int) -> bool:
    for other in range(threads):  # noqa: SIM110 - numba compiles no generator here
        if flags[other * _FLAG_STRIDE] != _DONE:
            return False
    return True


@_compile
def _work(
    code: int,
    words: Words,
    chunk: int,
    chunks: int,
    quota: int,
    at: np.uint64,
    flags: Integers,
    threads: int,
    me: int,
    wall_ns: Integers,
    cpu_ns: Integers,
) -> tuple[int, np.uint64]:
    pair = np.zeros(2, np.int64)
    _wait_for_all(flags, threads, me, pair)
    wall_ns[0], cpu_ns[0] = _now_ns(_MONOTONIC, pair), _now_ns(_THREAD_TIME, pair)
    done, recorded = 0, 0
    result = at
    while flags[threads * _FLAG_STRIDE] == 0:
        first = (done % chunks) * chunk
        if code == _READ:
            result = read_lines(words, first, first + chunk, result)
        elif code == _WRITE:
            result = write_lines(words, first, first + chunk, result)
        else:
            result = chase_lines(words, result, chunk)
        done += 1
        if done < len(wall_ns):
            wall_ns[done], cpu_ns[done] = _now_ns(_MONOTONIC, pair), _now_ns(_THREAD_TIME, pair)
            recorded = done
        if done >= quota:
            flags[me * _FLAG_STRIDE] = _DONE
            if _all_done(flags, threads):
                break
    return recorded, result


def make_flags(threads: int) -> Integers:
    """Return the flags that so many threads share: one each, and the one that stops all."""
    return np.zeros((threads + 1) * _FLAG_STRIDE, np.int64)


def stop_all(flags: Integers) -> None:
    """Let every thread end after its present chunk, or while it waits for others."""
    flags[-_FLAG_STRIDE] = 1


def work(kind: Work, words: Words, chunk: int, quota: int, at: int, flags: Integers, me: int, most: int) -> Log:
    """Do one thread's share of a test, and go on until all threads have done theirs.

    Parameters
    ----------
    kind : {'r', 'w', 'chase'}
    words : ndarray of uint64
        Its array, begun anew at each end.
    chunk : int
        Lines between two looks at the clock.
    quota : int
        Chunks to do at least.
    at : int
        The word where a chase begins; else the first checksum or value.
    flags : ndarray of int64
        Of :func:`make_flags`, shared by the threads of the test.
    me : int
        Which of the threads this is.
    most : int
        Chunks that are logged; those after them are done only so that the others have company.
    """
    threads, chunks = len(flags) // _FLAG_STRIDE - 1, len(words) // WORDS_PER_LINE // chunk
    wall_ns, cpu_ns = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    recorded, result = _work(_CODES[kind], words, chunk, chunks, quota, np.uint64(at), flags, threads, me, wall_ns, cpu_ns)
    return Log(wall_ns[: recorded + 1], cpu_ns[: recorded + 1], int(result))


def compile_kernels() -> None:
    """Compile now, so that no test waits for it."""
    work("r", np.zeros(WORDS_PER_LINE, np.uint64), 1, 0, 0, make_flags(1), 0, 1)
