"""The document of a trace: events that Perfetto and chrome://tracing open, and the tables that a replay steps through.

`numasim schema trace` prints its JSON Schema. Format of the events: "Trace Event Format", Google, 2016; times there are us, and
a trace viewer may show them rounded to ns. The tables in `otherData`, which viewers pass over, are exact: integer ps since the
start of the run, a list a column, null for what was not settled when the window closed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from simulator.measure.result import Provenance, Report

Time = Annotated[float, Field(description="us since the start of the run")]
Place = Annotated[int, Field(description="row of the table it is named after")]
OptionalPlace = Annotated[int | None, Field(description="row of the table it is named after; null: none")]
Ps = Annotated[int, Field(ge=0, description="ps since the start of the run")]
OptionalPs = Annotated[int | None, Field(description="ps since the start of the run; null: not settled in the window")]


class Metadata(Report):
    """Name or place of a group of tracks (process) or of a track (thread)."""

    ph: Literal["M"]
    name: Literal["process_name", "process_sort_index", "thread_name", "thread_sort_index"]
    pid: int
    tid: int | None = None
    args: dict[str, str | int]


class Slice(Report):
    """A line, a part of its time, or a packet or NOP that a server is busy with: slices of a track follow each other or nest."""

    ph: Literal["X"]
    name: str
    cat: Literal["line", "part", "service", "nop"]
    ts: Time
    dur: float = Field(ge=0, description="us")
    pid: int
    tid: int
    args: dict[str, Any]


class AsyncPart(Report):
    """Beginning (b) or end (e) of a packet's wait at a port, of its way through the delay behind, or of an eviction."""

    ph: Literal["b", "e"]
    name: str
    cat: Literal["wait", "way", "eviction"]
    id: str
    ts: Time
    pid: int
    tid: int
    args: dict[str, Any] | None = None


class Flow(Report):
    """Beginning (s), step (t) or end (f) of an arrow: a line from its request to its data, or an answer from its probe."""

    ph: Literal["s", "t", "f"]
    name: Literal["line", "answer"]
    cat: Literal["line", "answer"]
    id: int
    ts: Time
    pid: int
    tid: int
    bp: Literal["e"] | None = Field(default=None, description="e: the end belongs to the slice around it")


class Counter(Report):
    """Packets that wait, free units of buffers, or per cent of a stretch of time that a server was busy."""

    ph: Literal["C"]
    name: str
    ts: Time
    pid: int
    args: dict[str, float]


Event = Annotated[Metadata | Slice | AsyncPart | Flow | Counter, Field(discriminator="ph")]


class ThreadRow(Report):
    """A thread."""

    label: str
    background: bool
    slots: int


class KindRow(Report):
    """A kind of packet."""

    name: str
    channel: Literal["request", "posted", "response", "probe"]
    bytes: int = Field(description="data included")
    data_bytes: int


class PortRow(Report):
    """An output with a queue a channel; a link's carries packets between two nodes."""

    name: str
    kind: Literal["internal", "link", "dram"]
    from_node: int | None = Field(description="number of the node; null: nothing goes through it in this workload")
    to_node: int | None


class PoolRow(Report):
    """A pool of buffers, at the far side of the port that takes from it."""

    name: str
    port: Place
    capacity: int
    free_at_open: int
    credit_class: int | None = Field(description="place in the lists of `nops.released`; null: units come back without a NOP")


class Transactions(Report):
    """Lines and evictions under way in the window, or followed by core time in it, from their issue on."""

    thread: list[Place]
    slot: list[int]
    number: list[int] = Field(description="of the thread's lines since the start; an eviction has that of its line")
    name: list[str]
    eviction: list[bool]
    issued: list[Ps]
    launched: list[Ps] = Field(description="when a slot took it; later than `issued` only for arrivals that waited")
    data: list[OptionalPs] = Field(description="when the line itself was there")
    completed: list[OptionalPs]
    core_time: list[int | None] = Field(description="ps, after the line")
    over: list[OptionalPs] = Field(description="when SrcDone set its place in the controller free")


class Spans(Report):
    """Where the time of each line went, without gaps from `issued` on; all but core add up to its latency."""

    transaction: list[Place]
    start: list[Ps]
    end: list[Ps]
    part: list[Place]
    port: list[OptionalPlace]
    node: list[int | None] = Field(description="number of the node that it led to; null: it waited")
    lacks: list[OptionalPlace] = Field(description="the pool that was empty while it waited")


class Packets(Report):
    """Packets of the transactions; each copy of a probe is one of its own."""

    transaction: list[Place]
    kind: list[Place]
    cause: list[OptionalPlace] = Field(description="packet it was copied from, or whose arrival sent it; null: the thread")
    born: list[Ps]
    gone: list[OptionalPs]
    node: list[int] = Field(description="number of the node where it was last")


class Hops(Report):
    """Packets at ports: came, was taken in hand, header out, tail out, header at the next place."""

    packet: list[Place]
    port: list[Place]
    queued: list[Ps]
    granted: list[OptionalPs]
    header_out: list[OptionalPs]
    tail_out: list[OptionalPs]
    arrived: list[OptionalPs]
    serves: list[bool] = Field(description="whether it keeps the port's server busy from granted to tail_out")
    command_pool: list[OptionalPlace]
    data_pool: list[OptionalPlace]


class PoolChanges(Report):
    """Units of pools taken, owed (free at the far side of a link, not back yet) and back, in order."""

    time: list[Ps]
    pool: list[Place]
    change: list[Literal["taken", "owed", "back"]]
    count: list[int]
    free: list[int] = Field(description="afterwards")
    hop: list[OptionalPlace] = Field(description="that has taken it")


class Nops(Report):
    """NOP packets: the units that each gives back, by credit class, count from `arrived` on."""

    port: list[Place]
    sent: list[Ps]
    end: list[Ps]
    arrived: list[Ps]
    released: list[list[int]]


class TraceData(Report):
    """What a replay steps through."""

    machine: str
    opened: Ps
    closed: Ps
    nodes: list[int]
    parts: list[str] = Field(description="names as in the breakdown of a run")
    threads: list[ThreadRow]
    kinds: list[KindRow]
    ports: list[PortRow]
    pools: list[PoolRow]
    transactions: Transactions
    spans: Spans
    packets: Packets
    hops: Hops
    pool_changes: PoolChanges
    nops: Nops
    provenance: Provenance


class TraceDocument(Report):
    """A window of a run: one file for a trace viewer and for the replay."""

    traceEvents: list[Event]
    displayTimeUnit: Literal["ns"]
    schema_version: Literal[1] = 1
    otherData: TraceData
