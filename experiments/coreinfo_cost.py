"""What memory of the other socket costs on two Xeons E5-2650 v3: Coreinfo's relative costs, simulated beside published.

The latency of the machine's link was fitted to the mean of the two remote costs, so that their size shows nothing; all else did
not see them.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import load_machine
from simulator.cli.experiment import table_experiment
from simulator.interop.measurements import read_measured
from simulator.tables import Table
from simulator.validation.compare import ACCURACY, compare
from simulator.validation.coreinfo_costs import cost_tables
from simulator.validation.reproduce import QUICK_ACCURACY

MACHINE = "xeon-e5-2650v3-2s"


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Simulate what Coreinfo measured."""
    measured = read_measured(Path(__file__).parent / "measured" / f"{MACHINE}.csv")
    return cost_tables(compare(measured, load_machine(MACHINE), accuracy=QUICK_ACCURACY if quick else ACCURACY))


if __name__ == "__main__":
    raise SystemExit(table_experiment("coreinfo_cost", __doc__, tables))
