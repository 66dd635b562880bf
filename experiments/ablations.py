"""Crossfire with one mechanism changed at a time: flow control, CRC, credits, window, buffers. Which of them makes the 87 %?

AMD note 40555, p.26 and p.41.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.plots.ablations import draw_ablations
from simulator.tables import Table
from simulator.validation.ablation import ABLATION_ACCURACY, ablation_table, run_ablations
from simulator.validation.reproduce import QUICK_ACCURACY


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Run the ablations of the Quartet."""
    rows = run_ablations(load_machine("quartet"), QUICK_ACCURACY if quick else ABLATION_ACCURACY)
    draw_ablations(rows, folder / "ablations")
    return [ablation_table(rows)]


if __name__ == "__main__":
    raise SystemExit(table_experiment("ablations", __doc__, tables))
