"""The C reference gives the simpy engine's counters, to the last integer, at every look."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.c_reference import CReferenceEngine, build_library, c_compiler
from benchmarks.engines import shared_counters
from simulator import list_machines, load_machine
from simulator.engine.interface import Stop
from simulator.engine.lower import lower
from simulator.engine.plan import Plan
from simulator.engine.simpy_engine import SimpyEngine
from simulator.workload import Access, ThreadSpec, TimeSlice, Workload
from tests.oracle.random_systems import System, systems

MOST_LOOKS = 200


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = c_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler here")
    return build_library(compiler, tmp_path_factory.mktemp("c_reference"))


def compare(plan: Plan, library: Path, targets: list[int], stride: int) -> Stop:
    """Run both side by side, `stride` events at a time, and compare at each look."""
    one, other = SimpyEngine(plan), CReferenceEngine(plan, library)
    one.start_latency_record()
    other.start_latency_record()
    for _ in range(MOST_LOOKS):
        stop = one.advance(targets, stride)
        assert other.advance(targets, stride) is stop
        assert shared_counters([one.snapshot()]) == shared_counters([other.snapshot()])
        if stop is not Stop.BUDGET:
            break
    assert list(one.latency_histogram()) == list(other.latency_histogram())
    return stop


def _without_computing(thread: ThreadSpec) -> ThreadSpec:
    """Return what the reference knows of a thread: its core computes on no line."""
    return replace(thread, accesses=tuple(replace(access, compute_ns=0.0) for access in thread.accesses))


@given(system=systems(), seed=st.integers(1, 5), stride=st.integers(40, 4000))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_machines_and_programs(library: Path, system: System, seed: int, stride: int) -> None:
    plan = lower(system.machine, Workload(tuple(_without_computing(thread) for thread in system.threads)), seed)
    compare(plan, library, list(plan.threads.count), stride)


@pytest.mark.parametrize("name", list_machines())
def test_every_shipped_machine(library: Path, name: str) -> None:
    machine = load_machine(name)
    homes = [node.id for node in machine.nodes if node.controller is not None]
    threads = [
        ThreadSpec(node.id, core, tuple(Access("w" if (core + turn) % 2 else "r", home) for turn, home in enumerate(homes)))
        for node in machine.nodes
        for core in range(node.cores)
    ]
    plan = lower(machine, Workload(tuple(threads)))
    assert compare(plan, library, [min(150, 1200 // len(threads))] * len(threads), 20_000) is Stop.REACHED


def test_barriers_rates_turns_and_background_targets(library: Path) -> None:
    first = ThreadSpec(0, 0, (Access("r", 0), Access("w", 1), Access("w", 0, barrier=0)))
    second = ThreadSpec(0, 1, (Access("r", 1), Access("r", 0, barrier=0)), background=True)
    turn = TimeSlice(1000.0, 0.0, 400.0)
    paced = ThreadSpec(1, 1, (Access("w", 1),), rate_gb_per_s=0.5, window=2, time_slice=turn)
    plan = lower(load_machine("two-node"), Workload((first, second, paced)))
    assert compare(plan, library, [100, 100, 60], 300) is not Stop.EXHAUSTED
