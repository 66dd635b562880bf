"""What the replay of a window steps through, and each line's life in words, as packed data for the page."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.engine.plan import PortKind
from simulator.machine.resolve import restore
from simulator.measure.breakdown import LINE_PARTS
from simulator.observe.document import TraceData
from simulator.observe.life import Lives, part_sums
from simulator.observe.records import Trace
from simulator.observe.series import free_units
from simulator.observe.words import pool_words
from simulator.plots.packet_looks import look_of
from simulator.web.assets import json_text
from simulator.web.machine_view import label_view, machine_view


def replay_data(name: str, data: TraceData, trace: Trace) -> dict[str, Any]:
    """Return the machine with its threads, all that moves on it, and the life of every complete line.

    Times are ps since the window opened; rows of a table are named by their place in it.
    """
    view = machine_view(restore(data.provenance.machine, name))
    view["threads"] = _threads(data)
    return {"machine": view, **_moving(data, trace), "lives": _lives(trace)}


def packed(value: Any) -> str:
    """Return a value as JSON, compressed by gzip, in base64: the page unpacks it. The same value gives the same text."""
    text = json_text(value)
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode("ascii")


def _threads(data: TraceData) -> list[dict[str, Any]]:
    return [
        {**label_view(thread.label), "label": thread.label, "background": thread.background, "slots": thread.slots}
        for thread in data.threads
    ]


def _moving(data: TraceData, trace: Trace) -> dict[str, Any]:
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
