"""How long whole jobs take on all processors: AMD's figures, and the truth table by intervals and exactly."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
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
    """Seconds on the wall of a command that finds nothing compiled, its exit code, and what it said last."""

    name: str
    wall_s: float
    limit_s: float
    exit_code: int = 0
    said_last: str = ""


@dataclass(frozen=True)
class ExactPairs:
    """The pairs of the truth table whose state recurs, and what these took.

    Attributes
    ----------
    pairs, recur : int
        Searched, and those of them that recur.
    wall_s : float
        Seconds on the wall for those that recur, on all processors, in processes that find nothing compiled.
    recur_cpu_s, in_vain_cpu_s : float
        Seconds of processor time, compiled before.
    """

    pairs: int
    recur: int
    wall_s: float
    recur_cpu_s: float
    in_vain_cpu_s: float


def tables_section(quick: bool) -> Section:
    """Run the jobs, each with an empty cache; then look which pairs recur."""
    jobs = [run_job(*job) for job in JOBS]
    exact = _exact_pairs(every=16 if quick else 1)
    cores = os.cpu_count() or 1
    lines = [f"{'whole jobs, cold start included':<34}{'wall s':>8}{'limit':>8}  on {cores} cores"]
    lines += [f"{job.name:<34}{job.wall_s:>8.1f}{job.limit_s:>8.1f}" for job in jobs]
    lines += [
        "",
        f"truth table, --steady exact: {exact.recur} of {exact.pairs} pairs recur within {SEARCHED_LINES} lines",
        f"these alone, cold start included: {exact.wall_s:.1f} s on {cores} cores (limit {EXACT_LIMIT_S:.0f}); "
        f"{exact.recur_cpu_s:.1f} s of processor time when all is compiled",
        f"finding out that the others do not: {exact.in_vain_cpu_s:.1f} s of processor time",
    ]
    return Section(lines, complaints_about_tables(jobs, exact))


def complaints_about_tables(jobs: Sequence[Job], exact: ExactPairs) -> list[str]:
    """Return what took too long. These are times on the wall: run them on an idle computer."""
    complaints = []
    for job in jobs:
        if job.exit_code:
            complaints.append(f"{job.name} ended with exit code {job.exit_code}{job.said_last and ': '}{job.said_last}")
        elif job.wall_s > job.limit_s:
            complaints.append(f"{job.name} took {job.wall_s:.1f} s, more than {job.limit_s:.0f}")
    if exact.wall_s > EXACT_LIMIT_S:
        complaints.append(f"the exact pairs took {exact.wall_s:.1f} s, more than {EXACT_LIMIT_S:.0f}")
    return complaints


def run_job(name: str, arguments: Sequence[str], limit_s: float) -> Job:
    """Run a command of numasim with an empty cache of compiled code."""
    with TemporaryDirectory(prefix="numasim-bench-") as folder:
        environment = {**os.environ, "NUMASIM_CACHE_DIR": str(Path(folder) / "cache")}
        started_s = perf_counter()
        command = [sys.executable, "-c", COMMAND, *arguments, "--out", str(Path(folder) / "results")]
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        said_last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "")
        return Job(name, perf_counter() - started_s, limit_s, done.returncode, said_last)


def _exact_pairs(every: int) -> ExactPairs:
    from simulator.machine.load import load_machine
    from simulator.validation.placement import all_placements, placement
    from simulator.validation.truth_table import BASE, MACHINE, wanted_runs

    machine = load_machine(MACHINE)
    pairs = [run for run in wanted_runs(all_placements(machine), placement(BASE, machine)) if len(run) == 2][::every]
    with ProcessPoolExecutor(initializer=_search, initargs=(pairs[0],)) as processes:
        found = list(processes.map(_search, pairs, chunksize=8))
    recurring = [pair for pair, (recurs, _) in zip(pairs, found, strict=True) if recurs]
    return ExactPairs(
        pairs=len(pairs),
        recur=len(recurring),
        wall_s=_wall_s_from_nothing(recurring),
        recur_cpu_s=sum(cpu_s for recurs, cpu_s in found if recurs),
        in_vain_cpu_s=sum(cpu_s for recurs, cpu_s in found if not recurs),
    )


def _wall_s_from_nothing(pairs: Sequence[tuple[str, ...]]) -> float:
    """Return the seconds on the wall for these pairs in new processes with an empty cache."""
    with TemporaryDirectory(prefix="numasim-bench-") as folder:
        started_s = perf_counter()
        with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=_keep_code_in, initargs=(folder,)) as processes:
            list(processes.map(_search, pairs, chunksize=8))
        return perf_counter() - started_s


def _keep_code_in(folder: str) -> None:
    os.environ["NUMASIM_CACHE_DIR"] = folder


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
