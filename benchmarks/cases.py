"""The workloads that the engines are compared on, all on the Quartet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from simulator.workload import Access, ThreadSpec, Workload

MACHINE = "quartet"
NODES = 4
CORES = 2
LATE_NS = 1e6  # long after the last packet of a finite program


@dataclass(frozen=True)
class Case:
    """A workload, how far to run it, in lines of each thread, and how many baselines the compiled engine must be worth."""

    name: str
    build: Callable[[], Workload]
    warmup: int
    lines: int
    quick_lines: int
    fast_factor: int  # engines in machine code run so many times further
    compiled_floor: float


def one_reader(memory: int) -> Workload:
    """Core 0 of node 0 reads the memory of a node."""
    return Workload.from_labels([f"0.0.r.{memory}"])


def crossfire() -> Workload:
    """Two threads write, each to the other's node."""
    return Workload.from_labels(["0.0.w.1", "1.0.w.0"])


def eight_threads() -> Workload:
    """Every core walks the memories of all nodes in turn; one core of a node reads, the other writes."""
    cores = [(node, core) for node in range(NODES) for core in range(CORES)]
    return Workload(tuple(ThreadSpec(node, core, _round_trip(node, core)) for node, core in cores))


def finite_program(lines: int) -> Workload:
    """Return `eight_threads` with an end; the last core starts when all packets of the others are at rest."""
    cores = [(node, core) for node in range(NODES) for core in range(CORES)]
    threads = [ThreadSpec(node, core, _round_trip(node, core) * (lines // NODES), repeat=False) for node, core in cores[:-1]]
    node, core = cores[-1]
    late = ThreadSpec(node, core, (Access("r", node),), repeat=False, start_ns=LATE_NS)
    return Workload((*threads, late))


def _round_trip(node: int, core: int) -> tuple[Access, ...]:
    return tuple(Access("r" if core == 0 else "w", (node + core + step) % NODES) for step in range(NODES))


CASES: Mapping[str, Case] = {
    case.name: case
    for case in (
        Case("2 threads, crossfire", crossfire, warmup=200, lines=2500, quick_lines=600, fast_factor=40, compiled_floor=150),
        Case("8 threads, mixed homes", eight_threads, warmup=100, lines=1200, quick_lines=200, fast_factor=20, compiled_floor=80),
    )
}
