"""The Plan: machine and workload as flat integer tables, all that an engine needs and nothing else.

How a packet travels, in the words of the tables:

- A *stage* is a place where a packet arrives: a crossbar, a controller, a core. It may have an *action* (what the protocol does
  there) and has zero or more *branches*; two or more branches are a multicast, and each takes a copy.
- A *branch* leads through one *port* (an output with a queue for each virtual channel and one server) and then one *delay* (a
  fixed time, first in first out) to the next stage. To pass the port a packet takes the branch's command and data buffers from
  their *pools*; the buffers it held before are given back when its header and its tail have left.
- A *pool* counts free buffers. Its units come back at once, or, over a link, by NOP packets on the opposite direction.

All times are integer picoseconds, all sizes bytes. ``NONE`` (-1) in an index column means "not there".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

NONE = -1
CACHED = -2  # in Program.shared: the thread's own caches hold the line, so that it is complete at once and nobody is asked

Ints = tuple[int, ...]
IntTable = tuple[tuple[int, ...], ...]


class PortKind(IntEnum):
    """What a port's server does."""

    INTERNAL = 0  # crossbar and SRI outputs: no server of their own unless the file gives a rate
    LINK = 1  # serialises; sends NOP and CRC; cuts through after the header
    DRAM = 2  # serves one line at a time; turning round between reads and writes costs


class Part(IntEnum):
    """What a line's time is spent on. A line is in one of these at every moment from its issue to the end of its core time."""

    SOURCE = 0  # an arrival that waits for a free window slot
    SRI = 1  # between core and crossbar, its data path if the machine gives it a rate included
    CROSSBAR = 2
    WIRE = 3  # link latency
    SERIALISATION = 4  # of its packets on links, with CRC, and until a tail has come
    CONTROLLER = 5  # entry, and the DRAM path after the service
    DRAM = 6  # service, with turning round
    NODE_QUEUE = 7  # behind others at an output inside a node
    LINK_QUEUE = 8  # behind others, or NOPs, at a link
    DRAM_QUEUE = 9  # behind others at the DRAM
    CONTROLLER_FULL = 10  # for a place in the controller's queue
    NODE_BUFFERS = 11  # for a buffer inside a node, or its turn
    CREDITS = 12  # for a credit of a link, or its turn
    PROBES = 13  # from the data's arrival to the last answer of the probed nodes
    CORE = 14  # core time after the line; not part of its latency
    SHARED_LINE = 15  # at its home, until the transaction of the same line before it is over


class Action(IntEnum):
    """What happens to a packet at the end of a journey."""

    PASS = 0  # a crossbar: on to the branches
    ACCEPT = 1  # the home controller takes a request: probes leave, the branch leads to DRAM
    REPLY = 2  # DRAM is done: the reply leaves
    ANSWER = 3  # a probed node answers the requester
    COLLECT = 4  # the requester takes a reply or an answer
    RELEASE = 5  # the home controller takes SrcDone


@dataclass(frozen=True)
class Ports:
    """Outputs, one row each. `service_ps` and `header_ps` have a column a packet kind; parts are those of :class:`Part`."""

    name: tuple[str, ...]
    kind: Ints
    strict: Ints  # 1: responses, probes, requests in that order; 0: round robin
    service_ps: IntTable
    header_ps: IntTable
    service_draw: Ints  # distribution that replaces service_ps, or NONE
    turnaround_ps: Ints
    reverse: Ints  # port of the opposite link direction, or NONE
    nop_ps: Ints
    nop_latency_ps: Ints  # from the end of a NOP until its credits count at the other side
    nop_bytes: Ints
    nop_releases: Ints
    crc_every_bytes: Ints
    crc_bytes: Ints
    crc_ps: Ints
    service_part: Ints  # what a line spends here being served, behind others, and for want of buffers
    queue_part: Ints
    buffer_part: Ints


@dataclass(frozen=True)
class Pools:
    """Buffer pools. `credit_class` is NONE where units come back at once, else their class in a NOP."""

    name: tuple[str, ...]
    capacity: Ints
    claimant: Ints  # the one port that takes from it
    credit_class: Ints


@dataclass(frozen=True)
class Delays:
    """Fixed delays. `part_ps` of `time_ps` are spent on `part`, the rest on `rest_part`."""

    name: tuple[str, ...]
    time_ps: Ints
    part: Ints
    part_ps: Ints
    rest_part: Ints


