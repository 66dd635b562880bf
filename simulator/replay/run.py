"""`run_program()` and `run_traces()`: from the start of every thread to the end of the last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simulator import __version__
from simulator.cache import CoreCaches, NodeCaches
from simulator.engine.build import EngineName, build_engine
from simulator.engine.lower import lower
from simulator.engine.plan import NONE
from simulator.engine.supply import Lines, LineTable
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.measure.result import Provenance
from simulator.placement import Allocator, Policy, System
from simulator.placement.page_table import PAGE_BYTES, PageTable
from simulator.program import PlacedProgram, Program, place
from simulator.program.work import works
from simulator.replay.feed import Feeder, Progress, to_the_end
from simulator.replay.homes import Homes
from simulator.replay.look import TraceLook, look_through, place_pages
from simulator.replay.program_lines import program_lines, shared_addresses
from simulator.replay.report import Outcome, report, trace_reports
from simulator.replay.result import ReplayResult
from simulator.replay.spool import Spool
from simulator.replay.trace_file import TraceFile
from simulator.replay.trace_lines import trace_lines
from simulator.replay.trace_reader import TraceReader
from simulator.workload import HandedIn, ThreadSpec, Workload


@dataclass(frozen=True)
class Place:
    """Where a thread runs.

    Attributes
    ----------
    node, core : int
    window : int, optional
        Lines in flight; None: the machine's.
    start_ns : float
    """

    name: str
    node: int
    core: int
    window: int | None = None
    start_ns: float = 0.0


def run_program(
    machine: Machine,
    program: Program | PlacedProgram,
    *,
    seed: int = 1,
    engine: EngineName = "auto",
    progress: Progress | None = None,
    caches: bool = True,
) -> ReplayResult:
    """Run a program on a machine.

    Parameters
    ----------
    machine : Machine
    program : Program or PlacedProgram
        Placed here if it is not yet.
    seed : int
        Of the spread of core times.
    engine : {'auto', 'simpy', 'compiled'}
    progress : callable, optional
    caches : bool
        Whether the caches that the machine's file describes filter the accesses.

    Raises
    ------
    InputError
        The program does not fit the machine.
    """
    placed = program if isinstance(program, PlacedProgram) else place(program, machine)
    places = [
        Place(thread.name, thread.node, thread.core, _window(placed, number), thread.start_ns)
        for number, thread in enumerate(placed.threads)
    ]
    shared = {address: number for number, address in enumerate(shared_addresses(placed))}
    homes = [Homes(machine) for _ in places]
    cores = _caches(machine, places) if caches else [None] * len(places)
    first = placed.tables[0][1]
    shared_homes = tuple(int(first.nodes(np.array([address], np.uint64))[0]) for address in shared)
    stretches = [program_lines(placed, number, homes[number], cores[number], shared) for number in range(len(places))]
    described = {"kind": "program", "program": placed.program.model_dump(mode="json", exclude_defaults=True), "caches": caches}
    if placed.slice is not None:
        described["slice"] = {"shares": dict(placed.slice.shares), "key": placed.slice.key}
    name, table = placed.program.name, placed.tables[-1][1]
    return _run(
        machine, name, places, stretches, homes, cores, table, shared_homes, _phases(placed), described, seed, engine, progress
    )


def run_traces(
    machine: Machine,
    traces: Sequence[TraceFile] | TraceLook,
    cpus: Sequence[tuple[int, int]],
    *,
    policy: Policy | None = None,
    system: System | None = None,
    page_bytes: int = PAGE_BYTES,
    cycles_per_instruction: float | None = None,
    window: int | None = None,
    seed: int = 1,
    engine: EngineName = "auto",
    progress: Progress | None = None,
    placement: str = "",
) -> ReplayResult:
    """Replay recorded traces on a machine.

    Parameters
    ----------
    machine : Machine
    traces : sequence of TraceFile, or TraceLook
        Files are looked through here, which serves one replay; a look serves several.
    cpus : sequence of (int, int)
        Node and core that may be used; the threads take them in order of file and number.
    policy : Policy, optional
        Of all memory; None: local to the thread that touches first.
    system : System, optional
    page_bytes : int
        4 KiB or 2 MiB.
    cycles_per_instruction : float, optional
        Of the program; the machine's if left out.
    window : int, optional
        Lines in flight of each thread; the machine's if left out.
    seed : int
    engine : {'auto', 'simpy', 'compiled'}
    progress : callable, optional
    placement : str
        What the result calls the placement.

    Raises
    ------
    InputError
        A trace is broken; there are more threads than CPUs; memory is full.
    """
    look = traces if isinstance(traces, TraceLook) else look_through(traces)
    if len(look.threads) > len(cpus):
        allowed = f"up to {len(cpus)}, a CPU each"
        raise InputError("more threads than CPUs", field="threads", value=len(look.threads), allowed=allowed)
    places = [Place(thread.name, node, core, window) for thread, (node, core) in zip(look.threads, cpus, strict=False)]
    system = system or System()
    table = place_pages(look, Allocator(machine, system), [one.node for one in places], policy, page_bytes)
    homes = [Homes(machine) for _ in places]
    cores = _caches(machine, places, cycles_per_instruction)
    readers = [
        TraceReader(source, [thread.number for thread in look.threads if thread.source == place])
        for place, source in enumerate(look.sources)
    ]
    stretches = [
        trace_lines(readers[thread.source].chunks(thread.number), machine, table, own, core, cycles_per_instruction)
        for thread, own, core in zip(look.threads, homes, cores, strict=True)
    ]
    files = [Path(source.file.path).name for source in look.sources]
    described: dict[str, Any] = {
        "kind": "traces",
        "files": files,
        "programs": [source.space for source in look.sources],
        "accesses": {thread.name: thread.accesses for thread in look.threads},
        "policy": None if policy is None else str(policy),
        "system": asdict(system),
        "page_bytes": page_bytes,
        "cycles_per_instruction": cycles_per_instruction,
        "window": window,
    }
    name = " ".join(files)
    result = _run(machine, name, places, stretches, homes, cores, table, (), (name,), described, seed, engine, progress)
    return result.model_copy(update={"placement": placement, "traces": trace_reports(look)})


def _run(
    machine: Machine,
    name: str,
    places: Sequence[Place],
    stretches: Sequence[Iterator[Lines]],
    homes: Sequence[Homes],
    cores: Sequence[CoreCaches | None],
    table: PageTable,
    shared_homes: tuple[int, ...],
    phases: Sequence[str],
    described: dict[str, Any],
    seed: int,
    engine: EngineName,
    progress: Progress | None,
) -> ReplayResult:
    threads = [_thread(one, number, shared_homes) for number, one in enumerate(places)]
    workload = Workload(tuple(threads))
    order = [next(index for index, one in enumerate(threads) if one is thread) for thread in workload.threads]
    plan = lower(machine, workload, seed)
    first_home = next(index for index, port in enumerate(plan.controller_port) if port != NONE)
    spools = [
        Spool(LineTable(plan, place, alone=1 + number), stretches[number], first_home) for place, number in enumerate(order)
    ]
    feeder = Feeder(build_engine(plan, engine), spools)
    running = feeder.engine
    running.start_latency_record()
    opened = running.snapshot()
    verdict, detail = to_the_end(running, len(threads), progress)
    provenance = Provenance(
        version=__version__,
        engine=running.name,
        seed=seed,
        machine=machine.model_dump(mode="json"),
        workload=described,
        accuracy={"from": "first line", "to": "last line"},
    )
    marks = (opened, *feeder.barriers, running.snapshot())
    outcome = Outcome(plan, marks, running.latency_histogram(), verdict, detail)
    by_place = [(places[number], homes[number], cores[number]) for number in order]
    return report(machine, outcome, by_place, table, provenance, name, phases)


def _thread(place: Place, number: int, shared_homes: tuple[int, ...]) -> ThreadSpec:
    handed_in = HandedIn(barriers=(0, 1 + number), shared=shared_homes)
    return ThreadSpec(place.node, place.core, (), window=place.window, start_ns=place.start_ns, handed_in=handed_in)


def _caches(machine: Machine, places: Sequence[Place], cycles_per_instruction: float | None = None) -> list[CoreCaches | None]:
    """Return the caches of each thread's core; those of a node share its L3."""
    if machine.caches is None:
        return [None] * len(places)
    clock_ghz = machine.processor.clock_ghz
    nodes = {
        node: NodeCaches(machine.caches, clock_ghz, machine.node(node).cores, cycles_per_instruction)
        for node in {place.node for place in places}
    }
    return [nodes[place.node].cores[place.core] for place in places]


def _phases(placed: PlacedProgram) -> tuple[str, ...]:
    """Name what lies between two barriers: the phases there."""
    found: list[list[str]] = []
    for step in placed.busy_steps:
        if step.phase.barrier or not found:
            found.append([])
        found[-1].append(step.phase.name or step.phase.pattern)
    return tuple(" + ".join(names) for names in found)


def _window(placed: PlacedProgram, number: int) -> int | None:
    """Return the one window that a thread has in all its phases; a chased pointer's window of 1 goes with any."""
    own = placed.threads[number].window
    phases = (work.window for step in placed.busy_steps for work in works(placed.scene, step, number))
    asked = {window or own for window in phases if window != 1} or {own}
    if len(asked) > 1:
        name = placed.threads[number].name
        raise InputError(f"thread {name} has phases with different windows", field="phases.window", allowed="one window a thread")
    return asked.pop()
