"""How kinds of packets are coloured: by what they carry, apart in lightness too."""

from __future__ import annotations

from collections.abc import Collection

from simulator.protocol import PACKET_KINDS
from simulator.protocol.packets import Channel

# Okabe and Ito's palette; a line of data is the darkest, flow control grey.
_NOP, _DATA_HOME, _DATA, _REQUEST, _PROBE, _RESPONSE = "#999999", "#d55e00", "#0072b2", "#56b4e9", "#e69f00", "#cc79a7"


def look_of(kind: str) -> str:
    """Return the colour of a kind of packet, or of ``NOP``, by its name."""
    packet = next((packet for packet in PACKET_KINDS if packet.name == kind), None)
    if packet is None:
        return _NOP
    if packet.data_bytes:
        return _DATA_HOME if packet.writes else _DATA
    return {Channel.REQUEST: _REQUEST, Channel.PROBE: _PROBE}.get(packet.channel, _RESPONSE)


def legend_entries(kinds: Collection[object]) -> list[tuple[str, str]]:
    """Return words and colour for each colour that these kinds of packets have."""
    names: dict[str, list[str]] = {}
    for kind in (*(packet.name for packet in PACKET_KINDS), "NOP"):
        if kind in kinds:
            names.setdefault(look_of(kind), []).append(kind)
    return [(", ".join(same), colour) for colour, same in names.items()]
