"""Zero-load time of a line, worked out by itself: shares no code with the engine, the measures or the protocol tables.

One line is read or written on a machine at rest. It is complete at the later of its data and the last probe answer.

The rules, in words:

0. A probe-filtered machine differs in two things: its controllers take longer to enter, by what the filter takes, and nobody is
   probed, so that a line is complete when its data is there.
1. The request goes core -> SRI -> crossbar (-> link -> crossbar)* -> controller. A written line is asked for the same way, and
   the line it evicts leaves for the same home right behind the request, data and all.
2. When the controller has the request, DRAM starts on it and a probe sets out down the broadcast tree of the home. DRAM serves
   one line at a time and pays for a change between reading and writing. After DRAM and its pipeline the data goes to the
   requester; of an evicted line it is a short note (TgtDone) instead.
3. Every node has its answer ready some time after the probe reached its SRI. The requester's own counts at that moment; the
   others send a packet to the requester. A probe with several ways on is copied, and the copies are sent independently.
4. Once it has all, the requester sends SrcDone to the home; likewise after TgtDone. Nobody waits for these, but they take links.
5. A link sends one packet at a time, in order of arrival: packets of this one line queue behind each other. A packet with data
   is passed on as soon as its header has crossed (cut-through), but its tail never leaves before it has arrived. Packets
   without data are passed on as a whole. Into an SRI or a controller a packet goes when its tail is there. An SRI with a rate
   is such a sender too.
6. Every packet fills a command buffer at the far end of each link, and a data buffer if it has data. They are given back by a
   NOP of 4 B in the opposite direction: the command buffer once the header has left (of a copied probe: of the last copy), the
   data buffer once the tail has. A NOP is sent before a waiting packet unless the last thing sent was a NOP, and carries what
   is owed by then, up to a number of each class.
7. No periodic CRC falls in, and no packet ever waits for a buffer: both asserted.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from simulator.machine.spec import Link, Machine, Node
from tests.oracle import routes

LINE = 64


@dataclass
class _Packet:
    """`command` and `data` are bytes; `give_back` is told the classes of buffers that its last link lent it."""

    channel: str
    command: int
    data: int = 0
    tail: int = 0
    give_back: Callable[[str], None] = lambda name: None

    def copy(self, give_back: Callable[[str], None]) -> _Packet:
        return _Packet(self.channel, self.command, self.data, self.tail, give_back)


def zero_load_ps(machine: Machine, requester: int, home: int, mode: str) -> int:
    """Return the time (ps) from issue to completion of one line, its own packets in each other's way."""
    return _OneLine(machine, requester, home, mode).time_ps()


