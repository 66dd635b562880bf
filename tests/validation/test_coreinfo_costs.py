"""Coreinfo's relative costs, simulated beside published."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.interop.measurements import read_measured
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.idle import zero_load_ns
from simulator.validation.compare import compare
from simulator.validation.comparison_report import Comparison
from simulator.validation.coreinfo_costs import cost_tables, summarise_costs

MACHINE = "xeon-e5-2650v3-2s"
MEASURED = Path(__file__).resolve().parents[2] / "experiments" / "measured" / f"{MACHINE}.csv"


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(read_measured(MEASURED), load_machine(MACHINE), accuracy=Accuracy(ci_percent=3.0, lines=400, warmup=100))


def test_costs_stand_as_coreinfo_prints_them(comparison: Comparison) -> None:
    published, simulated, _ = (table.plain().splitlines() for table in cost_tables(comparison))
    assert [line.split() for line in published[1:]] == [["00", "01"], ["00:", "1.0", "1.3"], ["01:", "1.4", "1.1"]]
    assert [line.split()[0] for line in simulated[1:]] == ["00", "00:", "01:"]
    assert simulated[2].split()[1] == simulated[3].split()[2] == "1.0"


def test_what_is_noise_and_what_was_fitted(comparison: Comparison) -> None:
    found = summarise_costs(comparison)
    assert found.asymmetry == pytest.approx(0.1)
    assert found.remote == pytest.approx(1.35)
    assert found.simulated_remote == pytest.approx(1.35, abs=0.005)


def test_relative_idle_latency_of_the_machine() -> None:
    """Between 1.3 and 1.4, as Coreinfo says."""
    machine = load_machine(MACHINE)
    assert 1.3 < zero_load_ns(machine, 0, 1) / zero_load_ns(machine, 0, 0) < 1.4
    assert zero_load_ns(machine, 0, 1) == zero_load_ns(machine, 1, 0)
