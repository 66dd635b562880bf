"""The DRAM driven as a queue that theory knows, as notebooks and users may."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import pytest

from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.measure.station import Service, dram_station
from simulator.theory.queueing import QueueSteadyState, m_d_1, m_m_1

MACHINE = load_machine("one-node")


@pytest.mark.parametrize(("service", "theory"), [("exponential", m_m_1), ("constant", m_d_1)])
def test_its_wait_is_that_of_theory(service: Service, theory: Callable[[float, float], QueueSteadyState]) -> None:
    """Within four standard errors over seeds, and these are small beside the difference of the two services."""
    runs = [dram_station(MACHINE, 0.7, service, lines=20_000, seed=seed) for seed in range(1, 9)]
    expected = theory(0.7 / runs[0].service_ns, runs[0].service_ns)
    waits = [run.wait_ns for run in runs]
    error = statistics.stdev(waits) / len(waits) ** 0.5
    assert abs(statistics.fmean(waits) - expected.wait_ns) < 4 * error < 0.15 * expected.wait_ns
    assert statistics.fmean(run.utilization for run in runs) == pytest.approx(0.7, abs=0.01)
    for run in runs:  # Little's law: the arrival rate is that of the window, but for its ends
        assert run.waiting == pytest.approx(run.wait_ns * run.utilization / run.service_ns, rel=0.03)


def test_service_is_the_machines_time_of_a_read() -> None:
    assert dram_station(MACHINE, 0.2, lines=500, warmup=50).service_ns == MACHINE.node(0).controller.read_ns  # type: ignore[union-attr]


def test_there_is_room_for_all() -> None:
    """More lines wait in the mean than the controller of the machine has places."""
    controller = MACHINE.node(0).controller
    assert controller is not None
    assert dram_station(MACHINE, 0.97).waiting > 1.2 * controller.queue


def test_both_engines_give_the_same() -> None:
    one, other = (dram_station(MACHINE, 0.8, lines=300, warmup=50, engine=name) for name in ("simpy", "compiled"))
    assert one == other


def test_what_cannot_be_is_refused() -> None:
    for load in (0.0, -1.0, 1.0, float("nan")):
        with pytest.raises(InputError, match="load out of range"):
            dram_station(MACHINE, load)
    with pytest.raises(InputError, match="no such service"):
        dram_station(MACHINE, 0.5, "uniform")  # type: ignore[arg-type]
