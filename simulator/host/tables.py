"""A measured machine as tables."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.host.report import HostMeasurement, HostReport, MeasuredNode
from simulator.interop.measured import Quantity
from simulator.tables import Table, number, row
from simulator.units import LINE_BYTES

_MIB = 1 << 20
_MOST_CPUS = 8  # shown


def host_tables(report: HostReport) -> tuple[Table, ...]:
    """Return the machine, latencies, bandwidths, threads alone and two threads; tables without rows are left out."""
    bandwidths = report.find("bandwidth")
    tables = (
        machine_table(report),
        pair_table("Idle latency, ns (pointer chase)", report.find("idle_latency"), 1),
        pair_table(
            "Read bandwidth of all CPUs of a node, GB/s", [found for found in bandwidths if found.read_fraction == 1.0], 2
        ),
        pair_table(
            "Write bandwidth of all CPUs of a node, GB/s", [found for found in bandwidths if found.read_fraction == 0.0], 2
        ),
        one_thread_table(report),
        two_threads_table(report),
    )
    return tuple(table for table in tables if table.rows)


def machine_table(report: HostReport) -> Table:
    """Return the nodes and what of them was used."""
    rows = tuple(
        row(
            str(node.id),
            _cpus(node),
            "-" if node.cache_bytes is None else number(node.cache_bytes / _MIB),
            "-" if node.huge_page_share is None else number(100 * node.huge_page_share, 0),
        )
        for node in report.nodes
    )
    sizes = f"arrays of {report.array_bytes / _MIB:.0f} MiB, chases over {report.chase_bytes / _MIB:.0f} MiB"
    title = f"This machine: {sizes}, medians of {report.repeats} repeats"
    return Table(title, ("node", "CPUs: core 0, 1, ...", "last cache MiB", "huge pages %"), rows, left=2)


def pair_table(title: str, found: Sequence[HostMeasurement], digits: int) -> Table:
    """Return values by the node that asks (rows) and the node of the memory (columns)."""
    values = {(each.from_node, each.to_node): each for each in found}
    askers = list(dict.fromkeys(each.from_node for each in found))
    memories = list(dict.fromkeys(each.to_node for each in found))
    rows = []
    for asker in askers:
        here = [values.get((asker, memory)) for memory in memories]
        rows.append(row(str(asker), *("-" if each is None else number(each.value, digits) for each in here)))
    spreads = [each.ci_percent for each in found if each.ci_percent is not None]
    note = f"95 % intervals: at most {max(spreads):.1f} %" if spreads else ""
    return Table(title, ("node", *map(str, memories)), tuple(rows), note=note)


def one_thread_table(report: HostReport) -> Table:
    """Return the threads that ran alone."""
    rows = tuple(
        row(each.threads, number(each.value, 2), number(LINE_BYTES / each.value, 2), number(each.ci_percent))
        for each in report.find("one_thread")
    )
    return Table("One thread, one access to each line of 64 B", ("thread", "ns a line", "GB/s", "95 % +-"), rows)


def two_threads_table(report: HostReport) -> Table:
    """Return the pairs of threads as AMD's note draws them: the mean of both times, each relative to a local read alone."""
    alone = [each for each in report.find("one_thread") if each.read_fraction == 1.0]
    base = next((each.value for each in alone if each.from_node == each.to_node), None)
    found = report.find("two_threads")
    singles = {each.threads: each.value for each in found if each.quantity is Quantity.TIME_PER_LINE}
    rows = []
    for each in found:
        if each.quantity is Quantity.TOTAL_TIME:
            one, other = each.threads.split()
            times = (singles[f"{one} {other}"], singles[f"{other} {one}"])
            bar = None if base is None else 100 * each.value / (2 * base)
            rows.append(row(one, other, *(number(time, 2) for time in times), number(bar, 0), number(each.ci_percent)))
    headers = ("thread", "and", "ns a line", "the other's", "% of a local read", "95 % +-")
    return Table("Two threads together", headers, tuple(rows), left=2)


def _cpus(node: MeasuredNode) -> str:
    shown = ", ".join(map(str, node.cpus[:_MOST_CPUS]))
    return f"{shown}, ... ({len(node.cpus)} in all)" if len(node.cpus) > _MOST_CPUS else shown or "none"
