"""One run of one engine: how fast it is, and what it simulated."""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Protocol

from benchmarks.baseline import BaselineEngine
from benchmarks.cases import CASES, MACHINE, finite_program
from simulator import load_machine
from simulator.engine.lower import lower
from simulator.engine.plan import Plan, PortKind
from simulator.engine.simpy_engine import SimpyEngine
from simulator.units import LINE_BYTES, gb_per_s

LEAST_LOAD_GB_PER_S = 0.01  # below it a relative difference says nothing
EVENT_BUDGET = 1 << 40  # never used up here


class Counted(Protocol):
    """The counters that both engines have."""

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
    """An engine at the start of a plan, both engines alike."""

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
    """

    lines: int
    events: int
    cpu_s: float
    peak_mib: float
    loads_gb_per_s: Mapping[str, float]

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
    engine = SimpyEngine(plan)
    return Runner(lambda targets: engine.advance(targets, EVENT_BUDGET), engine.snapshot)


def baseline_runner(plan: Plan) -> Runner:
    """Put the frozen baseline at the start of a plan."""
    engine = BaselineEngine(plan)
    return Runner(engine.advance, engine.snapshot)


RUNNERS: Mapping[str, Callable[[Plan], Runner]] = {"simpy": reference_runner, "baseline": baseline_runner}


def measure(engine: str, case_name: str, lines: int, seed: int) -> Measurement:
    """Run a case; meant for a process of its own, so that memory and caches belong to this run alone."""
    case = CASES[case_name]
    plan = lower(load_machine(MACHINE), case.build(), seed)
    runner = RUNNERS[engine](plan)
    started_s = process_time()
    opened, last = run_window(runner, len(plan.threads.label), case.warmup, lines)
    cpu_s = process_time() - started_s
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measurement(sum(last.thread_lines), last.events, cpu_s, peak_mib, loads_gb_per_s(plan, opened, last))


def run_window(runner: Runner, threads: int, warmup: int, lines: int) -> tuple[Counted, Counted]:
    """Run until every thread has done its warm-up, then its lines; return the counters at both instants."""
    runner.advance([warmup] * threads)
    opened = runner.snapshot()
    runner.advance([warmup + lines] * threads)
    return opened, runner.snapshot()


def run_to_the_end(engine: str, lines: int, seed: int) -> Totals:
    """Run a finite program to its end."""
    plan = lower(load_machine(MACHINE), finite_program(lines), seed)
    runner = RUNNERS[engine](plan)
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
