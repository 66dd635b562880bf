"""A recorded window as data for the page: its replay, and queues and loads over time."""

from __future__ import annotations

from typing import Any

from simulator.observe.document import TraceDocument
from simulator.observe.queues import longest_queues
from simulator.observe.read_back import trace_of
from simulator.observe.records import Trace
from simulator.observe.series import busy_percent, values_at
from simulator.plots.packet_looks import legend_entries
from simulator.report.stepping import packed, replay_data
from simulator.units import ns_from_ps

MOST_QUEUES = 8
MOST_LOADS = 10
_STRETCHES = 25


def window_part(name: str, document: TraceDocument, place: int) -> dict[str, Any]:
    """Return all that the page shows of a window; what the replay needs is packed (:func:`~simulator.report.stepping.packed`).

    Raises
    ------
    InputError
        The document's tables do not belong to its machine and workload.
    """
    data = document.otherData
    trace = trace_of(data, name)
    return {
        "id": f"window-{place}",
        "name": name,
        "machine_name": data.machine,
        "threads": " ".join(thread.label for thread in data.threads if not thread.background) or "background only",
        "opened_ns": ns_from_ps(trace.opened_ps),
        "length_ns": ns_from_ps(trace.closed_ps - trace.opened_ps),
        "queues": _queues(trace),
        "loads": _loads(trace),
        "legend": legend_entries({*(trace.plan.kind_name[hop.packet.kind] for hop in trace.hops), "NOP"}),
        "packed": packed(replay_data(name, data, trace)),
        "provenance": data.provenance.model_dump(mode="json"),
    }


def _queues(trace: Trace) -> list[dict[str, Any]]:
    """Return the longest queues, what waits in each at the same moments, ready to be stacked."""
    found = []
    for queue in longest_queues(trace)[:MOST_QUEUES]:
        times = sorted({time for steps in queue.series.values() for time, _ in steps} | {trace.closed_ps})
        series = [{"name": what, "value": values_at(steps, times)} for what, steps in queue.series.items()]
        about = {"name": queue.name, "mean": queue.mean, "capacity": queue.capacity, "series": series}
        found.append({**about, "ns": [ns_from_ps(time - trace.opened_ps) for time in times]})
    return found


def _loads(trace: Trace) -> list[dict[str, Any]]:
    """Return how busy the busiest servers are, per cent, in `_STRETCHES` stretches of the window."""
    found: list[tuple[float, str, dict[str, Any]]] = []
    for port, shares in busy_percent(trace).items():
        mean = sum(percent for _, percent in shares) / len(shares)
        name = trace.plan.ports.name[port]
        together = max(1, len(shares) // _STRETCHES)  # a hundredth is often shorter than a packet
        parts = [shares[start : start + together] for start in range(0, len(shares), together)]
        times = [ns_from_ps(part[0][0] - trace.opened_ps) for part in parts] + [ns_from_ps(trace.closed_ps - trace.opened_ps)]
        percents = [round(sum(percent for _, percent in part) / len(part), 2) for part in parts]
        percents.append(percents[-1])
        found.append((mean, name, {"name": name, "mean": mean, "ns": times, "percent": percents}))
    return [load for _, _, load in sorted(found, key=lambda one: (-one[0], one[1]))[:MOST_LOADS]]
