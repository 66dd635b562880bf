"""Lines of the threads of recorded traces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simulator.cache import CoreCaches
from simulator.engine.supply import Lines
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.placement.page_table import PageTable
from simulator.replay.homes import Homes, through_caches
from simulator.replay.spool import nothing
from simulator.traces import AccessChunk
from simulator.units import PS_PER_NS

_SLOWEST_CPI = 1000.0


def trace_lines(
    chunks: Iterator[AccessChunk],
    machine: Machine,
    table: PageTable,
    homes: Homes,
    caches: CoreCaches | None,
    cycles_per_instruction: float | None = None,
) -> Iterator[Lines]:
    """Yield the lines of a thread of a trace, with the time that is computed before each.

    Parameters
    ----------
    chunks : iterator of AccessChunk
        Of the thread.
    machine : Machine
    table : PageTable
    homes : Homes
    caches : CoreCaches, optional
        Those of its core; None: the machine's file describes none, so every access is a line.
    cycles_per_instruction : float, optional
        Needed where there are no caches and the trace counts instructions.

    Raises
    ------
    InputError
        The trace is broken, or not the one that was looked through before; it counts instructions whose time nothing tells.
    """
    for chunk in chunks:
        accesses = chunk if caches is not None else _timed(chunk, machine, cycles_per_instruction)
        yield homes.lines(through_caches(accesses, caches), table)
    if caches is not None:
        yield nothing(compute_before_ps=caches.take_time_ps())


def _timed(chunk: AccessChunk, machine: Machine, cycles_per_instruction: float | None) -> AccessChunk:
    """Return accesses with times, for a machine without caches."""
    if chunk.unit == "compute_ps":
        return chunk
    unit_ps = float(PS_PER_NS)
    if chunk.unit == "instructions":
        if cycles_per_instruction is None or not 0 < cycles_per_instruction <= _SLOWEST_CPI:
            what = f"the trace counts instructions, and {machine.name}, which has no [caches], does not say what one takes"
            allowed = f"cycles an instruction, above 0 to {_SLOWEST_CPI:g}"
            raise InputError(what, field="--cpi", value=cycles_per_instruction, allowed=allowed)
        unit_ps = cycles_per_instruction * PS_PER_NS / machine.processor.clock_ghz
    return replace(chunk, before=np.rint(chunk.before * unit_ps).astype(np.int64), unit="compute_ps")
