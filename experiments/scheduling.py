"""16 jobs on the eight cores of the Quartet under two schedulers: how far a job gets from its memory, and what that costs."""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.schedule import FEW_LINES, ScheduledMachine, load_build
from simulator.schedule.kernel_build import scheduler
from simulator.schedule.many_jobs import LONG_MIX, QUICK_MIX, job_mix, mix_table, run_mix
from simulator.tables import Table

MACHINE = "quartet"


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Run jobs that stream through memory, and jobs that compile."""
    spec = load_build(Path(__file__).parent / "builds" / "freebsd-kernel.toml")
    machine = ScheduledMachine(load_machine(MACHINE), FEW_LINES)
    schedulers = [scheduler(spec, name, len(machine.cpus)) for name in ("4bsd", "ule")]
    kinds = {"streaming": spec.memory_bound, "compiling": spec.compiler}
    found = []
    for name in ["streaming"] if quick else kinds:
        mix = job_mix(kinds[name].footprint(name), QUICK_MIX if quick else LONG_MIX)
        found.append(mix_table(MACHINE, mix, run_mix(machine, mix, schedulers)))
    return found


if __name__ == "__main__":
    raise SystemExit(table_experiment("scheduling", __doc__, tables))