@dataclass(frozen=True)
class Stages:
    """Places of arrival; branches ``first .. first + count - 1`` belong to a stage."""

    action: Ints
    node: Ints
    first: Ints
    count: Ints


@dataclass(frozen=True)
class Branches:
    """Ways on from a stage."""

    port: Ints
    command_pool: Ints
    data_pool: Ints
    delay: Ints
    stage: Ints


@dataclass(frozen=True)
class Transactions:
    """Rows by (kind, requester, home). Stages are where each packet starts; kinds are packet kinds."""

    name: tuple[str, ...]
    requester: Ints  # node index
    home: Ints
    victim: Ints  # 1: an eviction, which nobody waits for but the next line of its slot
    joins: Ints  # arrivals at the requester until it is complete
    request_kind: Ints
    request_stage: Ints
    probe_kind: Ints
    probe_stage: Ints
    reply_kind: Ints
    reply_stage: Ints
    answer_kind: Ints
    answer_stage: IntTable  # by the answering node
    owner_kind: Ints  # of a shared line: how the node answers whose cache holds it modified
    owner_stage: IntTable  # by that node
    owner_probe_stage: IntTable  # by that node: where a probe for it alone starts; NONE: all nodes are probed
    dry_reply_kind: Ints  # of a shared line that a cache holds: the home's reply, without data
    dry_reply_stage: Ints
    done_kind: Ints
    done_stage: Ints


@dataclass(frozen=True)
class Program:
    """Lines of all threads, one row each; those of a supplied thread are the places that its lines pass through."""

    transaction: Ints
    victim: Ints  # the eviction that goes with it, or NONE
    core_draw: Ints  # distribution of the core time after it
    barrier: Ints
    path: Ints  # row of Paths that it counts for
    compute_ps: Ints  # for which the core computes on it, one line of a thread at a time, before the core time
    shared: Ints  # number of the line that several threads use, NONE: a line of its own, or CACHED
    lock: Ints  # 1: all other threads stand still before it is issued; 2: until it is complete; 3: both


@dataclass(frozen=True)
class Paths:
    """Kinds of lines of a thread, apart by transaction: reads and writes, from each node to each memory."""

    thread: Ints
    transaction: Ints


@dataclass(frozen=True)
class Threads:
    """Threads, in canonical order."""

    label: tuple[str, ...]
    stream: Ints  # 64-bit start of its random numbers
    background: Ints
    window: Ints
    first: Ints  # its rows of the program
    count: Ints
    repeat: Ints
    supplied: Ints  # 1: its lines are handed in while the engine runs (`Engine.supply`)
    start_ps: Ints
    interval_draw: Ints  # distribution of the time between lines, or NONE: closed
    open: Ints  # 1: arrivals that wait for nobody; their latency counts from the arrival
    slice_period_ps: Ints  # 0: may always issue
    slice_start_ps: Ints
    slice_length_ps: Ints


@dataclass(frozen=True)
class Draws:
    """Distributions: equally likely values in ps; a row's length is a power of two."""

    values: IntTable


@dataclass(frozen=True)
class Plan:
    """Everything an engine runs.

    Attributes
    ----------
    kind_data_bytes, kind_writes, kind_channel, kind_carries_line, kind_modifies : tuple of int
        By packet kind: data it carries, 1 if it makes DRAM write, virtual channel, 1 if it is a request or its reply: the line is
        where that packet is; 1 if it asks for a line in order to write it.
    controller_port, controller_pool : tuple of int
        By node: DRAM port and queue pool, or NONE.
    barrier_parties : tuple of int
        Threads that must reach each barrier.
    shared_lines : int
        How many lines several threads use.
    seed : int
    """

    node_ids: Ints
    kind_name: tuple[str, ...]
    kind_bytes: Ints
    kind_data_bytes: Ints
    kind_writes: Ints
    kind_channel: Ints
    kind_carries_line: Ints
    kind_modifies: Ints
    ports: Ports
    pools: Pools
    delays: Delays
    stages: Stages
    branches: Branches
    transactions: Transactions
    program: Program
    paths: Paths
    threads: Threads
    draws: Draws
    controller_port: Ints
    controller_pool: Ints
    barrier_parties: Ints
    shared_lines: int
    seed: int
