"""Zero-load latency by recursion: by hand, against an independent calculation, and against the engine's first line."""

from __future__ import annotations

import pytest

from simulator.errors import InputError
from simulator.machine.load import list_machines, load_machine
from simulator.machine.spec import Machine
from simulator.measure.idle import zero_load_ps
from simulator.theory.zero_load import own_queueing_ps, zero_load
from simulator.workload.thread import Mode
from tests.oracle import zero_load as oracle
from tests.oracle.machines import ANSWER, ENTRY, PATH, READ, SRI, WIRE, WRITE, XBAR, link_entry, ring, round_machine

MADE = {
    "ring of 5": ring(5),
    "slow link, then a fast one": round_machine(range(3), [link_entry(0, 1, 2.0), link_entry(1, 2, 6.0)]),
    "star": round_machine(range(5), [(0, 2), (1, 2), (3, 2), (4, 2)]),
    "parallel links": round_machine(
        [0, 1],
        [
            link_entry(0, 1, 4.0, carries=["request", "posted", "probe"]),
            link_entry(0, 1, 2.0, latency_ns=4.0, carries=["response"]),
        ],
    ),
    "answers slower than memory": round_machine([0, 1], [(0, 1)], ["coherence.probe_answer_ns=200"]),
    "SRI with a rate": round_machine(range(3), [(0, 1), (1, 2)], sri={"data_gb_per_s": 5.0}),
}
MODES: tuple[Mode, ...] = ("r", "w")


def _pairs(machine: Machine) -> list[tuple[int, int]]:
    return [(node.id, home.id) for node in machine.nodes for home in machine.nodes if node.cores and home.controller is not None]


def test_local_line_of_one_node_by_hand() -> None:
    found = zero_load(round_machine([0]), 0, 0, "w")
    steps = [step.time_ps // 1000 for step in found.steps]
    assert steps == [SRI + XBAR, ENTRY, READ, PATH, XBAR, SRI]
    assert found.latency_ps == sum(steps) * 1000
    assert found.decided_by == "data"
    assert found.answers_ps == {0: (SRI + XBAR + ENTRY + XBAR + SRI + ANSWER) * 1000}
    assert found.eviction_ps == (SRI + XBAR + ENTRY + WRITE + PATH + XBAR + SRI) * 1000


def test_remote_line_by_hand() -> None:
    """Over a link of 4 GB/s: request 2 ns; the line's header 1 ns, its tail 16 ns later."""
    found = zero_load(round_machine([0, 1], [(0, 1)]), 0, 1)
    there = SRI + XBAR + 2 + WIRE + XBAR + ENTRY
    back = READ + PATH + XBAR + 1 + WIRE + XBAR + 16 + SRI
    assert found.latency_ps == (there + back) * 1000
    assert found.answers_ps[1] == (there + XBAR + SRI + ANSWER + SRI + XBAR + 1 + WIRE + XBAR + SRI) * 1000
    assert [step.place for step in found.steps if step.packet == "RdBlk"][:3] == [
        "node 0 SRI to crossbar, delay",
        "link 0->1",
        "link 0->1 wire and crossbar, delay",
    ]


def test_a_slow_answer_decides() -> None:
    found = zero_load(MADE["answers slower than memory"], 0, 0)
    assert found.decided_by == "answer of node 1"
    assert found.latency_ps == found.answers_ps[1] > found.data_ps
    assert found.steps[-1].packet == "ProbeResponse"
    assert sum(step.time_ps for step in found.steps if step.place == "node 1 probe answer, delay") == (200 + SRI) * 1000


@pytest.mark.parametrize("name", [*MADE, *list_machines()])
def test_equals_the_independent_calculation(name: str) -> None:
    machine = MADE.get(name) or load_machine(name)
    for node, home in _pairs(machine):
        for mode in MODES:
            found = zero_load(machine, node, home, mode)
            assert found.latency_ps == oracle.lower_bound_ps(machine, node, home)
            assert found.latency_ps == sum(step.time_ps for step in found.steps)
            assert found.latency_ps == max([found.data_ps, *found.answers_ps.values()])
            assert bool(found.answers_ps) == (machine.coherence.protocol == "snooped")


@pytest.mark.parametrize("name", list_machines())
def test_equals_the_engines_first_line(name: str) -> None:
    """To the picosecond, but for what its own packets wait for each other."""
    machine = load_machine(name)
    for node, home in _pairs(machine):
        for mode in MODES if len(machine.nodes) <= 4 else MODES[:1]:
            own_ps = own_queueing_ps(machine, node, home, mode)
            assert zero_load_ps(machine, node, home, mode) == zero_load(machine, node, home, mode).latency_ps + own_ps
            if (node, home) <= (1, len(machine.nodes)):  # others are like these, and all are tested with the engines
                assert own_ps == oracle.zero_load_ps(machine, node, home, mode) - oracle.lower_bound_ps(machine, node, home)


def test_four_pairs_of_the_quartet_queue() -> None:
    """There node 3's (or 2's) answer queues for 1 ns behind the line."""
    machine = load_machine("quartet")
    own_ps = {pair: {own_queueing_ps(machine, *pair, mode) for mode in MODES} for pair in _pairs(machine)}
    assert {pair for pair, found in own_ps.items() if found != {0}} == {(0, 1), (1, 0), (2, 3), (3, 2)}
    assert {*own_ps[0, 1]} == {*own_ps[3, 2]} == {1000}


def test_no_core_and_no_memory() -> None:
    with pytest.raises(InputError, match="no node 7"):
        zero_load(load_machine("quartet"), 7, 0)
