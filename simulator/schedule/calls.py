"""What processes ask of the system beside computing: to wait for devices, pipes and children."""

from __future__ import annotations

import heapq
from typing import Protocol

from simulator.schedule.actions import Action, Compute, Fork, Get, Pipe, Program, Put, Sleep, WaitChild
from simulator.schedule.task import Core, Segment, Task


class Kernel(Protocol):
    """What the calls need of the system."""

    now_ps: int

    def start(self, program: Program, parent: Task | None = None) -> Task:
        """Start a process."""

    def sleep(self, core: Core) -> None:
        """Take the core's process off it until it is woken."""

    def wake(self, task: Task) -> None:
        """Let a process run again."""


class Calls:
    """Who waits for what.

    Parameters
    ----------
    kernel : Kernel
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._timers: list[tuple[int, int, Task]] = []
        self._pipes: dict[tuple[Pipe, str], Task] = {}  # who waits at which end

    @property
    def next_ps(self) -> int | None:
        """When the next device is done; None: nobody waits for one."""
        return self._timers[0][0] if self._timers else None

    def wake_due(self) -> None:
        """Wake those whose devices are done."""
        while self._timers and self._timers[0][0] <= self._kernel.now_ps:
            self._kernel.wake(heapq.heappop(self._timers)[2])

    def act(self, core: Core, task: Task, action: Action) -> None:
        """Do what the core's process asks for."""
        match action:
            case Compute(instructions, system):
                if instructions > 0:
                    lines = instructions / task.traffic.instructions_per_line
                    task.segments.append(Segment(task.traffic.working, lines, system))
            case Sleep(time_ps):
                heapq.heappush(self._timers, (self._kernel.now_ps + time_ps, task.number, task))
                self._kernel.sleep(core)
            case Fork(program):
                task.children += 1
                self._kernel.start(program, task)
            case WaitChild():
                self._wait_child(core, task)
            case Put(pipe):
                self._put(core, task, pipe)
            case Get(pipe):
                self._get(core, task, pipe)

    def ended(self, task: Task) -> None:
        """Tell a parent that its child has ended."""
        parent = task.parent
        if parent is None:
            return
        parent.children -= 1
        if parent.awaits_child:
            parent.awaits_child = False
            self._kernel.wake(parent)
        else:
            parent.unreaped += 1

    def _wait_child(self, core: Core, task: Task) -> None:
        if task.unreaped:
            task.unreaped -= 1
        elif task.children:
            task.awaits_child = True
            self._kernel.sleep(core)

    def _put(self, core: Core, task: Task, pipe: Pipe) -> None:
        if reader := self._pipes.pop((pipe, "reader"), None):
            self._kernel.wake(reader)
            return
        pipe.held += 1
        if pipe.held > pipe.capacity:
            self._pipes[pipe, "writer"] = task
            self._kernel.sleep(core)

    def _get(self, core: Core, task: Task, pipe: Pipe) -> None:
        if not pipe.held:
            self._pipes[pipe, "reader"] = task
            self._kernel.sleep(core)
            return
        pipe.held -= 1
        if writer := self._pipes.pop((pipe, "writer"), None):
            self._kernel.wake(writer)
