"""What `numasim place` says: CPUs of threads, and pages of arrays by node."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from simulator.machine.spec import Machine
from simulator.placement.page_table import PAGE_BYTES
from simulator.program.touch import PlacedProgram
from simulator.tables import Table, row


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ThreadPlace(_Table):
    """A thread and where it runs; `cpu` is the number by which Linux knows the core."""

    thread: str
    node: int
    core: int
    cpu: int
    policy: str


class ArrayPages(_Table):
    """Pages of an array, in its own page size, on each node; `untouched` ones are nowhere.

    With interleaving by the BIOS a page of 2 MiB lies on several nodes, and counts are of 4 KiB.
    """

    array: str
    size_bytes: int
    page_bytes: int
    pages: dict[int, int]
    untouched: int


class MovedPages(_Table):
    """Pages that a phase moves, and those that stayed because their new node was full."""

    step: int
    phase: int
    moved: int
    stayed: int


class Placement(_Table):
    """Where a workload's threads and pages are in the end; all there is to say of it, without a run."""

    schema_version: Literal[1] = 1
    machine: str
    workload: str
    node_interleaving: bool
    threads: tuple[ThreadPlace, ...]
    arrays: tuple[ArrayPages, ...]
    moves: tuple[MovedPages, ...]
    free_pages: dict[int, int] | None
    provenance: dict[str, Any]


def placement_report(placed: PlacedProgram, machine: Machine) -> Placement:
    """Return the report of a placed workload."""
    from simulator import __version__

    interleaved = placed.program.system.node_interleaving
    return Placement(
        machine=machine.name,
        workload=placed.program.name,
        node_interleaving=interleaved,
        threads=tuple(
            ThreadPlace(thread=one.name, node=one.node, core=one.core, cpu=one.cpu, policy=str(one.policy))
            for one in placed.threads
        ),
        arrays=tuple(_pages(placed, number, interleaved) for number in range(len(placed.arrays))),
        moves=tuple(
            MovedPages(
                step=step,
                phase=placed.steps[step].phase_number + 1,
                moved=sum(len(one.addresses) for one in moves),
                stayed=sum(one.stayed for one in moves),
            )
            for step, moves in sorted(placed.migrations.items())
        ),
        free_pages=None if placed.free_pages is None else dict(placed.free_pages),
        provenance={
            "version": __version__,
            "machine": machine.model_dump(mode="json"),
            "workload": placed.program.model_dump(mode="json"),
        },
    )


def placement_tables(report: Placement) -> tuple[Table, ...]:
    """Lay the report out as tables."""
    nodes = sorted({node for array in report.arrays for node in array.pages})
    headers = ("array", "page", *(f"node {node}" for node in nodes), "untouched")
    rows = [
        row(array.array, f"{array.page_bytes // 1024} KiB", *(f"{array.pages[node]:,}" for node in nodes), f"{array.untouched:,}")
        for array in report.arrays
    ]
    note = "the BIOS interleaves 4 KiB pages over the nodes: counts are of 4 KiB" if report.node_interleaving else ""
    if report.free_pages is not None:
        rows.append(row("free", "4 KiB", *(f"{report.free_pages[node]:,}" for node in nodes), ""))
    pages = Table(f"Pages of {report.workload} on {report.machine}", headers, tuple(rows), left=2, note=note)
    threads = Table(
        "Threads",
        ("thread", "memory policy", "node", "core", "CPU"),
        tuple(row(one.thread, one.policy, str(one.node), str(one.core), str(one.cpu)) for one in report.threads),
        left=2,
    )
    moves = Table(
        "Moved",
        ("phase", "step", "pages moved", "stayed: full"),
        tuple(row(str(one.phase), str(one.step), f"{one.moved:,}", f"{one.stayed:,}") for one in report.moves),
        left=0,
    )
    return (pages, threads, *((moves,) if report.moves else ()))


def _pages(placed: PlacedProgram, number: int, interleaved: bool) -> ArrayPages:
    array = placed.arrays[number]
    size = PAGE_BYTES if interleaved else array.array.page_bytes
    frames, parts = size // PAGE_BYTES, array.array.page_bytes // size
    pages = {node: count // frames for node, count in placed.pages(array).items()}
    untouched = array.pages * parts - sum(pages.values())
    return ArrayPages(array=array.name, size_bytes=array.array.bytes, page_bytes=size, pages=pages, untouched=untouched)
