"""One run of one engine: how fast it is, and what it simulated."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Protocol

from benchmarks.baseline import BaselineEngine
from benchmarks.c_reference import CReferenceEngine
from benchmarks.cases import CASES, MACHINE, finite_program
from simulator import load_machine
from simulator.engine.interface import Engine
from simulator.engine.lower import lower
from simulator.engine.plan import Plan, PortKind
from simulator.engine.simpy_engine import SimpyEngine
from simulator.units import LINE_BYTES, gb_per_s

LEAST_LOAD_GB_PER_S = 0.01  # below it a relative difference says nothing
EVENT_BUDGET = 1 << 40  # never used up here


class Counted(Protocol):
    """The counters that all engines have, the baseline too."""

    @property
    def time_ps(self) -> int: ...
    @property
    def events(self) -> int: ...
    @property
    def thread_lines(self) -> tuple[int, ...]: ...
    @property
    def port_sent(self) -> tuple[tuple[int, ...], ...]: ...
    @property
    def port_nops(self) -> tuple[int, ...]: ...
    @property
    def port_crcs(self) -> tuple[int, ...]: ...


@dataclass(frozen=True)
class Runner:
    """An engine at the start of a plan, all engines alike."""

    advance: Callable[[Sequence[int]], object]
    snapshot: Callable[[], Counted]


@dataclass(frozen=True)
class Measurement:
    """What one run gave.

    Attributes
    ----------
    lines, events : int
        Over the whole run, warm-up included.
    cpu_s : float
        Processor time that they took; other work on the computer disturbs it less than the time on the wall.
    peak_mib : float
        Largest resident memory of the process, libraries included.
    loads_gb_per_s : mapping of str to float
        Load of each link direction and controller after the warm-up.
    looks : tuple
        Counters after the warm-up, after the lines of the case, and, in machine code, at the end of the longer run.
    preparation_s : float
        Processor time before, not part of `cpu_s`: compiling the engine, or loading compiled code.
    """

    lines: int
    events: int
    cpu_s: float
    peak_mib: float
    loads_gb_per_s: Mapping[str, float]
    looks: tuple[Counted, ...] = ()
    preparation_s: float = 0.0

    @property
    def lines_per_s(self) -> float:
        """Lines simulated in a second of processor time."""
        return self.lines / self.cpu_s

    @property
    def events_per_s(self) -> float:
        """Events processed in a second of processor time."""
        return self.events / self.cpu_s


@dataclass(frozen=True)
class Totals:
    """What a finite program left behind: lines by thread, and packets by port and kind."""

    thread_lines: tuple[int, ...]
    port_sent: tuple[tuple[int, ...], ...]


def reference_runner(plan: Plan) -> Runner:
    """Put the simpy engine at the start of a plan."""
    return _runner(SimpyEngine(plan))


def baseline_runner(plan: Plan) -> Runner:
    """Put the frozen baseline at the start of a plan."""
    engine = BaselineEngine(plan)
    return Runner(engine.advance, engine.snapshot)


def compiled_runner(plan: Plan) -> Runner:
    """Put the compiled engine at the start of a plan."""
    from simulator.engine.compiled import CompiledEngine

    return _runner(CompiledEngine(plan))


def c_runner(library: Path) -> Callable[[Plan], Runner]:
    """Return what puts the C reference at the start of a plan."""
    return lambda plan: _runner(CReferenceEngine(plan, library))


def _runner(engine: Engine | CReferenceEngine) -> Runner:
    return Runner(lambda targets: engine.advance(targets, EVENT_BUDGET), engine.snapshot)


RUNNERS: Mapping[str, Callable[[Plan], Runner]] = {
    "baseline": baseline_runner,
    "simpy": reference_runner,
    "compiled": compiled_runner,
}
C_REFERENCE = "C reference"
IN_MACHINE_CODE = ("compiled", C_REFERENCE)


def runner_of(engine: str, library: Path | None) -> Callable[[Plan], Runner]:
    """Return what puts the engine of that name at the start of a plan; the C reference needs its library."""
    if engine != C_REFERENCE:
        return RUNNERS[engine]
    assert library is not None
    return c_runner(library)


def measure(engine: str, case_name: str, lines: int, seed: int, library: Path | None = None) -> Measurement:
    """Run a case; meant for a process of its own, so that memory and caches belong to this run alone."""
    case = CASES[case_name]
    plan = lower(load_machine(MACHINE), case.build(), seed)
    build = runner_of(engine, library)
    preparation_s = _prepare(build, plan) if engine in IN_MACHINE_CODE else 0.0
    runner = build(plan)
    ends = [case.warmup, case.warmup + lines]
    if engine in IN_MACHINE_CODE:
        ends.append(case.warmup + case.fast_factor * lines)
    cpu_s, looks = _run_and_look(runner, len(plan.threads.label), ends)
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    loads = loads_gb_per_s(plan, looks[0], looks[1])
    last = looks[-1]
    return Measurement(sum(last.thread_lines), last.events, cpu_s, peak_mib, loads, tuple(looks), preparation_s)


def _prepare(build: Callable[[Plan], Runner], plan: Plan) -> float:
    """Compile or load machine code by running a line of another instance; return the processor time that took."""
    started_s = process_time()
    build(plan).advance([1] * len(plan.threads.label))
    return process_time() - started_s


def compile_from_nothing(cache: Path) -> float:
    """Compile the engine into an empty cache; return the processor time that took. Needs a process of its own."""
    os.environ["NUMASIM_CACHE_DIR"] = str(cache)
    plan = lower(load_machine(MACHINE), CASES["2 threads, crossfire"].build())
    return _prepare(compiled_runner, plan)


def _run_and_look(runner: Runner, threads: int, ends: Sequence[int]) -> tuple[float, list[Counted]]:
    """Run to each number of lines in turn; return the processor time of the runs, and the counters after each."""
    cpu_s, looks = 0.0, []
    for lines in ends:
        started_s = process_time()
        runner.advance([lines] * threads)
        cpu_s += process_time() - started_s
        looks.append(runner.snapshot())
    return cpu_s, looks


def run_window(runner: Runner, threads: int, warmup: int, lines: int) -> tuple[Counted, Counted]:
    """Run until every thread has done its warm-up, then its lines; return the counters at both instants."""
    runner.advance([warmup] * threads)
    opened = runner.snapshot()
    runner.advance([warmup + lines] * threads)
    return opened, runner.snapshot()


def run_to_the_end(engine: str, lines: int, seed: int, library: Path | None = None) -> Totals:
    """Run a finite program to its end."""
    plan = lower(load_machine(MACHINE), finite_program(lines), seed)
    runner = runner_of(engine, library)(plan)
    runner.advance(plan.threads.count)
    end = runner.snapshot()
    return Totals(end.thread_lines, end.port_sent)


def loads_gb_per_s(plan: Plan, opened: Counted, last: Counted) -> dict[str, float]:
    """Return the load of each link direction (all bytes) and controller (bytes of lines) between two instants."""
    time_ps = last.time_ps - opened.time_ps
    loads = {}
    for port, name in enumerate(plan.ports.name):
        sent = [after - before for before, after in zip(opened.port_sent[port], last.port_sent[port], strict=True)]
        if plan.ports.kind[port] == PortKind.LINK:
            size_bytes = sum(count * size for count, size in zip(sent, plan.kind_bytes, strict=True))
            size_bytes += (last.port_nops[port] - opened.port_nops[port]) * plan.ports.nop_bytes[port]
            size_bytes += (last.port_crcs[port] - opened.port_crcs[port]) * plan.ports.crc_bytes[port]
            loads[name] = gb_per_s(size_bytes, time_ps)
        elif plan.ports.kind[port] == PortKind.DRAM:
            loads[name] = gb_per_s(sum(sent) * LINE_BYTES, time_ps)
    return loads


def mean_loads(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean load of each link direction and controller over runs."""
    return {name: sum(run[name] for run in runs) / len(runs) for name in runs[0]}


def worst_difference_percent(reference: Mapping[str, float], other: Mapping[str, float]) -> tuple[str, float]:
    """Return the link direction or controller whose load differs most, and by how much, signed."""
    differences = {name: 100 * (other[name] / load - 1) for name, load in reference.items() if load >= LEAST_LOAD_GB_PER_S}
    name = max(differences, key=lambda name: abs(differences[name]))
    return name, differences[name]
