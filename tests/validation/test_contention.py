"""The same share of local accesses, and queues in other places: what the placement experiments are about."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import load_machine
from simulator.program import load_program
from simulator.replay.result import Replays
from simulator.replay.side_by_side import moved_off_its_memory, quick_form, side_by_side, streaming_under_policies

WORKLOADS = Path(__file__).parents[2] / "experiments" / "workloads"


@pytest.fixture(scope="module")
def contention() -> Replays:
    files = ("contention_one_node.toml", "contention_interleaved.toml")
    programs = {file: quick_form(load_program(WORKLOADS / file)) for file in files}
    return side_by_side(load_machine("opteron-8385-4p"), programs)


def test_one_nodes_queue_at_equal_locality(contention: Replays) -> None:
    """16 threads, a quarter of all accesses local either way; one node's queue makes a line take a multiple."""
    one_node, interleaved = contention.runs
    assert [len(run.threads) for run in contention.runs] == [16, 16]
    assert one_node.local_percent == pytest.approx(25, abs=1)
    assert interleaved.local_percent == pytest.approx(25, abs=1)
    assert one_node.latency_ns is not None
    assert interleaved.latency_ns is not None
    assert one_node.latency_ns.mean > 2 * interleaved.latency_ns.mean


def test_controllers_and_links_say_why(contention: Replays) -> None:
    one_node, interleaved = ([controller.utilization for controller in run.controllers.values()] for run in contention.runs)
    assert one_node[1:] == [0, 0, 0]
    assert max(interleaved) < 1.1 * min(interleaved)
    into, spread = ([link.utilization for link in run.links.values()] for run in contention.runs)
    assert max(into) > 3 * min(into)
    assert max(spread) < 1.3 * min(spread)


@pytest.mark.slow
def test_policies_in_the_order_of_their_queues() -> None:
    machine = load_machine("quartet")
    time_ns = {run.placement: run.elapsed_ns for run in side_by_side(machine, streaming_under_policies(machine)).runs}
    assert min(time_ns, key=lambda name: time_ns[name]) == "first touch by each its part"
    assert time_ns["--membind=0"] == time_ns["--preferred=0"] == time_ns["first touch by one thread"] == max(time_ns.values())
    assert time_ns["--interleave=all"] < time_ns["--interleave=0,1"] < time_ns["--membind=0"]
    assert time_ns["node interleaving in the BIOS"] == time_ns["--interleave=all"]


@pytest.mark.slow
def test_moving_pages_pays_after_some_passes() -> None:
    runs = side_by_side(load_machine("quartet"), moved_off_its_memory((1, 16))).runs
    stays_once, follows_once, stays_often, follows_often = (run.elapsed_ns for run in runs)
    assert stays_once < follows_once
    assert follows_often < stays_often
