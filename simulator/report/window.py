"""A recorded window as data for the page: what its replay steps through, each line's life in words, queues over time."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.engine.plan import PortKind
from simulator.machine.resolve import restore
from simulator.measure.breakdown import LINE_PARTS
from simulator.observe.document import TraceData, TraceDocument
from simulator.observe.life import Lives, part_sums
from simulator.observe.queues import longest_queues
from simulator.observe.read_back import trace_of
from simulator.observe.records import Trace
from simulator.observe.series import busy_percent, free_units, values_at
from simulator.observe.words import pool_words
from simulator.plots.packet_looks import legend_entries, look_of
from simulator.units import ns_from_ps
from simulator.web.assets import json_text
from simulator.web.machine_view import label_view, machine_view

MOST_QUEUES = 8
MOST_LOADS = 10
_STRETCHES = 25


def window_part(name: str, document: TraceDocument, place: int) -> dict[str, Any]:
    """Return all that the page shows of a window; what the replay needs is packed (:func:`packed`).

    Raises
    ------
    InputError
        The document's tables do not belong to its machine and workload.
    """
    data = document.otherData
    trace = trace_of(data, name)
    view = machine_view(restore(data.provenance.machine, name))
    view["threads"] = _threads(data)
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
        "packed": packed({"machine": view, **_replay(data, trace), "lives": _lives(trace)}),
        "provenance": data.provenance.model_dump(mode="json"),
    }


def packed(value: Any) -> str:
    """Return a value as JSON, compressed by gzip, in base64: the page unpacks it. The same value gives the same text."""
    text = json_text(value)
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode("ascii")


def _threads(data: TraceData) -> list[dict[str, Any]]:
    return [
        {**label_view(thread.label), "label": thread.label, "background": thread.background, "slots": thread.slots}
        for thread in data.threads
    ]


# -- over time -----------------------------------------------------------------------------------------------------------------


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


# -- the replay ----------------------------------------------------------------------------------------------------------------


def _replay(data: TraceData, trace: Trace) -> dict[str, Any]:
    plan = trace.plan
    lines = data.transactions
    return {
        "opened_ps": trace.opened_ps,
        "length_ps": trace.closed_ps - trace.opened_ps,
        "ports": [
            {"name": port.name, "kind": port.kind, "node": port.from_node, "key": port.name.removeprefix("link ")}
            for port in data.ports
        ],
        "pools": _pools(data, trace),
        "kinds": [{"name": kind, "colour": look_of(kind)} for kind in (*plan.kind_name, "NOP")],
        "parts": [{"words": part.words, "group": _group(part.name, part.group)} for part in LINE_PARTS],
        "lines": {
            "thread": lines.thread,
            "slot": lines.slot,
            "number": lines.number,
            "name": lines.name,
            "eviction": [int(eviction) for eviction in lines.eviction],
            "issued": _since(trace, lines.issued),
            "launched": _since(trace, lines.launched),
            "completed": _since(trace, lines.completed),
        },
        "spans": _spans(data, trace),
        "hops": _hops(data, trace),
        "nops": {
            "port": data.nops.port,
            "sent": _since(trace, data.nops.sent),
            "end": _since(trace, data.nops.end),
            "arrived": _since(trace, data.nops.arrived),
        },
    }


def _group(name: str, group: str) -> str:
    return "core" if name == "core" else group


def _since(trace: Trace, times: Sequence[int | None]) -> list[int | None]:
    """Return times since the window opened; what happened before is negative."""
    return [None if time is None else time - trace.opened_ps for time in times]


def _pools(data: TraceData, trace: Trace) -> list[dict[str, Any]]:
    """Return the pools that change in the window, with their free units over time."""
    plan, found = trace.plan, []
    for pool, steps in free_units(trace).items():
        port = plan.pools.claimant[pool]
        controller = plan.controller_pool.index(pool) if pool in plan.controller_pool else None
        node = data.ports[port].from_node if controller is None else plan.node_ids[controller]
        kind = "controller" if controller is not None else "link" if plan.ports.kind[port] == PortKind.LINK else "node"
        about = {"name": pool_words(plan, pool), "kind": kind, "port": port, "node": node, "capacity": plan.pools.capacity[pool]}
        changes = {"time": _since(trace, [time for time, _ in steps]), "free": [free for _, free in steps]}
        found.append({**about, **changes})
    return found


def _spans(data: TraceData, trace: Trace) -> dict[str, list[Any]]:
    order = {part.name: place for place, part in enumerate(LINE_PARTS)}
    spans = data.spans
    return {
        "line": spans.transaction,
        "start": _since(trace, spans.start),
        "end": _since(trace, spans.end),
        "part": [order[data.parts[part]] for part in spans.part],
    }


def _hops(data: TraceData, trace: Trace) -> dict[str, list[Any]]:
    """Return the hops that can be seen: over links, through DRAM, or with a wait."""
    hops = data.hops
    seen = [
        row
        for row, port in enumerate(hops.port)
        if trace.plan.ports.kind[port] != PortKind.INTERNAL or hops.granted[row] != hops.queued[row]
    ]
    columns: Mapping[str, Sequence[int | None]] = {
        "queued": hops.queued,
        "granted": hops.granted,
        "header": hops.header_out,
        "tail": hops.tail_out,
        "arrived": hops.arrived,
    }
    packets = [hops.packet[row] for row in seen]
    return {
        "port": [hops.port[row] for row in seen],
        "line": [data.packets.transaction[packet] for packet in packets],
        "kind": [data.packets.kind[packet] for packet in packets],
        **{name: _since(trace, [column[row] for row in seen]) for name, column in columns.items()},
    }


# -- lives ---------------------------------------------------------------------------------------------------------------------


def _lives(trace: Trace) -> dict[str, Any]:
    """Return the steps of every complete line, in the words of `numasim trace`: rows of at, takes, part, where, what.

    Times are ps since the line's issue; a part is a place in `LINE_PARTS`, texts are places in `texts`; null: it goes on beside.
    """
    lives, texts, rows = Lives(trace), dict[str, int](), {}
    order = {part.part: place for place, part in enumerate(LINE_PARTS)}

    def place(text: str) -> int:
        return texts.setdefault(text, len(texts))

    for number, line in enumerate(trace.transactions):
        if line.eviction or line.completed_ps is None:
            continue
        steps = [
            [step.at_ps, step.takes_ps, None if step.part is None else order[step.part], place(step.where), place(step.what)]
            for step in lives.steps(line)
        ]
        rows[number] = {"steps": steps, "sums": [[order[part], time] for part, time in part_sums(line).items()]}
    return {"texts": list(texts), "rows": rows}
