"""Coherent HyperTransport packets: sizes, virtual channels, and what their bytes count as.

Sizes after the HyperTransport specification (general knowledge; they agree with the link traffic that AMD
publishes in note 40555 p.40): request 8 B, probe 8 B, every response 4 B, a line of data 64 B.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from simulator.machine.spec import VirtualChannelName
from simulator.units import LINE_BYTES


class Channel(IntEnum):
    """Virtual channels of a coherent link."""

    REQUEST = 0
    POSTED = 1
    RESPONSE = 2
    PROBE = 3


# Under strict priority: responses first, because they always sink and free what others wait for; then probes, then requests.
PRIORITY_ORDER: tuple[Channel, ...] = (Channel.RESPONSE, Channel.PROBE, Channel.REQUEST, Channel.POSTED)
CHANNEL_NAMES: tuple[VirtualChannelName, ...] = ("request", "posted", "response", "probe")


@dataclass(frozen=True)
class PacketKind:
    """One kind of packet.

    Attributes
    ----------
    command_bytes, data_bytes : int
        Size of its header and of the line it carries, bytes.
    byte_class : str
        What its header counts as in a result: ``command``, ``probe`` or ``response``.
    """

    name: str
    channel: Channel
    command_bytes: int
    data_bytes: int
    byte_class: str

    @property
    def writes(self) -> bool:
        """Whether DRAM writes for it: a request that brings a line."""
        return self.channel is Channel.REQUEST and self.data_bytes > 0

    @property
    def size_bytes(self) -> int:
        """Header and data, bytes."""
        return self.command_bytes + self.data_bytes


READ_BLOCK = PacketKind("RdBlk", Channel.REQUEST, 8, 0, "command")
READ_BLOCK_MODIFY = PacketKind("RdBlkMod", Channel.REQUEST, 8, 0, "command")
VICTIM_BLOCK = PacketKind("VicBlk", Channel.REQUEST, 8, LINE_BYTES, "command")
PROBE = PacketKind("Probe", Channel.PROBE, 8, 0, "probe")
PROBE_RESPONSE = PacketKind("ProbeResponse", Channel.RESPONSE, 4, 0, "response")
READ_RESPONSE = PacketKind("RdResponse", Channel.RESPONSE, 4, LINE_BYTES, "response")
OWNER_RESPONSE = PacketKind("OwnerResponse", Channel.RESPONSE, 4, LINE_BYTES, "response")  # RdResponse, but from a cache
TARGET_DONE = PacketKind("TgtDone", Channel.RESPONSE, 4, 0, "response")
SOURCE_DONE = PacketKind("SrcDone", Channel.RESPONSE, 4, 0, "response")

PACKET_KINDS: tuple[PacketKind, ...] = (
    READ_BLOCK,
    READ_BLOCK_MODIFY,
    VICTIM_BLOCK,
    PROBE,
    PROBE_RESPONSE,
    READ_RESPONSE,
    TARGET_DONE,
    SOURCE_DONE,
    OWNER_RESPONSE,
)
