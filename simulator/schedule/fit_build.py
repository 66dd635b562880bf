"""Fits a build's few free numbers to some of the measured rows, by a small search that anyone can follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simulator.schedule.build_spec import BuildSpec, value_at, with_values
from simulator.schedule.kernel_build import BuildRow, simulate_rows
from simulator.schedule.measured import MeasuredBuild
from simulator.schedule.run import ScheduledMachine

FIRST_STEP, LAST_STEP = 0.04, 0.02  # of a value
Progress = Callable[[int, float, dict[str, float]], None]


@dataclass(frozen=True)
class Fit:
    """What the search found.

    Attributes
    ----------
    values : dict of str to float
        By path, within the ranges that the build's file allows.
    error_percent : float
        Root mean square over the times of the rows that were fitted to.
    tried : int
        Sets of values.
    """

    values: dict[str, float]
    error_percent: float
    tried: int


def fit_build(
    machine: ScheduledMachine,
    spec: BuildSpec,
    rows: Sequence[MeasuredBuild],
    paths: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Search numbers of a build within their ranges.

    Each number in turn is moved up and down by a step in per cent of itself; a move that lowers the error stays. When none does,
    the steps are halved, from 4 to 2 %.

    Parameters
    ----------
    machine : ScheduledMachine
    spec : BuildSpec
        Its values are where the search begins.
    rows : sequence of MeasuredBuild
        To be fitted to: user and real time of each, system time of those with one job (its growth with more has causes that the
        model does not have).
    paths : sequence of str, optional
        Numbers under ``[fitted]``; None: all of them.
    progress : callable, optional
        Told the sets tried, the least error and its values.
    """
    ranges = {path: spec.fitted[path] for path in (spec.fitted if paths is None else paths)}
    values = {path: value_at(spec, path) for path in ranges}
    error, tried, step = _error(machine, with_values(spec, values), rows), 1, FIRST_STEP
    while step >= LAST_STEP:
        moved = False
        for path, (least, most) in ranges.items():
            for factor in (1 + step, 1 / (1 + step)):
                trial = {**values, path: min(max(values[path] * factor, least), most)}
                new, tried = _error(machine, with_values(spec, trial), rows), tried + 1
                if new < error:
                    values, error, moved = trial, new, True
                    break
            if progress is not None:
                progress(tried, error, values)
        if not moved:
            step /= 2
    return Fit(values, error, tried)


def _error(machine: ScheduledMachine, spec: BuildSpec, rows: Sequence[MeasuredBuild]) -> float:
    simulated = simulate_rows(machine, spec, rows)
    errors = [error for row in simulated for error in _errors(row)]
    return float((sum(error**2 for error in errors) / len(errors)) ** 0.5)


def _errors(row: BuildRow) -> list[float]:
    """Return errors in per cent of the row's user or real time; of system time in per cent of user time, for it is short."""
    errors = [row.error_percent("user_s"), row.error_percent("real_s")]
    if row.measured.jobs == 1:
        errors.append(100 * (row.simulated.system_s - row.measured.system_s) / row.measured.user_s)
    return errors
