"""From runs to rows; errors, intervals and bounds worked out by hand."""

from __future__ import annotations

import math

import pytest

from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.validation.evaluate import bar_ci_percent, bar_percent, error_percent, rms
from simulator.workload import Workload
from tests.validation.fakes import make_result


def _result(times_ns: dict[str, float | None], ci_percent: float | None = 0.3) -> RunResult:
    result = make_result(load_machine("quartet"), Workload.from_labels(list(times_ns)), Accuracy(), 1, 40.0, {})
    threads = [
        thread.model_copy(update={"time_per_line_ns": times_ns[thread.label], "ci_percent": ci_percent})
        for thread in result.threads
    ]
    return result.model_copy(update={"threads": tuple(threads)})


BASE = _result({"0.0.r.0": 40.0})


def test_error_is_signed_and_in_per_cent_of_published() -> None:
    assert error_percent(107.0, 100.0) == pytest.approx(7.0)
    assert error_percent(45.0, 50.0) == pytest.approx(-10.0)


def test_root_mean_square() -> None:
    assert rms([]) is None
    assert rms([3.0, -4.0]) == pytest.approx(math.sqrt(12.5))


def test_a_bar_is_the_mean_of_relative_times() -> None:
    assert bar_percent(_result({"0.0.w.0": 40.0, "0.1.w.3": 60.0}), BASE) == pytest.approx(125.0)
    assert bar_percent(BASE, BASE) == 100.0


def test_a_bar_needs_every_thread() -> None:
    assert bar_percent(_result({"0.0.w.0": 40.0, "0.1.w.3": None}), BASE) is None


def test_interval_of_a_bar() -> None:
    """Half widths of 0.2 ns and 0.3 ns on a mean of 50 ns: 0.5 %; the base's 0.5 % in quadrature."""
    result = _result({"0.0.w.0": 40.0, "0.1.w.3": 60.0}, ci_percent=0.5)
    assert bar_ci_percent(result, _result({"0.0.r.0": 40.0}, ci_percent=0.0)) == pytest.approx(0.5)
    assert bar_ci_percent(result, _result({"0.0.r.0": 40.0}, ci_percent=0.5)) == pytest.approx(math.sqrt(0.5))


def test_base_has_no_interval_and_unknown_stays_unknown() -> None:
    assert bar_ci_percent(BASE, BASE) == 0.0
    assert bar_ci_percent(_result({"0.0.w.0": 40.0}, ci_percent=None), BASE) is None
    assert bar_ci_percent(_result({"0.0.w.0": 41.0}), _result({"0.0.r.0": 40.0}, ci_percent=None)) is None
