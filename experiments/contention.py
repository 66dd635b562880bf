"""16 threads on `opteron-8385-4p` that share one table: all its pages on one node, against pages interleaved over all.

A quarter of all accesses is local either way, so the share of local accesses says nothing here; where the queues are does.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.cli.replay_loads import loads_table
from simulator.cli.replay_tables import replay_tables
from simulator.plots.replays import draw_replays
from simulator.program import load_program
from simulator.program.scaled import with_lines
from simulator.replay.side_by_side import side_by_side
from simulator.tables import Table

WORKLOADS = Path(__file__).parent / "workloads"
LINES = {True: 2_000, False: 20_000}


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Run both placements."""
    files = {"all pages on node 0": "contention_one_node.toml", "pages interleaved": "contention_interleaved.toml"}
    programs = {name: with_lines(load_program(str(WORKLOADS / file)), LINES[quick]) for name, file in files.items()}
    report = side_by_side(load_machine("opteron-8385-4p"), programs)
    draw_replays(report, folder / "contention")
    return [replay_tables(report)[0], loads_table(report)]


if __name__ == "__main__":
    raise SystemExit(table_experiment("contention", __doc__, tables))