class _Sender:
    """What sends bytes one packet after the other: a link direction, or an SRI with a rate."""

    def __init__(self, world: _OneLine, rate: float, header_first: bool, link: Link | None = None) -> None:
        self.world, self.rate, self.header_first, self.link = world, rate, header_first, link
        self.waiting: list[tuple[_Packet, Callable[[_Packet], None]]] = []
        self.back: _Sender | None = None
        self.owed: Counter[str] = Counter()
        self.credits = Counter(link.credits.model_dump() if link else {})
        self.free_at, self.nop_was_last, self.bytes = 0, False, 0

    def put(self, packet: _Packet, onward: Callable[[_Packet], None]) -> None:
        """Queue a packet; `onward` is called when its header, or the whole of it, has left."""
        self.waiting.append((packet, onward))
        self.look()

    def owe(self, name: str) -> None:
        self.owed[name] += 1
        self.look()

    def look(self) -> None:
        self.world.at(max(self.world.now, self.free_at), self._send_next, last=True)

    def _time(self, size: int) -> int:
        self.bytes += size
        assert self.link is None or self.bytes < self.link.crc.every_bytes, "a CRC would fall in"
        return round(size * 1000 / self.rate)

    def _send_next(self) -> None:
        if self.free_at > self.world.now:
            return
        if self.owed and not (self.waiting and self.nop_was_last):
            self._send_nop()
        elif self.waiting:
            assert len({packet.channel for packet, _ in self.waiting}) == 1, "order of arrival does not decide"
            self._send(*self.waiting.pop(0))
        else:
            return
        self.look()

    def _send(self, packet: _Packet, onward: Callable[[_Packet], None]) -> None:
        now, world = self.world.now, self.world
        self.nop_was_last = False
        header = now + self._time(packet.command)
        end = self.free_at = max(now + round((packet.command + packet.data) * 1000 / self.rate), packet.tail)
        self._time(packet.data)
        if not (packet.data and self.header_first):
            header = end
        names = [packet.channel] + [packet.channel + "_data"] * (packet.data > 0)
        for name in names if self.link else []:
            self.credits[name] -= 1
            assert self.credits[name] >= 0, "a packet would wait for a buffer"
        back = self.back
        sent = packet.copy((lambda name: back.owe(name)) if back else (lambda name: None))
        sent.tail = end
        world.at(header, lambda: packet.give_back(packet.channel))
        if packet.data:
            world.at(end, lambda: packet.give_back(packet.channel + "_data"))
        world.at(header, lambda: onward(sent))

    def _send_nop(self) -> None:
        assert self.link is not None
        assert self.back is not None
        carried = {name: min(count, self.link.nop.releases_per_class) for name, count in self.owed.items()}
        self.owed = +Counter({name: count - carried[name] for name, count in self.owed.items()})
        self.nop_was_last = True
        self.free_at = self.world.now + self._time(self.link.nop.bytes)
        self.world.at(self.free_at + _ps(self.link.latency_ns), lambda: self.back.credits.update(carried))


