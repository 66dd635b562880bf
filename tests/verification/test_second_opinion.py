"""Ciw and the engines agree on a closed network that theory solves only approximately."""

from __future__ import annotations

import math
import statistics

import pytest
from scipy import stats

from simulator.engine.random_numbers import stream_start
from simulator.theory.mva import mean_value_analysis
from simulator.theory.network import station
from tests.verification.conftest import Record
from tests.verification.model import BASE_SEED, SLOWER
from tests.verification.models import ERROR
from tests.verification.second_opinion import (
    CUSTOMERS,
    QUANTITIES,
    SERVICE_NS,
    THINK_NS,
    ciw_replications,
    engine_plan,
    leave_out,
    look,
    what_is_missing,
)
from tests.verification.window import observe

CIW, ENGINE, LINES = 20, 20, 50_000  # replications, and lines in one of the engine
CYCLES, WARMUP = 5000, 100  # cycles without waiting, of one customer, in one replication of Ciw


@pytest.mark.slow
def test_ciw_agrees(report: Record) -> None:
    """Welch's interval for the difference of two means contains 0; and it would not if services took 1 % longer."""
    if (reason := what_is_missing()) is not None:
        leave_out(reason)
    theirs = list(zip(*ciw_replications(CIW, CYCLES, WARMUP, BASE_SEED), strict=True))
    ours, falsified = _engine(1.0), _engine(SLOWER)
    outside = []
    for quantity, their, our in zip(QUANTITIES, theirs, ours, strict=True):
        difference, half_width = welch(their, our)
        numbers = f"{statistics.fmean(their):.5g}", f"{statistics.fmean(our):.5g}", f"{difference:+.2g}", f"±{half_width:.2g}"
        report("opinion", quantity, "compiled", *numbers)
        outside += [quantity] * (abs(difference) > half_width)
    assert outside == []
    difference, half_width = welch(theirs[0], falsified[0])
    assert abs(difference) > half_width


def test_a_missing_second_opinion_is_a_failure_where_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMASIM_VERIFY_CIW", "required")
    with pytest.raises(pytest.fail.Exception, match="no Ciw; `make verify` needs it"):
        leave_out("no Ciw")
    monkeypatch.delenv("NUMASIM_VERIFY_CIW")
    with pytest.raises(pytest.skip.Exception, match="no Ciw"):
        leave_out("no Ciw")


def test_no_theory_here_is_exact() -> None:
    """Which is what a second opinion is for."""
    servers = [station(f"server {number}", time_ns, service_scv=0.0) for number, time_ns in enumerate(SERVICE_NS)]
    assert not mean_value_analysis([*servers, station("think", THINK_NS, discipline="delay")], [CUSTOMERS]).exact


def _engine(factor: float) -> list[tuple[float, ...]]:
    seeds = [stream_start(BASE_SEED, f"second opinion {factor} {number}") for number in range(ENGINE)]
    return list(zip(*(look(observe(engine_plan(seed, factor), "compiled", 2000, LINES)) for seed in seeds), strict=True))


def welch(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, float]:
    """Return the difference of two means, other - one, and the half width of its interval.

    B. L. Welch, The generalization of Student's problem when several different population variances are involved, 1947.
    """
    errors = [statistics.variance(values) / len(values) for values in (one, other)]
    parts = [error**2 / (len(values) - 1) for error, values in zip(errors, (one, other), strict=True)]
    quantile = float(stats.t.ppf(1 - ERROR / 2, sum(errors) ** 2 / sum(parts)))
    return statistics.fmean(other) - statistics.fmean(one), quantile * math.sqrt(sum(errors))
