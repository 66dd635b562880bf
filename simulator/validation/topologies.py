"""Machines of one family compared: links, distances, idle latency by hops, all-to-all bandwidth beside its bound."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.machine.spec import Machine
from simulator.machine.topology import hops, summarise
from simulator.measure.accuracy import Accuracy
from simulator.measure.batches import CONFIDENCE
from simulator.measure.idle import zero_load_ns
from simulator.tables import Cell, Table, number, row
from simulator.theory.all_to_all import AllToAllBound, all_to_all_bound, all_to_all_workload
from simulator.theory.bounds import workload_bounds
from simulator.validation.all_to_all import AllToAllRow, simulate_all_to_all

COMPARISON_ACCURACY = Accuracy(ci_percent=1.0, lines=1500, warmup=300)
REPLICATIONS = 4
HELD_OUT_PERCENT = 5.4  # largest error of a bar of AMD's whose figure the fit has not seen (docs/calibration.md)


@dataclass(frozen=True)
class HopLatency:
    """Idle read latency over all pairs of nodes so many hops apart, as requests are routed, ns.

    Attributes
    ----------
    hops, pairs : int
    least_ns, mean_ns, most_ns : float
    """

    hops: int
    pairs: int
    least_ns: float
    mean_ns: float
    most_ns: float


@dataclass(frozen=True)
class Rate:
    """Data that all threads together read, GB/s: mean and half width of the 95 % interval over replications."""

    mean: float
    half_width: float


@dataclass(frozen=True)
class Bandwidth:
    """All-to-all reading.

    Attributes
    ----------
    own : Rate
        Under the machine's own arbitration, with its buffers.
    equal : Rate
        The same if every thread were as slow as the slowest.
    least_gb_per_s, most_gb_per_s : float
        Lowest and highest end of the intervals under either arbitration, with the machine's buffers and with unlimited ones: what
        AMD's figures leave open of the model.
    bound : AllToAllBound
        Where every node reads equally from every node.
    total_bound_gb_per_s : float
        However unequally, and with the machine's buffers.
    busiest : AllToAllRow
        One run of `own`.
    """

    own: Rate
    equal: Rate
    least_gb_per_s: float
    most_gb_per_s: float
    bound: AllToAllBound
    total_bound_gb_per_s: float
    busiest: AllToAllRow


@dataclass(frozen=True)
class TopologyRow:
    """What follows from a machine.

    Attributes
    ----------
    machine : str
    nodes, cores, links, diameter : int
    average_hops : float
        As requests are routed, a node and itself included.
    latencies : tuple of HopLatency
        By hops.
    bandwidth : Bandwidth
    """

    machine: str
    nodes: int
    cores: int
    links: int
    diameter: int
    average_hops: float
    latencies: tuple[HopLatency, ...]
    bandwidth: Bandwidth


def compare_topologies(machines: Sequence[Machine], accuracy: Accuracy = COMPARISON_ACCURACY, seed: int = 1) -> list[TopologyRow]:
    """Work out each machine, in the order given.

    Parameters
    ----------
    machines : sequence of Machine
    accuracy : Accuracy
        Of the all-to-all runs.
    seed : int
    """
    return [_compare(machine, accuracy, seed) for machine in machines]


def idle_by_hops(machine: Machine) -> tuple[HopLatency, ...]:
    """Return the idle latency of a read, every pair of a node with cores and one with memory, by hops."""
    found: dict[int, list[float]] = {}
    for node, line in zip(machine.nodes, hops(machine), strict=True):
        for home, far in zip(machine.nodes, line, strict=True):
            if node.cores and home.controller is not None:
                found.setdefault(far, []).append(zero_load_ns(machine, node.id, home.id))
    return tuple(HopLatency(far, len(ns), min(ns), sum(ns) / len(ns), max(ns)) for far, ns in sorted(found.items()))


def all_to_all_bandwidth(machine: Machine, accuracy: Accuracy = COMPARISON_ACCURACY, seed: int = 1) -> Bandwidth:
    """Run all-to-all reading with `REPLICATIONS` seeds from `seed` on, under either arbitration and with or without buffers."""
    runs = [simulate_all_to_all(machine, accuracy, seed + more) for more in range(REPLICATIONS)]
    variants = list(zip(*runs, strict=True))
    rates = [_rate([one.gb_per_s for one in variant]) for variant in variants]
    arbitration = machine.nodes[0].crossbar.arbitration
    own = next(place for place, one in enumerate(runs[0]) if one.arbitration == arbitration and not one.unlimited_buffers)
    return Bandwidth(
        own=rates[own],
        equal=_rate([one.equal_gb_per_s for one in variants[own]]),
        least_gb_per_s=min(rate.mean - rate.half_width for rate in rates),
        most_gb_per_s=max(rate.mean + rate.half_width for rate in rates),
        bound=all_to_all_bound(machine),
        total_bound_gb_per_s=float(workload_bounds(machine, all_to_all_workload(machine)).total_gb_per_s),
        busiest=runs[0][own],
    )


def topologies_table(rows: Sequence[TopologyRow]) -> Table:
    """Lay out topologies and their latencies."""
    farthest = max(latency.hops for one in rows for latency in one.latencies)
    headers = ("machine", "nodes", "cores", "links", "diameter", "average", *(f"{_hops(far)} ns" for far in range(farthest + 1)))
    lines = [
        row(
            one.machine,
            *(str(count) for count in (one.nodes, one.cores, one.links, one.diameter)),
            number(one.average_hops, 4),
            *(_latency_text(one, far) for far in range(farthest + 1)),
        )
        for one in rows
    ]
    note = (
        "  average: hops as requests are routed, a node and itself included; latency: an idle read, least-most over the pairs\n"
        f"  fitted to the Quartet, to nothing else; there, bars that the fit has not seen came within {HELD_OUT_PERCENT} %"
    )
    return Table("Topologies and idle latency", headers, tuple(lines), note=note)


def bandwidth_table(rows: Sequence[TopologyRow]) -> Table:
    """Lay out all-to-all rates."""
    headers = ("machine", "GB/s", "the model's interval", "equally", "bound", "set by", "any shares", "busiest link %", "DRAM %")
    note = (
        f"  data that all cores together read from all memories in turn; +-: 95 % interval over {REPLICATIONS} seeds\n"
        "  the model's interval: under either arbitration, with the machine's buffers and with unlimited ones\n"
        "  equally: if all were as slow as the slowest core; bound: where all read equally, buffers left aside;\n"
        "  any shares: bound where cores read unequally, with the machine's buffers"
    )
    return Table("All nodes read from all nodes", headers, tuple(_bandwidth_row(one) for one in rows), note=note)


def _bandwidth_row(one: TopologyRow) -> tuple[Cell, ...]:
    found = one.bandwidth
    return row(
        one.machine,
        _rate_text(found.own),
        f"{number(found.least_gb_per_s)} to {number(found.most_gb_per_s)}",
        _rate_text(found.equal),
        number(found.bound.gb_per_s),
        "DRAM" if found.bound.dram_gb_per_s < found.bound.link_gb_per_s else f"link {found.bound.busiest_link}",
        number(found.total_bound_gb_per_s),
        number(100 * found.busiest.link_utilization, 0),
        number(100 * found.busiest.controller_utilization, 0),
    )


def _rate_text(rate: Rate) -> str:
    return f"{number(rate.mean)} +- {number(rate.half_width)}"


def _compare(machine: Machine, accuracy: Accuracy, seed: int) -> TopologyRow:
    summary = summarise(hops(machine))
    return TopologyRow(
        machine=machine.name,
        nodes=len(machine.nodes),
        cores=sum(node.cores for node in machine.nodes),
        links=len(machine.links),
        diameter=summary.diameter,
        average_hops=summary.average,
        latencies=idle_by_hops(machine),
        bandwidth=all_to_all_bandwidth(machine, accuracy, seed),
    )


def _rate(values: Sequence[float]) -> Rate:
    """Return mean and Student interval of independent replications."""
    from scipy.special import stdtrit

    mean, spread = statistics.mean(values), statistics.stdev(values)
    return Rate(mean, float(stdtrit(len(values) - 1, 0.5 + CONFIDENCE / 2)) * spread / math.sqrt(len(values)))


def _hops(count: int) -> str:
    return f"{count} hop{'' if count == 1 else 's'}"


def _latency_text(one: TopologyRow, far: int) -> str:
    found = next((latency for latency in one.latencies if latency.hops == far), None)
    if found is None:
        return "-"
    least, most = number(found.least_ns), number(found.most_ns)
    return least if least == most else f"{least}-{most}"
