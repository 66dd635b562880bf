"""In which order a thread goes through the lines of an array: functions of a line's number, so any part can be made alone."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.units import LINE_BYTES

Addresses = NDArray[np.uint64]
Ints = NDArray[np.int64]
_SCAN = 1 << 16  # lines looked at together
_MASK = (1 << 64) - 1


class Order(Protocol):
    """Lines in the order in which they are accessed."""

    @property
    def pass_lines(self) -> int:
        """Lines of one pass."""

    def addresses(self, first: int, stop: int) -> Addresses:
        """Return the addresses of accesses `first` to `stop` - 1; they may be more than a pass."""

    def at(self, numbers: Ints) -> Addresses:
        """Return the addresses of accesses by their numbers, from 0."""

    def first_touches(self, accesses: int, page_bytes: int, most: int) -> tuple[Ints, Addresses]:
        """Return number and address of the accesses that are the first on their page, ascending; no more than `most` of them."""


@dataclass(frozen=True)
class Strided:
    """Every so many bytes, from the start; then again from the start.

    Attributes
    ----------
    start : int
        First address, that of a line.
    count : int
        Accesses until it begins anew.
    stride_bytes : int
    pass_lines : int
        Accesses of one pass; each pass begins at the start.
    """

    start: int
    count: int
    stride_bytes: int
    pass_lines: int

    def addresses(self, first: int, stop: int) -> Addresses:
        """See :class:`Order`."""
        return self.at(np.arange(first, stop, dtype=np.int64))

    def at(self, numbers: Ints) -> Addresses:
        """See :class:`Order`."""
        number = numbers % self.pass_lines % self.count
        return ((self.start + number * self.stride_bytes) // LINE_BYTES * LINE_BYTES).astype(np.uint64)

    def first_touches(self, accesses: int, page_bytes: int, most: int) -> tuple[Ints, Addresses]:
        """See :class:`Order`."""
        count = min(accesses, self.pass_lines, self.count)
        last = self.start + (count - 1) * self.stride_bytes
        step = max(page_bytes, self.stride_bytes)
        if step == self.stride_bytes:
            numbers = np.arange(min(count, most), dtype=np.int64)
        else:
            first_page = self.start // page_bytes
            pages = np.arange(first_page, min(last // page_bytes + 1, first_page + most), dtype=np.int64) * page_bytes
            numbers = np.maximum(-((self.start - pages) // self.stride_bytes), 0)
        return numbers, ((self.start + numbers * self.stride_bytes) // LINE_BYTES * LINE_BYTES).astype(np.uint64)


@dataclass(frozen=True)
class Random:
    """Any line of a range, each as likely as the others, drawn anew each time.

    Attributes
    ----------
    start : int
    lines : int
        Of the range.
    pass_lines : int
    key : int
        Of the random numbers: SplitMix64, by its number of the access (Steele, Lea, Flood: Fast splittable pseudorandom number
        generators, OOPSLA 2014).
    """

    start: int
    lines: int
    pass_lines: int
    key: int

    def addresses(self, first: int, stop: int) -> Addresses:
        """See :class:`Order`."""
        return self.at(np.arange(first, stop, dtype=np.int64))

    def at(self, numbers: Ints) -> Addresses:
        """See :class:`Order`."""
        bits = random_bits(numbers.astype(np.uint64), self.key)
        return np.uint64(self.start) + bits % np.uint64(self.lines) * np.uint64(LINE_BYTES)

    def first_touches(self, accesses: int, page_bytes: int, most: int) -> tuple[Ints, Addresses]:
        """See :class:`Order`."""
        return _scan(self, self.start, self.lines, accesses, page_bytes, most)


@dataclass(frozen=True)
class Chain:
    """All lines of a range once a pass, in a random order that stays the same: a linked list that is walked.

    The order is a permutation by a keyed mixing function on the next power of two, walked on where it leaves the range ("cycle
    walking": Black and Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002), so it takes no memory.

    Attributes
    ----------
    start : int
    lines : int
        Of the range.
    pass_lines : int
    key : int
    offset : int
        Where in the chain the walk begins.
    """

    start: int
    lines: int
    pass_lines: int
    key: int
    offset: int = 0

    def addresses(self, first: int, stop: int) -> Addresses:
        """See :class:`Order`."""
        return self.at(np.arange(first, stop, dtype=np.int64))

    def at(self, numbers: Ints) -> Addresses:
        """See :class:`Order`."""
        number = ((numbers % self.pass_lines + self.offset) % self.lines).astype(np.uint64)
        place = self._shuffled(number)
        outside = np.flatnonzero(place >= self.lines)
        while len(outside):
            place[outside] = self._shuffled(place[outside])
            outside = outside[place[outside] >= self.lines]
        return np.uint64(self.start) + place * np.uint64(LINE_BYTES)

    def first_touches(self, accesses: int, page_bytes: int, most: int) -> tuple[Ints, Addresses]:
        """See :class:`Order`."""
        return _scan(self, self.start, self.lines, min(accesses, self.pass_lines), page_bytes, most)

    def _shuffled(self, number: Addresses) -> Addresses:
        """Permute the numbers below the power of two: each step can be undone."""
        bits = (self.lines - 1).bit_length()
        mask, shift = np.uint64((1 << bits) - 1), np.uint64(max(bits // 2, 1))
        for turn in range(4):
            factor, addend = (np.uint64(key_of(self.key, f"{turn} {what}")) for what in ("factor", "addend"))
            number = (number * (factor | np.uint64(1)) + addend) & mask
            number = number ^ (number >> shift)
        return number


def key_of(*parts: object) -> int:
    """Return 64 bits that depend on all parts, the same on every platform (BLAKE2b)."""
    digest = hashlib.blake2b(":".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def random_bits(number: Addresses, key: int) -> Addresses:
    """Return 64 bits for each number: SplitMix64, as :class:`Random` says."""
    z = np.uint64(key & _MASK) + number * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _scan(order: Order, start: int, lines: int, accesses: int, page_bytes: int, most: int) -> tuple[Ints, Addresses]:
    """Find first touches by going through the accesses, until every page of the range has been touched, or enough of them."""
    first_page = start // page_bytes
    pages = (start + lines * LINE_BYTES - 1) // page_bytes - first_page + 1
    left = min(pages, most)
    unseen = np.ones(pages, dtype=bool)
    numbers, addresses = [], []
    for first in range(0, accesses, _SCAN):
        if left <= 0:
            break
        found = order.addresses(first, min(first + _SCAN, accesses))
        page = (found // np.uint64(page_bytes)).astype(np.int64) - first_page
        candidates = np.flatnonzero(unseen[page])
        new = candidates[np.sort(np.unique(page[candidates], return_index=True)[1])]
        unseen[page[new]] = False
        left -= len(new)
        numbers.append(new + first)
        addresses.append(found[new])
    if not numbers:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
    return np.concatenate(numbers).astype(np.int64)[:most], np.concatenate(addresses)[:most]
