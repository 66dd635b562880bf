"""The frozen baseline does the same work as the reference engine: no straw man."""

from __future__ import annotations

import pytest

from benchmarks.baseline import BaselineEngine
from benchmarks.cases import MACHINE, crossfire, eight_threads, one_reader
from benchmarks.measurement import RUNNERS, loads_gb_per_s, mean_loads, run_to_the_end, run_window
from simulator import load_machine
from simulator.engine.lower import lower
from simulator.workload import Access, ThreadSpec, Workload

TOLERANCE = 0.01
ARBITRATIONS = ("crossbar.arbitration=round-robin", "crossbar.arbitration=response-first")
UNHURRIED = ("core.core_time_ns=250", "core.jitter_ns=40")  # no phase locks, so that short runs scatter little


def loads_over_seeds(engine: str, workload: Workload, lines: int, seeds: int, overrides: tuple[str, ...]) -> dict[str, float]:
    """Mean load of every link direction and controller after 50 lines of warm-up, GB/s."""
    runs = []
    for seed in range(1, seeds + 1):
        plan = lower(load_machine(MACHINE, overrides), workload, seed)
        opened, last = run_window(RUNNERS[engine](plan), len(workload.threads), 50, lines)
        runs.append(loads_gb_per_s(plan, opened, last))
    return mean_loads(runs)


@pytest.mark.parametrize("arbitration", ARBITRATIONS)
@pytest.mark.parametrize(
    ("workload", "lines", "seeds"),
    [(one_reader(0), 300, 1), (one_reader(1), 300, 1), (crossfire(), 400, 3)],
    ids=["one reader, local", "one reader, 1 hop", "crossfire"],
)
def test_every_load_agrees(workload: Workload, lines: int, seeds: int, arbitration: str) -> None:
    overrides = ("core.jitter_ns=30", arbitration)
    simpy, baseline = (loads_over_seeds(engine, workload, lines, seeds, overrides) for engine in ("simpy", "baseline"))
    assert max(simpy.values()) > 1.0
    assert baseline == pytest.approx(simpy, rel=TOLERANCE, abs=0.001)


def test_total_loads_of_eight_threads_agree() -> None:
    """Single links scatter too much in short runs; their shares of the total are checked, exactly, by the finite program."""
    simpy, baseline = (loads_over_seeds(engine, eight_threads(), 200, 3, UNHURRIED) for engine in ("simpy", "baseline"))
    for group in ("link", "DRAM"):
        totals = [sum(load for name, load in loads.items() if group in name) for loads in (simpy, baseline)]
        assert totals[1] == pytest.approx(totals[0], rel=TOLERANCE)


def test_finite_program_ends_with_equal_lines_and_packets() -> None:
    simpy, baseline = (run_to_the_end(engine, lines=60, seed=1) for engine in ("simpy", "baseline"))
    assert simpy.thread_lines == (60,) * 7 + (1,)
    assert baseline == simpy


def test_background_thread_keeps_its_rate() -> None:
    plan = lower(load_machine(MACHINE), Workload.from_labels(["0.0.r.0"], background={"2.0.r.3": 0.5}))
    engine = BaselineEngine(plan)
    engine.advance([400, 0])
    counters = engine.snapshot()
    window = 64 * plan.threads.window[1]  # bytes that may still be under way
    assert 64 * counters.thread_lines[1] == pytest.approx(0.5 * counters.time_ps / 1000, abs=window)


def test_refuses_what_it_cannot_run() -> None:
    thread = ThreadSpec(0, 0, (Access("r", 0, barrier=0),))
    with pytest.raises(NotImplementedError, match="barriers"):
        BaselineEngine(lower(load_machine(MACHINE), Workload((thread,))))
