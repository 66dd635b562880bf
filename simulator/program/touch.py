"""Placing a workload on a machine: threads on CPUs, and all pages, phase by phase, before the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.placement.allocator import Allocator, Segment, System, Touches
from simulator.placement.lists import parse_nodes
from simulator.placement.migration import Migration, migrate
from simulator.placement.numactl import memory_nodes, parse_policy
from simulator.placement.page_table import PAGE_BYTES, PAGE_SHIFT, PageTable
from simulator.placement.policy import Interleave, Policy, WeightedInterleave
from simulator.program.check import check_program
from simulator.program.chunk import ProgramChunk
from simulator.program.layout import PlacedArray, lay_out
from simulator.program.patterns import arrival, migration_chunks, stream_accesses, touch_turns, work_chunks
from simulator.program.slice import Slice
from simulator.program.spec import InitPhase, MigratePhase, Program
from simulator.program.threads import PlacedThread, named_threads, place_threads
from simulator.program.work import Scene, Step, Stream, Work, works
from simulator.units import ps_from_ns


@dataclass(frozen=True)
class PlacedProgram:
    """A workload on a machine.

    Attributes
    ----------
    program : Program
    threads : tuple of PlacedThread
    arrays : tuple of PlacedArray
    steps : tuple of Step
        All phases in order, iterations unrolled.
    tables : tuple of (int, PageTable)
        Page tables, each with the first step that it holds for; all but the last end where pages move.
    migrations : mapping of int to tuple of Migration
        What moves, by step.
    free_pages : mapping of int to int
        Pages of 4 KiB free in the end, by node; None where the BIOS interleaves, which is one pool.
    slice : Slice, optional
        The part of the accesses that is run; None: all of them. :func:`simulator.program.scale.scaled` takes one.
    """

    program: Program
    threads: tuple[PlacedThread, ...]
    arrays: tuple[PlacedArray, ...]
    steps: tuple[Step, ...]
    tables: tuple[tuple[int, PageTable], ...]
    migrations: Mapping[int, tuple[Migration, ...]]
    free_pages: Mapping[int, int] | None
    scene: Scene = field(repr=False)
    slice: Slice | None = None

    def page_table(self, step: int) -> PageTable:
        """Return where pages are during a step."""
        return next(table for first, table in reversed(self.tables) if first <= step)

    def pages(self, array: PlacedArray) -> dict[int, int]:
        """Return how many pages of 4 KiB of an array each node holds in the end."""
        table = self.tables[-1][1]
        counts = table.count(array.start >> PAGE_SHIFT, array.pages * array.array.page_bytes // PAGE_BYTES)
        return dict(zip(table.node_ids, counts, strict=True))

    @property
    def busy_steps(self) -> tuple[Step, ...]:
        """The steps that take part in the run: all but first touches that only place pages."""
        return tuple(step for step in self.steps if not isinstance(step.phase, InitPhase) or step.phase.traffic)

    def chunks(self, thread: int) -> Iterator[ProgramChunk]:
        """Yield all accesses of a thread, by its place in `threads`, in constant memory."""
        for place, step in enumerate(self.busy_steps):
            waits = barrier = step.phase.barrier and place > 0
            for chunk in self._step_chunks(step, thread, barrier):
                waits = False
                yield chunk
            if waits:
                yield arrival(step.number)

    def _step_chunks(self, step: Step, thread: int, barrier: bool) -> Iterator[ProgramChunk]:
        if isinstance(step.phase, MigratePhase):
            page_move_ps = ps_from_ns(self.program.system.page_move_ns)
            for number, whole in enumerate(self.migrations[step.number] if thread == step.members[0] else ()):
                migration = whole if self.slice is None else self.slice.migration(whole, step)
                yield from migration_chunks(migration, step.number, barrier and number == 0, page_move_ps)
            return
        found = works(self.scene, step, thread)
        parts = found if self.slice is None else [part for work in found for part in self.slice.works(work, step, thread)]
        for number, work in enumerate(parts):
            yield from work_chunks(work, step.number, barrier and number == 0)


def place(program: Program, machine: Machine, *, label: str = "workload") -> PlacedProgram:
    """Put threads on CPUs and every page that they will touch on a node.

    Pages are placed before the run in a canonical order: phase by phase; within a phase page by page, round robin over the
    threads, each in the order of its accesses. So the timing of a run does not decide where a page is.

    Parameters
    ----------
    program : Program
    machine : Machine
    label : str
        What messages call the workload.

    Raises
    ------
    InputError
        The workload does not fit the machine: a core, a node, the memory.
    """
    check_program(program, label)
    threads = place_threads(program, machine, label)
    try:
        return _Pass(program, machine, threads).place()
    except InputError as error:
        raise InputError(error.what, file=label, field=error.field, value=error.value, allowed=error.allowed) from None


class _Pass:
    """The pre-pass over all steps."""

    def __init__(self, program: Program, machine: Machine, threads: tuple[PlacedThread, ...]) -> None:
        system = program.system
        self._program, self._machine, self._threads = program, machine, threads
        self._scene = Scene(threads, lay_out(program, threads), program.seed)
        self._allocator = Allocator(machine, System(system.node_interleaving, system.node_weights, system.in_use_gib))
        self._policies = _array_policies(program, machine)
        self._complete: set[int] = set()
        self._settled: set[int] = set()
        self._tables: list[tuple[int, PageTable]] = []
        self._migrations: dict[int, tuple[Migration, ...]] = {}

    def place(self) -> PlacedProgram:
        """Place everything."""
        steps = tuple(_steps(self._program, self._threads))
        first = 0
        for step in steps:
            if isinstance(step.phase, MigratePhase):
                self._tables.append((first, self._allocator.table.copy()))
                first = step.number + 1
                self._migrations[step.number] = self._migrate(step, step.phase)
            else:
                self._touch(step)
        self._tables.append((first, self._allocator.table))
        memory = self._allocator.memory
        free = None if self._allocator.interleaved else dict(zip(memory.node_ids, memory.free, strict=True))
        return PlacedProgram(
            self._program, self._threads, self._scene.arrays, steps, tuple(self._tables), self._migrations, free, self._scene
        )

    def _touch(self, step: Step) -> None:
        if step.phase_number in self._settled:
            return
        touches = []
        for thread in step.members:
            before = 0
            for work in works(self._scene, step, thread):
                touches += [self._touches(work, stream, thread, before) for stream in work.streams if not self._is_whole(stream)]
                before += sum(stream_accesses(work, stream) for stream in work.streams)
        ranks = _ranks(touches)
        self._allocator.touch([replace(touch, turns=turns) for touch, turns in zip(touches, ranks, strict=True)])
        if not touches:
            self._settled.add(step.phase_number)  # nor will there be anything new the next time

    def _touches(self, work: Work, stream: Stream, thread: int, before: int) -> Touches:
        array = stream.array
        page_bytes = array.array.page_bytes
        too_many = sum(self._allocator.memory.size) * PAGE_BYTES // page_bytes + 1  # more than there is room for
        numbers, addresses = stream.order.first_touches(stream_accesses(work, stream), page_bytes, too_many)
        policy = self._policies[array.array.name] or self._threads[thread].policy
        if array.array.backing == "page-cache" and isinstance(policy, (Interleave, WeightedInterleave)):
            policy = replace(policy, in_turn=True)
        segment = Segment(array.start, policy, page_bytes, f"array {array.name}")
        return Touches(segment, thread, self._threads[thread].node, addresses, touch_turns(work, stream, numbers) + before)

    def _is_whole(self, stream: Stream) -> bool:
        """Return whether all pages of the stream's array are there, so that nothing can be new."""
        array = stream.array
        if array.start not in self._complete:
            first, pages = array.start >> PAGE_SHIFT, array.pages * array.array.page_bytes // PAGE_BYTES
            if sum(self._allocator.table.count(first, pages)) == pages:
                self._complete.add(array.start)
        return array.start in self._complete

    def _migrate(self, step: Step, phase: MigratePhase) -> tuple[Migration, ...]:
        to_nodes = memory_nodes(phase.to_nodes, self._machine, f"{step.field}.to_nodes")
        with_memory = tuple(node.id for node in self._machine.nodes if node.controller is not None)
        from_nodes = parse_nodes(phase.from_nodes, self._machine, f"{step.field}.from_nodes", with_memory)
        arrays = [array for name in phase.arrays for array in self._scene.instances(name)]
        return tuple(
            migrate(
                self._allocator, array.start, array.pages * array.array.page_bytes, array.array.page_bytes, from_nodes, to_nodes
            )
            for array in arrays
        )


