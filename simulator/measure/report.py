"""From the counters of a window to a RunResult."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from simulator.engine.interface import LATENCY_BIN_PS, Snapshot
from simulator.engine.plan import NONE, Plan, PortKind
from simulator.measure.result import BytesByClass, ControllerReport, LatencyReport, LinkReport, ThreadReport
from simulator.protocol import PACKET_KINDS
from simulator.units import LINE_BYTES, gb_per_s, ns_from_ps
from simulator.workload import Workload

PERCENTILES = (0.50, 0.95, 0.99)


@dataclass(frozen=True)
class Window:
    """The measured part of a run: differences between two snapshots.

    Attributes
    ----------
    path_histogram : callable, optional
        Of an engine: lines of a path by latency within the window. None: not recorded.
    """

    plan: Plan
    opened: Snapshot
    last: Snapshot
    path_histogram: Callable[[int], Sequence[int]] | None = None

    @property
    def time_ps(self) -> int:
        """Length of the window."""
        return self.last.time_ps - self.opened.time_ps

    def of_port(self, port: int, kind: int) -> int:
        """Packets of a kind that a port sent."""
        return self.last.port_sent[port][kind] - self.opened.port_sent[port][kind]

    def difference(self, column: str, row: int) -> int:
        """How much a counter grew."""
        return int(getattr(self.last, column)[row] - getattr(self.opened, column)[row])

    def share(self, column: str, row: int) -> float:
        """How much a counter of time grew, over the window."""
        return self.difference(column, row) / self.time_ps if self.time_ps else 0.0

    def percentiles_ns(self, paths: Sequence[int]) -> tuple[float | None, float | None, float | None]:
        """Percentiles of the latency of the lines of some paths together."""
        if self.path_histogram is None or not paths:
            return None, None, None
        return percentiles_ns(np.sum([self.path_histogram(path) for path in paths], axis=0).tolist())

    def rate(self, size_bytes: float) -> float:
        """GB/s of so many bytes over the window."""
        return gb_per_s(size_bytes, self.time_ps) if self.time_ps else 0.0


def thread_reports(window: Window, workload: Workload, intervals: Sequence[float | None]) -> tuple[ThreadReport, ...]:
    """Report every thread, in the workload's order."""
    reports = []
    for index, thread in enumerate(workload.threads):
        lines = window.difference("thread_lines", index)
        time_ps = window.difference("thread_last_ps", index)
        p50, p95, p99 = window.percentiles_ns([path for path, owner in enumerate(window.plan.paths.thread) if owner == index])
        reports.append(
            ThreadReport(
                label=thread.label,
                background=thread.background,
                rate_gb_per_s=thread.rate_gb_per_s,
                time_per_line_ns=ns_from_ps(time_ps / lines) if lines else None,
                gb_per_s=window.rate(lines * LINE_BYTES),
                ci_percent=intervals[index],
                lines=lines,
                latency_ns=ns_from_ps(window.difference("thread_latency_ps", index) / lines) if lines else None,
                latency_p50_ns=p50,
                latency_p95_ns=p95,
                latency_p99_ns=p99,
            )
        )
    return tuple(reports)


def link_reports(window: Window) -> dict[str, LinkReport]:
    """Report every link direction, by its key such as ``0->1``."""
    ports = window.plan.ports
    reports = {}
    for port, name in enumerate(ports.name):
        if ports.kind[port] != PortKind.LINK:
            continue
        by_class = _bytes_by_class(window, port)
        reports[name.removeprefix("link ")] = LinkReport(
            gb_per_s=window.rate(sum(by_class.model_dump().values())),
            utilization=window.share("port_busy_ps", port),
            demand_gb_per_s=None,
            bytes_by_class=by_class,
        )
    return reports


def _bytes_by_class(window: Window, port: int) -> BytesByClass:
    sizes = {"data": 0, "command": 0, "probe": 0, "response": 0}
    for kind, packet in enumerate(PACKET_KINDS):
        count = window.of_port(port, kind)
        sizes[packet.byte_class] += count * packet.command_bytes
        sizes["data"] += count * packet.data_bytes
    ports = window.plan.ports
    return BytesByClass(
        **sizes,
        flow_control=window.difference("port_nops", port) * ports.nop_bytes[port],
        crc=window.difference("port_crcs", port) * ports.crc_bytes[port],
    )


def controller_reports(window: Window) -> dict[str, ControllerReport]:
    """Report every memory controller, by its node."""
    plan = window.plan
    reports = {}
    for index, node in enumerate(plan.node_ids):
        port, pool = plan.controller_port[index], plan.controller_pool[index]
        if port == NONE:
            continue
        lines = {0: 0, 1: 0}
        for kind, writes in enumerate(plan.kind_writes):
            lines[writes] += window.of_port(port, kind)
        read, write = window.rate(lines[0] * LINE_BYTES), window.rate(lines[1] * LINE_BYTES)
        reports[str(node)] = ControllerReport(
            gb_per_s=read + write,
            read_gb_per_s=read,
            write_gb_per_s=write,
            utilization=window.share("port_busy_ps", port),
            mean_queue=window.share("pool_held_ps", pool),
        )
    return reports


def latency_report(window: Window, histogram: Sequence[int]) -> LatencyReport | None:
    """Report the latency of foreground lines; None when there were none.

    The mean is exact; percentiles are upper edges of bins of `LATENCY_BIN_PS` and so at most 0.256 ns too long.
    """
    foreground = [index for index, background in enumerate(window.plan.threads.background) if not background]
    paths = [path for path, thread in enumerate(window.plan.paths.thread) if thread in foreground]
    lines = sum(window.difference("path_lines", path) for path in paths)  # without those that the thread's own cache held
    if not lines or not any(histogram):
        return None
    total_ps = sum(window.difference("thread_latency_ps", index) for index in foreground)
    p50, p95, p99 = percentiles_ns(histogram)
    return LatencyReport(mean=ns_from_ps(total_ps / lines), p50=p50, p95=p95, p99=p99)


def percentiles_ns(histogram: Sequence[int]) -> tuple[float | None, float | None, float | None]:
    """Return the 50th, 95th and 99th percentile of a histogram of latencies.

    They are upper edges of bins of `LATENCY_BIN_PS`, and so at most 0.256 ns too long; None in the last bin, which takes all
    that is longer, and of no lines.
    """
    running = np.cumsum(histogram)
    if not len(running) or not running[-1]:
        return None, None, None
    edges = (int(np.searchsorted(running, share * running[-1])) + 1 for share in PERCENTILES)
    p50, p95, p99 = (ns_from_ps(edge * LATENCY_BIN_PS) if edge < len(running) else None for edge in edges)
    return p50, p95, p99
