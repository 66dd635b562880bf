"""Machines compared: hop classes, all-to-all bandwidth with its interval and bounds, the picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.idle import zero_load_ns
from simulator.plots.topologies import draw_topologies
from simulator.validation.topologies import (
    TopologyRow,
    all_to_all_bandwidth,
    bandwidth_table,
    compare_topologies,
    idle_by_hops,
    topologies_table,
)

SHORT = Accuracy(ci_percent=5.0, lines=300, warmup=50)


@pytest.fixture(scope="module")
def rows() -> list[TopologyRow]:
    """One node, and the kite, on which nodes read at unequal rates."""
    return compare_topologies([load_machine("one-node"), load_machine("opteron-4p-kite")], SHORT)


def test_pairs_by_hops_of_the_square() -> None:
    machine = load_machine("quartet")
    near, one, two = idle_by_hops(machine)
    assert [(found.hops, found.pairs) for found in (near, one, two)] == [(0, 4), (1, 8), (2, 4)]
    assert near.least_ns == near.mean_ns == near.most_ns == zero_load_ns(machine, 0, 0)
    assert {one.least_ns, one.most_ns} == {zero_load_ns(machine, 0, 2), zero_load_ns(machine, 0, 1)}
    assert one.least_ns < one.mean_ns < one.most_ns < two.least_ns


def test_nodes_without_memory_are_no_homes() -> None:
    near, one = idle_by_hops(load_machine("threadripper-2990wx"))
    assert (near.pairs, one.pairs) == (2, 6)
    assert near.mean_ns == pytest.approx(64, abs=0.5)
    assert one.mean_ns == pytest.approx(105, abs=0.5)


def test_one_node_reads_as_fast_as_its_dram() -> None:
    found = all_to_all_bandwidth(load_machine("one-node"), SHORT)
    assert found.own.mean == pytest.approx(64 / 14.02, rel=0.01)
    assert found.bound.gb_per_s == pytest.approx(found.total_bound_gb_per_s) == pytest.approx(64 / 14.02)
    assert found.own.half_width < 0.05


def test_the_kite_against_its_bounds(rows: list[TopologyRow]) -> None:
    found = rows[1].bandwidth
    assert found.least_gb_per_s <= found.own.mean <= found.most_gb_per_s
    assert found.equal.mean < found.own.mean < found.bound.gb_per_s < found.total_bound_gb_per_s
    assert found.equal.mean + found.equal.half_width < found.bound.gb_per_s
    assert found.busiest.link_utilization < 1


def test_tables(rows: list[TopologyRow]) -> None:
    first, second = topologies_table(rows).plain(), bandwidth_table(rows).plain()
    (kite,) = (line.split() for line in first.splitlines() if "opteron-4p-kite" in line)
    assert kite == ["opteron-4p-kite", "4", "8", "5", "2", "0.8750", "62.3-94.6", "105.9-106.9", "138.3"]
    (alone,) = (line.split() for line in first.splitlines() if "one-node" in line)
    assert alone[-3:] == ["57.6", "-", "-"]
    (kite,) = (line for line in second.splitlines() if "opteron-4p-kite" in line)
    assert re.search(r"16\.0 +link 2->0 +18\.3 ", kite)


def test_picture(rows: list[TopologyRow], tmp_path: Path) -> None:
    written = draw_topologies(rows, tmp_path / "topologies")
    assert [path.name for path in written] == ["topologies.png", "topologies.svg"]
    once = [path.read_bytes() for path in written]
    assert once == [path.read_bytes() for path in draw_topologies(rows, tmp_path / "topologies")]
