"""The compute-bound filter: what is published of it, from simulated traffic. Only the first run's time was taken from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import load_machine
from simulator.machine.spec import Machine
from simulator.measure.idle import idle_latency_ns
from simulator.validation.filter_app import FilterRun, cycles_a_tap, filter_runs, filter_tables, load_filter

MEASURED = load_filter(Path(__file__).parents[2] / "experiments" / "measured" / "filter.toml")
MACHINES = {name: load_machine(name) for name in ("xeon-e5-2650v3-2s", "core-i7-8700k", "threadripper-2990wx")}


@pytest.fixture(scope="module")
def runs() -> list[FilterRun]:
    return filter_runs(MEASURED, MACHINES, cycles_a_tap(MEASURED, MACHINES[MEASURED.first_machine]), outputs=1)


def test_the_first_run_is_what_it_was_set_to(runs: list[FilterRun]) -> None:
    assert runs[0].seconds == pytest.approx(MEASURED.run[0].seconds, rel=0.002)


def test_remote_memory_costs_it_nothing_though_it_is_far(runs: list[FilterRun]) -> None:
    machine: Machine = MACHINES["xeon-e5-2650v3-2s"]
    assert 1.3 <= idle_latency_ns(machine, 0, 1) / idle_latency_ns(machine, 0, 0) <= 1.4
    assert runs[1].seconds / runs[0].seconds - 1 < 0.005


def test_all_cores_against_one_nodes(runs: list[FilterRun]) -> None:
    assert (runs[0].threads, runs[2].threads) == (10, 20)
    assert runs[0].seconds / runs[2].seconds == pytest.approx(1.95, rel=0.03)


def test_its_data_stay_in_the_caches(runs: list[FilterRun]) -> None:
    """Of 16,386 lines for a line of output two come from memory: new input, and the output."""
    assert all(1 <= run.lines_from_memory < 10 for run in runs)


def test_energy_a_job_is_about_equal(runs: list[FilterRun]) -> None:
    joules = [part.tdp_w * run.seconds for part, run in zip(MEASURED.part, runs[3:], strict=True)]
    assert joules[1] / joules[0] == pytest.approx(1, abs=0.25)
    assert len(filter_tables(MEASURED, runs, 13.0)) == 2
