"""The operational laws hold on real runs of every shipped machine, and do not on results that were tampered with."""

from __future__ import annotations

from functools import cache

import pytest

from simulator.machine.load import list_machines, load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.theory.laws import LawCheck, check_laws, result_machine, result_workload
from simulator.workload import Access, Arrivals, ThreadSpec, TimeSlice, Workload
from tests.oracle.machines import link_entry, round_machine

SHORT = Accuracy(ci_percent=1.0, lines=3000, warmup=300)


@cache
def _result(name: str, mode: str, background: bool) -> RunResult:
    machine = load_machine(name)
    nodes, homes = machine.node_ids, [node.id for node in machine.nodes if node.controller is not None]
    labels = [f"{node}.0.{mode}.{homes[(place + 1) % len(homes)]}" for place, node in enumerate(nodes[:2])]
    return run(machine, Workload.from_labels(labels, {f"{nodes[0]}.1.r.{homes[-1]}": 1.0} if background else None), SHORT)


def _of(law: str, checks: tuple[LawCheck, ...]) -> list[LawCheck]:
    return [check for check in checks if check.law == law]


@pytest.mark.parametrize("background", [False, True], ids=["idle", "background"])
@pytest.mark.parametrize("mode", ["r", "w"])
@pytest.mark.parametrize("name", list_machines())
def test_laws_hold_on_every_machine(name: str, mode: str, background: bool) -> None:
    result = _result(name, mode, background)
    checks = check_laws(result)
    assert [check for check in checks if not check.holds] == []
    assert len(_of("utilization", checks)) == len(result.links) + len(result.controllers)
    (little,) = _of("Little", checks)
    assert little.relation == ("=" if mode == "r" else ">=")
    assert abs(little.difference_percent) < 3
    assert all(check.tolerance_percent < 12 for check in checks if check.expected > 0.1)


def test_tolerances_shrink_with_the_window() -> None:
    machine, workload = load_machine("quartet"), Workload.from_labels(["0.0.r.1"])
    long = check_laws(run(machine, workload, Accuracy(ci_percent=0.05, lines=20_000, warmup=300)))
    short = check_laws(_result("quartet", "r", False))
    for check in long:
        assert check.holds
        assert check.tolerance_percent < 0.7
    assert max(check.tolerance_percent for check in short if check.expected) > 0.7


@pytest.mark.parametrize("factor", [0.97, 1.03])
def test_a_busy_share_that_is_wrong_is_seen(factor: float) -> None:
    result = _result("quartet", "r", False)
    link = result.links["0->1"]
    wrong = link.model_copy(update={"utilization": link.utilization * factor})
    tampered = result.model_copy(update={"links": {**result.links, "0->1": wrong}})
    assert [check.place for check in check_laws(tampered) if not check.holds] == ["link 0->1"]


def test_a_latency_that_is_wrong_is_seen() -> None:
    result = _result("quartet", "r", False)
    assert result.latency_ns is not None
    wrong = result.latency_ns.model_copy(update={"mean": result.latency_ns.mean * 1.06})
    tampered = result.model_copy(update={"latency_ns": wrong})
    assert [check.law for check in check_laws(tampered) if not check.holds] == ["Little"]


def test_lines_that_are_wrong_are_seen_everywhere() -> None:
    result = _result("quartet", "w", False)
    threads = tuple(thread.model_copy(update={"lines": int(thread.lines * 1.06)}) for thread in result.threads)
    failing = {check.place for check in check_laws(result.model_copy(update={"threads": threads})) if not check.holds}
    assert {"link 0->1", "DRAM 1"} <= failing


def test_turning_round_only_adds() -> None:
    machine = load_machine("one-node", ["controller.turnaround_ns=3"])
    dram = next(check for check in check_laws(run(machine, Workload.from_labels(["0.0.w.0"]), SHORT)) if check.place == "DRAM 0")
    assert (dram.relation, dram.holds) == (">=", True)
    assert dram.difference_percent > 5


def test_links_of_other_speeds_only_add() -> None:
    machine = round_machine(range(3), [link_entry(0, 1, 2.0), link_entry(1, 2, 6.0)])
    checks = check_laws(run(machine, Workload.from_labels(["0.0.w.2"]), SHORT))
    assert {check.relation for check in checks if check.place.startswith("link")} == {">="}
    assert all(check.holds for check in checks)


@pytest.mark.parametrize(
    "thread",
    [
        ThreadSpec(0, 0, (Access("r", 0),), rate_gb_per_s=0.5),
        ThreadSpec(0, 0, (Access("r", 0),), arrivals=Arrivals(200.0), window=50),
        ThreadSpec(0, 0, (Access("r", 0),), time_slice=TimeSlice(2000.0, 0.0, 1000.0)),
        ThreadSpec(0, 0, (Access("r", 0),) * 1500, repeat=False),
    ],
)
def test_little_is_not_asked_of_threads_that_pause(thread: ThreadSpec) -> None:
    result = run(load_machine("one-node"), Workload((thread,)), SHORT)
    checks = check_laws(result)
    assert _of("Little", checks) == []
    assert all(check.holds for check in checks)


def test_mixed_lines_and_far_victims() -> None:
    accesses = (Access("r", 1), Access("w", 0, victim_memory=3), Access("w", 2), Access("r", 3, extra_core_time_ns=20.0))
    workload = Workload((ThreadSpec(0, 0, accesses), ThreadSpec(3, 1, accesses[::-1], window=2, core_time_ns=10.0)))
    result = run(load_machine("quartet"), workload, SHORT)
    assert all(check.holds for check in check_laws(result))
    assert result_workload(result) == workload
    assert result_machine(result) == load_machine("quartet")


def test_an_empty_window_has_no_laws() -> None:
    result = run(load_machine("one-node"), Workload((ThreadSpec(0, 0, (Access("r", 0),), repeat=False),)), SHORT)
    assert result.verdict == "not warmed up"
    assert check_laws(result) == ()
