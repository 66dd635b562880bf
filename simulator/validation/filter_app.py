"""A compute-bound program on machines near and far from its memory: a long filter over sound, simulated beside measured.

What runs is a slice: each thread makes a few lines of output, for each of which it goes once through the filter's taps and the
input beside them, half a MiB each, from its caches; then it fetches one new line of input and writes one of output. The whole
program's time is the slice's time a line of output times all lines over all threads. The first line of output fills the caches
and is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from simulator.machine.spec import Machine
from simulator.outside import read_toml
from simulator.program import ArraySpec, InitPhase, MixPhase, Program, StreamSpec, SweepPhase, ThreadGroup
from simulator.replay.run import run_program
from simulator.tables import Table, number, row
from simulator.units import LINE_BYTES

OUTPUTS, QUICK_OUTPUTS = 4, 1  # lines of output a thread of the slice
SAMPLE_BYTES = 8  # double precision
A_LINE = LINE_BYTES // SAMPLE_BYTES
_S_PER_NS = 1e-9


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MeasuredRun(_Block):
    """One measured run of the whole program."""

    name: str
    machine: str
    cpu_nodes: str = Field(description="nodes whose cores run it, as numactl lists them")
    memory: str = Field(description="policy in numactl's words")
    seconds: float


class MeasuredPart(_Block):
    """A processor of which only a ratio is published."""

    machine: str
    tdp_w: float
    times_faster: float | None = Field(default=None, description="than the part before it")
    source: str


class FilterMeasurement(_Block):
    """What was measured, and how large the job is. The first run sets the time of a multiplication; the others are predicted."""

    schema_version: int
    source: str
    taps: int
    samples: int
    run: tuple[MeasuredRun, ...]
    part: tuple[MeasuredPart, ...]

    @property
    def first_machine(self) -> str:
        """Machine of the run that the time of a tap is taken from."""
        return self.run[0].machine


@dataclass(frozen=True)
class FilterRun:
    """One run, simulated.

    Attributes
    ----------
    seconds : float
        Of the whole program.
    lines_from_memory : float
        Lines fetched for each line of output.
    """

    name: str
    threads: int
    seconds: float
    measured_seconds: float | None
    lines_from_memory: float


def load_filter(path: Path) -> FilterMeasurement:
    """Read the measurement."""
    return FilterMeasurement.model_validate(read_toml(path, str(path), "a measured filter"))


def cycles_a_tap(measured: FilterMeasurement, machine: Machine) -> float:
    """Return the cycles of a multiplication and addition: the one number taken from the first measured run.

    What the caches make it wait, by their model, is not part of it.
    """
    first = measured.run[0]
    waits = run_filter(measured, machine, first.name, first.cpu_nodes, first.memory, 0.0, 1)
    computing_s = (first.seconds - waits.seconds) * waits.threads
    return computing_s / (measured.taps * measured.samples) / _S_PER_NS * machine.processor.clock_ghz


def filter_program(measured: FilterMeasurement, cpu_nodes: str, memory: str, tap_ns: float, outputs: int) -> Program:
    """Return the slice: `outputs` lines of output a thread, after one that warms the caches.

    Parameters
    ----------
    measured : FilterMeasurement
    cpu_nodes, memory : str
        In numactl's words.
    tap_ns : float
        Time of a multiplication and addition.
    outputs : int
    """
    taps_mib = measured.taps * SAMPLE_BYTES / 2**20
    arrays = (
        ArraySpec(name="taps", size_mib=taps_mib, policy=memory),
        ArraySpec(name="window", size_mib=taps_mib, policy=memory, per_thread=True),
        ArraySpec(name="input", size_mib=8.0, policy=memory, per_thread=True),
        ArraySpec(name="output", size_mib=8.0, policy=memory, per_thread=True),
    )
    pair_ns = A_LINE * A_LINE * tap_ns  # one line of taps and one of input make 64 products for 8 samples of output
    streams = tuple(StreamSpec(pattern="sequential", array=name, division="whole") for name in ("taps", "window"))
    one_output = (
        MixPhase(name="multiply", pattern="mix", streams=streams, compute_ns=pair_ns / 2, barrier=False),
        SweepPhase(name="fetch", pattern="random", array="input", lines=1, barrier=False),
        SweepPhase(name="store", pattern="random", array="output", lines=1, read_fraction=0.0, barrier=False),
    )
    touch = InitPhase(pattern="init", arrays=tuple(array.name for array in arrays))
    begin = one_output[0].model_copy(update={"barrier": True})
    return Program(
        name="filter",
        arrays=arrays,
        threads=(ThreadGroup(name="worker", numactl=f"--cpunodebind={cpu_nodes}"),),
        phases=(touch, *one_output, begin, *one_output[1:], *one_output * (outputs - 1)),
    )


def run_filter(
    measured: FilterMeasurement, machine: Machine, name: str, cpu_nodes: str, memory: str, cycles: float, outputs: int
) -> FilterRun:
    """Simulate a slice and scale it to the whole program.

    Parameters
    ----------
    measured : FilterMeasurement
    machine : Machine
    name : str
    cpu_nodes, memory : str
        In numactl's words.
    cycles : float
        Of a multiplication and addition.
    outputs : int
        Lines of output a thread.
    """
    program = filter_program(measured, cpu_nodes, memory, cycles / machine.processor.clock_ghz, outputs)
    result = run_program(machine, program)
    slice_ = result.phases[-1]
    all_outputs = measured.samples / A_LINE
    known = next((run.seconds for run in measured.run if (run.name, run.machine) == (name, machine.name)), None)
    threads = len(result.threads)
    seconds = slice_.time_ns * _S_PER_NS / outputs * all_outputs / threads
    return FilterRun(name, threads, seconds, known, slice_.lines / (outputs * threads))


def filter_runs(measured: FilterMeasurement, machines: Mapping[str, Machine], cycles: float, outputs: int) -> list[FilterRun]:
    """Simulate the measured runs and the two other parts; `cycles` are those of a tap."""
    runs = [
        run_filter(measured, machines[run.machine], run.name, run.cpu_nodes, run.memory, cycles, outputs) for run in measured.run
    ]
    for part in measured.part:
        runs.append(run_filter(measured, machines[part.machine], part.machine, "all", "--localalloc", cycles, outputs))
    return runs


def filter_tables(measured: FilterMeasurement, runs: list[FilterRun], tap_cycles: float) -> list[Table]:
    """Return times beside measured ones, and energy a job."""
    first = runs[0]
    times = []
    for run in runs[: len(measured.run)]:
        known = run.measured_seconds or 0.0
        times.append(
            row(
                run.name,
                f"{run.threads}",
                number(run.seconds, 1),
                number(known, 1),
                number(100 * (run.seconds / known - 1), 2, signed=True),
                number(first.seconds / run.seconds, 4),
                number((first.measured_seconds or 0.0) / known, 4),
                number(run.lines_from_memory, 2),
            )
        )
    headers = ("run", "threads", "s", "measured s", "error %", "times as fast", "measured", "lines from memory")
    note = (
        f"  a tap takes {tap_cycles:.1f} cycles: taken from the first row, so its error says little; ratios are predicted\n"
        "  lines from memory: for each line of output, which takes twice 8,193 lines from the caches"
    )
    parts = runs[len(measured.run) :]
    energy = []
    for place, (part, run) in enumerate(zip(measured.part, parts, strict=True)):
        faster = parts[place - 1].seconds / run.seconds if place else None
        joules = part.tdp_w * run.seconds / 1000
        numbers = (number(run.seconds, 1), number(faster, 2), number(part.times_faster, 1), number(part.tdp_w, 0))
        energy.append(row(run.name, f"{run.threads}", *numbers, number(joules, 1)))
    heads = ("part", "threads", "s", "times as fast", "published", "W", "kJ a job")
    below = (
        "  the same cycles a tap on every core, at the base clock of the data sheet, and all of the power limit all the time;\n"
        "  the ratio is off by what differs in cycles and clocks, which nothing here measures"
    )
    return [
        Table(f"Filter of {measured.taps:,} taps, {measured.samples:,} samples", headers, tuple(times), note=note),
        Table("The same job on two other parts", heads, tuple(energy), note=below),
    ]
