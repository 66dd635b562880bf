"""Recordings that several tests look at."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.observe.record import Recording, Window, record
from simulator.workload import ThreadSpec, Workload

CROSSFIRE = ("0.0.w.1", "1.0.w.0")


def crossfire(length_ns: float = 400.0) -> Recording:
    """Return a window of two writers that fire at each other, with a reader in the background."""
    workload = Workload.from_labels(CROSSFIRE, background={"3.0.r.3": 2.0})
    return record(load_machine("quartet"), workload, Window(length_ns, warmup=60))


def from_start(machine: Machine, threads: Sequence[ThreadSpec], length_ns: float = 1000.0) -> Recording:
    """Return the first moments of a run."""
    return record(machine, Workload(tuple(threads)), Window(length_ns, start_ns=0.0))
