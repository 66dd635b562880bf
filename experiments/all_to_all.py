"""Every node reads from every node, itself included: the bound by routed bytes, and what is simulated under each arbitration.

AMD quotes a rate for the real machine.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.tables import Table
from simulator.validation.all_to_all import ALL_TO_ALL_ACCURACY, all_to_all
from simulator.validation.reproduce import QUICK_ACCURACY


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Let all nodes of the Quartet read from all."""
    return [all_to_all(load_machine("quartet"), QUICK_ACCURACY if quick else ALL_TO_ALL_ACCURACY)]


if __name__ == "__main__":
    raise SystemExit(table_experiment("all_to_all", __doc__, tables))