def _steps(program: Program, threads: tuple[PlacedThread, ...]) -> Iterator[Step]:
    """Yield the leading init phases once, then the others as often as there are iterations."""
    leading = next((n for n, phase in enumerate(program.phases) if not isinstance(phase, InitPhase)), len(program.phases))
    numbers = [*range(leading), *(list(range(leading, len(program.phases))) * program.iterations)]
    members = [named_threads(phase.threads, threads, f"phases[{n + 1}].threads") for n, phase in enumerate(program.phases)]
    for place, number in enumerate(numbers):
        yield Step(place, program.phases[number], number, members[number])


def _array_policies(program: Program, machine: Machine) -> dict[str, Policy | None]:
    found: dict[str, Policy | None] = {}
    for number, array in enumerate(program.arrays):
        field = f"arrays[{number + 1}].policy"
        found[array.name] = None if array.policy is None else parse_policy(array.policy, machine, field=field)
    return found


def _ranks(touches: list[Touches]) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Number each thread's new pages 0, 1, 2, ... in the order of its accesses, over all its arrays together."""
    ranks: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = [np.empty(0, dtype=np.int64)] * len(touches)
    for task in {touch.task for touch in touches}:
        mine = [place for place, touch in enumerate(touches) if touch.task == task]
        turns = np.concatenate([touches[place].turns for place in mine])
        rank = np.empty(len(turns), dtype=np.int64)
        rank[np.argsort(turns, kind="stable")] = np.arange(len(turns))
        for place, part in zip(
            mine, np.split(rank, np.cumsum([len(touches[place].addresses) for place in mine])[:-1]), strict=True
        ):
            ranks[place] = part
    return ranks
