"""A kernel build with 1 to 16 jobs on two cores under two schedulers, simulated beside measured; and one bound by memory.

Each process is an address pattern filtered by the caches of the machine; how fast those that run together go comes from
line-level runs. docs/scheduling.md says which numbers were fitted.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.plots.kernel_build import draw_builds, draw_memory_bound
from simulator.schedule import LINES, QUICK_LINES, ScheduledMachine, load_build, read_builds
from simulator.schedule.kernel_build import fewer_rows, groups_of, memory_bound_rows, simulate_rows
from simulator.schedule.report import builds_table, checks_table, memory_bound_table, parameters_table
from simulator.tables import Table

HERE = Path(__file__).parent


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Simulate what was measured, then the same with a compiler bound by memory."""
    spec = load_build(HERE / "builds" / "freebsd-kernel.toml")
    measured = read_builds(HERE / "measured" / "athlon64-x2-kernel-build.csv")
    machine = ScheduledMachine(load_machine(spec.machine), QUICK_LINES if quick else LINES)
    groups = groups_of(fewer_rows(measured) if quick else measured)
    rows = {kind: simulate_rows(machine, spec, group) for kind, group in groups.items()}
    both_cores = next(iter(groups))
    bound = memory_bound_rows(machine, spec, [one.measured for one in rows[both_cores]])
    draw_builds(rows[both_cores], folder / "kernel_build", f"{spec.title}, on {machine.machine.title}")
    draw_memory_bound(rows[both_cores], bound, folder / "memory_bound")
    return [
        *(builds_table(f"{build}: measured, simulated, error; cores: {cores}", rows[build, cores]) for build, cores in groups),
        checks_table(rows[both_cores]),
        memory_bound_table(rows[both_cores], bound),
        parameters_table(spec),
    ]


if __name__ == "__main__":
    raise SystemExit(table_experiment("kernel_build", __doc__, tables))
