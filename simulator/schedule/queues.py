"""Run queues: which thread runs where next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from simulator.schedule.task import Core, Task


class RunQueues(Protocol):
    """All threads that could run and do not; one for each kind of scheduler.

    Attributes
    ----------
    slice_ps : int
        How long a thread may run while others wait.
    look_ps, balance_ps : int, optional
        An idle core looks into the queues of others at multiples of the one, and queues are balanced at multiples of the other;
        None: never.
    """

    slice_ps: int
    look_ps: int | None
    balance_ps: int | None

    def __len__(self) -> int:
        """Return how many threads wait."""

    def put(self, task: Task, cores: Sequence[Core], *, preempted: bool = False) -> None:
        """Let a thread wait; one that was preempted comes before its equals."""

    def take(self, core: Core, *, looks: bool) -> Task | None:
        """Return the thread that a core runs next, and take it out; `looks`: it may look into queues that are not its own."""

    def yields(self, core: Core) -> bool:
        """Return whether a core's thread, its slice over, has to make room."""

    def makes_room(self, task: Task, cores: Sequence[Core]) -> Core | None:
        """Return the core whose thread a waiting thread, just woken or started, displaces at once."""

    def second_passes(self, tasks: Sequence[Task]) -> None:
        """Forget some of what the threads have run."""

    def forked(self, parent: Task, child: Task) -> None:
        """Let a child have what its parent passes on, before it is put into a queue."""

    def balance(self) -> None:
        """Even out queues."""
