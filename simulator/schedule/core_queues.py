"""A run queue for each core, as ULE has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.schedule.task import Core, Cpu, Task


@dataclass(frozen=True)
class CoreQueuesSpec:
    """Scheduler with a queue a core.

    Attributes
    ----------
    slice_ps : int
    push_load : int
        A thread, woken or new, waits for an idle core instead once so many run or wait on its own.
    look_ps : int
        An idle core looks into the other queues when it becomes idle, and then every so often.
    balance_ps : int
        The longest queue gives a thread to the shortest every so often.
    interactive_score : int
        A thread whose score is below this is interactive; see :meth:`CoreQueues.score`.
    history_ps : int
        Running and sleeping are forgotten by a fifth once they add up to so much.
    fork_history_ps : int
        A child starts with its parent's history, cut down to so much.
    """

    slice_ps: int
    push_load: int
    look_ps: int
    balance_ps: int
    interactive_score: int
    history_ps: int
    fork_history_ps: int


class CoreQueues:
    """A queue a core, interactive threads first, by score; the others by turn.

    A thread waits in the queue of the core on which it ran, a new one in that of its parent, unless that has enough to do and
    another has nothing; an interactive thread displaces one
    with a worse score from its own core. Idle cores take threads from the longest queue, and queues are balanced now and then
    (J. Roberson, ULE: a modern scheduler for FreeBSD, BSDCon 2003).

    Parameters
    ----------
    spec : CoreQueuesSpec
    cpus : sequence of (int, int)
    """

    def __init__(self, spec: CoreQueuesSpec, cpus: Sequence[Cpu]) -> None:
        self.slice_ps = spec.slice_ps
        self.look_ps: int | None = spec.look_ps
        self.balance_ps: int | None = spec.balance_ps
        self._spec = spec
        self._queues: dict[Cpu, list[Task]] = {cpu: [] for cpu in cpus}

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def put(self, task: Task, cores: Sequence[Core], *, preempted: bool = False) -> None:
        """See :class:`RunQueues`."""
        self._forget(task)
        home = self._home(task)
        if not preempted and self._load(home, cores) >= self._spec.push_load:
            idle = (core.cpu for core in cores if not self._load(core.cpu, cores) and task.may_run_on(core.cpu))
            home = next(idle, home)
        self._insert(home, task, first=preempted)

    def take(self, core: Core, *, looks: bool) -> Task | None:
        """See :class:`RunQueues`: from its own queue, else from the longest that has a thread for it."""
        if own := self._queues[core.cpu]:
            return own.pop(0)
        if not looks:
            return None
        for cpu in sorted(self._queues, key=lambda cpu: (-len(self._queues[cpu]), cpu)):
            for place, task in enumerate(self._queues[cpu]):
                if task.may_run_on(core.cpu):
                    return self._queues[cpu].pop(place)
        return None

    def yields(self, core: Core) -> bool:
        """See :class:`RunQueues`: to any thread in the core's own queue."""
        return bool(self._queues[core.cpu])

    def makes_room(self, task: Task, cores: Sequence[Core]) -> Core | None:
        """See :class:`RunQueues`."""
        home = next((cpu for cpu, queue in self._queues.items() if task in queue), None)
        for core in cores:
            if core.cpu == home and core.task is not None:
                score = self.score(task)
                return core if score < min(self._spec.interactive_score, self.score(core.task)) else None
        return None

    def second_passes(self, tasks: Sequence[Task]) -> None:
        """See :class:`RunQueues`: histories are forgotten as they grow instead."""

    def forked(self, parent: Task, child: Task) -> None:
        """See :class:`RunQueues`: the child starts with its parent's history, cut down."""
        known_ps = parent.run_ps + parent.slept_ps
        kept_ps = min(known_ps, self._spec.fork_history_ps)
        if known_ps:
            child.run_ps, child.slept_ps = (time * kept_ps // known_ps for time in (parent.run_ps, parent.slept_ps))

    def balance(self) -> None:
        """See :class:`RunQueues`: one thread, from the longest queue to the shortest, if that makes them more even."""
        longest = max(self._queues, key=lambda cpu: (len(self._queues[cpu]), cpu))
        shortest = min(self._queues, key=lambda cpu: (len(self._queues[cpu]), cpu))
        if len(self._queues[longest]) - len(self._queues[shortest]) < 2:
            return
        for place in reversed(range(len(self._queues[longest]))):
            if self._queues[longest][place].may_run_on(shortest):
                self._insert(shortest, self._queues[longest].pop(place), first=False)
                return

    def _home(self, task: Task) -> Cpu:
        wanted = task.cpu or (task.parent.cpu if task.parent else None)
        allowed = [cpu for cpu in self._queues if task.may_run_on(cpu)]
        if wanted in allowed:
            assert wanted is not None
            return wanted
        return min(allowed, key=lambda cpu: (len(self._queues[cpu]), cpu))

    def _load(self, cpu: Cpu, cores: Sequence[Core]) -> int:
        return len(self._queues[cpu]) + any(core.cpu == cpu and core.task is not None for core in cores)

    def _insert(self, cpu: Cpu, task: Task, *, first: bool) -> None:
        queue, rank = self._queues[cpu], self._rank(task)
        queue.insert(sum(1 for other in queue if self._rank(other) < rank + (not first)), task)

    def _rank(self, task: Task) -> int:
        return min(self.score(task), self._spec.interactive_score)

    def score(self, task: Task) -> int:
        """Return 0 for a thread that only sleeps, 50 for one that runs as long as it sleeps, 100 for one that only runs."""
        run_ps, slept_ps = task.run_ps, task.slept_ps
        if run_ps < slept_ps:
            return 50 * run_ps // slept_ps
        return 100 - 50 * slept_ps // run_ps if run_ps else 50

    def _forget(self, task: Task) -> None:
        if task.run_ps + task.slept_ps > self._spec.history_ps:
            task.run_ps, task.slept_ps = task.run_ps * 4 // 5, task.slept_ps * 4 // 5
