"""What a process of a program asks the system for: programs are generators that yield these, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

from simulator.schedule.footprint import Footprint


@dataclass(frozen=True)
class Compute:
    """Execute instructions; a system call's are system time."""

    instructions: float
    system: bool = False


@dataclass(frozen=True)
class Sleep:
    """Wait for a device."""

    time_ps: int


@dataclass(frozen=True)
class Fork:
    """Start a child."""

    program: Program


@dataclass(frozen=True)
class WaitChild:
    """Wait until a child that has not been waited for has ended."""


@dataclass(eq=False)
class Pipe:
    """A pipe between two processes that holds so many pieces."""

    capacity: int
    held: int = 0


@dataclass(frozen=True)
class Put:
    """Write a piece, and wait while the pipe is full."""

    pipe: Pipe


@dataclass(frozen=True)
class Get:
    """Read a piece, and wait while the pipe is empty."""

    pipe: Pipe


Action = Compute | Sleep | Fork | WaitChild | Put | Get
Steps = Generator[Action, None, None]


@dataclass(frozen=True)
class Program:
    """A program to be started.

    Attributes
    ----------
    name : str
    footprint : Footprint
        How it uses memory.
    steps : callable
        Returns the actions of a new process.
    cpus : frozenset of (int, int), optional
        Node and core of the CPUs that it may run on; None: all. Children may be pinned otherwise.
    """

    name: str
    footprint: Footprint
    steps: Callable[[], Steps]
    cpus: frozenset[tuple[int, int]] | None = None
