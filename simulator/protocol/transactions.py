"""Transactions: which packets one line causes, and what each of them sets free.

Every transaction has the same shape, so that a protocol is a table and not code in an engine::

    requester --request--> home --+--> DRAM --reply--> requester
                                  +--> probes --> every node --answer--> requester
    requester --done--> home        once the reply and all answers are there

- The *request* takes an entry of the home controller's queue (the ordering point of the line).
- The *reply* carries the line (RdResponse) or says that it is written (TgtDone).
- *Answers* go to the requester, which collects them (US patent 7,296,122: for reads the probe names the requester as
  collector). The requester's own answer needs no packet.
- Where a cache holds a line modified, its node answers with the data (`owner_answer`), and the home's reply is dry: it says
  that the line's turn has come. The home has read DRAM all the same, since it starts before the probes answer.
- *Done* (SrcDone) sets the home's queue entry free. TgtDone sets the requester's victim buffer free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from simulator.protocol.packets import (
    OWNER_RESPONSE,
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
    """The packets of one transaction; `probe` and `answer` are None where nobody is asked.

    `owner_answer` and `dry_reply` are for lines that several threads share; `probe` may be None even then: only the owner is
    probed, with `owner_probe`.
    """

    name: str
    request: PacketKind
    reply: PacketKind
    done: PacketKind
    probe: PacketKind | None = None
    answer: PacketKind | None = None
    owner_probe: PacketKind = PROBE
    owner_answer: PacketKind = OWNER_RESPONSE
    dry_reply: PacketKind = TARGET_DONE


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

UNPROBED = CoherenceProtocol(  # as if a filter at the home knew that no other node holds the line
    name="unprobed",
    read=TransactionKind("read", READ_BLOCK, READ_RESPONSE, SOURCE_DONE),
    write=TransactionKind("read to modify", READ_BLOCK_MODIFY, READ_RESPONSE, SOURCE_DONE),
    victim=SNOOPED.victim,
)

# AMD's HT Assist: a filter at the home, kept in its L3, knows which lines other nodes hold, so that nobody is asked about a line
# that none holds (P. Conway and others, "Cache Hierarchy and Memory Subsystem of the AMD Opteron Processor", IEEE Micro 2010;
# general knowledge of it). Lines of this table are such; what the lookup costs is the machine's `coherence.filter_lookup_ns`.
PROBE_FILTERED = replace(UNPROBED, name="probe-filtered")

PROTOCOLS: dict[str, CoherenceProtocol] = {protocol.name: protocol for protocol in (SNOOPED, PROBE_FILTERED, UNPROBED)}
