"""`ScheduledMachine`: programs on a machine under a scheduler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.schedule.actions import Program
from simulator.schedule.core_queues import CoreQueues, CoreQueuesSpec
from simulator.schedule.footprint import Footprint
from simulator.schedule.memory import MachineMemory
from simulator.schedule.queues import RunQueues
from simulator.schedule.result import ScheduleResult, result_of
from simulator.schedule.shared_queue import SharedQueue, SharedQueueSpec
from simulator.schedule.speeds import Running, SimulatedSpeeds
from simulator.schedule.system import System
from simulator.schedule.task import Cpu

FEW_LINES, QUICK_LINES, LINES = 400, 4_000, 20_000
_ROUNDS = 20  # so often a run goes through the lines that stand for a process


@dataclass(frozen=True)
class Scheduler:
    """A scheduler and what a switch costs.

    Attributes
    ----------
    name : str
    queues : SharedQueueSpec or CoreQueuesSpec
    switch_ps : int
        System time of a switch, refilling of caches left out.
    """

    name: str
    queues: SharedQueueSpec | CoreQueuesSpec
    switch_ps: int

    def run_queues(self, cpus: Sequence[Cpu]) -> RunQueues:
        """Return its queues, empty."""
        return SharedQueue(self.queues) if isinstance(self.queues, SharedQueueSpec) else CoreQueues(self.queues, cpus)


class ScheduledMachine:
    """A machine with what is known of the processes that run on it, kept from run to run.

    Parameters
    ----------
    machine : Machine
    lines : int
        That a line-level run measures of each process of a set that runs together.
    seed : int
        Of those runs.

    Raises
    ------
    InputError
        The machine's file describes no caches.
    """

    def __init__(self, machine: Machine, lines: int = LINES, seed: int = 1) -> None:
        self.machine = machine
        self.cpus: tuple[Cpu, ...] = tuple((node.id, core) for node in machine.nodes for core in range(node.cores))
        self._memory, self._speeds = MachineMemory(machine, max(1, lines // _ROUNDS)), SimulatedSpeeds(machine, lines, seed)

    def ps_per_instruction(self, footprint: Footprint) -> float:
        """Return how long a process takes for an instruction, alone on the machine with warm caches."""
        node, core = self.cpus[0]
        traffic = self._memory.traffic(footprint)
        (pace_ps,) = self._speeds.paces_ps((Running(node, core, traffic.working, self._memory.nearest(node)),))
        return pace_ps / traffic.instructions_per_line

    @property
    def sets(self) -> int:
        """How many sets of processes that run together have been run line by line."""
        return self._speeds.sets

    def run(
        self,
        programs: Sequence[Program],
        scheduler: Scheduler,
        *,
        cpus: Sequence[Cpu] | None = None,
        keep_log: bool = False,
    ) -> ScheduleResult:
        """Run programs from their common start to the end of the last.

        Parameters
        ----------
        programs : sequence of Program
        scheduler : Scheduler
        cpus : sequence of (int, int), optional
            Node and core that are used; None: all.
        keep_log : bool

        Raises
        ------
        InputError
            A CPU that is not there; a program pinned to CPUs that are not used; processes that wait for each other.
        """
        used = self.cpus if cpus is None else tuple(sorted(set(cpus)))
        for cpu in used:
            if cpu not in self.cpus:
                allowed = "node and core, such as (0, 0)"
                raise InputError(f"{self.machine.name} has no such CPU", field="cpus", value=cpu, allowed=allowed)
        if not used or not programs:
            raise InputError("nothing to run, or nowhere", field="programs", allowed="at least one program and one CPU")
        system = System(used, scheduler.run_queues(used), self._speeds, self._memory, scheduler.switch_ps, keep_log=keep_log)
        for program in programs:
            system.start(program)
        system.run()
        return result_of(system)
