"""Which mechanism makes the 87 %: each ablation by direction and least size, and flow control to the byte."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator import load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.demand import with_demand
from simulator.measure.run import run
from simulator.validation.ablation import CROSSFIRE, AblationRow, ablation_table, run_ablations
from simulator.workload import Workload

SHORT = Accuracy(ci_percent=1.0, lines=1500, warmup=300)
FINE = Accuracy(ci_percent=0.1, lines=40_000)


@pytest.fixture(scope="module")
def rows() -> dict[str, AblationRow]:
    return {row.name: row for row in run_ablations(load_machine("quartet"), FINE)}


def test_flow_control_costs_time(rows: dict[str, AblationRow]) -> None:
    assert rows["NOP bytes off"].slower_percent < -1.0
    assert rows["NOP bytes off"].flow_control_per_line == 0.0
    assert rows["as calibrated"].flow_control_per_line > 15.0


def test_credits(rows: dict[str, AblationRow]) -> None:
    assert rows["all credits 1"].slower_percent > 10.0
    assert rows["all credits 1"].utilization < 0.5
    assert -3.0 < rows["credits unlimited"].slower_percent < -0.3  # nearly enough at their defaults


def test_window_decides_the_load(rows: dict[str, AblationRow]) -> None:
    assert rows["window one slot less"].utilization < rows["as calibrated"].utilization - 0.05
    assert rows["window one slot more"].utilization > rows["as calibrated"].utilization + 0.05
    assert rows["window one slot less"].slower_percent > 10.0
    assert rows["window one slot more"].slower_percent < -10.0


def test_crc_and_node_buffers_matter_little(rows: dict[str, AblationRow]) -> None:
    assert -1.5 < rows["CRC off"].slower_percent < -0.2
    assert abs(rows["buffers inside nodes unlimited"].slower_percent) < 0.3


def test_spread_of_core_times_is_one_of_the_causes(rows: dict[str, AblationRow]) -> None:
    """Nearly even core times queue less, so that the same threads fill the link more than AMD measured."""
    even = rows["core times spread by a tenth as much"]
    assert even.slower_percent < -3.0
    assert even.utilization > 0.91


def test_utilisation_without_an_efficiency_constant(rows: dict[str, AblationRow]) -> None:
    assert 0.83 <= rows["as calibrated"].utilization <= 0.91


def test_table_has_every_row(rows: dict[str, AblationRow]) -> None:
    text = ablation_table(list(rows.values())).plain()
    assert text.count("\n") == len(rows) + 2
    assert "buffers inside nodes unlimited" in text


def test_bytes_fall_by_exactly_the_flow_control() -> None:
    """A finite crossfire sends the same packets with and without NOP bytes, so the totals differ by the NOP bytes alone."""
    machine = load_machine("quartet", ["link.crc.bytes=0"])
    silent = load_machine("quartet", ["link.crc.bytes=0", "link.nop.bytes=0"])
    with_nops, without = _finite_crossfire(machine), _finite_crossfire(silent)
    for key in ("0->1", "1->0"):
        assert with_nops[key]["flow_control"] > 0 == without[key]["flow_control"]
        total_fall = sum(with_nops[key].values()) - sum(without[key].values())
        assert total_fall == with_nops[key]["flow_control"]


def test_crc_follows_every_512_bytes() -> None:
    sent = _finite_crossfire(load_machine("quartet"))
    without = _finite_crossfire(load_machine("quartet", ["link.crc.bytes=0"]))
    for key in ("0->1", "1->0"):
        other = sum(size for name, size in sent[key].items() if name != "crc")
        assert sent[key]["crc"] == other // 512 * 4
        assert without[key]["crc"] == 0
        for name in ("data", "command", "probe", "response"):
            assert sent[key][name] == without[key][name]


def test_demand_of_the_crossfire_link_is_what_amd_says_it_would_need() -> None:
    """Held out: AMD note 40555 p.41 says that 4.4 GB/s would be needed, which stands for 4.35 to 4.45."""
    machine, workload = load_machine("quartet"), Workload.from_labels(CROSSFIRE)
    result = with_demand(machine, workload, run(machine, workload, SHORT))
    for key in ("0->1", "1->0"):
        assert 4.35 * 0.95 < result.links[key].demand_gb_per_s < 4.45 * 1.05
        assert result.links[key].demand_gb_per_s > result.links[key].gb_per_s
    assert result.links["2->3"].demand_gb_per_s == result.links["2->3"].gb_per_s


def _finite_crossfire(machine: Machine) -> dict[str, dict[str, int]]:
    """Bytes by class of a run whose window holds every packet: two programs of 200 lines, no warm-up."""
    lines = 200
    threads = tuple(
        replace(thread, accesses=thread.accesses * lines, repeat=False) for thread in Workload.from_labels(CROSSFIRE).threads
    )
    drained = Workload((*threads, *_latecomer()))
    result = run(machine, drained, Accuracy(lines=lines, warmup=0))
    return {key: link.bytes_by_class.model_dump() for key, link in result.links.items()}


def _latecomer() -> tuple[object, ...]:
    """A short local program far away that starts when the others are long done, so that their last packets are counted too."""
    (thread,) = Workload.from_labels(["3.0.r.3"]).threads
    return (replace(thread, accesses=thread.accesses * 2, repeat=False, start_ns=100_000.0, window=1),)
