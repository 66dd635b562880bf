"""`run_program()` and `run_traces()`: from the start of every thread to the end of the last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from simulator.engine.build import EngineName
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.placement import Allocator, Policy, System
from simulator.placement.page_table import PAGE_BYTES
from simulator.program import PlacedProgram, Program, place
from simulator.program.work import works
from simulator.replay.feed import Progress
from simulator.replay.homes import Homes
from simulator.replay.look import TraceLook, look_through, place_pages
from simulator.replay.program_lines import program_lines, shared_homes
from simulator.replay.report import trace_reports
from simulator.replay.result import ReplayResult
from simulator.replay.session import Place, core_caches_of, run_lines
from simulator.replay.trace_file import TraceFile
from simulator.replay.trace_lines import trace_lines
from simulator.replay.trace_reader import TraceReader


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
    homes_of_shared = shared_homes(placed)
    shared = {address: number for number, address in enumerate(homes_of_shared)}
    homes = [Homes(machine) for _ in places]
    cores = core_caches_of(machine, places) if caches else [None] * len(places)
    stretches = [program_lines(placed, number, homes[number], cores[number], shared) for number in range(len(places))]
    described = {"kind": "program", "program": placed.program.model_dump(mode="json", exclude_defaults=True), "caches": caches}
    if placed.slice is not None:
        described["slice"] = asdict(placed.slice)
    name, table = placed.program.name, placed.tables[-1][1]
    return run_lines(
        machine,
        name,
        places,
        stretches,
        homes,
        cores,
        table,
        tuple(homes_of_shared.values()),
        _phases(placed),
        described,
        seed,
        engine,
        progress,
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
    cores = core_caches_of(machine, places, cycles_per_instruction)
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
    name = " ".join(file if count == 1 else f"{count} x {file}" for file, count in Counter(files).items())
    result = run_lines(machine, name, places, stretches, homes, cores, table, (), (name,), described, seed, engine, progress)
    return result.model_copy(update={"placement": placement, "traces": trace_reports(look)})


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
