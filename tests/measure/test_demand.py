"""Demand of links: of the same kind as the result it belongs to, exact or ordinary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.machine.variants import with_ideal_link, without_jitter
from simulator.measure.accuracy import Accuracy
from simulator.measure.demand import with_demand
from simulator.measure.exact import is_exact
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Workload
from tests.engine.pinned import pinned_quartet

EXACT = Accuracy(lines=4_000, steady="exact")
READER, WRITER = Workload.from_labels(["0.0.r.1"]), Workload.from_labels(["0.0.w.1"])


def demands(result: RunResult) -> tuple[float | None, float | None]:
    """Return what both directions of the link 0-1 were asked for."""
    return result.links["0->1"].demand_gb_per_s, result.links["1->0"].demand_gb_per_s


def test_demand_of_an_exact_result_is_exact() -> None:
    """It is the load in a long jitter-free run with the ideal link, to the last digit but for whole periods."""
    machine = pinned_quartet("link.crc.bytes=0")
    result = with_demand(machine, WRITER, run(machine, WRITER, EXACT))
    assert is_exact(result.verdict_detail)
    ideal = run(with_ideal_link(machine, (0, 1), 0), WRITER, EXACT)
    assert is_exact(ideal.verdict_detail)
    assert demands(result) == (ideal.links["0->1"].gb_per_s, ideal.links["1->0"].gb_per_s)
    jittered = run(with_ideal_link(machine, (0, 1), 0), WRITER, replace(EXACT, steady="ci"))
    assert demands(result) != (jittered.links["0->1"].gb_per_s, jittered.links["1->0"].gb_per_s)
    full = run(without_jitter(with_ideal_link(machine, (0, 1), 0)), WRITER, Accuracy(ci_percent=1e-9, lines=20_000))
    assert demands(result) == pytest.approx((full.links["0->1"].gb_per_s, full.links["1->0"].gb_per_s), rel=1e-3)


def test_demand_that_cannot_be_exact_is_not_known() -> None:
    """Alone, a reader of the next node recurs on the Quartet, but not with an ideal link: no jittered number stands in."""
    machine = pinned_quartet()
    result = run(machine, READER, EXACT)
    assert is_exact(result.verdict_detail)
    assert not is_exact(run(with_ideal_link(machine, (0, 1), 0), READER, EXACT).verdict_detail)
    found = with_demand(machine, READER, result)
    assert found.links["1->0"].utilization > 0.5
    assert demands(found)[1] is None
    assert found.links["2->3"].demand_gb_per_s == found.links["2->3"].gb_per_s  # little used: its load, which is exact


@pytest.mark.parametrize("steady", ["ci", "exact"])
def test_demand_of_an_ordinary_result_is_ordinary(steady: str) -> None:
    """Also where the exact mode was asked for and this state did not recur, though that with the ideal link does."""
    machine, writers = pinned_quartet(), Workload.from_labels(["0.0.w.1", "1.0.w.1"])
    ideal_machine = with_ideal_link(machine, (0, 1), 0)
    accuracy = Accuracy(ci_percent=5.0, lines=1000, warmup=50, steady=steady)  # type: ignore[arg-type]
    result = with_demand(machine, writers, run(machine, writers, accuracy))
    assert not is_exact(result.verdict_detail)
    assert is_exact(run(ideal_machine, writers, replace(accuracy, steady="exact")).verdict_detail)
    ideal = run(ideal_machine, writers, replace(accuracy, steady="ci"))
    assert demands(result) == (ideal.links["0->1"].gb_per_s, ideal.links["1->0"].gb_per_s)
