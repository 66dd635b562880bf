"""The linear program over routes, on squares small enough to be done by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.theory.bounds import workload_bounds
from simulator.theory.route_choice import best_routes
from simulator.workload import ThreadSpec, Workload, parse_label
from tests.oracle.machines import ring, round_machine

SQUARE = [(0, 1), (0, 2), (1, 3), (2, 3)]
PLENTY = (  # buffers that never bind, memory that is never full: links alone decide
    "core.max_outstanding=4096",
    "controller.queue=4096",
    "controller.read_ns=0.1",
    "controller.to_crossbar.response=4096",
    "controller.to_crossbar.response_data=4096",
    "controller.to_crossbar.probe=4096",
    "sri.to_crossbar.request=4096",
    "sri.to_crossbar.response=4096",
    "crossbar.to_sri.probe=4096",
    *(f"link.credits.{name}=4096" for name in ("request", "response", "probe", "response_data")),
)


def _square() -> Machine:
    return round_machine(range(4), SQUARE, PLENTY)


def _many(*labels: str) -> Workload:
    return Workload(tuple(_greedy(parse_label(label)) for label in labels))


def _greedy(thread: ThreadSpec) -> ThreadSpec:
    return replace(thread, window=1000, core_time_ns=0.0)


def test_one_reader_two_hops_away_could_use_both_ways() -> None:
    """By the tables all of 0's lines from 3 come over 1; spread over both ways they come up to twice as fast."""
    machine, workload = _square(), _many("0.0.r.3")
    choice, bound = best_routes(machine, workload), workload_bounds(machine, workload)
    assert 1.6 < choice.total_gb_per_s / bound.total_gb_per_s < 2.0
    lines = {route.links: route for route in choice.routes if route.packet == "RdResponse"}
    assert set(lines) == {("3->1", "1->0"), ("3->2", "2->0")}
    assert lines["3->1", "1->0"].by_table
    assert not lines["3->2", "2->0"].by_table
    assert sum(route.share for route in lines.values()) == pytest.approx(1)
    assert all(0.3 < route.share < 0.7 for route in lines.values())


def test_the_spread_balances_the_two_ways() -> None:
    """By hand: of a line and node 3's answer, 72 B, u go over 1 and 72 - u over 2.

    Beside these 1->0 carries a probe and node 1's answer, 12 B, and 3->2 a probe, 8 B (3->1 and 2->0 are never fuller). Balanced,
    u + 12 = 80 - u: 46 B a line on each, 11.5 ns at 4 GB/s. CRC and a few NOPs come on top.
    """
    total = best_routes(_square(), _many("0.0.r.3")).total_gb_per_s
    assert 0.97 * 64 / 11.5 < total < 64 / 11.5


def test_tables_are_kept_where_nothing_is_gained() -> None:
    for labels in (["0.0.w.1", "1.0.w.0"], ["0.0.r.3"]):
        machine, workload = load_machine("quartet"), Workload.from_labels(labels)
        choice = best_routes(machine, workload)
        assert choice.total_gb_per_s == pytest.approx(workload_bounds(machine, workload).total_gb_per_s, rel=1e-5)
        assert all(route.share == pytest.approx(float(route.by_table), abs=1e-6) for route in choice.routes)


def test_readers_of_a_far_node_gain_on_the_quartet() -> None:
    """Three readers of node 3: two from node 0, whose lines the tables send over 1, as they do those of the reader on 1."""
    machine, workload = load_machine("quartet"), Workload.from_labels(["0.0.r.3", "0.1.r.3", "1.0.r.3"])
    choice, bound = best_routes(machine, workload), workload_bounds(machine, workload)
    assert {thread.fair_limit for thread in bound.threads} == {"link 3->1"}
    assert choice.total_gb_per_s > 1.2 * bound.total_gb_per_s


def test_no_choice_no_routes() -> None:
    for machine in (load_machine("two-node"), load_machine("one-node"), ring(5)):
        label = "0.0.r.0" if len(machine.nodes) == 1 else "0.0.r.1"
        workload = Workload.from_labels([label])
        choice = best_routes(machine, workload)
        assert choice.routes == ()
        assert choice.total_gb_per_s == pytest.approx(workload_bounds(machine, workload).total_gb_per_s, rel=1e-6)
