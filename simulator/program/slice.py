"""A part of a workload that stands for all of it: of each phase so many lines, spread over what it goes through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from simulator.placement.migration import Migration
from simulator.program.orders import Addresses, Ints, Order, key_of, random_bits
from simulator.program.patterns import stream_accesses
from simulator.program.work import Step, Stream, Work

PIECE_LINES = 4  # that stay together: with it slices of streams over interleaved pages come closest to whole runs
LARGEST_SHARE = 0.5  # of a phase that is cut; of more, all is taken


@dataclass(frozen=True)
class Sampled:
    """Pieces of another order: its accesses are cut into strata, and from each one piece is drawn.

    Even distances would meet interleaved pages always on the same node; a piece drawn at random in each stratum does not
    (stratified sampling: W. G. Cochran, Sampling Techniques, 1977, chapter 5). Of each two pieces that lie together one, drawn
    too, is left for `odd` samples: what warms the caches and what is run have no access in common, and meet in all sets.

    Attributes
    ----------
    order : Order
    whole, part : int
        Accesses of the order, and how many of them are taken: no more than half.
    key : int
        Of the random numbers.
    odd : bool
        Which pieces.
    """

    order: Order
    whole: int
    part: int
    key: int
    odd: bool = False

    @property
    def pass_lines(self) -> int:
        """See :class:`simulator.program.orders.Order`."""
        return self.part

    def addresses(self, first: int, stop: int) -> Addresses:
        """See :class:`simulator.program.orders.Order`."""
        return self.at(np.arange(first, stop, dtype=np.int64))

    def at(self, numbers: Ints) -> Addresses:
        """See :class:`simulator.program.orders.Order`."""
        return self.order.at(sampled_numbers(numbers, self.whole, self.part, self.key, odd=self.odd))

    def first_touches(self, accesses: int, page_bytes: int, most: int) -> tuple[Ints, Addresses]:
        """See :class:`simulator.program.orders.Order`: pages are placed as the whole workload touches them."""
        return self.order.first_touches(self.whole, page_bytes, most)


def sampled_numbers(numbers: Ints, whole: int, part: int, key: int, *, odd: bool = False) -> Ints:
    """Return which of `whole` accesses each of `part` is, ascending."""
    pieces = -(-part // PIECE_LINES)  # drawn
    slots = max(whole // (2 * PIECE_LINES), 1)  # there are, each of an even and an odd piece
    piece, within = numbers // PIECE_LINES, numbers % PIECE_LINES
    first, behind = piece * slots // pieces, (piece + 1) * slots // pieces
    drawn = np.random.default_rng([key, odd]).random(int(piece.max(initial=-1)) + 1)[piece]
    slot = first + (drawn * np.maximum(behind - first, 1)).astype(np.int64)
    side = (random_bits(slot.astype(np.uint64), key) & np.uint64(1)).astype(np.int64) ^ int(odd)
    numbered: Ints = (2 * slot + side) * PIECE_LINES + within
    return numbered


@dataclass(frozen=True)
class Slice:
    """What is taken of a workload.

    Attributes
    ----------
    shares : mapping of int to float
        Of the lines of each step: 1, or at most `LARGEST_SHARE`.
    key : int
        Of the random choice, with the first address of a thread's part. It is the same in all steps, so that a step finds in
        the caches what an earlier one would have left there for it. Threads that go through the same array stay in step; others
        do not fall into step over interleaved pages, which they would leave again in a longer run.
    warm_lines : tuple of int
        Accesses of each thread that fill its caches before the part of a step that is run, as those left out would have done;
        empty: there are no caches.
    """

    shares: Mapping[int, float]
    key: int
    warm_lines: tuple[int, ...] = ()

    def works(self, work: Work, step: Step, thread: int) -> Iterator[Work]:
        """Yield what warms the caches, where something is left out, and the part that is run.

        All streams of a work take the same places, so what is in step stays so.
        """
        share = self.shares[step.number]
        if share == 1:
            yield work
        elif work.kind != "access":
            yield replace(work, lines=_share(work.lines, share))
        else:
            wanted = self.warm_lines[thread] if self.warm_lines else 0
            warm = min(wanted * work.lines // _accesses(work), int(work.lines * LARGEST_SHARE))
            if warm:
                yield replace(self._part(work, warm, odd=True), kind="warm")
            yield self._part(work, _share(work.lines, share), odd=False)

    def migration(self, migration: Migration, step: Step) -> Migration:
        """Return the pages whose move is part of it."""
        pages = len(migration.addresses)
        chosen = np.arange(0, pages, max(round(1 / self.shares[step.number]), 1))
        nodes = (migration.from_nodes[chosen], migration.to_nodes[chosen])
        return Migration(migration.addresses[chosen], *nodes, migration.page_bytes, migration.stayed)

    def _part(self, work: Work, lines: int, *, odd: bool) -> Work:
        short = replace(work, lines=lines)
        key = key_of(self.key, work.streams[0].order.addresses(0, 1)[0])

        def stream(one: Stream) -> Stream:
            whole, part = stream_accesses(work, one), stream_accesses(short, one)
            return replace(one, order=Sampled(one.order, whole, part, key, odd))

        return replace(short, streams=tuple(map(stream, work.streams)))


def _share(lines: int, share: float) -> int:
    return max(round(lines * share), 1)


def _accesses(work: Work) -> int:
    return sum(stream_accesses(work, stream) for stream in work.streams)
