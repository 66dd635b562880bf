"""The runs of a truth table, as its store has them, and what they are in per cent of the base."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.measure.exact import is_exact
from simulator.measure.result import Verdict
from simulator.sweep.grid import Grid
from simulator.sweep.store import Store
from simulator.validation.truth_table_report import UnsteadyRun

BASE = "0.0.r.0"
Threads = tuple[str, ...]


@dataclass(frozen=True)
class Finished:
    """A run as the table needs it: time a line (ns) and half width (per cent) of each thread, by label."""

    times_ns: Mapping[str, float | None]
    ci_percent: Mapping[str, float | None]
    verdict: Verdict
    engine: str
    exact: bool


@dataclass(frozen=True)
class Runs:
    """Finished runs by their threads.

    Attributes
    ----------
    found : mapping
    ordinary_base : Finished
        The base with its jitter; the run in `found` may be exact.
    not_steady : tuple of UnsteadyRun
    """

    found: Mapping[Threads, Finished]
    ordinary_base: Finished
    not_steady: tuple[UnsteadyRun, ...]

    def __getitem__(self, threads: Threads) -> Finished:
        return self.found[threads]

    def base(self, exact: bool) -> Finished:
        """Return the base that exact or ordinary runs are related to; the ordinary one for both where it does not recur."""
        return self.found[(BASE,)] if exact else self.ordinary_base


def read_runs(store: Store, grid: Grid, ordinary: Grid) -> Runs:
    """Return the runs of a grid; `ordinary` is the grid that the ordinary base is part of."""
    wanted = {point.key: point.threads for one in (ordinary, grid) for point in one.points}
    points = {row["key"]: row for row in _rows(store, "points") if row["key"] in wanted}
    threads: dict[str, dict[str, dict[str, Any]]] = {key: {} for key in points}
    for row in _rows(store, "threads"):
        if row["key"] in wanted:
            threads[row["key"]][row["thread"]] = row
    finished = {key: _finished_run(points[key], threads[key]) for key in points}
    not_steady = [key for key, row in points.items() if row["verdict"] != "steady"]
    return Runs(
        found={point.threads: finished[point.key] for point in grid.points},
        ordinary_base=next(finished[point.key] for point in ordinary.points if point.threads == (BASE,)),
        not_steady=tuple(
            UnsteadyRun(threads=wanted[key], verdict=points[key]["verdict"], verdict_detail=points[key]["verdict_detail"])
            for key in not_steady
        ),
    )


def _rows(store: Store, view: str) -> Iterator[dict[str, Any]]:
    selection = store.select(view)
    return (dict(zip(selection.columns, values, strict=True)) for values in selection.rows)


def _finished_run(point: Mapping[str, Any], threads: Mapping[str, Mapping[str, Any]]) -> Finished:
    return Finished(
        times_ns={thread: row["time_per_line_ns"] for thread, row in threads.items()},
        ci_percent={thread: row["ci_percent"] for thread, row in threads.items()},
        verdict=point["verdict"],
        engine=point["engine"],
        exact=is_exact(point["verdict_detail"]),
    )


def relative(parts: Sequence[tuple[Finished, str]], runs: Runs) -> tuple[float | None, float | None]:
    """Return the mean time a line in per cent of the base's, and its half width in per cent of that.

    Exact and ordinary parts are each related to the base of their kind, then added. Half widths go together as those of a bar do
    (:func:`simulator.validation.evaluate.bar_ci_percent`); the base relative to itself is exact.
    """
    kinds = [[part for part in parts if part[0].exact is exact] for exact in (False, True)]
    related = [_related(some, runs.base(exact)) for exact, some in zip((False, True), kinds, strict=True) if some]
    percents = sum_of_known([percent for percent, _ in related])
    if percents is None:
        return None, None
    if len(related) == 1:
        return percents / len(parts), related[0][1]
    half_widths = [_times(percent, ci_percent) for percent, ci_percent in related]
    total = sum_of_known(half_widths)
    return percents / len(parts), None if total is None else total / percents


def _related(parts: Sequence[tuple[Finished, str]], base: Finished) -> tuple[float | None, float | None]:
    """Return the sum of runs' times a line in per cent of the base of their kind, and its half width in per cent of that."""
    base_ns, base_ci = base.times_ns[BASE], base.ci_percent[BASE]
    total_ns = sum_of_known([run.times_ns[label] for run, label in parts])
    if total_ns is None or base_ns is None:
        return None, None
    percent = 100 * total_ns / base_ns
    if all(run == base for run, _ in parts):
        return percent, 0.0
    half_widths = sum_of_known([_times(run.times_ns[label], run.ci_percent[label]) for run, label in parts])
    return percent, None if half_widths is None or base_ci is None else math.hypot(half_widths / total_ns, base_ci)


def sum_of_known(values: Sequence[float | None]) -> float | None:
    """Return the sum; None if one is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _times(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one * other