class _OneLine:
    def __init__(self, machine: Machine, requester: int, home: int, mode: str) -> None:
        self.machine, self.requester, self.home, self.mode = machine, requester, home, mode
        self.now, self._count = 0, 0
        self._todo: list[tuple[int, bool, int, Callable[[], None]]] = []
        self._links: dict[tuple[int, tuple[int, int]], _Sender] = {}
        for number, link in enumerate(machine.links):
            one, other = (_Sender(self, link.width_bits / 8 * link.rate_gt_per_s, True, link) for _ in range(2))
            one.back, other.back = other, one
            self._links[number, link.ends], self._links[number, link.ends[::-1]] = one, other
        self._sri: dict[tuple[int, str], _Sender] = {}
        for node in machine.nodes:
            if node.sri.data_gb_per_s is not None:
                self._sri[node.id, "out"] = _Sender(self, node.sri.data_gb_per_s, True)
                self._sri[node.id, "in"] = _Sender(self, node.sri.data_gb_per_s, False)
        self._dram_free_at, self._dram_wrote = 0, False
        self._missing = 1 + (len(machine.nodes) if _probes(machine) else 0)
        self._complete_at: int | None = None

    def at(self, time: int, call: Callable[[], None], last: bool = False) -> None:
        """Do something at a time; `last`: after everything else of that moment, as senders choose what to send."""
        self._count += 1
        heapq.heappush(self._todo, (time, last, self._count, call))

    def time_ps(self) -> int:
        node = self._node(self.requester)
        assert node.sri.to_crossbar.request >= 2
        self._from_sri(self.requester, _Packet("request", 8), self.home, lambda packet: self._at_controller(packet, False))
        if self.mode == "w":
            victim = _Packet("request", 8, LINE)
            self._from_sri(self.requester, victim, self.home, lambda packet: self._at_controller(packet, True))
        while self._complete_at is None:
            self.now, _, _, call = heapq.heappop(self._todo)
            call()
        return self._complete_at

    # -- what the packets cause -------------------------------------------------------------------------------------------

    def _at_controller(self, packet: _Packet, evicted: bool) -> None:
        controller = self._node(self.home).controller
        assert controller is not None
        turn = _ps(controller.turnaround_ns) if evicted != self._dram_wrote and self._dram_free_at else 0
        service = _ps(controller.write_ns if evicted else controller.read_ns)
        self._dram_free_at, self._dram_wrote = max(self.now, self._dram_free_at) + turn + service, evicted
        crossbar = _ps(self._node(self.home).crossbar.latency_ns)
        ready = self._dram_free_at + _ps(controller.path_ns) + crossbar
        reply, call = (_Packet("response", 4), self._written) if evicted else (_Packet("response", 4, LINE), self._join)
        self.at(ready, lambda: self._at_crossbar(self.home, reply, self.requester, lambda packet: self._into_sri(packet, call)))
        if not evicted and _probes(self.machine):
            self.at(self.now + crossbar, lambda: self._probe(self.home, _Packet("probe", 8)))

    def _probe(self, node: int, packet: _Packet) -> None:
        ways = routes.children(self.machine, self.home, node)
        left = [1 + len(ways)]

        def one_has_left(name: str) -> None:
            left[0] -= 1
            if left[0] == 0:
                packet.give_back(name)

        for child in ways:
            self._over_link(node, child, packet.copy(one_has_left), lambda sent, child=child: self._probe(child, sent))
        self._deliver(node, packet.copy(one_has_left), lambda: self._probed(node))

    def _probed(self, node: int) -> None:
        ready = self.now + _ps(self._node(node).sri.latency_ns) + _ps(self.machine.coherence.probe_answer_ns)
        if node == self.requester:
            self.at(ready, self._join)
            return
        answer = _Packet("response", 4)
        self.at(ready, lambda: self._from_sri(node, answer, self.requester, lambda packet: self._into_sri(packet, self._join)))

    def _written(self) -> None:
        self._from_sri(self.requester, _Packet("response", 4), self.home, lambda packet: self._into_controller(packet, _nothing))

    def _join(self) -> None:
        self._missing -= 1
        if self._missing == 0:
            self._complete_at = self.now

    # -- how packets travel -----------------------------------------------------------------------------------------------

    def _from_sri(self, node: int, packet: _Packet, end: int, arrive: Callable[[_Packet], None]) -> None:
        spec = self._node(node)
        delay = _ps(spec.sri.latency_ns) + _ps(spec.crossbar.latency_ns)
        at_end = self._at_end(end, packet.channel, arrive)

        def leave(sent: _Packet) -> None:
            sent.tail += delay
            self.at(self.now + delay, lambda: self._at_crossbar(node, sent, end, at_end))

        if (node, "out") in self._sri:
            self._sri[node, "out"].put(packet, leave)
        else:
            packet.tail = self.now
            leave(packet)

    def _at_end(self, end: int, channel: str, arrive: Callable[[_Packet], None]) -> Callable[[_Packet], None]:
        if channel != "request":
            return arrive
        return lambda packet: self._into_controller(packet, lambda: arrive(packet))

    def _at_crossbar(self, node: int, packet: _Packet, end: int, arrive: Callable[[_Packet], None]) -> None:
        if node == end:
            arrive(packet)
            return
        onward = routes.way(self.machine, packet.channel, node, end)[1]
        self._over_link(node, onward, packet, lambda sent: self._at_crossbar(onward, sent, end, arrive))

    def _over_link(self, start: int, end: int, packet: _Packet, arrive: Callable[[_Packet], None]) -> None:
        link = routes.link_of(self.machine, start, end, packet.channel)
        sender = self._links[self.machine.links.index(link), (start, end)]
        delay = _ps(link.latency_ns) + _ps(self._node(end).crossbar.latency_ns)

        def leave(sent: _Packet) -> None:
            sent.tail += delay
            self.at(self.now + delay, lambda: arrive(sent))

        sender.put(packet, leave)

    def _into_controller(self, packet: _Packet, call: Callable[[], None]) -> None:
        self._pass(packet, lambda: self.at(self.now + _entry_ps(self.machine, self.home), call))

    def _into_sri(self, packet: _Packet, call: Callable[[], None]) -> None:
        latency = _ps(self._node(self.requester).sri.latency_ns)
        self._deliver(self.requester, packet, lambda: self.at(self.now + latency, call))

    def _deliver(self, node: int, packet: _Packet, call: Callable[[], None]) -> None:
        """Hand a packet to the SRI of a node; `call` when all of it is through."""
        if (node, "in") in self._sri:
            self._sri[node, "in"].put(packet, lambda sent: call())
        else:
            self._pass(packet, call)

    def _pass(self, packet: _Packet, call: Callable[[], None]) -> None:
        """Leave the last buffer for a place that takes it at once."""
        packet.give_back(packet.channel)
        tail = max(self.now, packet.tail)
        if packet.data:
            self.at(tail, lambda: packet.give_back(packet.channel + "_data"))
        self.at(tail, call)

    def _node(self, number: int) -> Node:
        return next(node for node in self.machine.nodes if node.id == number)


