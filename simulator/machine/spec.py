"""What a machine is: frozen, validated specifications, each block with its source.

A machine *file* gives constants once (``[link]``) and overrides them where one link or node differs
(``[[links]] latency_ns = 9``). A :class:`Machine` is the file resolved: every node and link carries all
of its constants. docs/topology-format.md explains each field.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Nanoseconds = Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)]
DelayNs = Annotated[float, Field(strict=True, ge=0.001, le=1e6, allow_inf_nan=False)]
GigabytesPerSecond = Annotated[float, Field(strict=True, gt=0, le=1e5, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=1, le=4096)]
CountOrZero = Annotated[int, Field(strict=True, ge=0, le=4096)]
NodeId = Annotated[int, Field(strict=True, ge=0, le=65535)]
_NO_CONTROLS = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$"  # text goes to terminals and pictures: no escape sequences
Text = Annotated[str, Field(strict=True, min_length=1, max_length=2000, pattern=_NO_CONTROLS)]
Source = Annotated[str, Field(strict=True, min_length=1, pattern=_NO_CONTROLS)]  # may grow: resolving joins sources
VirtualChannelName = Literal["request", "posted", "response", "probe"]
Table = tuple[tuple[NodeId, ...], ...]
BroadcastTable = tuple[tuple[tuple[NodeId, ...], ...], ...]


class Block(BaseModel):
    """A part of a machine file: no unknown keys, never changed after loading, always with a source."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Source = Field(description="where the values come from: a document and page, 'fitted', or 'assumed: why'")
    fitted: dict[str, tuple[float, float] | tuple[str, ...]] = Field(
        default={}, description="fields chosen by looking at published bars: lowest and highest value allowed, or the choices"
    )


class ProcessorSpec(Block):
    """The part on each node."""

    name: Text
    clock_ghz: Annotated[float, Field(strict=True, gt=0, le=10, allow_inf_nan=False)]


class CoreSpec(Block):
    """How a core issues cache lines; see docs/model.md, "Thread"."""

    window: Count = Field(description="lines a foreground thread has in flight")
    core_time_ns: Nanoseconds = Field(description="time a window slot rests between its lines")
    write_extra_ns: Nanoseconds = Field(description="core time a written line costs beyond a read one")
    jitter_ns: Nanoseconds = Field(description="core time varies evenly by up to this much either way")
    background_window: Count = Field(description="lines a background thread has in flight")
    background_core_time_ns: Nanoseconds = Field(description="core time of a background thread")
    max_outstanding: Count = Field(description="most lines a core may have in flight; a larger window is refused")


class SriToCrossbarBuffers(BaseModel):
    """Crossbar buffers that hold what the SRI sends (register F3x70)."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    request: CountOrZero
    posted: CountOrZero = 1
    response: CountOrZero
    request_data: CountOrZero
    response_data: CountOrZero = 1


class CrossbarToSriBuffers(BaseModel):
    """SRI buffers that hold what the crossbar sends (register F3x74). Responses always sink."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    probe: CountOrZero


class ControllerToCrossbarBuffers(BaseModel):
    """Crossbar buffers that hold what the memory controller sends (register F3x78)."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    response: CountOrZero
    probe: CountOrZero
    response_data: CountOrZero


class LinkCredits(BaseModel):
    """Receive buffers of one link direction, hence its sender's credits (registers F0x90, B0, D0)."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    request: CountOrZero
    posted: CountOrZero
    response: CountOrZero
    probe: CountOrZero
    request_data: CountOrZero
    posted_data: CountOrZero
    response_data: CountOrZero


class SriSpec(Block):
    """System request interface: between the cores of a node and its crossbar."""

    latency_ns: DelayNs = Field(description="each way, without waiting")
    data_gb_per_s: GigabytesPerSecond | None = Field(
        default=None, description="rate of its data path; left out: never the bottleneck"
    )
    to_crossbar: SriToCrossbarBuffers


class CrossbarSpec(Block):
    """The crossbar of a node."""

    latency_ns: DelayNs = Field(description="one pass, without waiting")
    arbitration: Literal["round-robin", "response-first"] = Field(description="between virtual channels at each output")
    to_sri: CrossbarToSriBuffers


class ControllerSpec(Block):
    """Memory controller (MCT) with its DRAM."""

    entry_ns: DelayNs = Field(description="from the crossbar to the controller's queue")
    queue: Count = Field(description="transactions the controller holds, from their arrival to their SrcDone")
    read_ns: Nanoseconds = Field(description="DRAM service of one line read")
    write_ns: Nanoseconds = Field(description="DRAM service of one line written")
    turnaround_ns: Nanoseconds = Field(description="added where the direction changes")
    path_ns: DelayNs = Field(description="DRAM pipeline after the service, until the line is at the crossbar")
    peak_gb_per_s: GigabytesPerSecond = Field(description="bus peak, for reports only")
    to_crossbar: ControllerToCrossbarBuffers


