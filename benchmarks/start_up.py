"""How long the library takes to import, and the command line to say what it can do."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from benchmarks.apart import Section

CHILDREN = 5
HELP = "import sys; from simulator.cli.main import main; sys.argv = ['numasim', '--help']; sys.exit(main())"
COMMANDS = (
    ("import simulator", ("-c", "import simulator"), 0.5),
    ("numasim --help", ("-c", HELP), 0.4),
)


@dataclass(frozen=True)
class StartUp:
    """Seconds of each child process, from its start to its end, Python's own start included."""

    name: str
    wall_s: Sequence[float]
    cpu_s: Sequence[float]
    limit_s: float


def start_up_section() -> Section:
    """Measure all commands after one start each that warms the disk."""
    found = [_measure(*command) for command in COMMANDS]
    lines = [
        f"{'start-up':<20}{'wall s':>8}{'CPU s':>8}{'limit':>8}  median of {CHILDREN} child processes; the limit is for CPU s"
    ]
    lines += [f"{one.name:<20}{median(one.wall_s):>8.3f}{median(one.cpu_s):>8.3f}{one.limit_s:>8.2f}" for one in found]
    return Section(lines, complaints_about_start_up(found))


def complaints_about_start_up(found: Sequence[StartUp]) -> list[str]:
    """Return which commands took too much processor time; on an idle computer that is the time on the wall."""
    return [
        f"{one.name} took {median(one.cpu_s):.3f} s, more than {one.limit_s:.2f}"
        for one in found
        if median(one.cpu_s) > one.limit_s
    ]


def _measure(name: str, arguments: Sequence[str], limit_s: float) -> StartUp:
    _run(arguments)
    wall_s, cpu_s = zip(*(_run(arguments) for _ in range(CHILDREN)), strict=True)
    return StartUp(name, wall_s, cpu_s, limit_s)


def _run(arguments: Sequence[str]) -> tuple[float, float]:
    before, started_s = _children_cpu_s(), perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - started_s, _children_cpu_s() - before


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
