"""Many short runs on one machine: a batch at a time to a worker, and into the store.

A run of two threads takes some 30 ms, and to resolve its machine, to send it and to bring its result safely onto the disk by
itself would take a third of that again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep.executors import Executor, run_all
from simulator.sweep.grid import Grid, Point
from simulator.sweep.store import Store
from simulator.sweep.work import Job, Simulate
from simulator.workload import Workload

RUNS_IN_A_BATCH = 16
Progress = Callable[[int, int, str], None]
_Batch = tuple[Job, ...]


@dataclass(frozen=True)
class SimulateBatch:
    """Does the jobs of a batch one after the other; sent to workers."""

    simulate: Simulate

    def __call__(self, batch: _Batch) -> tuple[RunResult, ...]:
        """Return the results in the order of the jobs."""
        return tuple(self.simulate(job) for job in batch)


def finish(
    grid: Grid,
    store: Store,
    executor: Executor,
    progress: Progress | None = None,
    *,
    runs_in_a_batch: int = RUNS_IN_A_BATCH,
    run_one: Callable[..., RunResult] = run,
) -> None:
    """Do every point of a grid on one machine without background that is not in the store yet.

    A batch is kept whole: whatever ends this, only batches under way are lost. Two that are at work on one store at a time do
    the same runs twice, with the same results; :func:`simulator.sweep.run.run_sweep` is for work that is shared.

    Parameters
    ----------
    grid : Grid
    store : Store
    executor : Executor
    progress : callable, optional
        Called with points finished, points in all, and the one finished last.
    runs_in_a_batch : int
    run_one : callable
        What does a run.

    Raises
    ------
    InputError
        The store cannot be written.
    NumasimError
        What a run raised.
    """
    points = {point.key: point for point in grid.points}
    store.prepare(grid.points)
    known = store.verdicts(list(points))
    missing = [point for key, point in points.items() if key not in known]
    finished = len(known)
    if progress is not None:
        progress(finished, len(points), "")

    def done(batch: _Batch, results: tuple[RunResult, ...]) -> None:
        nonlocal finished
        store.keep([(points[job.key], result) for job, result in zip(batch, results, strict=True)], grid.model)
        finished += len(batch)
        if progress is not None:
            progress(finished, len(points), " ".join(points[batch[-1].key].threads))

    batches = _batches(grid, missing, runs_in_a_batch)
    run_all(executor, SimulateBatch(Simulate(grid.model, run_one=run_one)), batches, done)


def _batches(grid: Grid, missing: Sequence[Point], size: int) -> list[_Batch]:
    """Return jobs that share one machine, so that a batch carries it once."""
    if not missing:
        return []
    first = grid.job(missing[0])
    jobs = [replace(first, key=point.key, workload=Workload.from_labels(point.threads)) for point in missing]
    return [tuple(jobs[start : start + size]) for start in range(0, len(jobs), size)]
