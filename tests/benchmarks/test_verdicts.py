"""What the benchmark complains about, on made-up results: no clock is read here."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from benchmarks.cases import CASES
from benchmarks.engines import FULL, CaseResult, complaints_about
from benchmarks.measurement import Counted, Measurement
from benchmarks.ring.contestants import CONTESTANTS, RingRun
from benchmarks.ring.model import expected_visits
from benchmarks.ring.section import complaints_about_visits, trips_of
from benchmarks.scaling import Fit, LongRun, Point, complaints_about_scaling, fit
from benchmarks.start_up import StartUp, complaints_about_start_up
from benchmarks.tables import ExactPairs, Job, complaints_about_tables, run_job

CASE = CASES["8 threads, mixed homes"]


@dataclass(frozen=True)
class Look:
    """Counters that only differ in their time."""

    time_ps: int
    events: int = 0
    thread_lines: tuple[int, ...] = ()
    port_sent: tuple[tuple[int, ...], ...] = ()
    port_nops: tuple[int, ...] = ()
    port_crcs: tuple[int, ...] = ()


def run(cpu_s: float, load_gb_per_s: float = 2.0, looks: tuple[int, ...] = (1, 2)) -> Measurement:
    """A made-up run of 1000 lines."""
    counters: tuple[Counted, ...] = tuple(map(Look, looks))
    return Measurement(1000, 1, cpu_s, 1.0, {"link 0->1": load_gb_per_s}, counters)


def result_of(**changed: Measurement) -> CaseResult:
    """A made-up good result of one round, with some runs changed; the baseline took 1 s."""
    machine_code = run(0.01, looks=(1, 2, 3))
    runs = {"baseline": run(1.0, 2.019), "simpy": run(0.25), "compiled": machine_code, "C reference": machine_code}
    return CaseResult(CASE, [{**runs, **{name.replace("_", " "): measured for name, measured in changed.items()}}])


def test_a_good_result_is_not_complained_about() -> None:
    assert complaints_about(result_of(), FULL) == []


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"simpy": run(0.34)}, "simpy / baseline is 2.94, below 3.00"),
        (
            {"compiled": run(0.0126, looks=(1, 2, 3)), "C_reference": run(0.0126, looks=(1, 2, 3))},
            "baseline is 79.37, below 80.00",
        ),
        ({"C_reference": run(0.005, looks=(1, 2, 3))}, "compiled / C reference is 0.50, below 0.60"),
        ({"baseline": run(1.0, 2.021)}, "load of link 0->1 differs by +1.05 %"),
        ({"C_reference": run(0.01, looks=(1, 2, 4))}, "counters of C reference differ"),
    ],
)
def test_a_miss_is_complained_about(changed: dict[str, Measurement], complaint: str) -> None:
    (text,) = complaints_about(result_of(**changed), FULL)
    assert complaint in text


def test_the_c_reference_may_be_absent() -> None:
    runs = {name: measured for name, measured in result_of().rounds[0].items() if name != "C reference"}
    result = CaseResult(CASE, [runs])
    assert [ratio.name for ratio in result.ratios()] == ["simpy / baseline", "compiled / baseline"]
    assert complaints_about(result, FULL) == []


def test_visits_that_the_ring_does_not_give_are_complained_about() -> None:
    good = {name: RingRun(visits=expected_visits(trips_of(name, 50))) for name in CONTESTANTS}
    assert complaints_about_visits([good], 50) == []
    missing = {**good, "Ciw": RingRun(missing="not installed")}
    assert complaints_about_visits([missing], 50) == []
    (text,) = complaints_about_visits([{**good, "salabim": RingRun(visits=3)}], 50)
    assert text == "ring: salabim counted 3 visits, not 428"


def test_the_fit_finds_the_power_of_the_logarithm() -> None:
    points = [Point(1, 1, pending, 7.0 * bits**0.5) for pending, bits in ((4.0, 2.0), (16.0, 4.0), (256.0, 8.0))]
    fitted = fit(points)
    assert (fitted.scale_ns, fitted.power) == pytest.approx((7.0, 0.5))


def test_growth_and_memory_beyond_their_limits_are_complained_about() -> None:
    runs = [LongRun(10, 100, 20.0, 399.0), LongRun(1000, 10_000, 20.0, 401.0)]
    complaints = complaints_about_scaling(Fit(10.0, 1.1), runs)
    assert complaints == [
        "cost per event grows as log2(pending) to the power 1.10, more than 1.00",
        "1000 lines took 401 MB, more than 400",
    ]
    assert complaints_about_scaling(Fit(10.0, 0.9), runs[:1]) == []


def test_a_slow_start_is_complained_about() -> None:
    found = [StartUp("import", (9.0, 9.0, 9.0), (0.6, 0.5, 0.9), 0.5), StartUp("help", (9.0,), (0.4,), 0.4)]
    assert complaints_about_start_up(found) == ["import took 0.600 s, more than 0.50"]


def test_whole_jobs_beyond_their_limits_are_complained_about() -> None:
    jobs = [Job("quick", 59.0, 60.0), Job("slow", 61.0, 60.0)]
    complaints = complaints_about_tables(jobs, ExactPairs(pairs=10, recur=2, wall_s=21.0, recur_cpu_s=3.0, in_vain_cpu_s=500.0))
    assert complaints == ["slow took 61.0 s, more than 60", "the exact pairs took 21.0 s, more than 20"]
    assert complaints_about_tables(jobs[:1], ExactPairs(10, 2, 19.0, 41.0, 500.0)) == []


def test_a_job_that_fails_is_complained_about() -> None:
    failed = [Job("one", 1.0, 60.0, 1, "0.0.r.0: too short"), Job("two", 99.0, 60.0, 2)]
    assert complaints_about_tables(failed, ExactPairs(10, 2, 19.0, 3.0, 500.0)) == [
        "one ended with exit code 1: 0.0.r.0: too short",
        "two ended with exit code 2",
    ]


def test_a_command_that_fails_is_a_job_with_its_message() -> None:
    job = run_job("wrong", ("reproduce", "no-such-reference"), 60.0)
    assert job.exit_code == 2
    assert "no-such-reference" in job.said_last
