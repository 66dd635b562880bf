"""`advise()`: searches, ranks, and says what to do."""

from __future__ import annotations

import math
from collections.abc import Sequence

from simulator import __version__
from simulator.advise.candidate import Candidate, Scene
from simulator.advise.command_lines import array_notes, command_lines
from simulator.advise.ranking import SEEDS, Finalist, advised, rank
from simulator.advise.report import (
    Advice,
    AdviceProvenance,
    AdvisedThreads,
    PlacementReport,
    SearchReport,
    TriedPlacement,
)
from simulator.advise.search import search
from simulator.advise.trials import Bench, HowToRun, Progress
from simulator.advise.words import memory_words, sentences, threads_words
from simulator.engine.build import EngineName
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.program import Program, place
from simulator.sweep.executors import Executor, InProcess

DEFAULT_LINES, DEFAULT_BUDGET, FEWEST_RUNS = 2000, 160, 40
_SCREENING = 0.75  # of the budget


def advise(
    machine: Machine,
    program: Program,
    *,
    fixed: Sequence[str] = (),
    lines: int | None = DEFAULT_LINES,
    budget: int = DEFAULT_BUDGET,
    seed: int = 1,
    engine: EngineName = "auto",
    executor: Executor | None = None,
    progress: Progress | None = None,
    label: str = "workload",
) -> Advice:
    """Try placements of threads and memory, and rank them by simulated time.

    Parameters
    ----------
    machine : Machine
    program : Program
    fixed : sequence of str
        Groups of threads that stay where the file has them, with their memory.
    lines : int, optional
        Most lines of a thread between two barriers in a run: a slice, whose time is scaled up. None: all.
    budget : int
        Most runs, about; three quarters choose, the rest tells the best ones apart.
    seed : int
    engine : {'auto', 'simpy', 'compiled'}
    executor : Executor, optional
        Where runs are done; here, one after the other, if left out.
    progress : callable, optional
        Called with runs done, the budget, and nothing.
    label : str
        What messages call the workload.

    Raises
    ------
    InputError
        The workload does not fit the machine as it is, or a group is not there.
    """
    if budget < FEWEST_RUNS:
        raise InputError("too few runs", field="--budget", value=budget, allowed=f"at least {FEWEST_RUNS}")
    scene = Scene(machine, program, label, tuple(fixed))
    place(program, machine, label=label)  # what is wrong with it is said before any worker starts
    with Bench(scene, HowToRun(lines, seed, engine, executor or InProcess()), budget, progress) as bench:
        done = search(bench, int(budget * _SCREENING))
        finalists = rank(bench, scene.own)
        chosen = advised(finalists, scene.own) if finalists else None
        return Advice(
            machine=machine.name,
            workload=program.name,
            advised=None if chosen is None else finalists.index(chosen),
            sentences=() if chosen is None else sentences(scene, chosen, finalists),
            command_lines=() if chosen is None else command_lines(scene, chosen.candidate),
            notes=() if chosen is None else (*array_notes(scene, chosen.candidate), *_closest(scene, bench, chosen)),
            ranking=tuple(_placement(scene, one, finalists) for one in finalists),
            tried=tuple(_tried(scene, bench)),
            search=SearchReport(
                exhaustive=done.exhaustive,
                placements=done.placements,
                runs=bench.runs,
                budget=budget,
                lines=lines,
                seeds=SEEDS,
            ),
            program=None if chosen is None else _file(scene, chosen.candidate),
            provenance=AdviceProvenance(
                version=__version__,
                engine=engine,
                seed=seed,
                machine=machine.model_dump(mode="json"),
                workload=program.model_dump(mode="json", exclude_defaults=True),
                fixed=tuple(fixed),
            ),
        )


def _placement(scene: Scene, one: Finalist, finalists: Sequence[Finalist]) -> PlacementReport:
    cpus = scene.cpus(one.candidate)
    threads = [
        AdvisedThreads(
            group=group.name,
            nodes=dict(zip(scene.machine.node_ids, counts, strict=True)),
            cpus=cpus[group.name],
            policy=str(policy),
        )
        for group, counts, policy in zip(scene.groups, one.candidate.threads, one.candidate.policies, strict=True)
    ]
    return PlacementReport(
        rank=1 if one.equal else 1 + finalists.index(one),
        threads=tuple(threads),
        arrays={name: str(policy) for name, policy in zip(scene.arrays, one.candidate.arrays, strict=True) if policy is not None},
        own=one.candidate == scene.own,
        time_ns=one.time_ns,
        half_width_ns=one.half_width_ns,
        slower_percent=one.slower_percent if math.isfinite(one.slower_percent) else None,
        equal=one.equal,
        local_percent=one.mean.local_percent,
        latency_ns=one.mean.latency_ns,
        queueing_ns=one.mean.queueing_ns,
        busy=one.mean.busy,
        links=one.mean.links,
        controllers=one.mean.controllers,
        pages=one.mean.pages,
    )


def _tried(scene: Scene, bench: Bench) -> list[TriedPlacement]:
    return [
        TriedPlacement(
            threads=threads_words(scene, one),
            memory=memory_words(scene, one),
            time_ns=bench.first(one).time_ns,
            verdict=bench.first(one).verdict,
        )
        for one in [*bench.ranked, *bench.not_finished]
    ]


def _closest(scene: Scene, bench: Bench, chosen: Finalist) -> list[str]:
    """Say what comes closest with numactl alone, where the advised placement needs more."""
    if not any(chosen.candidate.arrays):
        return []
    plain = next((one for one in bench.ranked if not any(one.arrays)), None)
    if plain is None:
        return []
    plain_ns = bench.first(plain).time_ns or 0
    slower = 100 * (plain_ns / chosen.time_ns - 1) if chosen.time_ns else 0.0
    lines = [line for line in command_lines(scene, plain) if line.startswith("numactl")]
    return [f"closest with numactl alone, {slower:+.1f} % in time: {'; '.join(lines)}"]


def _file(scene: Scene, candidate: Candidate) -> dict[str, object]:
    found: dict[str, object] = scene.program_of(candidate).model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    return found
