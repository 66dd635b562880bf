"""A kernel build on two cores: simulated beside measured, and what a build bound by memory would do instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.schedule.build import Build
from simulator.schedule.build_spec import BuildSpec
from simulator.schedule.core_queues import CoreQueuesSpec
from simulator.schedule.measured import MeasuredBuild, SchedulerName
from simulator.schedule.result import ScheduleResult
from simulator.schedule.run import ScheduledMachine, Scheduler
from simulator.schedule.shared_queue import SharedQueueSpec

_PS_PER_US, _PS_PER_MS = 10**6, 10**9
Quantity = Literal["user_s", "system_s", "real_s", "cpu_percent"]


@dataclass(frozen=True)
class BuildRow:
    """A build simulated and measured."""

    measured: MeasuredBuild
    simulated: ScheduleResult

    def error_percent(self, quantity: Quantity) -> float:
        """Return how far the simulation is above the measurement, per cent."""
        measured: float = getattr(self.measured, quantity)
        return 100 * (float(getattr(self.simulated, quantity)) / measured - 1)


def scheduler(spec: BuildSpec, name: SchedulerName, cores: int) -> Scheduler:
    """Return a scheduler as the build's file describes it.

    Parameters
    ----------
    spec : BuildSpec
    name : {'4bsd', 'ule'}
    cores : int
        That it has; 4BSD lowers priorities slower with more.
    """
    found = spec.schedulers
    slice_ps, switch_ps = round(found.slice_ms * _PS_PER_MS), round(found.switch_us * _PS_PER_US)
    if name == "4bsd":
        return Scheduler(name, SharedQueueSpec(slice_ps, round(found.level_ms * _PS_PER_MS * cores)), switch_ps)
    look_ps, balance_ps, history_ps, fork_history_ps = (
        round(time * _PS_PER_MS) for time in (found.look_ms, found.balance_ms, found.history_ms, found.fork_history_ms)
    )
    queues = CoreQueuesSpec(slice_ps, found.push_load, look_ps, balance_ps, found.interactive_score, history_ps, fork_history_ps)
    return Scheduler(name, queues, switch_ps)


def run_build(machine: ScheduledMachine, build: Build, name: SchedulerName, cores: int | None = None) -> ScheduleResult:
    """Run a build on the first so many cores of a machine; None: on all."""
    cpus = machine.cpus[:cores]
    return machine.run([build.program()], scheduler(build.spec, name, len(cpus)), cpus=cpus)


def simulate_rows(machine: ScheduledMachine, spec: BuildSpec, rows: Sequence[MeasuredBuild]) -> tuple[BuildRow, ...]:
    """Simulate what was measured."""
    return tuple(
        BuildRow(row, run_build(machine, Build(spec, row.jobs, modules=row.build != "kernel"), row.scheduler, row.cores))
        for row in rows
    )


def memory_bound_rows(
    machine: ScheduledMachine, spec: BuildSpec, rows: Sequence[MeasuredBuild]
) -> tuple[tuple[MeasuredBuild, ScheduleResult], ...]:
    """Run the same builds with a compiler that is bound by memory; alone with warm caches it takes as long as the other one."""
    compiler, memory_bound = spec.compiler.footprint("compiler"), spec.memory_bound.footprint("memory bound")
    work = machine.ps_per_instruction(compiler) / machine.ps_per_instruction(memory_bound)
    return tuple(
        (row, run_build(machine, Build(spec, row.jobs, memory_bound_work=work), row.scheduler, row.cores)) for row in rows
    )


def groups_of(rows: Sequence[MeasuredBuild]) -> dict[tuple[str, int], list[MeasuredBuild]]:
    """Return the rows by what is built and on how many cores, in the order in which these come first."""
    groups: dict[tuple[str, int], list[MeasuredBuild]] = {}
    for one in rows:
        groups.setdefault((one.build, one.cores), []).append(one)
    return groups


def fewer_rows(rows: Sequence[MeasuredBuild]) -> list[MeasuredBuild]:
    """Return those of the kernel alone with 1, 2 and most jobs, for a first look."""
    kernel = [one for one in rows if one.build == "kernel"]
    most = {(one.cores, one.scheduler): one.jobs for one in sorted(kernel, key=lambda one: one.jobs)}
    return [one for one in kernel if one.jobs in (1, 2, most[one.cores, one.scheduler])]
