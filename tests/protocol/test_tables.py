"""The protocol's tables against the sizes and roles that docs/model.md states."""

from __future__ import annotations

import pytest

from simulator.protocol import CHANNEL_NAMES, PACKET_KINDS, PROTOCOLS, Channel, PacketKind, TransactionKind

LINE = 64
EXPECTED = {  # name: virtual channel, header, data, what the header counts as
    "RdBlk": ("request", 8, 0, "command"),
    "RdBlkMod": ("request", 8, 0, "command"),
    "VicBlk": ("request", 8, LINE, "command"),
    "Probe": ("probe", 8, 0, "probe"),
    "ProbeResponse": ("response", 4, 0, "response"),
    "RdResponse": ("response", 4, LINE, "response"),
    "TgtDone": ("response", 4, 0, "response"),
    "SrcDone": ("response", 4, 0, "response"),
    "OwnerResponse": ("response", 4, LINE, "response"),
}


def test_every_packet() -> None:
    found = {
        kind.name: (CHANNEL_NAMES[kind.channel], kind.command_bytes, kind.data_bytes, kind.byte_class) for kind in PACKET_KINDS
    }
    assert found == EXPECTED
    assert len(PACKET_KINDS) == len(EXPECTED)


@pytest.mark.parametrize("kind", PACKET_KINDS, ids=lambda kind: kind.name)
def test_size_is_header_and_data(kind: PacketKind) -> None:
    assert kind.size_bytes == sum(EXPECTED[kind.name][1:3])


def test_virtual_channels_are_named_in_order() -> None:
    assert [CHANNEL_NAMES[channel] for channel in Channel] == ["request", "posted", "response", "probe"]


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
class TestEveryProtocol:
    def test_only_requests_and_probes_cause_packets(self, protocol: object) -> None:
        """Responses always sink, so that no circle of causes can close."""
        for kind in _transactions(protocol):
            assert kind.request.channel is Channel.REQUEST
            assert kind.reply.channel is kind.done.channel is Channel.RESPONSE
            assert (kind.probe is None) == (kind.answer is None)
            if kind.probe is not None and kind.answer is not None:
                assert (kind.probe.channel, kind.answer.channel) == (Channel.PROBE, Channel.RESPONSE)

    def test_a_line_goes_one_way(self, protocol: object) -> None:
        """To the requester when it is read, to memory when it is evicted."""
        read, write, victim = _transactions(protocol)
        for kind in (read, write):
            assert (kind.request.data_bytes, kind.reply.data_bytes) == (0, LINE)
        assert (victim.request.data_bytes, victim.reply.data_bytes) == (LINE, 0)

    def test_names_tell_transactions_apart(self, protocol: object) -> None:
        assert len({kind.name for kind in _transactions(protocol)}) == 3


def test_snooping_asks_everybody_for_lines_and_nobody_for_evictions() -> None:
    read, write, victim = _transactions(PROTOCOLS["snooped"])
    assert read.probe is not None
    assert write.probe is not None
    assert victim.probe is None


def _transactions(protocol: object) -> tuple[TransactionKind, TransactionKind, TransactionKind]:
    return protocol.read, protocol.write, protocol.victim  # type: ignore[attr-defined,no-any-return]
