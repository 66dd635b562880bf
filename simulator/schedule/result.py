"""What a schedule came to."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.schedule.system import SECOND_PS, Stretch, System


@dataclass(frozen=True)
class TaskResult:
    """One process.

    Attributes
    ----------
    name : str
    started_s, ended_s : float
    user_s, system_s : float
    migrations : int
        How often it went on on another core than the one before.
    local_percent : float, optional
        Share of its lines in the memory of the node it ran on; None: it fetched none.
    """

    name: str
    started_s: float
    ended_s: float
    user_s: float
    system_s: float
    migrations: int
    local_percent: float | None


@dataclass(frozen=True)
class ScheduleResult:
    """All processes from the first start to the last end.

    Attributes
    ----------
    real_s : float
    user_s, system_s : float
        Sums over all processes.
    cpu_percent : float
        User and system time over real time; 200 where two cores are always busy.
    switches, migrations : int
        From one process to another on a core; of a process from core to core.
    refilled_lines : float
        Fetched again after others had driven them out of a core's caches, or into those of a new core.
    local_percent : float, optional
        Share of all lines in the memory of the node their process ran on.
    tasks : tuple of TaskResult
        In the order of their starts.
    log : tuple of Stretch, optional
        Who ran when, in the order of ends; None: not kept.
    """

    real_s: float
    user_s: float
    system_s: float
    switches: int
    migrations: int
    refilled_lines: float
    local_percent: float | None
    tasks: tuple[TaskResult, ...]
    log: tuple[Stretch, ...] | None

    @property
    def cpu_percent(self) -> float:
        """User and system time over real time, per cent."""
        return 100 * (self.user_s + self.system_s) / self.real_s if self.real_s else 0.0


def result_of(system: System) -> ScheduleResult:
    """Return what a system that has run to its end came to."""
    tasks = tuple(
        TaskResult(
            name=task.program.name,
            started_s=task.started_ps / SECOND_PS,
            ended_s=(task.ended_ps or 0) / SECOND_PS,
            user_s=task.user_ps / SECOND_PS,
            system_s=task.system_ps / SECOND_PS,
            migrations=task.migrations,
            local_percent=_percent(task.local_lines, task.lines),
        )
        for task in system.tasks
    )
    return ScheduleResult(
        real_s=system.now_ps / SECOND_PS,
        user_s=sum(task.user_ps for task in system.tasks) / SECOND_PS,
        system_s=sum(task.system_ps for task in system.tasks) / SECOND_PS,
        switches=sum(task.switches for task in system.tasks),
        migrations=sum(task.migrations for task in system.tasks),
        refilled_lines=sum(task.refilled_lines for task in system.tasks),
        local_percent=_percent(sum(task.local_lines for task in system.tasks), sum(task.lines for task in system.tasks)),
        tasks=tasks,
        log=None if system.log is None else tuple(system.log),
    )


def _percent(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None
