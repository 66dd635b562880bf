"""More jobs than cores on a machine of several nodes: what a scheduler does to the distance between a job and its memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simulator.engine.random_numbers import random_bits, stream_start
from simulator.schedule.actions import Compute, Program, Sleep, Steps
from simulator.schedule.footprint import Footprint
from simulator.schedule.result import ScheduleResult
from simulator.schedule.run import ScheduledMachine, Scheduler
from simulator.schedule.task import Cpu
from simulator.tables import Table, number, row

_PS_PER_MS = 10**9
_DRAWS = 1 << 16
# Jobs, bursts of each, and means of a burst and of a wait in ms.
LONG_MIX, QUICK_MIX = (16, 3, 60.0, 20.0), (16, 2, 30.0, 20.0)


@dataclass(frozen=True)
class JobMix:
    """Jobs that compute and wait by turns, each on memory of its own.

    Attributes
    ----------
    jobs : int
    bursts : int
        Of computing, a wait between any two.
    burst_ms, wait_ms : float
        Means, alone on the machine; each is drawn from half to one and a half times as much.
    footprint : Footprint
    """

    jobs: int
    bursts: int
    burst_ms: float
    wait_ms: float
    footprint: Footprint

    def programs(self, machine: ScheduledMachine, pinned: bool, seed: int = 1) -> tuple[Program, ...]:
        """Return the jobs, each pinned to a CPU if asked: in turn over the nodes, so that each has as many."""
        instructions = self.burst_ms * _PS_PER_MS / machine.ps_per_instruction(self.footprint)
        cpus = sorted(machine.cpus, key=lambda cpu: (cpu[1], cpu[0]))
        return tuple(
            Program(
                f"job {number}",
                self.footprint,
                self._steps(number, instructions, seed),
                frozenset({cpus[number % len(cpus)]}) if pinned else None,
            )
            for number in range(self.jobs)
        )

    def _steps(self, number: int, instructions: float, seed: int) -> Callable[[], Steps]:
        stream = stream_start(seed, f"job {number}")

        def share(draw: int) -> float:
            return 0.5 + random_bits(stream, draw) % _DRAWS / _DRAWS

        def steps() -> Steps:
            for burst in range(self.bursts):
                if burst:
                    yield Sleep(round(self.wait_ms * share(2 * burst) * _PS_PER_MS))
                yield Compute(instructions * share(2 * burst + 1))

        return steps


def job_mix(footprint: Footprint, sizes: tuple[int, int, float, float]) -> JobMix:
    """Return a mix of `LONG_MIX` or `QUICK_MIX`."""
    return JobMix(*sizes, footprint)


@dataclass(frozen=True)
class MixResult:
    """A mix under a scheduler."""

    scheduler: str
    pinned: bool
    result: ScheduleResult


def run_mix(
    machine: ScheduledMachine, mix: JobMix, schedulers: Sequence[Scheduler], *, cpus: Sequence[Cpu] | None = None
) -> tuple[MixResult, ...]:
    """Run a mix under each scheduler, free and pinned; the last is what the others are compared with.

    Parameters
    ----------
    machine : ScheduledMachine
    mix : JobMix
    schedulers : sequence of Scheduler
    cpus : sequence of (int, int), optional
    """
    return tuple(
        MixResult(scheduler.name, pinned, machine.run(mix.programs(machine, pinned), scheduler, cpus=cpus))
        for scheduler in schedulers
        for pinned in (False, True)
    )


def mix_table(machine: str, mix: JobMix, results: Sequence[MixResult]) -> Table:
    """Lay the results out, with what a job's CPU time grew by against pinned jobs."""
    rows = []
    for one in results:
        pinned = next(other for other in results if other.pinned and other.scheduler == one.scheduler).result
        found = one.result
        rows.append(
            row(
                one.scheduler,
                "pinned" if one.pinned else "free",
                number(found.real_s, 3),
                number(found.user_s, 3),
                number(100 * (found.user_s / pinned.user_s - 1), signed=True),
                number(100 * (found.real_s / pinned.real_s - 1), signed=True),
                number(found.local_percent),
                number(found.cpu_percent, 0),
                str(found.switches),
                str(found.migrations),
                number(found.refilled_lines / 1e3, 0),
            )
        )
    headers = (
        "scheduler", "jobs", "real s", "user s", "user +%", "real +%", "local %", "CPU %", "switches", "migrations", "refilled k",
    )  # fmt: skip
    note = "+%: against pinned jobs. local: lines in memory of the node the job ran on. refilled: thousands of lines."
    title = f"{mix.jobs} jobs ({mix.footprint.name}) on {machine}"
    return Table(title, headers, tuple(rows), left=2, note=note)
