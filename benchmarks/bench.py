"""`make bench`: how many times faster than the frozen baseline the simpy engine is.

Each run has a process of its own; the runs of the two engines take turns, so that a busy computer slows both. A pair shares a
seed, the next pair has another. Exit code 1: a ratio is below its floor, or the engines did not simulate the same.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from benchmarks.cases import CASES, Case
from benchmarks.measurement import Measurement, mean_loads, measure, run_to_the_end, worst_difference_percent

Result = TypeVar("Result")
ENGINES = ("simpy", "baseline")
FLOOR = 3.0  # least ratio of lines a second, simpy engine to baseline
FINITE_LINES = 100


@dataclass(frozen=True)
class Effort:
    """How much to run, and how far loads may differ: short runs scatter more."""

    pairs: int
    tolerance_percent: float
    quick: bool

    def lines(self, case: Case) -> int:
        """Measured lines of each thread."""
        return case.quick_lines if self.quick else case.lines


FULL = Effort(pairs=5, tolerance_percent=1.0, quick=False)
QUICK = Effort(pairs=3, tolerance_percent=3.0, quick=True)


@dataclass(frozen=True)
class CaseResult:
    """Pairs of runs of one case: simpy engine, baseline."""

    case: Case
    pairs: Sequence[tuple[Measurement, Measurement]]

    @property
    def ratios(self) -> list[float]:
        """Lines a second of the simpy engine over those of the baseline, pair by pair."""
        return [simpy.lines_per_s / baseline.lines_per_s for simpy, baseline in self.pairs]

    @property
    def worst_load(self) -> tuple[str, float]:
        """Link direction or controller whose mean load differs most, and by how many per cent."""
        simpy, baseline = ([pair[side].loads_gb_per_s for pair in self.pairs] for side in (0, 1))
        return worst_difference_percent(mean_loads(simpy), mean_loads(baseline))


class Bench:
    """Runs and judges all cases."""

    def __init__(self, effort: Effort) -> None:
        self._effort = effort
        self._done, self._runs = 0, 2 + 2 * effort.pairs * len(CASES)

    def run(self) -> tuple[list[str], list[str]]:
        """Return the lines of the report, and what is wrong."""
        same_end = self._finite(ENGINES[0]) == self._finite(ENGINES[1])
        results = [self._run_case(case) for case in CASES.values()]
        complaints = [] if same_end else ["a finite program did not end with equal lines and packets"]
        for result in results:
            complaints += complaints_about(result, self._effort)
        equality = f"finite program of {FINITE_LINES} lines a thread: lines and packets {'equal' if same_end else 'DIFFER'}"
        return [*_speed_table(results), "", *_ratio_table(results), "", equality], complaints

    def _run_case(self, case: Case) -> CaseResult:
        lines = self._effort.lines(case)
        return CaseResult(case, [self._run_pair(case, lines, seed) for seed in range(1, self._effort.pairs + 1)])

    def _run_pair(self, case: Case, lines: int, seed: int) -> tuple[Measurement, Measurement]:
        simpy, baseline = (self._apart(measure, engine, case.name, lines, seed) for engine in ENGINES)
        return simpy, baseline

    def _finite(self, engine: str) -> object:
        return self._apart(run_to_the_end, engine, FINITE_LINES, 1)

    def _apart(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Call a function in a process of its own."""
        self._show_progress()
        with ProcessPoolExecutor(max_workers=1, mp_context=multiprocessing.get_context("spawn")) as process:
            result = process.submit(function, *arguments).result()
        self._done += 1
        self._show_progress()
        return result

    def _show_progress(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\rrun {self._done} of {self._runs}" if self._done < self._runs else "\r\033[K")
            sys.stderr.flush()


def complaints_about(result: CaseResult, effort: Effort) -> list[str]:
    """Return what is wrong with a result: loads that differ, a ratio below the floor."""
    complaints = []
    name, percent = result.worst_load
    if abs(percent) > effort.tolerance_percent:
        complaints.append(f"{result.case.name}: load of {name} differs by {percent:+.2f} %")
    if median(result.ratios) < FLOOR:
        complaints.append(f"{result.case.name}: ratio {median(result.ratios):.2f} is below {FLOOR:.2f}")
    return complaints


def _speed_table(results: Sequence[CaseResult]) -> list[str]:
    lines = [f"{'workload':<24}{'engine':<10}{'lines/s':>9}{'events/s':>10}{'events/line':>13}{'peak MiB':>10}"]
    for result in results:
        for side, engine in enumerate(ENGINES):
            runs = [pair[side] for pair in result.pairs]
            lines.append(
                f"{result.case.name:<24}{engine:<10}"
                f"{median(run.lines_per_s for run in runs):>9.0f}{median(run.events_per_s for run in runs):>10.0f}"
                f"{median(run.events / run.lines for run in runs):>13.1f}{max(run.peak_mib for run in runs):>10.1f}"
            )
    return lines


def _ratio_table(results: Sequence[CaseResult]) -> list[str]:
    lines = [f"{'simpy / baseline':<24}{'min':>7}{'median':>8}{'max':>7}{'floor':>7}  largest difference of a load"]
    for result in results:
        ratios = result.ratios
        name, percent = result.worst_load
        lines.append(
            f"{result.case.name:<24}{min(ratios):>7.2f}{median(ratios):>8.2f}{max(ratios):>7.2f}{FLOOR:>7.2f}"
            f"  {percent:+.2f} % ({name})"
        )
    return lines


def main() -> int:
    """Run the benchmark, print its report, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="How fast the engines are, as ratios with floors.")
    parser.add_argument("--quick", action="store_true", help="short runs: 3 pairs, and a wider tolerance for loads")
    report, complaints = Bench(QUICK if parser.parse_args().quick else FULL).run()
    print("\n".join(report))  # noqa: T201
    for complaint in complaints:
        print(f"failed: {complaint}")  # noqa: T201
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
