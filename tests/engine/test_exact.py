"""Jumped periods are run periods: an engine that jumps has every counter of one that does not, and goes on as that one does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from simulator.engine.compiled.recurring import RecurringEngine
from simulator.engine.interface import Engine
from simulator.engine.lower import lower
from simulator.engine.plan import Plan
from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.measure.accuracy import Accuracy
from simulator.measure.exact import is_exact
from simulator.measure.run import run
from simulator.workload import Access, Arrivals, ThreadSpec, TimeSlice, Workload
from tests.engine.pinned import pinned_quartet
from tests.oracle.machines import round_machine
from tests.oracle.random_systems import System, systems

MANY = settings(max_examples=680, deadline=None, suppress_health_check=list(HealthCheck))
MOST_THREADS = 8
SEARCHED, MOST_RUN = 600, 1200  # lines of the clock
NO_LIMIT = 1 << 40
EXACT = Accuracy(steady="exact")
QUARTET = without_jitter(pinned_quartet())
PLAIN_QUARTET = without_jitter(pinned_quartet("link.crc.bytes=0"))
LABELS = [f"{node}.{core}.{mode}.{memory}" for node in range(4) for core in range(2) for mode in "rw" for memory in range(4)]


def recurs(plan: Plan, periods: int, extra: int, *, searched: int = SEARCHED) -> bool:
    """Compare a run that jumps with a full one, at the landing and after going on; False: the state does not recur."""
    clock = next((thread for thread, background in enumerate(plan.threads.background) if not background), 0)
    jumping = RecurringEngine(plan)
    jumping.start_latency_record()
    period = jumping.find_period(clock, searched)
    if period is None:
        return False
    jumping.run_periods(period, max(2, min(periods, MOST_RUN // period.lines)))
    full = RecurringEngine(plan)
    full.start_latency_record()
    targets = [0] * len(plan.threads.label)
    targets[clock] = jumping.snapshot().thread_lines[clock]
    full.advance(targets, NO_LIMIT)
    for _ in range(3):
        assert _seen(jumping) == _seen(full)
        assert jumping.state().tobytes() == full.state().tobytes()
        assert jumping.advance([NO_LIMIT] * len(targets), extra) is full.advance([NO_LIMIT] * len(targets), extra)
    assert jumping.latency_histogram() == full.latency_histogram()
    for path in range(len(plan.paths.thread)):
        assert jumping.path_histogram(path) == full.path_histogram(path)
    return True


def _seen(engine: Engine) -> object:
    state = engine.wait_state()
    kept = {pool: sorted(sorted(unit) for unit in units) for pool, units in state.kept_by.items()}
    return engine.snapshot(), state.waiting, state.free, kept, state.members


@given(systems(), st.sampled_from([True, True, True, True, False]), st.integers(2, 30), st.integers(1, 3000))
@MANY
def test_random_machines_and_programs(system: System, plain: bool, periods: int, extra: int) -> None:
    """Long programs and rates seldom fit each other, so most threads here do one thing, as fast as they can: over half recur."""
    threads = tuple(replace(thread, repeat=True) for thread in system.threads[:MOST_THREADS])
    if plain:
        threads = tuple(replace(thread, accesses=thread.accesses[:1], rate_gb_per_s=None) for thread in threads)
    plan = lower(without_jitter(system.machine), Workload(threads))
    event(f"recurs: {recurs(plan, periods, extra)}")
    event(f"{len(threads)} threads")


@pytest.mark.parametrize("machine", [QUARTET, PLAIN_QUARTET], ids=["CRC", "no CRC"])
@given(data=st.data(), periods=st.integers(2, 10), extra=st.integers(1, 3000))
@settings(MANY, max_examples=40)
def test_threads_on_the_quartet(machine: Machine, data: st.DataObject, periods: int, extra: int) -> None:
    labels = data.draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=MOST_THREADS, unique_by=lambda label: label[:3]))
    background = data.draw(st.integers(0, len(labels) - 1))
    rates = {label: data.draw(st.sampled_from([0.5, 2.0])) for label in labels[:background]}
    plan = lower(machine, Workload.from_labels(labels[background:], background=rates))
    event(f"recurs: {recurs(plan, periods, extra)}")


@pytest.mark.parametrize("labels", ["0.0.r.1", "1.0.w.1 1.1.w.1", "0.1.r.3 3.1.r.0", "0.0.r.0 1.0.r.1 2.0.r.2 3.0.r.3"])
def test_systems_that_recur(labels: str) -> None:
    assert recurs(lower(QUARTET, Workload.from_labels(labels.split())), 7, 1000, searched=20_000)


def test_barriers_turns_paces_and_arrivals() -> None:
    machine = round_machine([0, 1], [(0, 1)], ["link.crc.bytes=0"])
    program = (Access("r", 0), Access("w", 1), Access("r", 1, node=1, extra_core_time_ns=20.0), Access("w", 0, barrier=0))
    meeting = (ThreadSpec(0, 0, program), ThreadSpec(0, 1, (Access("r", 1), Access("r", 0, barrier=0)), window=2))
    halves = (TimeSlice(1000.0, 0.0, 450.0), TimeSlice(1000.0, 500.0, 450.0))
    turns = tuple(ThreadSpec(1, 1, (Access("r", home),), time_slice=turn) for home, turn in enumerate(halves))
    paced = (ThreadSpec(0, 0, (Access("w", 1),), rate_gb_per_s=0.064, window=3),)
    arrivals = (ThreadSpec(0, 0, (Access("r", 1),), window=8, arrivals=Arrivals(mean_interval_ns=200.0, random=False)),)
    ended = (*paced, ThreadSpec(1, 0, (Access("r", 0),) * 5, repeat=False, background=True, rate_gb_per_s=1.0))
    for threads in (meeting, turns, paced, arrivals, ended):
        assert recurs(lower(machine, Workload(threads)), 5, 700, searched=5000), threads


def test_core_times_far_beyond_the_wheel() -> None:
    plan = lower(PLAIN_QUARTET, Workload((ThreadSpec(0, 0, (Access("r", 1),), core_time_ns=1e6, window=3),)))
    assert recurs(plan, 1000, 500, searched=5000)


def test_the_shortest_period_is_found() -> None:
    """One slot alone on a node without links: every line is like the one before, however often its program names it."""
    plan = lower(round_machine([0]), Workload((ThreadSpec(0, 0, (Access("r", 0),) * 6, window=1),)))
    period = RecurringEngine(plan).find_period(0, 100)
    assert period is not None
    assert period.lines == 1


def test_an_exact_result() -> None:
    """The time a line is the line's own latency and core time; nothing is left to be unsure of."""
    machine = round_machine([0], core={"jitter_ns": 3.0})
    result = run(machine, Workload.from_labels(["0.0.r.0"]), EXACT)
    assert result.verdict == "steady"
    assert result.latency_ns is not None
    (thread,) = result.threads
    assert thread.time_per_line_ns == result.latency_ns.mean + machine.core.core_time_ns
    assert (thread.ci_percent, thread.lines) == (0.0, EXACT.lines)
    assert result.window_ns == thread.lines * thread.time_per_line_ns
    recurs = f"the state recurs every line of thread 0.0.r.0, {thread.time_per_line_ns} ns"
    assert result.verdict_detail == f"exact without jitter: {recurs}; window 20000 periods"
    assert result.provenance.accuracy == {"ci_percent": 0.5, "lines": 20_000, "warmup": 500, "steady": "exact", "given": "exact"}
    assert result.provenance.machine["core"]["jitter_ns"] == 3.0


