"""Replays of small workloads, for tests."""

from __future__ import annotations

from typing import Any

from simulator.engine.build import EngineName
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.program import place
from simulator.replay import ReplayResult, run_program
from tests.machine.builders import SQUARE
from tests.program.workloads import program

QUARTET = load_machine("quartet")
PLAIN = load_machine(SQUARE, ["core.jitter_ns=0"])  # no caches, no jitter
ONE = [{"name": "w", "node": 0, "core": 0}]
LINES = 1024  # of an array


def ran(
    *phases: dict[str, Any],
    machine: Machine = PLAIN,
    engine: EngineName = "auto",
    caches: bool = True,
    seed: int = 1,
    **others: Any,
) -> ReplayResult:
    """Run the workload of :func:`tests.program.workloads.program`: arrays a, b and c of 64 KiB, a thread on every CPU."""
    return run_program(machine, place(program(*phases, **others), machine), engine=engine, caches=caches, seed=seed)


def init(*threads: str, arrays: str = "abc") -> dict[str, Any]:
    """Return the phase in which the arrays are touched: by all threads, each its part, or by those that are named."""
    phase: dict[str, Any] = {"pattern": "init", "arrays": list(arrays)}
    return {**phase, "threads": list(threads)} if threads else phase


def moved_lines(result: ReplayResult, node: int, what: str = "read_gb_per_s") -> float:
    """Return how many lines a controller moved in all."""
    rate: float = getattr(result.controllers[str(node)], what)
    return rate * result.elapsed_ns / 64
