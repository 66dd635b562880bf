"""`why()`: which resources hold a workload back, and why it is slower than another."""

from __future__ import annotations

from dataclasses import asdict

from simulator import __version__
from simulator.engine.build import EngineName
from simulator.explain.compare import gap, gaps_without, part_gaps
from simulator.explain.gains import foreground, mean_time
from simulator.explain.gap_words import gap_sentences
from simulator.explain.ranking import Ranking, rank
from simulator.explain.report import Comparison, Side, ThreadTime, Why, WhyProvenance
from simulator.explain.trials import Bench, HowToRun, Progress
from simulator.explain.words import sentences
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.sweep.executors import Executor, InProcess
from simulator.workload import Workload

WHY_ACCURACY = Accuracy(ci_percent=0.3)


def why(
    machine: Machine,
    workload: Workload,
    other: Workload | None = None,
    *,
    accuracy: Accuracy = WHY_ACCURACY,
    seed: int = 1,
    engine: EngineName = "auto",
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Why:
    """Make each resource of a machine ideal in turn, and say what that gains.

    Parameters
    ----------
    machine : Machine
    workload : Workload
        The mean time a line of its foreground threads is what counts.
    other : Workload, optional
        What it is compared with: why is `workload` slower?
    accuracy : Accuracy
        Of every run.
    seed : int
    engine : {'auto', 'simpy', 'compiled'}
    executor : Executor, optional
        Where runs are done; here, one after the other, if left out.
    progress : callable, optional
        Called with runs done, runs planned so far, and what was changed last.

    Raises
    ------
    InputError
        A workload does not fit the machine, or there is no such engine.
    """
    how = HowToRun(accuracy, seed, engine, executor or InProcess(), progress)
    bench = Bench(machine, workload, how)
    opposite = None if other is None else Bench(machine, other, how)
    ranking = rank(bench) if mean_time(bench.base) is not None else Ranking((), (), (), ())
    differences = bench.count
    comparison = None if opposite is None else _comparison(bench, opposite)
    return Why(
        machine=machine.name,
        side=_side(bench.base),
        resources=ranking.resources,
        members=ranking.members,
        pairs=ranking.pairs,
        pair_members=ranking.pair_members,
        differences=differences,
        unsteady=bench.unsteady + (0 if opposite is None else opposite.unsteady),
        sentences=sentences(bench.base, ranking),
        comparison=comparison,
        provenance=WhyProvenance(
            version=__version__,
            engine=bench.base.provenance.engine,
            seed=seed,
            machine=machine.model_dump(mode="json"),
            workload=workload.as_dict(),
            other_workload=None if other is None else other.as_dict(),
            accuracy=asdict(accuracy),
        ),
    )


def _side(run: RunResult) -> Side:
    mean = mean_time(run)
    return Side(
        threads=tuple(
            ThreadTime(label=thread.label, time_per_line_ns=thread.time_per_line_ns, ci_percent=thread.ci_percent)
            for thread in foreground(run)
        ),
        time_per_line_ns=None if mean is None else mean.time_ns,
        ci_percent=None if mean is None or mean.half_width is None else 100 * mean.half_width,
        verdict=run.verdict,
        verdict_detail=run.verdict_detail,
    )


def _comparison(this: Bench, other: Bench) -> Comparison:
    timed = mean_time(this.base) is not None and mean_time(other.base) is not None
    without = gaps_without(this, other) if timed else ()
    as_it_is, parts = gap(this, other), part_gaps(this.base, other.base)
    return Comparison(
        other=_side(other.base),
        differences=other.count + 1,
        gap=as_it_is,
        parts=parts,
        without=without,
        sentences=gap_sentences(as_it_is, parts, without),
    )
