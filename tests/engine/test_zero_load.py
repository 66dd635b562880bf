"""The time of the very first line equals an independent calculation, for every ordered pair of every machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from simulator.machine.load import list_machines, load_machine
from simulator.machine.spec import Machine
from simulator.measure.idle import idle_latency_ns, zero_load_ns, zero_load_ps
from simulator.workload.thread import Mode
from tests.oracle import zero_load
from tests.oracle.machines import link_entry, node_entry, ring, round_machine

LINE_OF_3 = [(0, 1), (1, 2)]
MACHINES = {
    "ring of 4, shortest routes": ring(4),
    "ring of 5": ring(5),
    "ring of 6": ring(6),
    "slow link, then a fast one": round_machine(range(3), [link_entry(0, 1, 2.0), link_entry(1, 2, 6.0)]),
    "slow, fast, slow": round_machine(range(4), [link_entry(0, 1, 2.0), link_entry(1, 2, 6.0), link_entry(2, 3, 3.0)]),
    "one very slow link": round_machine(range(3), [link_entry(0, 1, 6.0), link_entry(1, 2, 1.0)]),
    "links of other latencies": round_machine(range(3), [link_entry(0, 1, latency_ns=3.0), link_entry(1, 2, latency_ns=40.0)]),
    "star": round_machine(range(5), [(0, 2), (1, 2), (3, 2), (4, 2)]),
    "all joined to all": round_machine(range(4), [(a, b) for a in range(4) for b in range(a)]),
    "nodes without memory or cores": round_machine(
        [node_entry(0, memory=False), node_entry(1), node_entry(2, cores=0)], LINE_OF_3
    ),
    "node numbers 0 and 8": round_machine([0, 8], [(0, 8)]),
    "node numbers 3, 8, 9, 20": round_machine([20, 9, 8, 3], [(9, 3), (20, 8), (20, 3)]),
    "parallel links": round_machine(
        [0, 1],
        [
            link_entry(0, 1, 4.0, carries=["request", "posted", "probe"]),
            link_entry(0, 1, 2.0, latency_ns=4.0, carries=["response"]),
        ],
    ),
    "tables against the shortest way": round_machine(
        range(3),
        [(0, 1), (1, 2), (0, 2)],
        routing={
            "request": [[0, 1, 1], [0, 1, 2], [0, 1, 2]],
            "response": [[0, 1, 2], [0, 1, 2], [1, 1, 2]],
            "broadcast": [[[2], [], [1]], [[], [2], [0]], [[], [0], [1]]],
        },
    ),
    "probe answers slower than memory": round_machine([0, 1], [(0, 1)], ["coherence.probe_answer_ns=200"]),
    "a probe filter": round_machine(range(3), LINE_OF_3, coherence={"protocol": "probe-filtered", "filter_lookup_ns": 6.0}),
    "NOP of no size": ring(4, ["link.nop.bytes=0"]),
    "one release of a class in a NOP": ring(4, ["link.nop.releases_per_class=1"]),
    "SRI of 1 GB/s": round_machine(range(3), LINE_OF_3, sri={"data_gb_per_s": 1.0}),
    "SRI of 5 GB/s": round_machine(range(3), LINE_OF_3, sri={"data_gb_per_s": 5.0}),
    "SRI of 20 GB/s": ring(4, ["sri.data_gb_per_s=20"]),
}


def _every_pair(machine: Machine) -> Iterator[tuple[int, int, Mode]]:
    for node in machine.nodes:
        for home in machine.nodes:
            if node.cores and home.controller is not None:
                yield node.id, home.id, "r"
                yield node.id, home.id, "w"


@pytest.mark.parametrize("name", list_machines())
def test_every_pair_of_every_shipped_machine(name: str) -> None:
    _check(load_machine(name))


@pytest.mark.parametrize("name", MACHINES)
def test_every_pair_of_made_machines(name: str) -> None:
    _check(MACHINES[name])


def _check(machine: Machine) -> None:
    pairs = list(_every_pair(machine))
    assert pairs
    simulated = {pair: zero_load_ps(machine, *pair) for pair in pairs}
    assert simulated == {pair: zero_load.zero_load_ps(machine, *pair) for pair in pairs}
    for (node, home, _), time_ps in simulated.items():
        assert time_ps >= zero_load.lower_bound_ps(machine, node, home)


def test_own_packets_do_get_in_the_way() -> None:
    """Else the oracle would be no more than its lower bound, and this file would show less than it says."""
    machine = MACHINES["one very slow link"]
    bound = zero_load.lower_bound_ps(machine, 2, 1)
    assert bound < zero_load.zero_load_ps(machine, 2, 1, "r") < zero_load.zero_load_ps(machine, 2, 1, "w")


def test_the_farthest_answer_bounds_the_local_line_of_a_square() -> None:
    """The consequence to keep: on the square a local line waits for the answer from two hops away, on one node for DRAM."""
    square, single = load_machine("quartet"), load_machine("one-node")
    faster = load_machine("quartet", ["controller.path_ns=20.0"])
    assert zero_load_ps(square, 0, 0) == zero_load_ps(faster, 0, 0)
    assert zero_load_ps(single, 0, 0) < zero_load_ps(square, 0, 0) < zero_load_ps(square, 0, 1) < zero_load_ps(square, 0, 3)


def test_oracle_by_hand_on_one_node() -> None:
    # SRI 2, crossbar 8, entry 7, DRAM 12, path 30, crossbar 8, SRI 2; the probe: 2+8+7, crossbar 8, SRI 2, answer 20 = 47
    assert zero_load.zero_load_ps(round_machine([0]), 0, 0, "r") == (2 + 8 + 7 + 12 + 30 + 8 + 2) * 1000


@pytest.mark.parametrize("mode", ["r", "w"])
def test_idle_latency_without_jitter_and_crc_is_the_zero_load_time(mode: Mode) -> None:
    # the core rests until the last NOP has arrived, and DRAM turns round for nothing: each line finds what the first one found
    machine = ring(4, ["link.crc.bytes=0", "core.core_time_ns=1000.0", "controller.turnaround_ns=0.0"])
    for home in (0, 1, 2):
        assert idle_latency_ns(machine, 0, home, mode) == zero_load_ns(machine, 0, home, mode)
