"""A compute-bound filter on two Xeon sockets: its memory near, far, and all cores; and on two other parts with energy a job.

Idle memory of the other socket is 1.3 to 1.4 times as far, yet such a program loses nothing by it: its data stay in its caches.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.tables import Table
from simulator.validation.filter_app import OUTPUTS, QUICK_OUTPUTS, cycles_a_tap, filter_runs, filter_tables, load_filter


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Simulate all runs."""
    measured = load_filter(Path(__file__).parent / "measured" / "filter.toml")
    names = {run.machine for run in measured.run} | {part.machine for part in measured.part}
    machines = {name: load_machine(name) for name in names}
    cycles = cycles_a_tap(measured, machines[measured.first_machine])
    return filter_tables(measured, filter_runs(measured, machines, cycles, outputs=QUICK_OUTPUTS if quick else OUTPUTS), cycles)


if __name__ == "__main__":
    raise SystemExit(table_experiment("filter_app", __doc__, tables))
