"""Nodes with neither CPUs nor memory: left out of a machine, but for those over which the way between others leads."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.interop.cpus import ranges
from simulator.interop.hop_classes import Pair, links_told, neighbours
from simulator.interop.import_nodes import Guess
from simulator.interop.record import Matrix, NodeRecord
from simulator.machine.routing import shortest_distances

Hops = dict[int, dict[int, int]]  # by node and node


def empty_nodes(nodes: Sequence[NodeRecord]) -> tuple[int, ...]:
    """Return the nodes known to have neither CPUs nor memory."""
    return tuple(node.id for node in nodes if node.cpus == () and node.memory_mib == 0)


def needless(matrix: Matrix | None, ids: Sequence[int], empty: Sequence[int]) -> tuple[int, ...]:
    """Return those of the empty nodes without which the others are as many hops apart as with them.

    Parameters
    ----------
    matrix : Matrix, optional
        Distances as the firmware gives them. Where they do not tell the links, no empty node is known to be needed.
    ids : sequence of int
        All nodes.
    empty : sequence of int
        Some of them.
    """
    told = links_told(matrix, sorted(ids)) if matrix is not None and len(ids) > 1 else None
    if told is None or told.links is None:
        return tuple(empty)
    whole = _hops(told.links, ids)
    rest: list[int] = list(ids)
    for node in empty:
        others = [other for other in rest if other != node]
        part = _hops(told.links, others)
        if all(part[a].get(b) == whole[a][b] for a in others for b in others):
            rest = others
    return tuple(node for node in empty if node not in rest)


def about_empty(empty: Sequence[int], left_out: Sequence[int]) -> list[Guess]:
    """Say which empty nodes are left out, and which are not."""
    kept = [node for node in empty if node not in left_out]
    texts = [f"{_nodes(left_out)} left out: neither CPUs nor memory"] if left_out else []
    if kept:
        what = "they have" if len(kept) > 1 else "it has"
        over = "them" if len(kept) > 1 else "it"
        texts.append(
            f"{_nodes(kept)} kept, though {what} neither CPUs nor memory: by the distances others are linked over {over}"
        )
    return [Guess("nodes", text) for text in texts]


def _hops(links: Sequence[Pair], ids: Sequence[int]) -> Hops:
    known = set(ids)
    near = neighbours([pair for pair in links if known.issuperset(pair)], ids)
    return {node: shortest_distances(near, node) for node in ids}


def _nodes(ids: Sequence[int]) -> str:
    return f"node{'s' if len(ids) > 1 else ''} {ranges(ids)}"
