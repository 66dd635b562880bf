"""All-to-all reading, simulated beside its bound, under each arbitration."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Literal

from simulator.machine.spec import Machine, Node
from simulator.machine.variants import with_nodes, with_unlimited_buffers
from simulator.measure.accuracy import Accuracy
from simulator.measure.run import run
from simulator.tables import Table, number, row
from simulator.theory.all_to_all import AllToAllBound, all_to_all_bound, all_to_all_workload
from simulator.validation.reference_file import load_reference

ALL_TO_ALL_ACCURACY = Accuracy(ci_percent=0.5, lines=50_000, warmup=1000)
ARBITRATIONS: tuple[Literal["round-robin", "response-first"], ...] = ("round-robin", "response-first")
QUANTITY = "all nodes read from all nodes"


@dataclass(frozen=True)
class AllToAllRow:
    """Simulated rate under one arbitration.

    Attributes
    ----------
    unlimited_buffers : bool
        Whether credits and the buffers inside nodes were unlimited.
    gb_per_s : float
        Data that all threads read together.
    busiest_link, link_utilization : str, float
        The most used link direction and its use; on a machine without links an empty name and 0.
    controller_utilization : float
        Use of the busiest DRAM.
    equal_gb_per_s : float
        What all would read if each were as slow as the slowest thread.
    """

    arbitration: str
    unlimited_buffers: bool
    gb_per_s: float
    busiest_link: str
    link_utilization: float
    controller_utilization: float
    verdict: str
    equal_gb_per_s: float


def simulate_all_to_all(machine: Machine, accuracy: Accuracy = ALL_TO_ALL_ACCURACY, seed: int = 1) -> list[AllToAllRow]:
    """Let every core read from every memory with all the lines in flight that it may have.

    Under each arbitration, with the machine's buffers and with unlimited ones.
    """
    rows = []
    for unlimited_buffers, arbitration in product((False, True), ARBITRATIONS):
        changed = _with_arbitration(machine, arbitration)
        if unlimited_buffers:
            changed = with_unlimited_buffers(changed)
        result = run(changed, all_to_all_workload(machine), accuracy, seed=seed)
        busiest = max(result.links, key=lambda key: result.links[key].utilization, default="")
        rows.append(
            AllToAllRow(
                arbitration=arbitration,
                unlimited_buffers=unlimited_buffers,
                gb_per_s=sum(thread.gb_per_s for thread in result.threads),
                busiest_link=busiest,
                link_utilization=result.links[busiest].utilization if busiest else 0.0,
                controller_utilization=max(controller.utilization for controller in result.controllers.values()),
                verdict=result.verdict,
                equal_gb_per_s=len(result.threads) * min(thread.gb_per_s for thread in result.threads),
            )
        )
    return rows


def all_to_all_table(machine: Machine, bound: AllToAllBound, rows: list[AllToAllRow], quoted: float | None) -> Table:
    """Lay out bound, the real machine's rate in GB/s where it is known, and the simulated rates."""
    lines = [
        row("bound by routed bytes", number(bound.link_gb_per_s), bound.busiest_link or "-", "100.0", "-"),
        row("bound by DRAM service", number(bound.dram_gb_per_s), "-", "-", "100.0"),
    ]
    if quoted is not None:
        lines.append(row("real machine, as AMD quotes it", number(quoted), "-", "-", "-"))
    for result in rows:
        use = (number(100 * result.link_utilization), number(100 * result.controller_utilization))
        buffers = ", unlimited buffers" if result.unlimited_buffers else ""
        lines.append(row(f"simulated, {result.arbitration}{buffers}", number(result.gb_per_s), result.busiest_link or "-", *use))
    headers = ("", "GB/s of data", "busiest link", "its use %", "busiest DRAM %")
    note = f"  machine {machine.name}; every core reads every memory in turn with {machine.core.max_outstanding} lines in flight"
    return Table("All nodes read from all nodes", headers, tuple(lines), note=note)


def all_to_all(machine: Machine, accuracy: Accuracy = ALL_TO_ALL_ACCURACY) -> Table:
    """Return bound and simulated rates as a table."""
    reference = load_reference("amd-40555")
    known = [quoted.gb_per_s for quoted in reference.quoted if (quoted.quantity, quoted.machine) == (QUANTITY, machine.name)]
    rows = simulate_all_to_all(machine, accuracy)
    return all_to_all_table(machine, all_to_all_bound(machine), rows, known[0] if known else None)


def _with_arbitration(machine: Machine, arbitration: Literal["round-robin", "response-first"]) -> Machine:
    def change(node: Node) -> Node:
        return node.model_copy(update={"crossbar": node.crossbar.model_copy(update={"arbitration": arbitration})})

    return with_nodes(machine, change)
