"""A part of a workload that stands for all of it: of each phase so many lines, spread over what it goes through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from simulator.placement.migration import Migration
from simulator.program.orders import Addresses, Ints, Order, key_of
from simulator.program.patterns import stream_accesses
from simulator.program.work import Step, Stream, Work

PIECE_LINES = 16  # that stay together


@dataclass(frozen=True)
class Sampled:
    """Pieces of another order: the accesses are cut into strata, and one piece is drawn from each.

    Even distances would meet interleaved pages always on the same node; a piece drawn at random in each stratum does not
    (stratified sampling: W. G. Cochran, Sampling Techniques, chapter 5).

    Attributes
    ----------
    order : Order
    whole, part : int
        Accesses of the order, and how many of them are taken.
    key : int
        Of the random numbers.
    """

    order: Order
    whole: int
    part: int
    key: int

    @property
    def pass_lines(self) -> int:
        """See :class:`simulator.program.orders.Order`."""
        return self.part

    def addresses(self, first: int, stop: int) -> Addresses:
        """See :class:`simulator.program.orders.Order`."""
        return self.at(np.arange(first, stop, dtype=np.int64))

    def at(self, numbers: Ints) -> Addresses:
        """See :class:`simulator.program.orders.Order`."""
        return self.order.at(sampled_numbers(numbers, self.whole, self.part, self.key))

    def first_touches(self, accesses: int, page_bytes: int, most: int) -> tuple[Ints, Addresses]:
        """See :class:`simulator.program.orders.Order`: pages are placed as the whole workload touches them."""
        return self.order.first_touches(self.whole, page_bytes, most)


def sampled_numbers(numbers: Ints, whole: int, part: int, key: int) -> Ints:
    """Return which of `whole` accesses each of `part` is, ascending."""
    piece, within = numbers // PIECE_LINES, numbers % PIECE_LINES
    start = piece * PIECE_LINES * whole // part
    room = (piece + 1) * PIECE_LINES * whole // part - start - PIECE_LINES
    pieces = int(piece.max(initial=-1)) + 1
    drawn = np.random.default_rng(key).random(pieces)[piece]
    return start + (drawn * (room + 1)).astype(np.int64) + within


@dataclass(frozen=True)
class Slice:
    """What is taken of a workload.

    Attributes
    ----------
    shares : mapping of int to float
        Of the lines of each step, above 0 and at most 1.
    key : int
        Of the random choice.
    """

    shares: Mapping[int, float]
    key: int

    def work(self, work: Work, step: Step) -> Work:
        """Return the part of a work. All threads and streams of a step take the same places, so what is in step stays so."""
        share = self.shares[step.number]
        if share == 1:
            return work
        lines = max(round(work.lines * share), 1)
        if work.kind != "access":
            return replace(work, lines=lines)
        short = replace(work, lines=lines)
        streams = tuple(self._stream(work, short, stream, step) for stream in work.streams)
        return replace(short, streams=streams)

    def migration(self, migration: Migration, step: Step) -> Migration:
        """Return the pages whose move is part of it."""
        pages = len(migration.addresses)
        chosen = np.arange(0, pages, max(round(1 / self.shares[step.number]), 1))
        nodes = (migration.from_nodes[chosen], migration.to_nodes[chosen])
        return Migration(migration.addresses[chosen], *nodes, migration.page_bytes, migration.stayed)

    def _stream(self, work: Work, short: Work, stream: Stream, step: Step) -> Stream:
        whole, part = stream_accesses(work, stream), stream_accesses(short, stream)
        return replace(stream, order=Sampled(stream.order, whole, part, key_of(self.key, step.number)))
