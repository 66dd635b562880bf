"""The second opinion's network in Ciw: a task as JSON on stdin, the quantities of each replication as JSON on stdout.

A script of its own, for Ciw lives in another environment; it takes nothing from this project.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import ciw


def replicate(task: dict[str, Any], seed: int) -> list[float]:
    """Run once: customers pass server 1, server 2, and think at node 3, where there is a server for everyone."""
    ciw.seed(seed)
    first_ns, second_ns = task["service_ns"]
    dists = ciw.dists
    network = ciw.create_network(
        arrival_distributions=[dists.Sequential([0.0, float("inf")]), None, None],
        batching_distributions=[dists.Deterministic(task["customers"]), dists.Deterministic(1), dists.Deterministic(1)],
        service_distributions=[
            dists.Deterministic(first_ns),
            dists.Deterministic(second_ns),
            dists.Exponential(1 / task["think_ns"]),
        ],
        routing=[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
        number_of_servers=[1, 1, float("inf")],
    )
    simulation = ciw.Simulation(network)
    cycle_ns = first_ns + second_ns + task["think_ns"]
    warm_ns = task["warmup"] * cycle_ns
    end_ns = warm_ns + task["cycles"] * cycle_ns
    simulation.simulate_until_max_time(end_ns)
    records = [record for one in simulation.get_all_individuals() for record in one.data_records]
    waits: dict[int, list[float]] = {1: [], 2: [], 3: []}
    for record in records:
        if record.arrival_date >= warm_ns:
            waits[record.node].append(record.waiting_time)
    passages = sum(1 for record in records if record.node == 2 and warm_ns <= record.exit_date < end_ns)
    return [1000 * passages / (end_ns - warm_ns), sum(waits[1]) / len(waits[1]), sum(waits[2]) / len(waits[2])]


def main() -> None:
    """Do the task."""
    task = json.load(sys.stdin)
    json.dump([replicate(task, task["seed"] + number) for number in range(task["replications"])], sys.stdout)


if __name__ == "__main__":
    main()
