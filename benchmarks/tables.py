"""How long whole jobs take on all processors: AMD's figures, and the truth table by intervals and exactly."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from benchmarks.apart import Section

COMMAND = "import sys; from simulator.cli.main import main; sys.exit(main())"
JOBS = (
    ("reproduce amd-40555", ("reproduce", "amd-40555"), 60.0),
    ("reproduce truth-table, 0.5 %", ("reproduce", "truth-table"), 90.0),
)
EXACT_LIMIT_S = 20.0
SEARCHED_LINES = 12_000


@dataclass(frozen=True)
class Job:
    """Seconds on the wall of a command that finds nothing compiled."""

    name: str
    wall_s: float
    limit_s: float


@dataclass(frozen=True)
class ExactPairs:
    """The pairs of the truth table whose state recurs, and what these took."""

    pairs: int
    recur: int
    recur_cpu_s: float
    in_vain_cpu_s: float


def tables_section(quick: bool) -> Section:
    """Run the jobs, each with an empty cache; then look which pairs recur."""
    jobs = [_run(*job) for job in JOBS]
    exact = _exact_pairs(every=16 if quick else 1)
    cores = os.cpu_count() or 1
    lines = [f"{'whole jobs, cold start included':<34}{'wall s':>8}{'limit':>8}  on {cores} cores"]
    lines += [f"{job.name:<34}{job.wall_s:>8.1f}{job.limit_s:>8.1f}" for job in jobs]
    lines += [
        "",
        f"truth table, --steady exact: {exact.recur} of {exact.pairs} pairs recur within {SEARCHED_LINES} lines and take "
        f"{exact.recur_cpu_s:.1f} s of processor time (limit {EXACT_LIMIT_S:.0f} s on two cores)",
        f"finding out that the others do not: {exact.in_vain_cpu_s:.1f} s",
    ]
    return Section(lines, complaints_about_tables(jobs, exact))


def complaints_about_tables(jobs: Sequence[Job], exact: ExactPairs) -> list[str]:
    """Return what took too long. These are times on the wall: run them on an idle computer."""
    complaints = [f"{job.name} took {job.wall_s:.1f} s, more than {job.limit_s:.0f}" for job in jobs if job.wall_s > job.limit_s]
    if exact.recur_cpu_s > 2 * EXACT_LIMIT_S:
        complaints.append(f"the exact pairs took {exact.recur_cpu_s:.1f} s of processor time, more than {2 * EXACT_LIMIT_S:.0f}")
    return complaints


def _run(name: str, arguments: Sequence[str], limit_s: float) -> Job:
    with TemporaryDirectory(prefix="numasim-bench-") as folder:
        environment = {**os.environ, "NUMASIM_CACHE_DIR": str(Path(folder) / "cache")}
        started_s = perf_counter()
        command = [sys.executable, "-c", COMMAND, *arguments, "--out", str(Path(folder) / "results")]
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode:
            raise RuntimeError(f"{name} ended with exit code {done.returncode}")
        return Job(name, perf_counter() - started_s, limit_s)


def _exact_pairs(every: int) -> ExactPairs:
    from simulator.machine.load import load_machine
    from simulator.validation.placement import all_placements, placement
    from simulator.validation.truth_table import BASE, MACHINE, wanted_runs

    machine = load_machine(MACHINE)
    pairs = [run for run in wanted_runs(all_placements(machine), placement(BASE, machine)) if len(run) == 2][::every]
    with ProcessPoolExecutor(initializer=_search, initargs=(pairs[0],)) as processes:
        found = list(processes.map(_search, pairs, chunksize=8))
    return ExactPairs(
        pairs=len(pairs),
        recur=sum(recurs for recurs, _ in found),
        recur_cpu_s=sum(cpu_s for recurs, cpu_s in found if recurs),
        in_vain_cpu_s=sum(cpu_s for recurs, cpu_s in found if not recurs),
    )


def _search(threads: tuple[str, ...]) -> tuple[bool, float]:
    from simulator.engine.lower import lower
    from simulator.machine.load import load_machine
    from simulator.machine.variants import without_jitter
    from simulator.measure.accuracy import Accuracy
    from simulator.measure.exact import ExactSession, exact_session
    from simulator.validation.truth_table import MACHINE
    from simulator.workload import Workload

    started_s = process_time()
    plan = lower(without_jitter(load_machine(MACHINE)), Workload.from_labels(threads), seed=1)
    session = exact_session(plan, "compiled", Accuracy(lines=SEARCHED_LINES, steady="exact"))
    return isinstance(session, ExactSession), process_time() - started_s
