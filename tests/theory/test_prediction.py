"""Approximate mean value analysis of whole machines: exact alone, near runs where buffers do not fill, never beyond bounds."""

from __future__ import annotations

import pytest

from simulator.machine.load import list_machines, load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.theory.all_to_all import all_to_all_workload
from simulator.theory.bounds import workload_bounds
from simulator.theory.prediction import predict
from simulator.workload import Access, ThreadSpec, Workload
from tests.oracle.machines import CORE, ENTRY, PATH, READ, SRI, XBAR, round_machine

SHORT = Accuracy(ci_percent=1.0, lines=3000, warmup=300)


def test_one_line_at_a_time_never_waits() -> None:
    machine = round_machine([0])
    found = predict(machine, Workload.from_labels(["0.0.r.0"]))
    assert found is not None
    latency_ns = 2 * SRI + 2 * XBAR + ENTRY + READ + PATH
    assert found[0].latency_ns == pytest.approx(latency_ns, rel=1e-5)
    assert found[0].gb_per_s == pytest.approx(64 / (latency_ns + CORE), rel=1e-5)


def test_two_lines_of_two_threads_by_hand() -> None:
    """One line each: an arrival finds the other in service with probability X S, for half of S, and waiting with X W."""
    found = predict(round_machine([0]), Workload.from_labels(["0.0.r.0", "0.1.r.0"]))
    assert found is not None
    base = 2 * SRI + 2 * XBAR + ENTRY + READ + PATH
    wait = 0.0
    for _ in range(100):
        wait = (READ * wait + READ**2 / 2) / (base + wait + CORE)
    assert found[0].latency_ns == pytest.approx(base + wait, rel=1e-4)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "labels",
    [
        ["0.0.r.0"],
        ["0.0.r.3"],
        ["0.0.w.1", "1.0.w.0"],
        ["0.0.w.1", "1.0.w.3"],
        ["0.0.w.0", "0.1.w.0"],
        ["0.0.w.0", "0.1.w.1"],
    ],
)
def test_near_runs_of_two_threads(labels: list[str]) -> None:
    machine, workload = load_machine("quartet"), Workload.from_labels(labels)
    found, result = predict(machine, workload), run(machine, workload, SHORT)
    assert found is not None
    for one, thread in zip(found, result.threads, strict=True):
        assert one.gb_per_s == pytest.approx(thread.gb_per_s, rel=0.06)


def test_crossfire_is_the_slower_one_without_simulation() -> None:
    machine = load_machine("quartet")
    crossfire, apart = (
        predict(machine, Workload.from_labels(labels)) for labels in (["0.0.w.1", "1.0.w.0"], ["0.0.w.1", "1.0.w.3"])
    )
    assert crossfire is not None
    assert apart is not None
    assert crossfire[0].gb_per_s < 0.95 * apart[0].gb_per_s


@pytest.mark.parametrize("name", list_machines())
def test_never_beyond_the_bounds(name: str) -> None:
    machine = load_machine(name)
    for workload in (all_to_all_workload(machine), Workload.from_labels(["0.0.w.0"], {"0.1.r.0": 2.0})):
        found, bounds = predict(machine, workload), workload_bounds(machine, workload)
        assert found is not None
        for one, bound in zip(found, bounds.threads, strict=True):
            assert one.gb_per_s <= bound.alone_gb_per_s * (1 + 1e-6)
        assert sum(one.gb_per_s for one in found) <= bounds.total_gb_per_s * (1 + 1e-6)


def test_a_rate_is_kept() -> None:
    found = predict(load_machine("quartet"), Workload.from_labels(["0.0.r.0"], {"0.1.r.0": 0.5}))
    assert found is not None
    assert found[1].gb_per_s == pytest.approx(0.5, rel=1e-4)


def test_mixed_lines() -> None:
    thread = ThreadSpec(0, 0, (Access("r", 0), Access("w", 3), Access("r", 1)))
    machine, workload = load_machine("quartet"), Workload((thread,))
    found = predict(machine, workload)
    assert found is not None
    assert found[0].gb_per_s == pytest.approx(run(machine, workload, SHORT).threads[0].gb_per_s, rel=0.03)
