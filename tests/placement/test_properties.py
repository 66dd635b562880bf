"""What holds under every policy: pages where they may be, none lost, interleaving even, weights exact, order of no matter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import InputError
from simulator.placement import (
    Allocator,
    Bind,
    Interleave,
    LocalAlloc,
    Policy,
    Preferred,
    PreferredMany,
    Segment,
    System,
    Touches,
    WeightedInterleave,
)
from simulator.placement.zonelist import zonelists
from tests.placement.machines import square, touched

NODES = st.sets(st.integers(0, 3), min_size=1).map(lambda nodes: tuple(sorted(nodes)))
POLICIES: st.SearchStrategy[Policy] = st.one_of(
    st.just(LocalAlloc()),
    st.builds(Bind, NODES),
    st.builds(Preferred, st.integers(0, 3)),
    st.builds(PreferredMany, NODES),
    st.builds(Interleave, NODES, st.booleans()),
    st.builds(WeightedInterleave, NODES, st.booleans()),
)
SIZES = st.tuples(*[st.integers(1, 40)] * 4)
TOUCHES = st.lists(
    st.tuples(st.integers(0, 2), POLICIES, st.integers(0, 3), st.integers(0, 3), st.lists(st.integers(0, 20), max_size=12)),
    max_size=6,
)


def _naive(sizes: tuple[int, ...], policy: Policy, cpu_node: int, places: list[int], weights: dict[int, int]) -> list[int | None]:
    """Place pages one at a time, as one would by hand; None where memory is out."""
    free, near, found = dict(enumerate(sizes)), zonelists(square()), []
    cycle = []
    if isinstance(policy, (Interleave, WeightedInterleave)):
        many = weights if isinstance(policy, WeightedInterleave) else {}
        cycle = [node for node in policy.nodes for _ in range(many.get(node, 1))]
    for turn, place in enumerate(places):
        if isinstance(policy, (Interleave, WeightedInterleave)):
            order = near[cycle[(turn if policy.in_turn else place) % len(cycle)]]
        elif isinstance(policy, Preferred):
            order = near[policy.node]
        else:
            order = near[cpu_node]
        if isinstance(policy, (Bind, PreferredMany)):
            chosen = [node for node in order if node in policy.nodes]
            order = tuple(chosen if isinstance(policy, Bind) else chosen + [node for node in order if node not in chosen])
        node = next((node for node in order if free[node]), None)
        found.append(node)
        if node is None:
            break
        free[node] -= 1
    return found


@given(SIZES, POLICIES, st.integers(0, 3), st.permutations(range(30)), st.dictionaries(st.integers(0, 3), st.integers(1, 5)))
def test_all_pages_at_once_go_where_they_go_one_by_one(
    sizes: tuple[int, ...], policy: Policy, cpu_node: int, places: list[int], weights: dict[int, int]
) -> None:
    wanted = _naive(sizes, policy, cpu_node, places, weights)
    system = System(node_weights=weights)
    if None in wanted:
        with pytest.raises(InputError, match="out of memory"):
            touched(square(sizes), policy, 30, cpu_node, system=system, order=places)
        return
    found = touched(square(sizes), policy, 30, cpu_node, system=system, order=places)
    assert [found[place] for place in places] == wanted


@given(SIZES, TOUCHES, st.randoms(use_true_random=False))
def test_pages_are_conserved_and_where_they_may_be_and_the_order_of_the_list_does_not_matter(
    sizes: tuple[int, ...], made: list[tuple[int, Policy, int, int, list[int]]], random: object
) -> None:
    touches = [
        Touches(
            Segment((1 << 30) * (1 + 7 * number), policy, name=f"s{number}"),
            number,
            cpu,
            np.array([(1 << 30) * (1 + 7 * number) + place * 4096 for place in places], dtype=np.uint64),
        )
        for number, (_, policy, cpu, _, places) in enumerate(made)
    ]
    machine = square(sizes)
    allocator = Allocator(machine)
    try:
        allocator.touch(touches)
    except InputError:
        return
    counts: Counter[int] = Counter()
    for touch in touches:
        nodes = allocator.table.nodes(np.unique(touch.addresses))
        counts.update(nodes.tolist())
        assert (nodes >= 0).all()
        if isinstance(touch.segment.policy, Bind):
            assert set(nodes.tolist()) <= set(touch.segment.policy.nodes)
    assert [counts[node] + allocator.memory.free[node] for node in range(4)] == list(sizes)
    shuffled = list(touches)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    other = Allocator(machine)
    other.touch(shuffled)
    for touch in touches:
        assert other.table.nodes(touch.addresses).tolist() == allocator.table.nodes(touch.addresses).tolist()


@given(NODES, st.integers(0, 200), st.booleans())
def test_interleaving_is_even_within_one_page(nodes: tuple[int, ...], pages: int, in_turn: bool) -> None:
    counts = Counter(touched(square(), Interleave(nodes, in_turn), pages))
    assert set(counts) <= set(nodes)
    assert max(counts[node] for node in nodes) - min(counts[node] for node in nodes) <= 1


@given(NODES, st.dictionaries(st.integers(0, 3), st.integers(1, 9)), st.integers(1, 4), st.booleans())
def test_weights_are_exact_over_full_cycles(nodes: tuple[int, ...], weights: dict[int, int], cycles: int, in_turn: bool) -> None:
    wanted = {node: cycles * weights.get(node, 1) for node in nodes}
    found = touched(square(), WeightedInterleave(nodes, in_turn), sum(wanted.values()), system=System(node_weights=weights))
    assert Counter(found) == wanted