def test_an_exact_result_is_that_of_a_full_run_over_the_window() -> None:
    """The same window, run line by line in the simpy engine."""
    labels, accuracy = ["1.0.w.1", "1.1.w.1"], Accuracy(lines=640, steady="exact")
    result = run(QUARTET, Workload.from_labels(labels), accuracy)
    plan = lower(QUARTET, Workload.from_labels(labels))
    engine = RecurringEngine(plan)
    assert engine.find_period(0, 640)
    warmup = engine.snapshot().thread_lines[0]
    full = run(QUARTET, Workload.from_labels(labels), Accuracy(1e-9, 640, warmup), engine="simpy")
    lines = [thread.lines for thread in result.threads]
    assert lines == [thread.lines for thread in full.threads]
    assert [thread.time_per_line_ns for thread in result.threads] == [thread.time_per_line_ns for thread in full.threads]
    assert (result.links, result.controllers, result.latency_ns) == (full.links, full.controllers, full.latency_ns)
    assert result.window_ns == full.window_ns


INCOMMENSURATE = Workload(
    tuple(ThreadSpec(0, core, (Access("r", 0),), rate_gb_per_s=rate) for core, rate in enumerate((0.5, 0.4973)))
)
ENDS = Workload((ThreadSpec(0, 0, (Access("r", 0),) * 5000, repeat=False),))
RANDOM = Workload((ThreadSpec(0, 0, (Access("r", 0),), window=99, arrivals=Arrivals(mean_interval_ns=90.0)),))


