"""The system: cores, run queues and processes, from one decision of the scheduler to the next.

Two time scales. Here time goes in steps of microseconds to milliseconds: who runs where. How fast those that run together go is
asked of the line-level engine, for each set once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from simulator.errors import InputError
from simulator.schedule.actions import Program
from simulator.schedule.calls import Calls
from simulator.schedule.memory import Memory
from simulator.schedule.queues import RunQueues
from simulator.schedule.speeds import Running, Speeds
from simulator.schedule.task import Core, Cpu, State, Task

SECOND_PS = 10**12
MOST_DECISIONS = 50_000_000


@dataclass(frozen=True)
class Stretch:
    """A task on a core without a break."""

    start_ps: int
    end_ps: int
    cpu: Cpu
    task: str


class System:
    """Cores with a scheduler.

    Parameters
    ----------
    cpus : sequence of (int, int)
        Node and core of each.
    queues : RunQueues
    speeds : Speeds
    memory : Memory
    switch_ps : int
        System time of a switch from one task to another.
    keep_log : bool
        Whether `log` says who ran when.
    """

    def __init__(
        self,
        cpus: Sequence[Cpu],
        queues: RunQueues,
        speeds: Speeds,
        memory: Memory,
        switch_ps: int,
        *,
        keep_log: bool = False,
    ) -> None:
        self.now_ps = 0
        self.cores = [Core(cpu) for cpu in sorted(cpus)]
        self.tasks: list[Task] = []
        self.log: list[Stretch] | None = [] if keep_log else None
        self._queues, self._speeds, self._memory, self._switch_ps = queues, speeds, memory, switch_ps
        self._live: list[Task] = []
        self._woken: list[Task] = []  # since the last decision
        self._calls = Calls(self)
        self._since = {core.cpu: 0 for core in self.cores}

    def start(self, program: Program, parent: Task | None = None) -> Task:
        """Start a process, and return it.

        Raises
        ------
        InputError
            It is pinned to CPUs that are not there.
        """
        if program.cpus is not None and not any(core.cpu in program.cpus for core in self.cores):
            allowed = ", ".join(f"{node}.{core}" for node, core in (one.cpu for one in self.cores))
            raise InputError("pinned to CPUs that are not used", field=program.name, value=sorted(program.cpus), allowed=allowed)
        traffic = self._memory.traffic(program.footprint)
        task = Task(len(self.tasks), program, traffic, program.steps(), parent, self.now_ps)
        self.tasks.append(task)
        self._live.append(task)
        if parent is not None:
            self._queues.forked(parent, task)
        self._queues.put(task, self.cores)
        self._woken.append(task)
        return task

    def run(self) -> None:
        """Go on until every process has ended.

        Raises
        ------
        InputError
            Processes wait for each other, or there is no end.
        """
        for _ in range(MOST_DECISIONS):
            self._decide()
            if not self._live:
                return
            when_ps = self._next_ps()
            if when_ps is None:
                names = ", ".join(task.program.name for task in self._live[:5])
                raise InputError("processes wait for each other", field="programs", value=names)
            self._advance(when_ps)
            self._happen()
        raise InputError("no end in sight", field="programs", allowed=f"at most {MOST_DECISIONS:,} decisions")

    # -- decisions -----------------------------------------------------------------------------------------------------

    def _decide(self) -> None:
        """Give threads to idle cores, and let woken threads displace others, until nothing changes."""
        changed = True
        while changed:
            changed = False
            for core in self.cores:
                if core.task is None and len(self._queues) and (task := self._queues.take(core, looks=self._looks(core))):
                    self._switch_to(core, task)
                    changed = True
            while self._woken:
                task = self._woken.pop(0)
                displaced = self._queues.makes_room(task, self.cores) if task.state is State.WAITING else None
                if displaced is not None:
                    self._put_back(displaced, preempted=True)
                    changed = True
                    break
        self._set_paces()

    def _looks(self, core: Core) -> bool:
        """Return whether an idle core looks into the queues of others now: when it has just become idle, and every so often."""
        every = self._queues.look_ps
        return every is not None and (self._since[core.cpu] == self.now_ps or self.now_ps % every == 0)

    def _switch_to(self, core: Core, task: Task) -> None:
        own = task.cpu == core.cpu
        if task.memory is None:
            task.memory = self._memory.nearest(core.cpu[0])
        if core.last is not task:
            task.switches += 1
            task.migrations += task.cpu is not None and not own
            others = max(0, round(core.filled - task.filled_before)) if own else None
            lost, most = (self._memory.lines_to_fetch_again(task.program.footprint, count) for count in (others, None))
            task.come_back(self._switch_ps, lost, most)
        core.task, task.cpu, task.state = task, core.cpu, State.RUNNING
        core.slice_end_ps = self.now_ps + self._queues.slice_ps
        self._since[core.cpu] = self.now_ps
        if not task.segments:
            self._go_on(core)

    def _set_paces(self) -> None:
        """Ask how fast the threads go, where the set of them has changed, and see when each is done."""
        running = []
        busy = []
        for core in self.cores:
            task = core.task
            if task is None:
                core.done_ps = None
            elif task.segments[0].traffic is None:
                core.pace_ps = 0
                core.done_ps = self.now_ps + ceil(task.segments[0].left)
            else:
                assert task.memory is not None
                running.append(Running(core.cpu[0], core.cpu[1], task.segments[0].traffic, task.memory))
                busy.append(core)
        if busy:
            for core, pace_ps in zip(busy, self._speeds.paces_ps(tuple(running)), strict=True):
                assert core.task is not None
                core.pace_ps = pace_ps
                core.done_ps = self.now_ps + max(1, ceil(core.task.segments[0].left * pace_ps))

    # -- time ----------------------------------------------------------------------------------------------------------

    def _next_ps(self) -> int | None:
        """Return when something happens next."""
        times = [time for core in self.cores if core.done_ps is not None for time in (core.done_ps, core.slice_end_ps)]
        if self._calls.next_ps is not None:
            times.append(self._calls.next_ps)
        if not times:
            return None
        if len(self._queues):
            times.append(self._next_multiple(SECOND_PS))
            if self._queues.look_ps is not None and any(core.task is None for core in self.cores):
                times.append(self._next_multiple(self._queues.look_ps))
            if self._queues.balance_ps is not None:
                times.append(self._next_multiple(self._queues.balance_ps))
        return min(times)

    def _next_multiple(self, every_ps: int) -> int:
        return (self.now_ps // every_ps + 1) * every_ps

    def _advance(self, when_ps: int) -> None:
        passed_ps, second = when_ps - self.now_ps, self.now_ps // SECOND_PS
        for core in self.cores:
            core.pass_time(passed_ps, done=core.done_ps == when_ps)
        self.now_ps = when_ps
        if when_ps // SECOND_PS > second:
            self._queues.second_passes(self._live)
        if self._queues.balance_ps is not None and when_ps % self._queues.balance_ps == 0:
            self._queues.balance()

    def _happen(self) -> None:
        """Do what is due: timers, then ends of segments, then ends of slices, core by core."""
        self._calls.wake_due()
        for core in self.cores:
            if core.task is not None and core.done_ps == self.now_ps:
                core.task.segments.popleft()
                if not core.task.segments:
                    self._go_on(core)
        for core in self.cores:
            if core.task is not None and core.slice_end_ps <= self.now_ps:
                if self._queues.yields(core):
                    self._put_back(core, preempted=False)
                else:
                    core.slice_end_ps = self.now_ps + self._queues.slice_ps

    # -- processes -----------------------------------------------------------------------------------------------------

    def _go_on(self, core: Core) -> None:
        """Let the core's process act until it computes, waits or ends."""
        task = core.task
        assert task is not None
        while not task.segments and task.state is State.RUNNING:
            action = next(task.steps, None)
            if action is None:
                self._end(core, task)
            else:
                self._calls.act(core, task, action)

    def sleep(self, core: Core) -> None:
        """Take the core's process off it until it is woken."""
        task = self._leave(core)
        task.state, task.slept_since_ps = State.SLEEPING, self.now_ps

    def wake(self, task: Task) -> None:
        """Let a process run again."""
        assert task.slept_since_ps is not None
        task.slept_ps += self.now_ps - task.slept_since_ps
        task.slept_since_ps, task.state = None, State.WAITING
        self._queues.put(task, self.cores)
        self._woken.append(task)

    def _put_back(self, core: Core, *, preempted: bool) -> None:
        task = self._leave(core)
        task.state = State.WAITING
        self._queues.put(task, self.cores, preempted=preempted)

    def _end(self, core: Core, task: Task) -> None:
        self._leave(core)
        task.state, task.ended_ps = State.ENDED, self.now_ps
        self._live.remove(task)
        self._calls.ended(task)

    def _leave(self, core: Core) -> Task:
        task = core.task
        assert task is not None
        if self.log is not None and self._since[core.cpu] < self.now_ps:
            self.log.append(Stretch(self._since[core.cpu], self.now_ps, core.cpu, task.program.name))
        core.task, core.last, core.done_ps = None, task, None
        task.filled_before = core.filled
        self._since[core.cpu] = self.now_ps
        return task
