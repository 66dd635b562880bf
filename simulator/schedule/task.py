"""A process, or thread, while the system runs it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from math import ceil

from simulator.schedule.actions import Program, Steps
from simulator.schedule.traffic import ProcessTraffic, Traffic

Cpu = tuple[int, int]  # node, core


class State(Enum):
    """Where a task stands."""

    WAITING = "in a run queue"
    RUNNING = "on a core"
    SLEEPING = "for a device, a pipe or a child"
    ENDED = "ended"


@dataclass(eq=False)
class Segment:
    """A stretch of one kind on a core.

    Attributes
    ----------
    traffic : Traffic, optional
        None: the core is busy with the switch itself, and sends nothing out.
    left : float
        Lines that are left, or ps without traffic.
    system : bool
        Its time is system time.
    """

    traffic: Traffic | None
    left: float
    system: bool


@dataclass(eq=False)
class Task:
    """A process.

    Attributes
    ----------
    number : int
        In the order in which they started; decides among equals.
    program : Program
    traffic : ProcessTraffic
    steps : Steps
    parent : Task, optional
    memory : int, optional
        Node of its memory: that of the CPU on which it first runs, and it stays there; None: it has not run.
    segments : deque of Segment
        What it does next; the last switch and the refilling after it come before its work.
    user_ps, system_ps : int
    refilled_lines : float
        Fetched again after others had driven them out.
    lines, local_lines : float
        Fetched in all, and from the memory of the node it ran on.
    run_ps, slept_ps : int
        As a scheduler may forget them; not the sums.
    """

    number: int
    program: Program
    traffic: ProcessTraffic
    steps: Steps
    parent: Task | None
    started_ps: int
    state: State = State.WAITING
    memory: int | None = None
    segments: deque[Segment] = field(default_factory=deque)
    children: int = 0
    unreaped: int = 0
    awaits_child: bool = False
    cpu: Cpu | None = None  # the last one
    filled_before: float = 0.0  # lines fetched into that CPU's caches when it left
    slept_since_ps: int | None = None
    ended_ps: int | None = None
    user_ps: int = 0
    system_ps: int = 0
    refilled_lines: float = 0.0
    lines: float = 0.0
    local_lines: float = 0.0
    switches: int = 0
    migrations: int = 0
    run_ps: int = 0
    slept_ps: int = 0

    def may_run_on(self, cpu: Cpu) -> bool:
        """Return whether it is allowed on a CPU."""
        return self.program.cpus is None or cpu in self.program.cpus

    def come_back(self, switch_ps: int, lost: int, most: int) -> None:
        """Put a switch, and the fetching of lines that were driven out, before the rest of what it does.

        Parameters
        ----------
        switch_ps : int
        lost : int
            Lines lost since it left; what was left of an earlier refilling is added.
        most : int
            That it can have lost in all.
        """
        while self.segments and self.segments[0].traffic in (None, self.traffic.refilling):
            left = self.segments.popleft()
            if left.traffic is not None:
                lost = min(lost + ceil(left.left), most)
        if lost:
            self.segments.appendleft(Segment(self.traffic.refilling, lost, False))
        if switch_ps:
            self.segments.appendleft(Segment(None, switch_ps, True))


@dataclass(eq=False)
class Core:
    """A CPU.

    Attributes
    ----------
    cpu : (int, int)
    task : Task, optional
        None: idle.
    last : Task, optional
        The one before; no switch is needed to go on with it.
    slice_end_ps : int
        When the scheduler asks whether it is another's turn.
    done_ps : int, optional
        When the task's segment ends at its pace; None: idle.
    pace_ps : int
        Time a line; 0 where none is sent.
    filled : float
        Lines fetched into its caches since the start.
    """

    cpu: Cpu
    task: Task | None = None
    last: Task | None = None
    slice_end_ps: int = 0
    done_ps: int | None = None
    pace_ps: int = 0
    filled: float = 0.0
    busy_ps: int = 0

    def pass_time(self, passed_ps: int, *, done: bool) -> None:
        """Let the task, if any, work at its pace; `done`: to the end of its segment."""
        task = self.task
        if task is None:
            return
        segment = task.segments[0]
        self.busy_ps += passed_ps
        task.run_ps += passed_ps
        if segment.system:
            task.system_ps += passed_ps
        else:
            task.user_ps += passed_ps
        if segment.traffic is None:
            segment.left -= passed_ps
            return
        lines = segment.left if done else min(passed_ps / self.pace_ps, segment.left)
        segment.left -= lines
        self.filled += lines
        task.lines += lines
        task.local_lines += lines * (task.memory == self.cpu[0])
        if segment.traffic is task.traffic.refilling:
            task.refilled_lines += lines
