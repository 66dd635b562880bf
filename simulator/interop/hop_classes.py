"""Which nodes are linked, told from the distances between them: the smallest is one hop, the next two, and so on.

On Opterons firmware counts so: 10 for a node itself, 16 for one hop, 22 for two. Whether a table follows this rule is checked,
not believed: the links of its smallest distance must give every pair the hops that its distance stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from simulator.interop.judgement import tells_hops
from simulator.interop.record import UNREACHABLE, Matrix
from simulator.machine.routing import shortest_distances

Pair = tuple[int, int]  # two nodes, the lower number first
_MOST_NAMED = 4  # pairs, of all that contradict


@dataclass(frozen=True)
class Told:
    """What distances tell of links.

    Parameters
    ----------
    links : tuple of Pair, optional
        None where they do not tell.
    reason : str
        Why these links, or why not.
    notes : tuple of str
        What else a reader should know.
    """

    links: tuple[Pair, ...] | None
    reason: str
    notes: tuple[str, ...] = ()


def links_told(matrix: Matrix, ids: Sequence[int]) -> Told:
    """Return the links between the nodes `ids` where the distances tell them.

    Parameters
    ----------
    matrix : Matrix
        Distances as the firmware gives them (SLIT).
    ids : sequence of int
        Sorted node numbers, at least two.
    """
    unequal = _unequal(matrix, ids)
    if unequal:
        return Told(None, f"distances differ by direction: {_first(unequal)}")
    known = pair_distances(matrix, ids)
    unknown = [f"{a}-{b}" for a, b in combinations(ids, 2) if (a, b) not in known]
    if unknown:
        return Told(None, f"distances are unknown: {_first(unknown)}")
    found = sorted({value for value in known.values() if value != UNREACHABLE})
    if not found:
        return Told(None, "no node reaches another: all distances are 255")
    if len(ids) > 2 and set(known.values()) == {found[0]}:
        return _all_equal(matrix, known, found[0])
    links = tuple(pair for pair, value in known.items() if value == found[0])
    apart = islands(links, ids)
    if len(apart) > 1:
        groups = " | ".join(_first([str(node) for node in group], ",") for group in apart[:_MOST_NAMED])
        return Told(None, f"pairs at distance {found[0]:g}, the smallest, leave nodes apart: {groups}")
    wrong = contradictions(known, links, ids)
    if wrong:
        return Told(None, f"with pairs at distance {found[0]:g}, the smallest, as links: {_first(wrong, '; ')}")
    cut = [f"{a}-{b}" for (a, b), value in known.items() if value == UNREACHABLE]
    notes = (f"pairs at distance 255 (unreachable) get no link, but the model lets packets pass: {_first(cut)}",) if cut else ()
    return Told(links, f"distance {found[0]:g}, the smallest between nodes, is taken as one link", notes)


def _all_equal(matrix: Matrix, known: Mapping[Pair, float], distance: float) -> Told:
    """Return a full mesh where firmware must have chosen the number; nothing where Linux or fake NUMA puts it by itself."""
    if not tells_hops(matrix):
        return Told(None, f"all distances between nodes are {distance:g}, which tells nothing of hops")
    notes = ("all nodes are equally far: a full mesh, or firmware that does not count hops; --links says otherwise",)
    return Told(tuple(known), f"distance {distance:g} between all nodes is taken as one link each", notes)


def pair_distances(matrix: Matrix, ids: Sequence[int]) -> dict[Pair, float]:
    """Return the distance of each pair that has one; where only one direction has a number that means something, that one."""
    known: dict[Pair, float] = {}
    for pair in combinations(ids, 2):
        both = [value for value in _directions(matrix, pair) if value is not None]
        reached = [value for value in both if value != UNREACHABLE]
        if both:
            known[pair] = min(reached, default=UNREACHABLE)
    return known


def contradictions(known: Mapping[Pair, float], links: Iterable[Pair], ids: Sequence[int]) -> list[str]:
    """Return, in words, the pairs whose hops over `links` are not those that their distance stands for."""
    classes = sorted({value for value in known.values() if value != UNREACHABLE})
    near = neighbours(links, ids)
    hops = {node: shortest_distances(near, node) for node in ids}
    wrong = []
    for (a, b), value in known.items():
        if value != UNREACHABLE and hops[a].get(b) != classes.index(value) + 1:
            wrong.append(f"{a}-{b} at {value:g} would be {_hops(hops[a].get(b))}, not {classes.index(value) + 1}")
    return wrong


def islands(links: Iterable[Pair], ids: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the groups of nodes that links join; one group where all are joined."""
    near = neighbours(links, ids)
    groups: dict[int, tuple[int, ...]] = {}
    for node in ids:
        if node not in groups:
            group = tuple(sorted(shortest_distances(near, node)))
            groups.update(dict.fromkeys(group, group))
    return list(dict.fromkeys(groups.values()))


def neighbours(links: Iterable[Pair], ids: Sequence[int]) -> dict[int, list[int]]:
    """Return the nodes that each node is linked to."""
    near: dict[int, list[int]] = {node: [] for node in ids}
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    return near


def _unequal(matrix: Matrix, ids: Sequence[int]) -> list[str]:
    return [
        f"{a}->{b} {there:g} and {b}->{a} {back:g}"
        for a, b in combinations(ids, 2)
        for there, back in [_directions(matrix, (a, b))]
        if there is not None and back is not None and there != back and UNREACHABLE not in (there, back)
    ]


def _directions(matrix: Matrix, pair: Pair) -> tuple[float | None, float | None]:
    return matrix.at(*pair), matrix.at(*pair[::-1])


def _hops(count: int | None) -> str:
    return "out of reach" if count is None else f"{count} hop{'s' if count > 1 else ''}"


def _first(texts: Sequence[str], separator: str = ", ") -> str:
    return separator.join(_shortened(texts))


def _shortened(texts: Sequence[str]) -> Iterator[str]:
    yield from texts[:_MOST_NAMED]
    if len(texts) > _MOST_NAMED:
        yield f"and {len(texts) - _MOST_NAMED:,} more"
