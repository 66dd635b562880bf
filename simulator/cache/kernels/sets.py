"""A cache as one vector of words: the ways of set 0, most recently used first, then those of set 1, and so on.

A word is twice the number of a line, plus 1 where it is dirty. Free ways come last in a set.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simulator.cache.kernels.store import compiled

Words = npt.NDArray[np.uint64]
EMPTY = np.uint64(2**64 - 1)  # no line has such a number: an address has 64 bits and a line 64 bytes
ONE = np.uint64(1)
ABSENT = -1


@compiled
def first_way(line: np.uint64, sets: int, ways: int) -> int:
    """Return where the set of a line starts."""
    count = np.uint64(sets)
    if count & (count - ONE):
        return int(line % count) * ways
    return int(line & (count - ONE)) * ways  # a tenth of the time of a division


@compiled
def find(words: Words, start: int, ways: int, line: np.uint64) -> int:
    """Return where a line is, or `ABSENT`."""
    for at in range(start, start + ways):
        if words[at] >> ONE == line:
            return at
    return ABSENT


@compiled
def use(words: Words, start: int, at: int) -> None:
    """Make the line at `at` the most recently used of its set."""
    word = words[at]
    while at > start:
        words[at] = words[at - 1]
        at -= 1
    words[start] = word


@compiled
def take(words: Words, start: int, ways: int, at: int) -> np.uint64:
    """Take the line at `at` out of its set."""
    word = np.uint64(words[at])
    last = start + ways - 1
    while at < last:
        words[at] = words[at + 1]
        at += 1
    words[last] = EMPTY
    return word


@compiled
def put(words: Words, start: int, ways: int, word: np.uint64) -> np.uint64:
    """Put a line in as the most recently used, and return the least recently used that it drives out, or `EMPTY`."""
    at = start + ways - 1
    driven_out = np.uint64(words[at])
    while at > start:
        words[at] = words[at - 1]
        at -= 1
    words[start] = word
    return driven_out
