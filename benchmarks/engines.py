"""The engines on the same Plans: frozen baseline, simpy engine, compiled engine, C reference.

Each run has a process of its own and the runs of a round take turns, so that a busy computer slows all alike; a round shares a
seed, the next round has another. What is compared is lines in a second of processor time. Baseline and simpy engine run the lines
of a case, machine code runs on from there, many times further, to be long enough to measure.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.apart import Section, apart
from benchmarks.c_reference import build_library, c_compiler
from benchmarks.cases import CASES, Case
from benchmarks.measurement import (
    C_REFERENCE,
    Counted,
    Measurement,
    compile_from_nothing,
    mean_loads,
    measure,
    run_to_the_end,
    worst_difference_percent,
)
from simulator.engine.interface import Snapshot

SIMPY_FLOOR = 3.0  # least ratio of lines a second, simpy engine to baseline
C_FLOOR = 0.6  # compiled engine to C reference
FINITE_LINES = 100
Round = Mapping[str, Measurement]  # by engine


@dataclass(frozen=True)
class Effort:
    """How much to run, and how far loads may differ: short runs scatter more."""

    rounds: int
    tolerance_percent: float
    quick: bool

    def lines(self, case: Case) -> int:
        """Measured lines of each thread."""
        return case.quick_lines if self.quick else case.lines


FULL = Effort(rounds=5, tolerance_percent=1.0, quick=False)
QUICK = Effort(rounds=3, tolerance_percent=3.0, quick=True)


@dataclass(frozen=True)
class Ratio:
    """Lines a second of one engine over those of another, round by round, and the least median allowed."""

    over: str
    under: str
    values: Sequence[float]
    floor: float

    @property
    def name(self) -> str:
        """As the report gives it."""
        return f"{self.over} / {self.under}"


@dataclass(frozen=True)
class CaseResult:
    """Rounds of one case."""

    case: Case
    rounds: Sequence[Round]

    def ratios(self) -> list[Ratio]:
        """Return the ratios that have floors, of the engines that ran."""
        wanted = (
            ("simpy", "baseline", SIMPY_FLOOR),
            ("compiled", "baseline", self.case.compiled_floor),
            ("compiled", C_REFERENCE, C_FLOOR),
        )
        return [
            Ratio(over, under, [one[over].lines_per_s / one[under].lines_per_s for one in self.rounds], floor)
            for over, under, floor in wanted
            if {over, under} <= self.rounds[0].keys()
        ]

    @property
    def worst_load(self) -> tuple[str, float]:
        """Link direction or controller whose mean load differs most from the baseline's, and by how many per cent."""
        simpy, baseline = ([one[engine].loads_gb_per_s for one in self.rounds] for engine in ("simpy", "baseline"))
        return worst_difference_percent(mean_loads(simpy), mean_loads(baseline))

    def unequal(self) -> list[str]:
        """Return the engines whose counters differ from the simpy engine's or, in the longer run, from each other's."""
        wrong = []
        for one in self.rounds:
            if one["compiled"].looks[:2] != one["simpy"].looks[:2]:
                wrong.append("compiled")
            if C_REFERENCE in one:
                ours, plain = shared_counters(one["compiled"].looks), shared_counters(one[C_REFERENCE].looks)
                wrong += [C_REFERENCE] if plain != ours else []
        return sorted(set(wrong))


def shared_counters(looks: Sequence[Counted]) -> list[Counted]:
    """Return what the C reference counts too: all but where a line's time goes."""
    return [replace(look, path_lines=(), path_parts_ps=()) if isinstance(look, Snapshot) else look for look in looks]


def engines_section(effort: Effort) -> Section:
    """Run all cases on all engines, the C reference only where a C compiler is there."""
    with TemporaryDirectory() as folder:
        library, note = _library(Path(folder))
        engines = ("baseline", "simpy", "compiled") if library is None else ("baseline", "simpy", "compiled", C_REFERENCE)
        ends = [apart(f"finite program, {name}", run_to_the_end, name, FINITE_LINES, 1, library) for name in engines]
        results = [_run_case(case, engines, effort, library) for case in CASES.values()]
        if not effort.quick:
            cold_s = apart("compiling from nothing", compile_from_nothing, Path(folder))
            note.append(f"compiled engine without anything cached: {cold_s:.0f} s of processor time before the first line")
    same_end = all(end == ends[0] for end in ends)
    complaints = [] if same_end else ["a finite program did not end with equal lines and packets"]
    for result in results:
        complaints += complaints_about(result, effort)
    return Section([*_speed_table(results), "", *_ratio_table(results), "", *note, *_equality(results, same_end)], complaints)


