"""Workloads as programs: arrays with memory policies, threads, phases; and where their pages are on a machine."""

from simulator.program.chunk import CHUNK_LINES, ProgramChunk
from simulator.program.read import load_program, parse_program
from simulator.program.spec import (
    ArraySpec,
    InitPhase,
    KernelPhase,
    MigratePhase,
    MixPhase,
    Program,
    SharedLinePhase,
    SplitLockPhase,
    StreamSpec,
    SweepPhase,
    SystemSpec,
    ThreadGroup,
)
from simulator.program.touch import PlacedProgram, place

__all__ = [
    "CHUNK_LINES",
    "ArraySpec",
    "InitPhase",
    "KernelPhase",
    "MigratePhase",
    "MixPhase",
    "PlacedProgram",
    "Program",
    "ProgramChunk",
    "SharedLinePhase",
    "SplitLockPhase",
    "StreamSpec",
    "SweepPhase",
    "SystemSpec",
    "ThreadGroup",
    "load_program",
    "parse_program",
    "place",
]
