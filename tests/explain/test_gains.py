"""What a change gains, its interval, and the words for it."""

from __future__ import annotations

import math

import pytest
from scipy.stats import t as student

from simulator.explain.gains import Gain, gain, mean_time, thread_gains, widened
from simulator.explain.report import Effect
from simulator.explain.words import NOTHING, change
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.batches import FEWEST_BATCHES
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Workload


@pytest.fixture(scope="module")
def base() -> RunResult:
    workload = Workload.from_labels(["0.0.w.0", "0.1.r.0"], background={"0.1.r.0": 0.5})
    return run(load_machine("one-node"), Workload(workload.threads[:2]), Accuracy(ci_percent=5, lines=500, warmup=50))


def _timed(base: RunResult, *times: tuple[float | None, float | None]) -> RunResult:
    """Return the run with foreground threads of these times and half widths, ns and per cent, and a background thread."""
    first = base.threads[0]
    threads = [first.model_copy(update={"time_per_line_ns": time, "ci_percent": ci, "background": False}) for time, ci in times]
    beside = first.model_copy(update={"time_per_line_ns": 1e6, "background": True})
    return base.model_copy(update={"threads": (*threads, beside)})


def test_the_mean_is_that_of_the_foreground(base: RunResult) -> None:
    mean = mean_time(_timed(base, (40.0, 1.0), (60.0, 2.0)))
    assert mean is not None
    assert (mean.time_ns, mean.half_width) == (50.0, pytest.approx((0.4 + 1.2) / 100))
    assert mean_time(_timed(base, (40.0, 1.0), (None, None))) is None
    unknown = mean_time(_timed(base, (40.0, 1.0), (60.0, None)))
    assert unknown is not None
    assert unknown.half_width is None


def test_faster_is_more_lines_in_the_same_time(base: RunResult) -> None:
    slow, fast = _timed(base, (50.0, 1.0)), _timed(base, (40.0, 1.0))
    assert _percent(gain(slow, fast, 1)) == pytest.approx(25)
    assert _percent(gain(fast, slow, 1)) == pytest.approx(-20)
    assert thread_gains(slow, fast) == (pytest.approx(25),)


def test_the_interval_of_one_comparison_is_that_of_a_quotient(base: RunResult) -> None:
    found = gain(_timed(base, (50.0, 1.0)), _timed(base, (40.0, 2.0)), 1)
    assert found == Gain(pytest.approx(25), pytest.approx(1.25 * math.hypot(1, 2)))


def test_more_comparisons_make_it_wider(base: RunResult) -> None:
    freedom = FEWEST_BATCHES - 1
    assert widened(1) == pytest.approx(1)
    assert widened(50) == pytest.approx(student.ppf(1 - 0.025 / 50, freedom) / student.ppf(0.975, freedom))
    slow, fast = _timed(base, (50.0, 1.0)), _timed(base, (49.0, 1.0))
    one, many = gain(slow, fast, 1), gain(slow, fast, 100)
    assert one is not None
    assert many is not None
    assert (one.beyond_noise, many.beyond_noise) == (True, False)


def test_one_run_twice_differs_by_nothing_and_a_run_without_interval_by_who_knows(base: RunResult) -> None:
    same = _timed(base, (50.0, 1.0))
    assert gain(same, same, 9) == Gain(0.0, 0.0)
    assert not Gain(0.0, 0.0).beyond_noise
    unknown = gain(same, _timed(base, (40.0, None)), 9)
    assert unknown is not None
    assert (unknown.half_width_percent, unknown.beyond_noise) == (None, False)
    assert gain(same, same.model_copy(update={"verdict": "deadlock"}), 9) is None


@pytest.mark.parametrize(
    ("percent", "half_width", "words"),
    [
        (12.34, 1.0, "make the threads 12.3 % faster"),
        (-4.0, 1.0, "make the threads 4.0 % slower"),
        (0.6, 1.0, f"change {NOTHING}"),
        (0.6, None, f"change {NOTHING}"),
        (0.0, 0.0, "change nothing"),
        (None, None, "end in deadlock"),
    ],
)
def test_words(percent: float | None, half_width: float | None, words: str) -> None:
    found = None if percent is None else Gain(percent, half_width)
    effect = Effect(
        time_per_line_ns=None,
        faster_percent=percent,
        half_width_percent=half_width,
        beyond_noise=found is not None and found.beyond_noise,
        threads_faster_percent=(percent,),
        verdict="deadlock" if percent is None else "steady",
    )
    assert change(effect) == words


def _percent(found: Gain | None) -> float:
    assert found is not None
    return found.percent
