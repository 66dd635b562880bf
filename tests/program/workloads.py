"""Workloads in a line or two, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator import load_machine
from simulator.machine.spec import Machine
from simulator.program import PlacedProgram, Program, ProgramChunk, parse_program, place

QUARTET = load_machine("quartet")


def program(*phases: dict[str, Any], size: int = 64 * 1024, threads: Any = None, **others: Any) -> Program:
    """Return a workload of shared arrays a, b and c and a thread on every CPU."""
    table: dict[str, Any] = {
        "name": "test",
        "arrays": [{"name": name, "size_bytes": size} for name in "abc"],
        "threads": threads or [{"name": "w"}],
        "phases": list(phases),
    }
    return parse_program({**table, **others})


def placed(*phases: dict[str, Any], machine: Machine = QUARTET, **others: Any) -> PlacedProgram:
    """Place the workload of :func:`program`."""
    return place(program(*phases, **others), machine)


def nodes(found: PlacedProgram, name: str = "a", step: int | None = None) -> list[int]:
    """Return the node of each page of an array, in its own page size."""
    array = next(one for one in found.arrays if one.name == name)
    addresses = (array.start + np.arange(array.pages) * array.array.page_bytes).astype(np.uint64)
    table = found.tables[-1][1] if step is None else found.page_table(step)
    return [int(node) for node in table.nodes(addresses)]


def lines(found: PlacedProgram, thread: int = 0) -> list[tuple[str, int, str]]:
    """Return what a thread accesses: array, line in it, r or w."""
    return [entry for chunk in found.chunks(thread) for entry in named(found, chunk)]


def named(found: PlacedProgram, chunk: ProgramChunk) -> list[tuple[str, int, str]]:
    """Return the accesses of a chunk: array, line in it, r or w."""
    result = []
    for address, write in zip(chunk.address.tolist(), chunk.is_write.tolist(), strict=True):
        array = next(one for one in found.arrays if one.start <= address < one.start + one.array.bytes)
        assert (address - array.start) % 64 == 0
        result.append((array.name, (address - array.start) // 64, "w" if write else "r"))
    return result
