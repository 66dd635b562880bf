"""What AMD's application note 40555 recommends comes out of simulated placements of four workloads; no rule says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import load_machine
from simulator.advise import Advice, advise
from simulator.advise.report import PlacementReport
from simulator.machine.distances import distances
from simulator.program import load_program
from tests.program.workloads import QUARTET

WORKLOADS = Path(__file__).resolve().parents[2] / "experiments" / "workloads"
HOPS = distances(QUARTET).matrix
# Without caches every written line is written back, as it is with caches that are full of written lines, and runs are short.
WITHOUT_CACHES = QUARTET.model_copy(update={"caches": None})


def _advice(name: str, *fixed: str, budget: int = 40, lines: int = 300) -> Advice:
    return advise(WITHOUT_CACHES, load_program(WORKLOADS / f"advise_{name}.toml"), fixed=fixed, budget=budget, lines=lines)


def _advised(advice: Advice) -> PlacementReport:
    assert advice.advised is not None
    return advice.ranking[advice.advised]


def _own(advice: Advice) -> PlacementReport:
    return next(one for one in advice.ranking if one.own)


def test_independent_data_node_major_and_local() -> None:
    advice = _advice("independent")
    best = _advised(advice)
    assert best.threads[0].nodes == {0: 1, 1: 1, 2: 1, 3: 1}
    assert best.local_percent == 100
    assert [one for one in advice.ranking if one.equal] == [best]
    assert _own(advice).slower_percent > 15  # two a node, also local
    assert advice.command_lines[0] == "numactl --physcpubind=0,2,4,6 --localalloc ./worker"
    assert "memory that is busy 100 % of the time" in advice.sentences[1]


def test_shared_data_core_major() -> None:
    advice = _advice("shared", budget=90)
    best = _advised(advice)
    assert sorted(best.threads[0].nodes.values()) == [0, 0, 0, 2]
    assert best.local_percent == 100
    assert _own(advice).slower_percent > 2  # one a node
    assert "of the lines from other nodes (now 0 %)" in advice.sentences[1]


def test_more_than_a_node_holds_the_near_neighbour_or_the_fewest_nodes() -> None:
    advice = _advice("too_large", budget=80)
    (node,) = (node for node, count in _advised(advice).threads[0].nodes.items() if count)
    for one in advice.ranking:
        used = [other for other, pages in one.pages.items() if pages]
        if one.equal:
            assert len(used) == 2
            assert node in used
            assert max(HOPS[node][other] for other in used) == 12  # one hop
    assert _own(advice).threads[0].policy == "--interleave=0,1,2,3"
    assert _own(advice).slower_percent > 4


def test_under_load_where_the_queues_are_short() -> None:
    advice = _advice("loaded", "left", "right", "top")
    best, own = _advised(advice), _own(advice)
    assert own.local_percent == 100
    assert best.local_percent == 0
    assert best.threads[0].policy in ("--membind=1", "--membind=2", "--membind=3")
    assert own.slower_percent > 40
    assert own.queueing_ns is not None
    assert best.queueing_ns is not None
    assert own.queueing_ns > 3 * best.queueing_ns


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["quartet", "opteron-8385-4p", "opteron-8p-ladder"])
def test_machines_with_caches_say_the_same_of_independent_data(machine: str) -> None:
    advice = advise(load_machine(machine), load_program(WORKLOADS / "advise_independent.toml"), budget=80, lines=500)
    assert any(one.equal and max(one.threads[0].nodes.values()) == 1 for one in advice.ranking)
    assert _advised(advice).local_percent == 100
    assert not _own(advice).equal


@pytest.mark.slow
def test_caches_change_nothing_for_the_others() -> None:
    loaded = load_program(WORKLOADS / "advise_loaded.toml")
    assert _advised(advise(QUARTET, loaded, fixed=("left", "right", "top"), budget=80)).local_percent == 0
    shared = advise(QUARTET, load_program(WORKLOADS / "advise_shared.toml"))
    assert max(_advised(shared).threads[0].nodes.values()) == 2
    large = advise(QUARTET, load_program(WORKLOADS / "advise_too_large.toml"))
    assert sum(count > 0 for count in _advised(large).pages.values()) == 2