class CrcSpec(BaseModel):
    """Periodic CRC: `bytes` follow after each `every_bytes` sent."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    bytes: CountOrZero
    every_bytes: Annotated[int, Field(strict=True, ge=4, le=1_000_000)]


class NopSpec(BaseModel):
    """The NOP packet that gives buffers back to the sender: size, and releases a class that fit in one."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    bytes: CountOrZero
    releases_per_class: Annotated[int, Field(strict=True, ge=1, le=15)]


class LinkConstants(Block):
    """Constants of a HyperTransport link, the same in both directions."""

    width_bits: Annotated[int, Field(strict=True, ge=1, le=64)]
    rate_gt_per_s: Annotated[float, Field(strict=True, ge=0.001, le=100, allow_inf_nan=False)]
    latency_ns: DelayNs = Field(description="wire, drivers and receivers: from leaving one crossbar side to the other")
    carries: tuple[VirtualChannelName, ...] = Field(
        default=("request", "posted", "response", "probe"),
        description="virtual channels routed over this link; only parallel links differ",
    )
    credits: LinkCredits
    crc: CrcSpec
    nop: NopSpec

    @property
    def gb_per_s(self) -> float:
        """Rate of one direction: width/8 bytes a transfer."""
        return self.width_bits / 8 * self.rate_gt_per_s


class CoherenceSpec(Block):
    """How a home node finds out who else holds a line."""

    protocol: Literal["snooped", "probe-filtered", "unprobed"]
    probe_answer_ns: DelayNs = Field(description="from a probe at the SRI until its answer is ready")
    filter_lookup_ns: Nanoseconds | None = Field(
        default=None, description="time the home's probe filter takes, before the controller's queue; needed by probe-filtered"
    )

    @property
    def lookup_ns(self) -> float:
        """What finding out who holds a line adds at the home, ns; 0 where no filter is asked."""
        return self.filter_lookup_ns or 0.0 if self.protocol == "probe-filtered" else 0.0


class CacheSpec(BaseModel):
    """One cache: least recently used lines leave first, written lines are written back when they leave."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    size_kib: Annotated[int, Field(strict=True, ge=1, le=1 << 20)]
    ways: Count
    hit_cycles: Annotated[float, Field(strict=True, ge=0, le=1000, allow_inf_nan=False)]


class PrivateL2Spec(CacheSpec):
    """The L2 of one core: it holds what the L1 drove out, or a copy of what the L1 fetched too."""

    policy: Literal["exclusive", "non-inclusive"]


class SharedL3Spec(CacheSpec):
    """The L3 of all cores of a node: it holds what an L2 drove out, or a copy of all that they hold."""

    policy: Literal["victim", "inclusive"]


class CachesSpec(Block):
    """The caches between a core and its node's SRI; see docs/traces.md, "The cache model"."""

    line_bytes: Literal[64]
    l1: CacheSpec = Field(description="data cache of each core")
    l2: PrivateL2Spec
    l3: SharedL3Spec | None = Field(default=None, description="left out: there is none")
    exposed_share: Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)] = Field(
        description="part of a hit's time beyond the L1's that a load waits for; the core does other work in the rest"
    )
    cycles_per_instruction: Annotated[float, Field(strict=True, gt=0, le=1000, allow_inf_nan=False)] = Field(
        description="of a program whose data are in the L1"
    )


class RoutingSpec(Block):
    """Next hops by node and destination, or ``"shortest"``; see facts in the file's source."""

    request: Literal["shortest"] | Table
    response: Literal["shortest"] | Table
    broadcast: Literal["shortest"] | BroadcastTable


class Node(Block):
    """A node, resolved. `controller` is None on a node without memory."""

    id: NodeId
    cores: Annotated[int, Field(strict=True, ge=0, le=256)]
    memory_gib: Annotated[float, Field(strict=True, gt=0, le=1e6, allow_inf_nan=False)] | None = None
    sri: SriSpec
    crossbar: CrossbarSpec
    controller: ControllerSpec | None


class Link(LinkConstants):
    """A link between two nodes, resolved; `ordinal` counts parallel links between the same nodes."""

    ends: tuple[NodeId, NodeId]
    ordinal: int = 0


class DistancesSpec(Block):
    """The distance matrix the firmware gives (SLIT), row = from, in node order."""

    matrix: tuple[tuple[Annotated[int, Field(strict=True, ge=0, le=255)], ...], ...]


class Machine(Block):
    """A whole machine, resolved: what engines, graphs and reports read."""

    schema_version: Literal[1]
    name: Text
    title: Text
    processor: ProcessorSpec
    core: CoreSpec
    coherence: CoherenceSpec
    routing: RoutingSpec
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    distances: DistancesSpec | None = None
    caches: CachesSpec | None = None

    @property
    def node_ids(self) -> tuple[int, ...]:
        """Node numbers in ascending order; position in it is the node's index."""
        return tuple(node.id for node in self.nodes)

    def node(self, node_id: int) -> Node:
        """Return the node of that number; KeyError when there is none."""
        for node in self.nodes:
            if node.id == node_id:
                return node
        raise KeyError(node_id)
