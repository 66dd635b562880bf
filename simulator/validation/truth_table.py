"""AMD's truth table: the idle two-thread test for every ordered pair of threads.

A thread is one of 64 on the Quartet (8 cores x read or write x 4 memories), so there are 4,096 pairs. 3,584 of them have their
threads on different cores: 1,792 runs, since a pair and its reverse are one run. In the other 512 both threads are on one core:
they take turns, so that each needs the sum of what both need alone. These are computed from the 64 runs of one thread and
marked; to simulate them as two cores would be wrong.

With the exact mode asked for, some rows are exact, of the jitter-free machine, and the others ordinary. Each is related to the
base of its own kind, so the base is run both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from os import PathLike
from pathlib import Path

import simulator
from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult, Verdict
from simulator.measure.run import run
from simulator.sweep.executors import Executor, InProcess
from simulator.sweep.grid import Grid
from simulator.sweep.spec import AccuracySpec, Sweep
from simulator.sweep.store import open_store
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
)
from simulator.validation.truth_table_runs import BASE, Finished, Runs, Threads, read_runs, relative, sum_of_known

MACHINE = "quartet"
_MOST_SEED = (1 << 63) - 1


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
        With ``steady="exact"`` the rows whose runs are exact are related to the exact base, the others to the ordinary one.
    seed : int
    progress : callable, optional
        Called with runs done, runs in all, and the one just done; the ordinary base of an exact table is counted by itself.
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
    grid = _grid(machine, wanted_runs(chosen, base), seed, accuracy)
    grids = [grid]
    if accuracy.steady == "exact":
        grids.insert(0, _grid(machine, ((base.label,),), seed, replace(accuracy, steady="ci")))
    with open_store(store) as opened:
        for one in grids:
            finish(one, opened, executor or InProcess(), progress, runs_in_a_batch=runs_in_a_batch, run_one=run_one)
        runs = read_runs(opened, grid, ordinary=grids[0])
    rows = tuple(_pair(first, second, runs) for first in chosen for second in chosen)
    return TruthTable(
        machine=resolved.name,
        base=base.label,
        threads=tuple(thread.label for thread in chosen),
        alone=tuple(_alone(thread, runs[(thread.label,)], runs) for thread in chosen),
        ordinary_base=_alone(base, runs.ordinary_base, runs),
        rows=rows,
        ranking=rank(resolved, rows),
        not_steady=runs.not_steady,
        provenance=TruthTableProvenance(
            version=simulator.__version__,
            engine=runs[(base.label,)].engine,
            seed=seed,
            accuracy=asdict(accuracy),
            machine=resolved.model_dump(mode="json"),
        ),
    )


def wanted_runs(chosen: Sequence[Placement], base: Placement) -> tuple[Threads, ...]:
    """Return the runs that the pairs of these threads need: each alone, the base, and each pair on different cores once."""
    alone = [(thread.label,) for thread in sorted({*chosen, base})]
    pairs = [(one.label, other.label) for one, other in combinations(sorted(chosen), 2) if not one.shares_core_with(other)]
    return (*alone, *pairs)


def _grid(machine: str, threads: tuple[Threads, ...], seed: int, accuracy: Accuracy) -> Grid:
    sweep = Sweep(machine=machine, threads=threads, seed=seed, accuracy=AccuracySpec(**asdict(accuracy)))
    return Grid(sweep, "truth-table", Path.cwd())


def _alone(thread: Placement, own: Finished, runs: Runs) -> AloneRow:
    percent, ci_percent = relative([(own, thread.label)], runs)
    return AloneRow(
        thread=thread.label,
        time_ns=own.times_ns[thread.label],
        percent=percent,
        ci_percent=ci_percent,
        verdict=own.verdict,
        exact=own.exact,
    )


def _pair(first: Placement, second: Placement, runs: Runs) -> PairRow:
    if first.shares_core_with(second):
        parts = [(runs[(thread.label,)], thread.label) for thread in (first, second)]
        half_percent, ci_percent = relative(parts, runs)
        percent = None if half_percent is None else 2 * half_percent  # each waits for the other's turns
        both_ns = sum_of_known([run.times_ns[label] for run, label in parts])
        worse = next((run for run, _ in parts if run.verdict != "steady"), parts[0][0])
        exact = all(run.exact for run, _ in parts)
        return _row(first, second, (both_ns, both_ns), percent, ci_percent, TIME_SLICING, worse.verdict, exact)
    one, other = sorted((first, second))
    run = runs[one.label, other.label]
    percent, ci_percent = relative([(run, one.label), (run, other.label)], runs)
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
