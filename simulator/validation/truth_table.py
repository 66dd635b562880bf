"""AMD's truth table: the idle two-thread test for every ordered pair of threads.

A thread is one of 64 on the Quartet (8 cores x read or write x 4 memories), so there are 4,096 pairs. 3,584 of them have their
threads on different cores: 1,792 runs, since a pair and its reverse are one run. In the other 512 both threads are on one core:
they take turns, so that each needs the sum of what both need alone. These are computed from the 64 runs of one thread and
marked; to simulate them as two cores would be wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any

import simulator
from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.exact import is_exact
from simulator.measure.result import RunResult, Verdict
from simulator.measure.run import run
from simulator.sweep.executors import Executor, InProcess
from simulator.sweep.grid import Grid
from simulator.sweep.spec import AccuracySpec, Sweep
from simulator.sweep.store import Store, open_store
from simulator.validation.batches import RUNS_IN_A_BATCH, Progress, finish
from simulator.validation.placement import Placement, all_placements, placement
from simulator.validation.ranking import rank
from simulator.validation.truth_table_report import (
    SIMULATED,
    TIME_SLICING,
    AloneRow,
    Method,
    PairRow,
    TruthTable,
    TruthTableProvenance,
    UnsteadyRun,
)

MACHINE = "quartet"
BASE = "0.0.r.0"
_MOST_SEED = (1 << 63) - 1
_Threads = tuple[str, ...]


@dataclass(frozen=True)
class _Finished:
    """A run as the table needs it: time a line (ns) and half width (per cent) of each thread, by label."""

    times_ns: Mapping[str, float | None]
    ci_percent: Mapping[str, float | None]
    verdict: Verdict
    engine: str
    exact: bool


_Runs = Mapping[_Threads, _Finished]


def truth_table(
    store: str | PathLike[str],
    executor: Executor | None = None,
    *,
    machine: str = MACHINE,
    threads: Sequence[str] | None = None,
    accuracy: Accuracy | None = None,
    seed: int = 1,
    progress: Progress | None = None,
    runs_in_a_batch: int = RUNS_IN_A_BATCH,
    run_one: Callable[..., RunResult] = run,
) -> TruthTable:
    """Compute the truth table.

    Parameters
    ----------
    store : path
        Store of finished runs (:mod:`simulator.sweep.store`), made if it is not there: what is in it is not run again.
    executor : Executor, optional
        Where runs are done; in this process if left out. The table does not depend on it.
    machine : str
        Shipped name or path of a machine file.
    threads : sequence of str, optional
        Only the pairs of these threads; all threads of the machine if left out.
    accuracy : Accuracy, optional
    seed : int
    progress : callable, optional
        Called with runs done, runs in all, and the one just done.
    runs_in_a_batch : int
        Given to a worker, and kept, at a time.
    run_one : callable
        What does a run; tests put fakes here.

    Raises
    ------
    InputError
        There is no such machine or place on it, or the store cannot be written.
    """
    accuracy = accuracy or Accuracy()
    if not 0 <= seed <= _MOST_SEED:
        raise InputError("the seed is out of range", field="--seed", value=seed, allowed=f"0 to {_MOST_SEED}")
    resolved = load_machine(machine)
    base = placement(BASE, resolved)
    chosen = all_placements(resolved) if threads is None else tuple(sorted({placement(label, resolved) for label in threads}))
    sweep = Sweep(machine=machine, threads=wanted_runs(chosen, base), seed=seed, accuracy=AccuracySpec(**asdict(accuracy)))
    grid = Grid(sweep, "truth-table", Path.cwd())
    with open_store(store) as opened:
        finish(grid, opened, executor or InProcess(), progress, runs_in_a_batch=runs_in_a_batch, run_one=run_one)
        runs = _read(opened, grid)
        not_steady = _unsteady(opened, grid)
    rows = tuple(_pair(first, second, runs) for first in chosen for second in chosen)
    return TruthTable(
        machine=resolved.name,
        base=base.label,
        threads=tuple(thread.label for thread in chosen),
        alone=tuple(_alone(thread, runs) for thread in chosen),
        rows=rows,
        ranking=rank(resolved, rows),
        not_steady=not_steady,
        provenance=TruthTableProvenance(
            version=simulator.__version__,
            engine=runs[(base.label,)].engine,
            seed=seed,
            accuracy=asdict(accuracy),
            machine=resolved.model_dump(mode="json"),
        ),
    )


def wanted_runs(chosen: Sequence[Placement], base: Placement) -> tuple[_Threads, ...]:
    """Return the runs that the pairs of these threads need: each alone, the base, and each pair on different cores once."""
    alone = [(thread.label,) for thread in sorted({*chosen, base})]
    pairs = [(one.label, other.label) for one, other in combinations(sorted(chosen), 2) if not one.shares_core_with(other)]
    return (*alone, *pairs)


def _read(store: Store, grid: Grid) -> dict[_Threads, _Finished]:
    """Return the runs of a grid, by their threads."""
    wanted = {point.key: point.threads for point in grid.points}
    selection = store.select("threads")
    exact = {row["key"] for row in _points(store) if is_exact(row["verdict_detail"])}
    found: dict[_Threads, _Finished] = {}
    for values in selection.rows:
        row = dict(zip(selection.columns, values, strict=True))
        if row["key"] not in wanted:
            continue
        labels = wanted[row["key"]]
        before = found.get(labels)
        found[labels] = _Finished(
            times_ns={**(before.times_ns if before else {}), row["thread"]: row["time_per_line_ns"]},
            ci_percent={**(before.ci_percent if before else {}), row["thread"]: row["ci_percent"]},
            verdict=row["verdict"],
            engine=row["engine"],
            exact=row["key"] in exact,
        )
    return found


def _unsteady(store: Store, grid: Grid) -> tuple[UnsteadyRun, ...]:
    wanted = {point.key: point.threads for point in grid.points}
    return tuple(
        UnsteadyRun(threads=wanted[row["key"]], verdict=row["verdict"], verdict_detail=row["verdict_detail"])
        for row in _points(store)
        if row["key"] in wanted and row["verdict"] != "steady"
    )


def _points(store: Store) -> Iterator[dict[str, Any]]:
    selection = store.select("points")
    return (dict(zip(selection.columns, values, strict=True)) for values in selection.rows)


def _alone(thread: Placement, runs: _Runs) -> AloneRow:
    own = runs[(thread.label,)]
    percent, ci_percent = _relative([(own, thread.label)], runs)
    return AloneRow(
        thread=thread.label,
        time_ns=own.times_ns[thread.label],
        percent=percent,
        ci_percent=ci_percent,
        verdict=own.verdict,
        exact=own.exact,
    )


def _pair(first: Placement, second: Placement, runs: _Runs) -> PairRow:
    if first.shares_core_with(second):
        parts = [(runs[(thread.label,)], thread.label) for thread in (first, second)]
        half_percent, ci_percent = _relative(parts, runs)
        percent = None if half_percent is None else 2 * half_percent  # each waits for the other's turns
        both_ns = _sum([run.times_ns[label] for run, label in parts])
        worse = next((run for run, _ in parts if run.verdict != "steady"), parts[0][0])
        exact = all(run.exact for run, _ in parts)
        return _row(first, second, (both_ns, both_ns), percent, ci_percent, TIME_SLICING, worse.verdict, exact)
    one, other = sorted((first, second))
    run = runs[one.label, other.label]
    percent, ci_percent = _relative([(run, one.label), (run, other.label)], runs)
    times_ns = (run.times_ns[first.label], run.times_ns[second.label])
    return _row(first, second, times_ns, percent, ci_percent, SIMULATED, run.verdict, run.exact)


def _row(
    first: Placement,
    second: Placement,
    times_ns: tuple[float | None, float | None],
    percent: float | None,
    ci_percent: float | None,
    method: Method,
    verdict: Verdict,
    exact: bool,
) -> PairRow:
    return PairRow(
        first=first.label,
        second=second.label,
        time_first_ns=times_ns[0],
        time_second_ns=times_ns[1],
        percent=percent,
        ci_percent=ci_percent,
        method=method,
        verdict=verdict,
        exact=exact,
    )


def _relative(parts: Sequence[tuple[_Finished, str]], runs: _Runs) -> tuple[float | None, float | None]:
    """Return the mean time a line in per cent of the base's, and its half width in per cent of that.

    Half widths go together as those of a bar do (:func:`simulator.validation.evaluate.bar_ci_percent`); the base relative to
    itself is exact.
    """
    base = runs[(BASE,)]
    times_ns, base_ns = [run.times_ns[label] for run, label in parts], base.times_ns[BASE]
    total_ns = _sum(times_ns)
    if total_ns is None or base_ns is None:
        return None, None
    percent = 100 * (total_ns / len(parts)) / base_ns
    if all(run is base for run, _ in parts):
        return percent, 0.0
    half_widths = _sum([_times(run.times_ns[label], run.ci_percent[label]) for run, label in parts])
    base_ci = base.ci_percent[BASE]
    return percent, None if half_widths is None or base_ci is None else math.hypot(half_widths / total_ns, base_ci)


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _times(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one * other
