"""Threads and workloads: who accesses which memory, from where, how fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from simulator.errors import InputError
from simulator.units import LINE_BYTES

Mode = Literal["r", "w"]


@dataclass(frozen=True)
class Access:
    """One cache line that a thread reads or writes.

    Attributes
    ----------
    mode : {'r', 'w'}
    memory : int
        Node whose memory holds the line.
    victim_memory : int, optional
        Node of the dirty line that a write evicts; None: `memory` again.
    extra_core_time_ns : float
        Computation that follows the line, on top of the core's own time.
    node : int, optional
        Node it is issued from; None: where the thread lives. Differs after a migration.
    barrier : int, optional
        Number of the barrier to pass before it.
    compute_ns : float
        For which the core computes on the line once its data is there, one line of the thread at a time.
    shared : int, optional
        Number of a line that several threads use: the caches remember who holds it. None: a line nobody else has.
    lock : int
        1: all other threads stand still from before the line is issued; 2: until it is complete; 3: both. A locked operation on
        an operand across two lines is a line with 1 and one with 2.
    """

    mode: Mode
    memory: int
    victim_memory: int | None = None
    extra_core_time_ns: float = 0.0
    node: int | None = None
    barrier: int | None = None
    compute_ns: float = 0.0
    shared: int | None = None
    lock: int = 0


@dataclass(frozen=True)
class Arrivals:
    """Lines that arrive by themselves, whether or not earlier ones are done.

    Attributes
    ----------
    mean_interval_ns : float
    random : bool
        Exponential intervals (a Poisson stream); else even ones.
    """

    mean_interval_ns: float
    random: bool = True


@dataclass(frozen=True)
class TimeSlice:
    """When a thread that shares its core may issue: for `length_ns` from `start_ns`, every `period_ns`."""

    period_ns: float
    start_ns: float
    length_ns: float


@dataclass(frozen=True)
class HandedIn:
    """Lines that are not known beforehand: they are handed to the engine while it runs, as those of a recorded trace.

    Attributes
    ----------
    barriers : tuple of int
        Numbers of the barriers that the thread takes part in.
    shared : tuple of int
        Node of the memory of each line that several threads use, by its number.
    """

    barriers: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()


@dataclass(frozen=True)
class ThreadSpec:
    """One thread.

    Attributes
    ----------
    node, core : int
        Where it runs.
    accesses : tuple of Access
        Its lines, repeated for ever unless `repeat` is False.
    background : bool
        Goes on until the foreground ends, with the core's background window and core time.
    rate_gb_per_s : float, optional
        Most it asks for; None: as fast as it can.
    window : int, optional
        Lines in flight; None: the machine's.
    core_time_ns : float, optional
        None: the machine's.
    start_ns : float
        When its first line is issued.
    handed_in : HandedIn, optional
        In place of `accesses`, which is empty then, and `repeat`.
    """

    node: int
    core: int
    accesses: tuple[Access, ...]
    background: bool = False
    rate_gb_per_s: float | None = None
    window: int | None = None
    core_time_ns: float | None = None
    start_ns: float = 0.0
    repeat: bool = True
    arrivals: Arrivals | None = None
    time_slice: TimeSlice | None = None
    handed_in: HandedIn | None = None

    @property
    def label(self) -> str:
        """AMD's label ``node.core.mode.memory``; lines of more than one kind show as ``*``."""
        modes = {access.mode for access in self.accesses}
        memories = {access.memory for access in self.accesses}
        mode = next(iter(modes)) if len(modes) == 1 else "*"
        memory = str(next(iter(memories))) if len(memories) == 1 else "*"
        return f"{self.node}.{self.core}.{mode}.{memory}"

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """Canonical place among other threads, so that the order of a list decides nothing."""
        first = [(access.mode, access.memory) for access in self.accesses[:1]]
        return (self.node, self.core, first, self.background, self.rate_gb_per_s or 0.0, repr(self))

    @property
    def interval_ns(self) -> float | None:
        """Time between lines at the asked rate; None without one."""
        return None if self.rate_gb_per_s is None else LINE_BYTES / self.rate_gb_per_s


@dataclass(frozen=True)
class Workload:
    """All threads of a run, in canonical order."""

    threads: tuple[ThreadSpec, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "threads", tuple(sorted(self.threads, key=lambda thread: thread.sort_key)))

    @classmethod
    def from_labels(cls, labels: Sequence[str], background: Mapping[str, float] | None = None) -> Workload:
        """Build a workload from AMD's labels.

        Parameters
        ----------
        labels : sequence of str
            Foreground threads, such as ``0.0.w.1``.
        background : mapping of str to float, optional
            Background threads and the GB/s each asks for.

        Raises
        ------
        InputError
            A label that cannot be read, or a rate that is not positive.
        """
        from simulator.workload.labels import parse_label

        threads = [parse_label(label) for label in labels]
        for label, rate in (background or {}).items():
            threads.append(parse_label(label, background=True, rate_gb_per_s=rate))
        return cls(tuple(threads))

    @property
    def foreground(self) -> tuple[ThreadSpec, ...]:
        """Threads whose lines decide how long the run is."""
        return tuple(thread for thread in self.threads if not thread.background)

    def as_dict(self) -> dict[str, Any]:
        """Everything that defines the workload, for provenance."""
        return {"threads": [{"label": thread.label, **asdict(thread)} for thread in self.threads]}


SLOWEST_GB_PER_S, FASTEST_GB_PER_S = 1e-6, 1e5  # a line in 64 ms; a line in less than a tick


def check_rate(rate_gb_per_s: float, field_name: str) -> float:
    """Return the rate if the clock can keep it; InputError otherwise."""
    if not SLOWEST_GB_PER_S <= rate_gb_per_s <= FASTEST_GB_PER_S:
        allowed = f"{SLOWEST_GB_PER_S:g} to {FASTEST_GB_PER_S:g} GB/s, such as 0.5"
        what = "a rate must be positive and one that the clock can keep"
        raise InputError(what, field=field_name, value=rate_gb_per_s, allowed=allowed)
    return rate_gb_per_s
