"""Trace files in a line or two, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from simulator.machine.spec import Machine
from simulator.replay import ReplayResult, TraceFile, run_traces
from tests.replay.programs import QUARTET

PAGE = 4096
BASE = 1 << 32
CPUS = [(node, core) for node in range(4) for core in range(2)]
Access = tuple[int, int, str]  # thread, address, r or w


def csv(path: Path, accesses: Iterable[Access], clock: str = "instr", step: int = 4, size: int = 8) -> TraceFile:
    """Write a trace, each access `step` later than the one before."""
    rows = [f"{thread},{step * number},{address:#x},{size},{rw}" for number, (thread, address, rw) in enumerate(accesses, 1)]
    path.write_text("\n".join([f"thread,{clock},address,size,rw", *rows]) + "\n", encoding="ascii")
    return TraceFile(str(path))


def lackey(path: Path, addresses: Iterable[int], kind: str = "L") -> TraceFile:
    """Write a trace of lackey with three instructions an access."""
    lines = [f"I  00400000,3\nI  00400003,3\nI  00400006,3\n {kind} {address:x},8\n" for address in addresses]
    path.write_text("".join(lines), encoding="ascii")
    return TraceFile(str(path))


def replayed(
    *files: TraceFile, machine: Machine = QUARTET, cpus: Sequence[tuple[int, int]] = CPUS, **others: Any
) -> ReplayResult:
    """Replay traces; CPUs are the Quartet's if nothing else is said."""
    return run_traces(machine, files, cpus, **others)


def lines(first: int, count: int) -> range:
    """Return addresses of so many lines."""
    return range(first, first + 64 * count, 64)
