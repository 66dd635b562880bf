"""Coherent HyperTransport: packets and transactions, as tables."""

from simulator.protocol.packets import CHANNEL_NAMES, PACKET_KINDS, PRIORITY_ORDER, READ_BLOCK_MODIFY, Channel, PacketKind
from simulator.protocol.transactions import PROTOCOLS, CoherenceProtocol, TransactionKind

__all__ = [
    "CHANNEL_NAMES",
    "PACKET_KINDS",
    "PRIORITY_ORDER",
    "PROTOCOLS",
    "READ_BLOCK_MODIFY",
    "Channel",
    "CoherenceProtocol",
    "PacketKind",
    "TransactionKind",
]
