"""Two real programs, traced, on a machine under several placements: one by one, and a copy on every core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from simulator.machine.distances import cpu_numbers
from simulator.machine.spec import Machine
from simulator.placement import parse_numactl
from simulator.replay.look import look_through
from simulator.replay.record import can_record, record
from simulator.replay.result import Replays
from simulator.replay.run import run_traces
from simulator.replay.trace_file import TraceFile


@dataclass(frozen=True)
class RealProgram:
    """A C program, and the arguments it is traced with.

    Attributes
    ----------
    source : str
        File name.
    arguments, quick_arguments : tuple of str
    """

    source: str
    arguments: tuple[str, ...]
    quick_arguments: tuple[str, ...]


PROGRAMS = (
    RealProgram("stream_small.c", ("131072", "1"), ("65536", "1")),  # three arrays of 1 MiB, or 512 KiB; one round
    RealProgram("sort_small.c", ("65536",), ("8192",)),  # two arrays of 256 KiB, or 32 KiB: they stay in the L2
)
ONE_THREAD = ("-N 0 -m 0", "-N 0 -m 1", "-N 0 -m 3", "-N 0 -i all")  # local, one hop, two hops on the Quartet, spread
EVERY_CORE = ("--localalloc", "-m 0", "-i all")


def real_program_replays(machine: Machine, sources: Path, shipped: Path, quick: bool) -> Iterator[tuple[str, Replays]]:
    """Trace the programs, or take the trace that is shipped, and replay them.

    Parameters
    ----------
    machine : Machine
        Its node 3 is two hops from node 0 if the placements are to show that.
    sources : Path
        Folder of the C programs.
    shipped : Path
        Trace of the first program, for computers without gcc or valgrind.
    quick : bool
        Whether to take the short arguments.

    Yields
    ------
    (str, Replays)
        What it is, in a word: each program by itself, then a copy of the first on every core.
    """
    with TemporaryDirectory(prefix="numasim-") as folder:
        traces = _traces(sources, shipped, quick, Path(folder))
        for trace in traces:
            yield trace.name.partition(".")[0], _replays(machine, [trace], ONE_THREAD)
        copies = sum(map(len, cpu_numbers(machine).values()))
        yield "copies", _replays(machine, [traces[0]] * copies, EVERY_CORE)


def _traces(sources: Path, shipped: Path, quick: bool, folder: Path) -> list[Path]:
    if not can_record():
        return [shipped]
    return [record(sources / one.source, one.quick_arguments if quick else one.arguments, folder) for one in PROGRAMS]


def _replays(machine: Machine, traces: Sequence[Path], placements: Sequence[str]) -> Replays:
    look = look_through([TraceFile(str(trace)) for trace in traces])
    places = {cpu: (node, core) for node, cpus in cpu_numbers(machine).items() for core, cpu in enumerate(cpus)}
    runs = []
    for words in placements:
        binding = parse_numactl(words, machine)
        cpus = [places[cpu] for cpu in (binding.cpus or sorted(places))]
        runs.append(run_traces(machine, look, cpus, policy=binding.policy, placement=words))
    return Replays(runs=tuple(runs))
