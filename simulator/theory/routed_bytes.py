"""Bytes that a transaction puts on each link direction, by walking the routes.

Flow control and CRC are left out: how many NOP packets flow depends on timing, the rest does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from simulator.machine.routing import Routes, link_for, link_key, path
from simulator.machine.spec import Machine
from simulator.protocol import CHANNEL_NAMES, PROTOCOLS, Channel, PacketKind, TransactionKind

LinkBytes = Mapping[str, int]


def line_bytes(machine: Machine, routes: Routes, mode: str, requester: int, home: int) -> LinkBytes:
    """Return the bytes of one line read or written, and of the line that a write evicts to the same home.

    Parameters
    ----------
    machine : Machine
    routes : Routes
        Resolved routes of the machine.
    mode : {'r', 'w'}
    requester, home : int
        Node ids.

    Returns
    -------
    mapping of str to int
        Bytes by link direction, such as ``0->1``.
    """
    protocol = PROTOCOLS[machine.coherence.protocol]
    if mode == "r":
        return transaction_bytes(machine, routes, protocol.read, requester, home)
    line = transaction_bytes(machine, routes, protocol.write, requester, home)
    victim = transaction_bytes(machine, routes, protocol.victim, requester, home)
    return Counter(line) + Counter(victim)


def transaction_bytes(machine: Machine, routes: Routes, kind: TransactionKind, requester: int, home: int) -> LinkBytes:
    """Return the bytes of one transaction by link direction."""
    sent: Counter[str] = Counter()

    def unicast(packet: PacketKind, start: int, end: int) -> None:
        table = routes.response if packet.channel is Channel.RESPONSE else routes.request
        nodes = path(table, start, end)
        for here, there in zip(nodes, nodes[1:], strict=False):
            sent[_direction(machine, packet, here, there)] += packet.size_bytes

    unicast(kind.request, requester, home)
    unicast(kind.reply, home, requester)
    unicast(kind.done, requester, home)
    if kind.probe is not None and kind.answer is not None:
        for (root, here), children in routes.broadcast.items():
            if root == home:
                for there in children:
                    sent[_direction(machine, kind.probe, here, there)] += kind.probe.size_bytes
        for node in machine.node_ids:
            if node != requester:
                unicast(kind.answer, node, requester)
    return sent


def total_bytes(parts: Iterable[LinkBytes]) -> LinkBytes:
    """Return the sum of several, by link direction."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total


def _direction(machine: Machine, packet: PacketKind, here: int, there: int) -> str:
    return link_key(machine, link_for(machine, here, there, CHANNEL_NAMES[packet.channel]), here)