def complaints_about(result: CaseResult, effort: Effort) -> list[str]:
    """Return what is wrong with a result: counters or loads that differ, a ratio below its floor."""
    name, percent = result.worst_load
    complaints = [f"{result.case.name}: counters of {engine} differ" for engine in result.unequal()]
    if abs(percent) > effort.tolerance_percent:
        complaints.append(f"{result.case.name}: load of {name} differs by {percent:+.2f} %")
    complaints += [
        f"{result.case.name}: {ratio.name} is {median(ratio.values):.2f}, below {ratio.floor:.2f}"
        for ratio in result.ratios()
        if median(ratio.values) < ratio.floor
    ]
    return complaints


def _library(folder: Path) -> tuple[Path | None, list[str]]:
    compiler = c_compiler()
    if compiler is None:
        return None, ["C reference: left out, there is no C compiler (cc)"]
    try:
        return build_library(compiler, folder), []
    except subprocess.CalledProcessError as error:
        return None, [f"C reference: left out, {compiler} failed with exit code {error.returncode}"]


def _run_case(case: Case, engines: Sequence[str], effort: Effort, library: Path | None) -> CaseResult:
    lines = effort.lines(case)

    def one_round(seed: int) -> Round:
        turns = engines if seed % 2 else tuple(reversed(engines))
        done = {
            engine: apart(f"{case.name}, {seed} of {effort.rounds}: {engine}", measure, engine, case.name, lines, seed, library)
            for engine in turns
        }
        return {engine: done[engine] for engine in engines}

    return CaseResult(case, [one_round(seed) for seed in range(1, effort.rounds + 1)])


def _speed_table(results: Sequence[CaseResult]) -> list[str]:
    header = f"{'workload':<24}{'engine':<13}{'lines/s':>9}{'events/s':>11}{'events/line':>13}{'peak MiB':>10}{'prepare s':>11}"
    lines = [header]
    for result in results:
        for engine in result.rounds[0]:
            runs = [one[engine] for one in result.rounds]
            lines.append(
                f"{result.case.name:<24}{engine:<13}"
                f"{median(run.lines_per_s for run in runs):>9.0f}{median(run.events_per_s for run in runs):>11.0f}"
                f"{median(run.events / run.lines for run in runs):>13.1f}{max(run.peak_mib for run in runs):>10.1f}"
                f"{median(run.preparation_s for run in runs):>11.2f}"
            )
    return [*lines, "per second of processor time; 'prepare', not counted: compiling, or loading compiled code, and a first line"]


def _ratio_table(results: Sequence[CaseResult]) -> list[str]:
    lines = [f"{'workload':<24}{'ratio':<25}{'min':>8}{'median':>9}{'max':>8}{'floor':>8}"]
    for result in results:
        for ratio in result.ratios():
            low, middle, high = min(ratio.values), median(ratio.values), max(ratio.values)
            lines.append(f"{result.case.name:<24}{ratio.name:<25}{low:>8.2f}{middle:>9.2f}{high:>8.2f}{ratio.floor:>8.2f}")
    return lines


def _equality(results: Sequence[CaseResult], same_end: bool) -> list[str]:
    verdict = "equal" if same_end else "DIFFER"
    lines = [f"finite program of {FINITE_LINES} lines a thread, all engines: lines and packets {verdict}"]
    for result in results:
        name, percent = result.worst_load
        exact = " = ".join(engine for engine in result.rounds[0] if engine != "baseline")
        counters = f"DIFFER: {', '.join(result.unequal())}" if result.unequal() else f"equal ({exact})"
        lines.append(f"{result.case.name}: all counters {counters}; baseline's loads within {percent:+.2f} % ({name})")
    return lines
