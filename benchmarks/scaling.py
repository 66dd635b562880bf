"""What an event costs the compiled engine: against nodes, threads, lines, and so against the number of pending events.

Machines are ladders of nodes, three links at each, as Opterons have them. Two events may be as far apart in memory as the machine
is large, so that the cost contains what the caches do; the fit does not take that out.
"""

from __future__ import annotations

import resource
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, log2
from statistics import fmean, median
from time import process_time

from benchmarks.apart import Section, apart
from simulator import load_machine
from simulator.engine.interface import Stop
from simulator.engine.lower import lower
from simulator.machine.load import machine_from_dict
from simulator.machine.spec import Machine
from simulator.workload import Access, ThreadSpec, Workload

NODES = (1, 2, 4, 8, 16, 32, 64)
THREADS = (1, 2, 4, 8, 16, 32, 64, 128)
QUICK_NODES, QUICK_THREADS = (1, 4, 16), (1, 8, 32)
LINES = (100_000, 1_000_000, 10_000_000)
QUICK_LINES = LINES[:1]
REPEATS = 3
EVENTS, LOOKS = 1_000_000, 20
WARMUP_EVENTS = 200_000
PEAK_LIMIT_MB = 400.0
MOST_POWER = 1.0  # of log2(pending events), in the cost per event
ENDLESS = 1 << 40


@dataclass(frozen=True)
class Point:
    """What events cost with so many nodes and threads.

    Attributes
    ----------
    pending : float
        Mean number of pending events, looked at now and then.
    cost_ns : float
        Processor time per event.
    """

    nodes: int
    threads: int
    pending: float
    cost_ns: float


@dataclass(frozen=True)
class LongRun:
    """One thread and many lines; `peak_mb` (10**6 bytes) is the largest resident memory of the process."""

    lines: int
    events: int
    cost_ns: float
    peak_mb: float


@dataclass(frozen=True)
class Fit:
    """Cost per event = `scale_ns` * log2(pending events) ** `power`."""

    scale_ns: float
    power: float


def scaling_section(quick: bool) -> Section:
    """Measure all points, each in a process of its own."""
    nodes, threads = (QUICK_NODES, QUICK_THREADS) if quick else (NODES, THREADS)
    largest = max(nodes)
    pairs = [(count, min(2 * count, largest)) for count in nodes] + [(largest, count) for count in threads]
    points = [_point(*pair) for pair in dict.fromkeys(pairs)]
    runs = [apart(f"{lines} lines", long_run, lines) for lines in (QUICK_LINES if quick else LINES)]
    fitted = fit(points)
    lines = [*_point_table(points), "", _fit_line(fitted), "", *_long_table(runs)]
    return Section(lines, complaints_about_scaling(fitted, runs))


