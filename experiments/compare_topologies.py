"""Which topology does what: links, distances, idle latency by hops and all-to-all bandwidth of every Opteron machine.

Nothing is fitted: the K8 machines share the constants fitted to the Quartet and differ in topology, rates and clock only.
"""

from collections.abc import Sequence
from pathlib import Path

from simulator import list_machines, load_machine
from simulator.cli.experiment import table_experiment
from simulator.plots.topologies import draw_topologies
from simulator.tables import Table
from simulator.validation.reproduce import QUICK_ACCURACY
from simulator.validation.topologies import COMPARISON_ACCURACY, bandwidth_table, compare_topologies, topologies_table


def tables(quick: bool, folder: Path) -> Sequence[Table]:
    """Compare all machines of Opterons, small ones first."""
    machines = [machine for machine in map(load_machine, list_machines()) if "Opteron" in machine.processor.name]
    machines.sort(key=lambda machine: (len(machine.nodes), sum(node.cores for node in machine.nodes), len(machine.links)))
    rows = compare_topologies(machines, QUICK_ACCURACY if quick else COMPARISON_ACCURACY)
    draw_topologies(rows, folder / "compare_topologies")
    return [topologies_table(rows), bandwidth_table(rows)]


if __name__ == "__main__":
    raise SystemExit(table_experiment("compare_topologies", __doc__, tables))