def lower_bound_ps(machine: Machine, requester: int, home: int) -> int:
    """Return the time (ps) of a line whose packets never wait for anything: no line under any load is faster."""
    node = {node.id: node for node in machine.nodes}
    controller = node[home].controller
    assert controller is not None
    crossbar = _ps(node[home].crossbar.latency_ns)
    _, tail = _travel(machine, "request", (8, 0), requester, home, _out(node[requester], 8))
    asked = tail + _entry_ps(machine, home)
    reply = asked + _ps(controller.read_ns) + _ps(controller.path_ns) + crossbar
    complete = [_into(node[requester], 4 + LINE, _travel(machine, "response", (4, LINE), home, requester, reply))]
    reached = {home: (asked + crossbar, asked + crossbar)} if _probes(machine) else {}
    todo = list(reached)
    for here in todo:
        for child in routes.children(machine, home, here):
            reached[child] = _hop(machine, here, child, "probe", (8, 0), reached[here])
            todo.append(child)
    for here, times in reached.items():
        answer = _into(node[here], 8, times) + _ps(machine.coherence.probe_answer_ns)
        if here != requester:
            times = _travel(machine, "response", (4, 0), here, requester, answer + _out(node[here], 4))
            answer = _into(node[requester], 4, times)
        complete.append(answer)
    return max(complete)


Times = tuple[int, int]  # ps: when the header is there, when the tail is


def _travel(machine: Machine, channel: str, size: tuple[int, int], start: int, end: int, time: int) -> Times:
    times = (time, time)
    nodes = routes.way(machine, channel, start, end)
    for here, onward in zip(nodes, nodes[1:], strict=False):
        times = _hop(machine, here, onward, channel, size, times)
    return times


def _hop(machine: Machine, here: int, onward: int, channel: str, size: tuple[int, int], times: Times) -> Times:
    link = routes.link_of(machine, here, onward, channel)
    rate = link.width_bits / 8 * link.rate_gt_per_s
    command, data = size
    end = max(times[0] + round((command + data) * 1000 / rate), times[1])
    header = times[0] + round(command * 1000 / rate) if data else end
    far = next(node for node in machine.nodes if node.id == onward)
    delay = _ps(link.latency_ns) + _ps(far.crossbar.latency_ns)
    return header + delay, end + delay


def _out(node: Node, size: int) -> int:
    return _rated(node, size) + _ps(node.sri.latency_ns) + _ps(node.crossbar.latency_ns)


def _into(node: Node, size: int, times: Times) -> int:
    return max(times[0] + _rated(node, size), times[1]) + _ps(node.sri.latency_ns)


def _probes(machine: Machine) -> bool:
    return machine.coherence.protocol == "snooped"


def _entry_ps(machine: Machine, home: int) -> int:
    controller = next(node for node in machine.nodes if node.id == home).controller
    assert controller is not None
    lookup_ns = machine.coherence.filter_lookup_ns if machine.coherence.protocol == "probe-filtered" else 0.0
    assert lookup_ns is not None
    return _ps(controller.entry_ns + lookup_ns)


def _rated(node: Node, size: int) -> int:
    return 0 if node.sri.data_gb_per_s is None else round(size * 1000 / node.sri.data_gb_per_s)


def _ps(time_ns: float) -> int:
    return round(time_ns * 1000)


def _nothing() -> None:
    return None
