"""Second step of lowering: the stages and branches that packets travel."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.engine.lower_stations import Output, Stations
from simulator.engine.plan import Action, Branches, Stages
from simulator.machine.routing import Routes, link_for, link_key
from simulator.machine.spec import Machine
from simulator.protocol import CHANNEL_NAMES, Channel, PacketKind

_Branch = tuple[int, int, int, int, int]  # port, command pool, data pool, delay, stage
_STOPS = {  # action at the end of a journey: the output of the last crossbar that leads there
    Action.ACCEPT: "to_mct",
    Action.RELEASE: "to_mct",
    Action.COLLECT: "to_sri",
    Action.ANSWER: "to_sri",
}


class Journeys:
    """Stages and branches under construction. Equal ways are laid once."""

    def __init__(self, machine: Machine, routes: Routes, stations: Stations) -> None:
        self._machine, self._routes, self._stations = machine, routes, stations
        self._index = {node_id: index for index, node_id in enumerate(machine.node_ids)}
        self._stages: list[tuple[int, int, int, int]] = []
        self._branches: list[_Branch] = []
        self._known: dict[tuple[object, ...], int] = {}

    def unicast(self, kind: PacketKind, start: int, unit: str, end: int, stop: Action) -> int:
        """Return the stage where a packet of `kind` sets out from `unit` ('sri' or 'mct') of node `start` to `stop` at `end`."""
        key = ("start", kind, start, unit, end, stop)
        if key not in self._known:
            crossbar = self._crossbar(kind, start, end, stop)
            self._known[key] = self._add_stage(Action.PASS, start, [self._branch(self._output(start, unit), kind, crossbar)])
        return self._known[key]

    def multicast(self, kind: PacketKind, root: int) -> int:
        """Return the stage where a probe sets out from the controller of `root` to every node, down the broadcast tree."""
        key = ("broadcast", kind, root)
        if key not in self._known:
            crossbar = self._probe_crossbar(kind, root, root)
            self._known[key] = self._add_stage(Action.PASS, root, [self._branch(self._output(root, "mct"), kind, crossbar)])
        return self._known[key]

    def _crossbar(self, kind: PacketKind, node: int, end: int, stop: Action) -> int:
        key = ("crossbar", kind, node, end, stop)
        if key not in self._known:
            if node == end:
                branch = self._branch(self._output(node, _STOPS[stop]), kind, self._terminal(kind, node, stop))
            else:
                table = self._routes.response if kind.channel is Channel.RESPONSE else self._routes.request
                onward = table[node, end]
                branch = self._branch(self._link(node, onward, kind), kind, self._crossbar(kind, onward, end, stop))
            self._known[key] = self._add_stage(Action.PASS, node, [branch])
        return self._known[key]

    def _probe_crossbar(self, kind: PacketKind, root: int, node: int) -> int:
        children = self._routes.broadcast.get((root, node), ())
        branches = [
            self._branch(self._link(node, child, kind), kind, self._probe_crossbar(kind, root, child)) for child in children
        ]
        branches.append(self._branch(self._output(node, "to_sri"), kind, self._terminal(kind, node, Action.ANSWER)))
        return self._add_stage(Action.PASS, node, branches)

    def _terminal(self, kind: PacketKind, node: int, stop: Action) -> int:
        key = ("terminal", node, stop)
        if key not in self._known:
            branches = []
            if stop is Action.ACCEPT:
                done = self._add_stage(Action.REPLY, node, [])
                branches.append(self._branch(self._output(node, "dram"), kind, done))
            self._known[key] = self._add_stage(stop, node, branches)
        return self._known[key]

    def _branch(self, output: Output, kind: PacketKind, stage: int) -> _Branch:
        return (output.port, output.command_pool(kind), output.data_pool(kind), output.delay_for(kind), stage)

    def _output(self, node: int, unit: str) -> Output:
        return self._stations.node_output[node, unit]

    def _link(self, start: int, end: int, kind: PacketKind) -> Output:
        link = link_for(self._machine, start, end, CHANNEL_NAMES[kind.channel])
        return self._stations.link_output[link_key(self._machine, link, start)]

    def _add_stage(self, action: Action, node: int, branches: Sequence[_Branch]) -> int:
        self._stages.append((int(action), self._index[node], len(self._branches), len(branches)))
        self._branches.extend(branches)
        return len(self._stages) - 1

    def stages(self) -> Stages:
        """Return the finished table of stages."""
        action, node, first, count = zip(*self._stages, strict=True)
        return Stages(action=action, node=node, first=first, count=count)

    def branches(self) -> Branches:
        """Return the finished table of branches."""
        port, command_pool, data_pool, delay, stage = zip(*self._branches, strict=True)
        return Branches(port=port, command_pool=command_pool, data_pool=data_pool, delay=delay, stage=stage)
