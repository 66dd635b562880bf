"""One run queue for all cores, as 4BSD has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.schedule.task import Core, State, Task


@dataclass(frozen=True)
class SharedQueueSpec:
    """Scheduler with one queue.

    Attributes
    ----------
    slice_ps : int
    level_ps : int
        Running time that lowers a thread's priority by one level.
    """

    slice_ps: int
    level_ps: int


class SharedQueue:
    """One queue by priority, and by turn among equals; any free core takes the first thread that is allowed on it.

    A thread's priority falls with its recent running time, of which each second a part is forgotten: 2 L / (2 L + 1) is kept
    under a load of L threads (S. J. Leffler, M. K. McKusick, M. J. Karels, J. S. Quarterman, The design and implementation of
    the 4.3BSD UNIX operating system, 1989, section 4.4).

    Parameters
    ----------
    spec : SharedQueueSpec
    """

    look_ps: int | None = None
    balance_ps: int | None = None

    def __init__(self, spec: SharedQueueSpec) -> None:
        self.slice_ps, self._level_ps = spec.slice_ps, spec.level_ps
        self._waiting: list[Task] = []  # by priority, then by turn

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, task: Task, cores: Sequence[Core], *, preempted: bool = False) -> None:
        """See :class:`RunQueues`."""
        level = self._level(task)
        before = (self._level(other) < level + (not preempted) for other in self._waiting)
        self._waiting.insert(sum(before), task)

    def take(self, core: Core, *, looks: bool) -> Task | None:
        """See :class:`RunQueues`; there is no other queue to look into."""
        for place, task in enumerate(self._waiting):
            if task.may_run_on(core.cpu):
                return self._waiting.pop(place)
        return None

    def yields(self, core: Core) -> bool:
        """See :class:`RunQueues`: to a thread of its own level or a better one."""
        assert core.task is not None
        own = self._level(core.task)
        return any(task.may_run_on(core.cpu) and self._level(task) <= own for task in self._waiting)

    def makes_room(self, task: Task, cores: Sequence[Core]) -> Core | None:
        """See :class:`RunQueues`: the core whose thread has the worst priority, if that is worse than the waiting one's."""
        allowed = [(self._level(core.task), core.cpu, core) for core in cores if core.task and task.may_run_on(core.cpu)]
        if not allowed:
            return None
        level, _, core = max(allowed, key=lambda entry: entry[:2])
        return core if level > self._level(task) else None

    def second_passes(self, tasks: Sequence[Task]) -> None:
        """See :class:`RunQueues`."""
        load = sum(1 for task in tasks if task.state is not State.SLEEPING)
        for task in tasks:
            task.run_ps = task.run_ps * 2 * load // (2 * load + 1)
        self._waiting.sort(key=self._level)  # stable: turns are kept

    def forked(self, parent: Task, child: Task) -> None:
        """See :class:`RunQueues`: the child has its parent's priority."""
        child.run_ps = parent.run_ps

    def balance(self) -> None:
        """See :class:`RunQueues`: there is nothing to even out."""

    def _level(self, task: Task) -> int:
        return task.run_ps // self._level_ps