@pytest.mark.parametrize(
    ("workload", "why"),
    [
        (INCOMMENSURATE, "without jitter the state does not recur within 300 lines"),
        (ENDS, "a program ends"),
        (RANDOM, "times are random even without jitter"),
    ],
)
def test_without_recurrence_the_run_is_an_ordinary_one(workload: Workload, why: str) -> None:
    machine = round_machine([0], core={"jitter_ns": 3.0})
    short = Accuracy(ci_percent=5.0, lines=300, warmup=50)
    exact, ordinary = (run(machine, workload, accuracy) for accuracy in (replace(short, steady="exact"), short))
    assert exact.verdict_detail is not None
    assert exact.verdict_detail.startswith(f"ordinary run, not exact: {why}")
    assert exact.provenance.accuracy["given"] == "ci"
    same = {"verdict_detail", "provenance"}
    assert exact.model_dump(exclude=same) == ordinary.model_dump(exclude=same)


def test_simpy_gives_no_exact_answer() -> None:
    result = run(round_machine([0]), Workload.from_labels(["0.0.r.0"]), Accuracy(lines=300, steady="exact"), engine="simpy")
    assert result.verdict_detail is not None
    assert "only the compiled engine" in result.verdict_detail


def test_a_second_search_finds_the_same_period() -> None:
    plan = lower(PLAIN_QUARTET, Workload.from_labels(["0.0.r.1", "1.0.w.0"]))
    engine = RecurringEngine(plan)
    period = engine.find_period(0, 20_000)
    assert period is not None
    again = engine.find_period(0, 4 * period.lines)
    assert again == period


def test_there_is_no_other_way_to_stop() -> None:
    with pytest.raises(InputError, match="no such way to stop"):
        Accuracy(steady="soon")  # type: ignore[arg-type]


def test_no_counter_of_a_jump_runs_over() -> None:
    """A mean latency of 16 ms over a billion lines does not fit 64 bits of picoseconds."""
    slow = (
        "controller.read_ns=1000000",
        "core.core_time_ns=0",
        "core.window=16",
        "core.max_outstanding=16",
        "controller.queue=16",
    )
    machine = load_machine("one-node", slow)
    result = run(machine, Workload.from_labels(["0.0.r.0"]), Accuracy(lines=1_000_000_000, steady="exact"))
    assert is_exact(result.verdict_detail)
    assert result.latency_ns is not None
    assert result.latency_ns.mean == pytest.approx(16e6, rel=1e-3)
    assert result.controllers["0"].mean_queue == pytest.approx(16, rel=1e-3)
