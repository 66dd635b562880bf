"""Two real programs, from their memory accesses to their time: does it matter where their memory is?

STREAM's four loops and a merge sort (experiments/programs/) run under valgrind, which writes down every access; the caches of the
Quartet filter them; what is left goes to memory on the program's own node, one hop away, two hops away, or spread over all.
Then a copy of STREAM runs on every core. Without gcc or valgrind the trace that is shipped is taken, a shorter one.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.cli.replay_tables import runs_table
from simulator.plots.replays import draw_replays
from simulator.replay.real_programs import real_program_replays
from simulator.tables import Table

HERE = Path(__file__).resolve().parent
SHIPPED = HERE.parent / "tests" / "traces" / "data" / "stream_small.lackey.gz"


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Record, replay, draw."""
    found: list[Table] = []
    for name, report in real_program_replays(load_machine("quartet"), HERE / "programs", SHIPPED, quick):
        draw_replays(report, folder / f"trace_replay-{name}")
        found.append(runs_table(report))
    return found


if __name__ == "__main__":
    raise SystemExit(table_experiment("trace_replay", __doc__, tables))
