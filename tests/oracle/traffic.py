"""What a program must send, worked out from the routes alone: packets of each kind at every port, bytes on every link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from simulator.machine.spec import Machine
from simulator.workload import ThreadSpec
from tests.oracle import routes

SIZES = {  # bytes of header and data
    "RdBlk": (8, 0),
    "RdBlkMod": (8, 0),
    "VicBlk": (8, 64),
    "Probe": (8, 0),
    "ProbeResponse": (4, 0),
    "RdResponse": (4, 64),
    "TgtDone": (4, 0),
    "SrcDone": (4, 0),
    "OwnerResponse": (4, 64),
}

Sent = Counter[tuple[str, str]]  # (port, kind) -> packets


def packets(machine: Machine, threads: Iterable[ThreadSpec]) -> Sent:
    """Return the packets that finite programs send through every port of the machine, internal ones and DRAM included."""
    lines: Counter[tuple[int, int, str]] = Counter()
    for thread in threads:
        for access in thread.accesses:
            requester = thread.node if access.node is None else access.node
            lines[requester, access.memory, access.mode] += 1
            if access.mode == "w":
                evicted_to = access.memory if access.victim_memory is None else access.victim_memory
                lines[requester, evicted_to, "eviction"] += 1
    sent: Sent = Counter()
    for (requester, home, mode), count in lines.items():
        each = _eviction(machine, requester, home) if mode == "eviction" else _line(machine, requester, home, mode)
        sent.update({name: count * packets for name, packets in each.items()})
    return sent


def link_bytes(sent: Sent) -> Counter[str]:
    """Return the bytes of packets over every link direction, NOP and CRC not included."""
    total: Counter[str] = Counter()
    for (port, kind), count in sent.items():
        if port.startswith("link "):
            total[port] += count * sum(SIZES[kind])
    return total


def _line(machine: Machine, requester: int, home: int, mode: str) -> Sent:
    sent = _asked(machine, "RdBlk" if mode == "r" else "RdBlkMod", requester, home)
    sent += _to_requester(machine, "RdResponse", home, requester)
    if machine.coherence.protocol != "snooped":
        return sent
    sent[f"node {home} controller to crossbar", "Probe"] += 1
    for node in machine.node_ids:
        sent[f"node {node} crossbar to SRI", "Probe"] += 1
        for child in routes.children(machine, home, node):
            sent[f"link {routes.key_of(machine, node, child, 'probe')}", "Probe"] += 1
        if node != requester:
            sent[f"node {node} SRI to crossbar", "ProbeResponse"] += 1
            sent += _over_links(machine, "ProbeResponse", "response", node, requester)
            sent[f"node {requester} crossbar to SRI", "ProbeResponse"] += 1
    return sent


def _eviction(machine: Machine, requester: int, home: int) -> Sent:
    return _asked(machine, "VicBlk", requester, home) + _to_requester(machine, "TgtDone", home, requester)


def _asked(machine: Machine, kind: str, requester: int, home: int) -> Sent:
    """Count the request, its DRAM access, and the SrcDone that ends the transaction."""
    sent: Sent = Counter()
    for packet, channel in ((kind, "request"), ("SrcDone", "response")):
        sent[f"node {requester} SRI to crossbar", packet] += 1
        sent += _over_links(machine, packet, channel, requester, home)
        sent[f"node {home} crossbar to controller", packet] += 1
    sent[f"node {home} DRAM", kind] += 1
    return sent


def _to_requester(machine: Machine, kind: str, home: int, requester: int) -> Sent:
    sent = _over_links(machine, kind, "response", home, requester)
    sent[f"node {home} controller to crossbar", kind] += 1
    sent[f"node {requester} crossbar to SRI", kind] += 1
    return sent


def _over_links(machine: Machine, kind: str, channel: str, start: int, end: int) -> Sent:
    nodes = routes.way(machine, channel, start, end)
    steps = zip(nodes, nodes[1:], strict=False)
    return Counter({(f"link {routes.key_of(machine, a, b, channel)}", kind): 1 for a, b in steps})
