"""Matrices and loaded latencies as Intel MLC lays them out, so that eyes and scripts used to it find their way.

The words that such scripts look for are MLC's: ``Measuring``, what is measured, ``Numa node``, ``Inject  Latency Bandwidth``.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator.measure.loaded import LoadedPoint, LoadedReport
from simulator.measure.matrix import MatrixReport

_MB_PER_GB = 1000  # MLC's MB is 1,000,000 bytes
_UNIT = "Bandwidths are in MB/sec (1 MB/sec = 1000000 bytes/sec)"
_LOADED_HEADER = "Inject  Latency Bandwidth\nDelay   (ns)    MB/sec\n=========================="


def matrix_text(report: MatrixReport) -> str:
    """Return the matrices: a row a node with cores, a column a memory, one digit behind the point."""
    parts = []
    if latency := report.values("latency"):
        parts.append(f"Measuring idle latencies (in ns), {report.machine} simulated...\n{_matrix(report, latency)}")
    if bandwidth := report.values("bandwidth"):
        megabytes = [[None if value is None else _MB_PER_GB * value for value in row] for row in bandwidth]
        title = f"Measuring Memory Bandwidths between nodes within system, {report.machine} simulated"
        parts.append(f"{title}\n{_UNIT}\n{_traffic(report)}\n{_matrix(report, megabytes)}")
    return "\n".join(parts)


def loaded_text(report: LoadedReport) -> str:
    """Return a table for each share of reads, the shortest delay first; below it, from which delay on it is saturated."""
    return "\n".join(_loaded_table(report, share) for share in report.read_fractions)


def _matrix(report: MatrixReport, values: Sequence[Sequence[float | None]]) -> str:
    texts = [["-" if value is None else f"{value:.1f}" for value in row] for row in values]
    width = max(8, *(len(text) + 2 for row in texts for text in row))
    lines = ["                Numa node", "Numa node    " + "".join(f"{node:{width}d}" for node in report.columns)]
    for node, row in zip(report.rows, texts, strict=True):
        lines.append(f"{node:8d}     " + "".join(text.rjust(width) for text in row))
    return "\n".join(lines) + "\n"


def _traffic(report: MatrixReport) -> str:
    count = report.threads_per_node
    threads = "a thread on every core of a node" if count is None else f"{_counted(count, 'thread')} a node"
    return f"Using {threads}, {_mix(report.read_fraction)}"


def _mix(read_fraction: float) -> str:
    if read_fraction == 1:
        return "read-only traffic"
    mix = "write-only traffic" if read_fraction == 0 else f"{100 * read_fraction:.3g} % of the lines read, the others written"
    return f"{mix} (64 bytes a line)"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _loaded_table(report: LoadedReport, read_fraction: float) -> str:
    curve = report.curve(read_fraction)
    nodes = f"{'node' if len(report.load_nodes) == 1 else 'nodes'} {', '.join(map(str, report.load_nodes))}"
    knee = next((point for point in curve if point.saturated), None)
    lines = [
        f"Measuring Loaded Latencies of node {report.from_node} from memory of node {report.to_node}, {report.machine} simulated",
        f"Using {_counted(report.generators, 'load thread')} on {nodes}, {_mix(read_fraction)}",
        "Delays are in ns between two lines of a slot of a load thread",
        _LOADED_HEADER,
        *(_loaded_row(point) for point in curve),
        "Not saturated" if knee is None else f"Saturated from a delay of {knee.inject_delay_ns} ns",
    ]
    return "\n".join(lines) + "\n"


def _loaded_row(point: LoadedPoint) -> str:
    latency = "-" if point.latency_ns is None else f"{point.latency_ns:.2f}"
    bandwidth = "-" if point.bandwidth_gb_per_s is None else f"{_MB_PER_GB * point.bandwidth_gb_per_s:.1f}"
    return f" {point.inject_delay_ns:05d} {latency:>7} {bandwidth:>10}"
