"""The all-to-all bound, counted by hand, and that no simulation passes it."""

from __future__ import annotations

import pytest

from simulator import load_machine
from simulator.machine.routing import resolve_routes
from simulator.measure.accuracy import Accuracy
from simulator.theory.all_to_all import all_to_all_bound
from simulator.theory.routed_bytes import line_bytes
from simulator.validation.all_to_all import all_to_all_table, simulate_all_to_all


def test_bytes_of_one_remote_read_on_the_square() -> None:
    """Node 0 reads node 1: AMD's tables send node 3's answer over 1, node 2's straight, the probe of 2 over 3."""
    machine = load_machine("quartet")
    sent = line_bytes(machine, resolve_routes(machine), "r", 0, 1)
    assert dict(sent) == {
        "0->1": 8 + 4,  # request, SrcDone
        "1->0": 68 + 8 + 4 + 4,  # line, probe, answers of 1 and 3
        "1->3": 8,  # probe
        "3->2": 8,  # probe
        "2->0": 4,  # answer of 2
        "3->1": 4,  # answer of 3
    }


def test_bound_of_the_square() -> None:
    """Direction 0->1 in one round of 16 lines, by hand.

    Lines from homes 0 and 2 to node 1 (2 x 68), requests of nodes 0 and 2 to home 1 (2 x 8), their SrcDone (2 x 4), probes of
    roots 0 and 2 for four requesters each (8 x 8), answers of 0 and 2 to node 1 for four homes each (8 x 4):
    136 + 16 + 8 + 64 + 32 = 256 B, 64 ns at 4 GB/s, for 16 x 64 B of data: 16 GB/s.
    """
    bound = all_to_all_bound(load_machine("quartet"))
    assert bound.link_gb_per_s == pytest.approx(16.0)
    assert bound.gb_per_s == bound.link_gb_per_s < bound.dram_gb_per_s


def test_one_node_is_bound_by_its_dram() -> None:
    machine = load_machine("one-node")
    bound = all_to_all_bound(machine)
    assert bound.busiest_link is None
    assert bound.gb_per_s == pytest.approx(64 / machine.nodes[0].controller.read_ns)


def test_simulation_stays_below_and_is_printed_beside() -> None:
    machine = load_machine("quartet")
    bound = all_to_all_bound(machine)
    rows = simulate_all_to_all(machine, Accuracy(ci_percent=5.0, lines=200, warmup=50))
    assert [row.arbitration for row in rows] == ["round-robin", "response-first"] * 2
    assert [row.unlimited_buffers for row in rows] == [False, False, True, True]
    for row in rows:
        assert 8.0 < row.gb_per_s < bound.gb_per_s
    text = all_to_all_table(machine, bound, rows, 14.9).plain()
    assert "14.9" in text and "16.0" in text
