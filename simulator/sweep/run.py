"""A sweep under way: claims points, has them done, keeps what arrives. The only place that writes results into a store."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from simulator.engine.build import EngineName
from simulator.errors import NumasimError
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep.claims import Claims
from simulator.sweep.database import check_kind
from simulator.sweep.executors import Crew, Executor, InProcess, Outcome
from simulator.sweep.grid import Grid, Point
from simulator.sweep.processes import LocalProcesses
from simulator.sweep.report import SweepReport, UnsteadyPoint
from simulator.sweep.spec import Sweep
from simulator.sweep.store import Store, open_store
from simulator.sweep.work import Job, Simulate, ready_engine

POLL_S = 0.5  # while another sweep has what is left
HOPELESS = 8  # failures, with not one point finished
Progress = Callable[[int, int, str], None]


def run_sweep(
    sweep: Sweep | Grid,
    store: Store | str | PathLike[str],
    executor: Executor | None = None,
    *,
    engine: EngineName = "auto",
    progress: Progress | None = None,
    run_one: Callable[..., RunResult] = run,
) -> SweepReport:
    """Do every point of a sweep that is not in the store yet.

    Several sweeps may share a store at the same time: none does what another is doing. Whatever ends it, what was finished is
    in the store, and the same call goes on from there.

    Parameters
    ----------
    sweep : Sweep or Grid
    store : Store, str or path
        A path is opened, made if it is not there, and closed at the end.
    executor : Executor, optional
        Where runs are done; in this process if left out.
    engine : {'auto', 'simpy', 'compiled'}
        All give the same results.
    progress : callable, optional
        Called with points finished, points in all, and the one finished last.
    run_one : callable
        What does a run; tests put fakes here.

    Raises
    ------
    InputError
        Something is wrong with a point, the engine or the store: found before the first run, but for a disk that fills up and a
        store that is removed or replaced meanwhile.
    NumasimError
        Points failed; all others are done and kept, unless the first `HOPELESS` all failed.
    """
    grid = sweep if isinstance(sweep, Grid) else Grid(sweep)
    place = executor or InProcess()
    with ExitStack() as stack:
        crew = None
        if not isinstance(store, Store):
            check_kind(Path(store))
            if not Path(store).exists():  # no new file where there is nobody to fill it
                crew = stack.enter_context(place.start(_simulate(grid, place, engine, run_one)))
            store = stack.enter_context(open_store(store))
        store.prepare(grid.points)
        under_way = _UnderWay(grid, store, progress or (lambda done, total, last: None))
        if under_way.begin():
            crew = crew or stack.enter_context(place.start(_simulate(grid, place, engine, run_one)))
            under_way.work(stack.enter_context(Claims(store.path)), crew)
        return under_way.report()


def _simulate(grid: Grid, place: Executor, engine: EngineName, run_one: Callable[..., RunResult]) -> Simulate:
    """Return what workers do, once it is known that those of this computer can."""
    if run_one is run and isinstance(place, (InProcess, LocalProcesses)):
        exact_first = min(grid.points, key=lambda point: point.accuracy.steady != "exact")
        engine = ready_engine(grid.job(exact_first), engine)
    return Simulate(grid.model, engine, run_one)


@dataclass
class _UnderWay:
    """The points of a sweep on their way into the store.

    Attributes
    ----------
    wanted : deque of str
        Keys that nobody is known to be at.
    elsewhere : deque of str
        Keys that another sweep had claimed.
    at_work : set of str
        Keys that the crew has.
    """

    grid: Grid
    store: Store
    progress: Progress
    wanted: deque[str] = field(default_factory=deque)
    elsewhere: deque[str] = field(default_factory=deque)
    at_work: set[str] = field(default_factory=set)
    failed: list[tuple[Point, Exception]] = field(default_factory=list)
    found: int = 0
    finished: set[str] = field(default_factory=set)
    good: int = 0
    _points: dict[str, Point] = field(default_factory=dict)

    def begin(self) -> bool:
        """See what is in the store; return whether anything is left to do."""
        self._points = {point.key: point for point in self.grid.points}
        known = self.store.verdicts(list(self._points))
        self.wanted.extend(key for key in self._points if key not in known)
        self.found = len(known)
        self.finished.update(known)
        self.progress(len(self.finished), len(self._points), "")
        return bool(self.wanted)

    def work(self, claims: Claims, crew: Crew[Job, RunResult]) -> None:
        """Go on until every point is finished or has failed, here or elsewhere."""
        outcomes: list[Outcome[Job, RunResult]] = []
        try:
            while self.wanted or self.elsewhere or self.at_work:
                self._hand_out(claims, crew)
                if self.at_work:
                    outcomes = crew.wait(POLL_S if self.elsewhere else None)
                    self._hand_out(claims, crew)  # nobody idles while results are written
                    self._take_in(outcomes, claims)
                    outcomes = []
                    if len(self.failed) >= HOPELESS and not self.good:
                        return
                elif self.elsewhere:
                    time.sleep(POLL_S)
                    self.store.check()
        except KeyboardInterrupt:
            self._take_in([*outcomes, *crew.wait(0)], claims)
            raise

    def report(self) -> SweepReport:
        """Return what came of it.

        Raises
        ------
        NumasimError
            Points failed, or the store is not there any more.
        """
        self.store.check()
        if self.failed:
            raise _failure(self.failed)
        verdicts = self.store.verdicts(list(self._points))
        unsteady = tuple(
            UnsteadyPoint(key=key, point=self._points[key].title, verdict=verdict)
            for key, verdict in ((key, verdicts[key]) for key in self._points)
            if verdict != "steady"
        )
        total = len(self._points)
        elsewhere = total - self.found - self.good
        return SweepReport(points=total, found=self.found, done=self.good, done_elsewhere=elsewhere, not_steady=unsteady)

    def _hand_out(self, claims: Claims, crew: Crew[Job, RunResult]) -> None:
        while crew.free and (self.wanted or self.elsewhere):
            source = self.wanted or self.elsewhere
            keys = [source.popleft() for _ in range(min(crew.free, len(source), 500))]
            taken = claims.take(keys)
            self.elsewhere.extend(taken.busy)
            self._count(taken.finished)
            for key in taken.mine:
                crew.submit(self.grid.job(self._points[key]))
                self.at_work.add(key)
            if taken.busy and not self.wanted:
                return  # ask again later

    def _take_in(self, outcomes: Sequence[Outcome[Job, RunResult]], claims: Claims) -> None:
        good = [(self._points[outcome.task.key], outcome.result) for outcome in outcomes if outcome.result is not None]
        if outcomes:
            self.store.keep(good, self.grid.model)
            claims.release([outcome.task.key for outcome in outcomes])
        for outcome in outcomes:
            self.at_work.discard(outcome.task.key)
            if outcome.error is not None:
                self.failed.append((self._points[outcome.task.key], outcome.error))
        self.good += len(good)
        self._count([point.key for point, _ in good])

    def _count(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.finished.add(key)
            self.progress(len(self.finished), len(self._points), self._points[key].title)


def _failure(failed: Sequence[tuple[Point, Exception]]) -> NumasimError:
    point, error = failed[0]
    reason = str(error) if isinstance(error, NumasimError) else f"{type(error).__name__}: {error}"
    more = f" (and {len(failed) - 1} more failed)" if len(failed) > 1 else ""
    failure = NumasimError(f"the point {point.title} failed{more}: {reason}")
    failure.__cause__ = error
    return failure
