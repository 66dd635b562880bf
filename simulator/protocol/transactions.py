"""Transactions: which packets one line causes, and what each of them sets free.

Every transaction has the same shape, so that a protocol is a table and not code in an engine::

    requester --request--> home --+--> DRAM --reply--> requester
                                  +--> probes --> every node --answer--> requester
    requester --done--> home        once the reply and all answers are there

- The *request* takes an entry of the home controller's queue (the ordering point of the line).
- The *reply* carries the line (RdResponse) or says that it is written (TgtDone).
- *Answers* go to the requester, which collects them (US patent 7,296,122: for reads the probe names the requester as
  collector). The requester's own answer needs no packet.
- *Done* (SrcDone) sets the home's queue entry free. TgtDone sets the requester's victim buffer free.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.protocol.packets import (
    PROBE,
    PROBE_RESPONSE,
    READ_BLOCK,
    READ_BLOCK_MODIFY,
    READ_RESPONSE,
    SOURCE_DONE,
    TARGET_DONE,
    VICTIM_BLOCK,
    PacketKind,
)


@dataclass(frozen=True)
class TransactionKind:
    """The packets of one transaction; `probe` and `answer` are None where nobody is asked."""

    name: str
    request: PacketKind
    reply: PacketKind
    done: PacketKind
    probe: PacketKind | None = None
    answer: PacketKind | None = None


@dataclass(frozen=True)
class CoherenceProtocol:
    """What a load miss, a store miss and an eviction cause."""

    name: str
    read: TransactionKind
    write: TransactionKind
    victim: TransactionKind


SNOOPED = CoherenceProtocol(
    name="snooped",
    read=TransactionKind("read", READ_BLOCK, READ_RESPONSE, SOURCE_DONE, PROBE, PROBE_RESPONSE),
    write=TransactionKind("read to modify", READ_BLOCK_MODIFY, READ_RESPONSE, SOURCE_DONE, PROBE, PROBE_RESPONSE),
    victim=TransactionKind("victim", VICTIM_BLOCK, TARGET_DONE, SOURCE_DONE),
)

PROTOCOLS: dict[str, CoherenceProtocol] = {SNOOPED.name: SNOOPED}
