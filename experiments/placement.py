"""Streaming threads on every core of the Quartet, under every policy that Linux and the BIOS have.

The same reads every time; only where the pages are differs. The second table asks how often a thread that has come to another
node must read its memory until it is worth moving the pages after it.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.cli.replay_loads import loads_table, phases_table
from simulator.cli.replay_tables import runs_table
from simulator.plots.replays import draw_replays
from simulator.replay.side_by_side import PASSES, QUICK_PASSES, moved_off_its_memory, side_by_side, streaming_under_policies
from simulator.tables import Table


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Run all policies, and the thread that moved."""
    machine = load_machine("quartet")
    report = side_by_side(machine, streaming_under_policies(machine))
    draw_replays(report, folder / "placement")
    moved = side_by_side(machine, moved_off_its_memory(QUICK_PASSES if quick else PASSES))
    return [runs_table(report), loads_table(report), runs_table(moved), phases_table(moved)]


if __name__ == "__main__":
    raise SystemExit(table_experiment("placement", __doc__, tables))
