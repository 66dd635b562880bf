"""First step of lowering: the ports, buffer pools and fixed delays of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from simulator.engine.plan import NONE, Delays, Part, Pools, PortKind, Ports
from simulator.machine.routing import link_key
from simulator.machine.spec import Link, Machine, Node
from simulator.protocol import CHANNEL_NAMES, PACKET_KINDS, Channel, PacketKind
from simulator.units import ps_from_ns, serialisation_ps

CREDIT_CLASSES = ("request", "posted", "response", "probe", "request_data", "posted_data", "response_data")


@dataclass(frozen=True)
class Output:
    """A port as journeys use it: what to take before passing it, and the delay behind it, by virtual channel."""

    port: int
    delay: int
    probe_delay: int
    buffers: Mapping[str, int]

    def command_pool(self, kind: PacketKind) -> int:
        """Pool of command buffers for this kind, or NONE where it always sinks."""
        return self.buffers.get(CHANNEL_NAMES[kind.channel], NONE)

    def data_pool(self, kind: PacketKind) -> int:
        """Pool of data buffers for this kind, or NONE without data."""
        return self.buffers.get(CHANNEL_NAMES[kind.channel] + "_data", NONE) if kind.data_bytes else NONE

    def delay_for(self, kind: PacketKind) -> int:
        """Delay behind the port."""
        return self.probe_delay if kind.channel is Channel.PROBE else self.delay


@dataclass
class _PortRow:
    name: str
    kind: PortKind
    strict: int
    service_ps: tuple[int, ...]
    header_ps: tuple[int, ...]
    turnaround_ps: int = 0
    reverse: int = NONE
    nop_ps: int = 0
    nop_latency_ps: int = 0
    nop_bytes: int = 0
    nop_releases: int = 1
    crc_every_bytes: int = 1 << 40
    crc_bytes: int = 0
    crc_ps: int = 0
    service_part: Part = Part.SERIALISATION
    queue_part: Part = Part.NODE_QUEUE
    buffer_part: Part = Part.NODE_BUFFERS


@dataclass
class Stations:
    """Ports, pools and delays under construction, and how to find them again."""

    node_output: dict[tuple[int, str], Output] = field(default_factory=dict)  # (node id, unit): sri, mct, to_sri, to_mct, dram
    link_output: dict[str, Output] = field(default_factory=dict)  # by link direction, such as 0->1
    _ports: list[_PortRow] = field(default_factory=list)
    _pools: list[tuple[str, int, int, int]] = field(default_factory=list)
    _delays: list[tuple[str, int, Part, int, Part]] = field(default_factory=list)

    def add_port(self, row: _PortRow) -> int:
        self._ports.append(row)
        return len(self._ports) - 1

    def add_delay(self, name: str, part: Part, time_ns: float, rest_part: Part = Part.CROSSBAR, rest_ns: float = 0.0) -> int:
        part_ps = min(ps_from_ns(time_ns), ps_from_ns(time_ns + rest_ns))
        self._delays.append((name, ps_from_ns(time_ns + rest_ns), part, part_ps, rest_part))
        return len(self._delays) - 1

    def add_pools(self, owner: str, claimant: int, counts: Mapping[str, int], *, by_nop: bool = False) -> dict[str, int]:
        ids = {}
        for name, capacity in counts.items():
            credit_class = CREDIT_CLASSES.index(name) if by_nop else NONE
            self._pools.append((f"{owner} {name.replace('_', ' ')} buffers", capacity, claimant, credit_class))
            ids[name] = len(self._pools) - 1
        return ids

    def join_directions(self, one: int, other: int) -> None:
        """Say that two ports are the two directions of one link."""
        self._ports[one].reverse, self._ports[other].reverse = other, one

    def ports(self) -> Ports:
        """Return the finished table of ports."""
        rows = self._ports
        return Ports(
            name=tuple(row.name for row in rows),
            kind=tuple(int(row.kind) for row in rows),
            strict=tuple(row.strict for row in rows),
            service_ps=tuple(row.service_ps for row in rows),
            header_ps=tuple(row.header_ps for row in rows),
            service_draw=tuple(NONE for _ in rows),
            turnaround_ps=tuple(row.turnaround_ps for row in rows),
            reverse=tuple(row.reverse for row in rows),
            nop_ps=tuple(row.nop_ps for row in rows),
            nop_latency_ps=tuple(row.nop_latency_ps for row in rows),
            nop_bytes=tuple(row.nop_bytes for row in rows),
            nop_releases=tuple(row.nop_releases for row in rows),
            crc_every_bytes=tuple(row.crc_every_bytes for row in rows),
            crc_bytes=tuple(row.crc_bytes for row in rows),
            crc_ps=tuple(row.crc_ps for row in rows),
            service_part=tuple(int(row.service_part) for row in rows),
            queue_part=tuple(int(row.queue_part) for row in rows),
            buffer_part=tuple(int(row.buffer_part) for row in rows),
        )

    def pools(self) -> Pools:
        """Return the finished table of pools."""
        name, capacity, claimant, credit_class = zip(*self._pools, strict=True)
        return Pools(name=name, capacity=capacity, claimant=claimant, credit_class=credit_class)

    def delays(self) -> Delays:
        """Return the finished table of delays."""
        name, time_ps, part, part_ps, rest_part = zip(*self._delays, strict=True)
        parts, rest_parts = tuple(map(int, part)), tuple(map(int, rest_part))
        return Delays(name=name, time_ps=time_ps, part=parts, part_ps=part_ps, rest_part=rest_parts)


def build_stations(machine: Machine) -> Stations:
    """Lay out the stations of every node, then of every link direction, in the order of the machine."""
    stations = Stations()
    for node in machine.nodes:
        _add_sri(stations, machine, node)
        if node.controller is not None:
            _add_controller(stations, machine, node)
    for link in machine.links:
        one = _add_link_direction(stations, machine, link, link.ends[0], link.ends[1])
        other = _add_link_direction(stations, machine, link, link.ends[1], link.ends[0])
        stations.join_directions(one, other)
    return stations


def _internal_port(name: str, node: Node, data_gb_per_s: float | None = None) -> _PortRow:
    def time_ps(size_bytes: int) -> int:
        return 0 if data_gb_per_s is None else serialisation_ps(size_bytes, data_gb_per_s)

    return _PortRow(
        name=name,
        kind=PortKind.INTERNAL,
        strict=int(node.crossbar.arbitration == "response-first"),
        service_ps=tuple(time_ps(kind.size_bytes) for kind in PACKET_KINDS),
        header_ps=tuple(time_ps(kind.command_bytes) for kind in PACKET_KINDS),
        service_part=Part.SERIALISATION if data_gb_per_s is None else Part.SRI,  # without a rate only tails are waited for
    )


def _add_sri(stations: Stations, machine: Machine, node: Node) -> None:
    owner = f"node {node.id}"
    sri, crossbar = node.sri, node.crossbar
    out = stations.add_port(_internal_port(f"{owner} SRI to crossbar", node, sri.data_gb_per_s))
    to_crossbar = stations.add_delay(f"{owner} SRI to crossbar", Part.SRI, sri.latency_ns, Part.CROSSBAR, crossbar.latency_ns)
    buffers = stations.add_pools(f"{owner} SRI to crossbar", out, sri.to_crossbar.model_dump())
    stations.node_output[node.id, "sri"] = Output(out, to_crossbar, NONE, buffers)
    into = stations.add_port(_internal_port(f"{owner} crossbar to SRI", node, sri.data_gb_per_s))
    arrive = stations.add_delay(f"{owner} crossbar to SRI", Part.SRI, sri.latency_ns)
    answer = stations.add_delay(f"{owner} probe answer", Part.SRI, sri.latency_ns, Part.PROBES, machine.coherence.probe_answer_ns)
    buffers = stations.add_pools(f"{owner} crossbar to SRI", into, crossbar.to_sri.model_dump())
    stations.node_output[node.id, "to_sri"] = Output(into, arrive, answer, buffers)


def _add_controller(stations: Stations, machine: Machine, node: Node) -> None:
    owner, controller = f"node {node.id}", node.controller
    assert controller is not None
    entrance = _internal_port(f"{owner} crossbar to controller", node)
    into = stations.add_port(replace(entrance, buffer_part=Part.CONTROLLER_FULL))
    entry_ns = controller.entry_ns + machine.coherence.lookup_ns
    entry = stations.add_delay(f"{owner} crossbar to controller", Part.CONTROLLER, entry_ns)
    queue = stations.add_pools(f"{owner} controller queue", into, {"request": controller.queue})
    stations.node_output[node.id, "to_mct"] = Output(into, entry, NONE, queue)
    dram = stations.add_port(_dram_port(f"{owner} DRAM", node))
    path = stations.add_delay(f"{owner} DRAM path", Part.CONTROLLER, controller.path_ns)
    stations.node_output[node.id, "dram"] = Output(dram, path, NONE, {})
    out = stations.add_port(_internal_port(f"{owner} controller to crossbar", node))
    to_crossbar = stations.add_delay(f"{owner} controller to crossbar", Part.CROSSBAR, node.crossbar.latency_ns)
    buffers = stations.add_pools(f"{owner} controller to crossbar", out, controller.to_crossbar.model_dump())
    stations.node_output[node.id, "mct"] = Output(out, to_crossbar, to_crossbar, buffers)


def _dram_port(name: str, node: Node) -> _PortRow:
    controller = node.controller
    assert controller is not None
    service = tuple(ps_from_ns(controller.write_ns if kind.writes else controller.read_ns) for kind in PACKET_KINDS)
    turnaround = ps_from_ns(controller.turnaround_ns)
    parts = {"service_part": Part.DRAM, "queue_part": Part.DRAM_QUEUE}
    return _PortRow(name, PortKind.DRAM, 0, service, service, turnaround_ps=turnaround, **parts)


def _add_link_direction(stations: Stations, machine: Machine, link: Link, start: int, end: int) -> int:
    name = link_key(machine, link, start)
    rate = link.gb_per_s
    port = stations.add_port(
        _PortRow(
            name=f"link {name}",
            kind=PortKind.LINK,
            strict=int(machine.node(start).crossbar.arbitration == "response-first"),
            service_ps=tuple(serialisation_ps(kind.size_bytes, rate) for kind in PACKET_KINDS),
            header_ps=tuple(serialisation_ps(kind.command_bytes, rate) for kind in PACKET_KINDS),
            nop_ps=serialisation_ps(link.nop.bytes, rate),
            nop_latency_ps=ps_from_ns(link.latency_ns),
            nop_bytes=link.nop.bytes,
            nop_releases=link.nop.releases_per_class,
            crc_every_bytes=link.crc.every_bytes,
            crc_bytes=link.crc.bytes,
            crc_ps=serialisation_ps(link.crc.bytes, rate),
            queue_part=Part.LINK_QUEUE,
            buffer_part=Part.CREDITS,
        )
    )
    crossbar_ns = machine.node(end).crossbar.latency_ns
    wire = stations.add_delay(f"link {name} wire and crossbar", Part.WIRE, link.latency_ns, Part.CROSSBAR, crossbar_ns)
    credits = stations.add_pools(f"link {name}", port, link.credits.model_dump(), by_nop=True)
    stations.link_output[name] = Output(port, wire, wire, credits)
    return port