def ladder(nodes: int) -> Machine:
    """Return a machine of two rows of nodes (or of one node, or two), two cores each."""
    columns = max(1, nodes // 2)
    rails = [(row * columns + at, row * columns + at + 1) for row in range(2) for at in range(columns - 1)]
    rungs = [(at, columns + at) for at in range(columns)] if nodes > 1 else []
    return machine_from_dict(
        {
            "extends": "opteron-k8",
            "schema_version": 1,
            "name": f"ladder-{nodes}",
            "title": f"ladder of {nodes} nodes",
            "source": "made up for the benchmark",
            "nodes": [{"id": node, "cores": 2, "memory_gib": 1.0, "source": "made up"} for node in range(nodes)],
            "links": [{"ends": list(ends), "source": "made up"} for ends in rails + rungs],
        }
    )


def spread_threads(nodes: int, threads: int) -> Workload:
    """Return threads that each read a memory and write another, spread over the cores of all nodes."""
    stride = max(1, 2 * nodes // threads)
    cores = [divmod(core * stride, 2) for core in range(threads)] if threads <= 2 * nodes else []
    assert cores, "more threads than cores"
    return Workload(
        tuple(
            ThreadSpec(node, core, (Access("r", (node + 1) % nodes), Access("w", (node + nodes // 2) % nodes)))
            for node, core in cores
        )
    )


def measure_point(nodes: int, threads: int) -> Point:
    """Run a ladder in the compiled engine; meant for a process of its own."""
    from simulator.engine.compiled import CompiledEngine

    plan = lower(ladder(nodes), spread_threads(nodes, threads))
    engine = CompiledEngine(plan)
    targets = [ENDLESS] * threads
    engine.advance(targets, WARMUP_EVENTS)
    cpu_s, pending = 0.0, []
    for _ in range(LOOKS):
        started_s = process_time()
        stop = engine.advance(targets, EVENTS // LOOKS)
        cpu_s += process_time() - started_s
        assert stop is Stop.BUDGET, stop
        pending.append(_pending(engine))
    return Point(nodes, threads, fmean(pending), 1e9 * cpu_s / EVENTS)


def long_run(lines: int) -> LongRun:
    """Run one reader on the Quartet for many lines; meant for a process of its own."""
    from simulator.engine.compiled import CompiledEngine

    engine = CompiledEngine(lower(load_machine("quartet"), Workload.from_labels(["0.0.r.0"])))
    engine.advance([1], ENDLESS)
    started_s = process_time()
    engine.advance([lines], ENDLESS)
    cpu_s = process_time() - started_s
    events = engine.snapshot().events
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return LongRun(lines, events, 1e9 * cpu_s / events, peak_mb)


def fit(points: Sequence[Point]) -> Fit:
    """Fit cost = scale * log2(pending) ** power by least squares on logarithms."""
    xs = [log(log2(max(point.pending, 2.0)) or 1.0) for point in points]
    ys = [log(point.cost_ns) for point in points]
    x_mean, y_mean = fmean(xs), fmean(ys)
    power = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / sum((x - x_mean) ** 2 for x in xs)
    return Fit(exp(y_mean - power * x_mean), power)


def complaints_about_scaling(fitted: Fit, runs: Sequence[LongRun]) -> list[str]:
    """Return what is wrong: growth faster than the logarithm, memory above its limit."""
    complaints = []
    if fitted.power > MOST_POWER:
        complaints.append(f"cost per event grows as log2(pending) to the power {fitted.power:.2f}, more than {MOST_POWER:.2f}")
    return complaints + [
        f"{run.lines} lines took {run.peak_mb:.0f} MB, more than {PEAK_LIMIT_MB:.0f}"
        for run in runs
        if run.peak_mb > PEAK_LIMIT_MB
    ]


def _point(nodes: int, threads: int) -> Point:
    """Return the median of some measurements."""
    points = [apart(f"{nodes} nodes, {threads} threads", measure_point, nodes, threads) for _ in range(REPEATS)]
    return Point(nodes, threads, points[0].pending, median(point.cost_ns for point in points))


def _pending(engine: object) -> int:
    """Count pending events: on the wheel, on the heap, arbitrations of this tick; no engine tells this outside a benchmark."""
    memory = engine._memory  # type: ignore[attr-defined]
    return sum(memory.header(name) for name in ("WHEEL_COUNT", "HEAP_COUNT", "ARBITRATION_COUNT"))


def _point_table(points: Sequence[Point]) -> list[str]:
    lines = [f"{'nodes':>6}{'threads':>9}{'pending events':>16}{'ns/event':>10}"]
    return lines + [f"{point.nodes:>6}{point.threads:>9}{point.pending:>16.1f}{point.cost_ns:>10.1f}" for point in points]


def _fit_line(fitted: Fit) -> str:
    return (
        f"fit over all rows: {fitted.scale_ns:.1f} ns * log2(pending events) ** {fitted.power:.2f}; "
        f"the power may be at most {MOST_POWER:.2f}"
    )


def _long_table(runs: Sequence[LongRun]) -> list[str]:
    lines = [f"{'lines of one thread':>20}{'events':>13}{'ns/event':>10}{'peak MB':>9}"]
    return lines + [f"{run.lines:>20}{run.events:>13}{run.cost_ns:>10.1f}{run.peak_mb:>9.1f}" for run in runs]
