"""16 threads on `opteron-8385-4p` that share one table: all its pages on one node, against pages interleaved over all.

A quarter of all accesses is local either way, so the share of local accesses says nothing here; where the queues are does.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.cli.replay_loads import loads_table
from simulator.cli.replay_tables import runs_table
from simulator.plots.replays import draw_replays
from simulator.program import load_program
from simulator.replay.side_by_side import quick_form, side_by_side
from simulator.tables import Table

WORKLOADS = Path(__file__).parent / "workloads"
FILES = {"all pages on one node": "contention_one_node.toml", "pages interleaved": "contention_interleaved.toml"}


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Run both placements."""
    programs = {name: load_program(WORKLOADS / file) for name, file in FILES.items()}
    if quick:
        programs = {name: quick_form(program) for name, program in programs.items()}
    report = side_by_side(load_machine("opteron-8385-4p"), programs)
    draw_replays(report, folder / "contention")
    return [runs_table(report), loads_table(report)]


if __name__ == "__main__":
    raise SystemExit(table_experiment("contention", __doc__, tables))
