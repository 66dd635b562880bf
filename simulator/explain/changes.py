"""One respect of a machine made ideal, or twice as good: what each resource of `numasim why` is changed to."""

from __future__ import annotations

from collections.abc import Callable

from simulator.machine.spec import ControllerSpec, Link, Machine, Node
from simulator.machine.variants import IDEAL_GT_PER_S, UNLIMITED_BUFFERS, all_credits, unlimited_node_buffers

NodeChange = Callable[[Node], Node]
LinkChange = Callable[[Link], Link]
MachineChange = Callable[[Machine], Machine]

SHORTEST_NS = 0.001  # a fixed delay takes at least one tick
_SERVICE = ("read_ns", "write_ns", "turnaround_ns")
_PATH = ("entry_ns", "path_ns")
_CORE = ("core_time_ns", "write_extra_ns", "jitter_ns", "background_core_time_ns")


def instant_link_rate(link: Link) -> Link:
    """Serialise in no time."""
    return link.model_copy(update={"rate_gt_per_s": IDEAL_GT_PER_S})


def double_link_rate(link: Link) -> Link:
    """Serialise twice as fast."""
    return link.model_copy(update={"rate_gt_per_s": 2 * link.rate_gt_per_s})


def no_link_latency(link: Link) -> Link:
    """Arrive at once."""
    return link.model_copy(update={"latency_ns": SHORTEST_NS})


def half_link_latency(link: Link) -> Link:
    """Arrive after half the time."""
    return link.model_copy(update={"latency_ns": _half_delay(link.latency_ns)})


def unlimited_credits(link: Link) -> Link:
    """Give credits that never run out."""
    return link.model_copy(update={"credits": all_credits(UNLIMITED_BUFFERS)})


def double_credits(link: Link) -> Link:
    """Give twice as many credits of each class."""
    twice = {name: 2 * count for name, count in link.credits.model_dump().items()}
    return link.model_copy(update={"credits": link.credits.model_copy(update=twice)})


def instant_service(node: Node) -> Node:
    """Let DRAM serve in no time."""
    return _with_controller(node, lambda controller: dict.fromkeys(_SERVICE, 0.0))


def double_service(node: Node) -> Node:
    """Let DRAM serve twice as fast."""
    return _with_controller(node, lambda controller: {name: getattr(controller, name) / 2 for name in _SERVICE})


def no_controller_latency(node: Node) -> Node:
    """Let a line pass the controller and the DRAM path at once."""
    return _with_controller(node, lambda controller: dict.fromkeys(_PATH, SHORTEST_NS))


def half_controller_latency(node: Node) -> Node:
    """Let a line pass the controller and the DRAM path in half the time."""
    return _with_controller(node, lambda controller: {name: _half_delay(getattr(controller, name)) for name in _PATH})


def unlimited_queue(node: Node) -> Node:
    """Let the controller hold as many transactions as come."""
    return _with_controller(node, lambda controller: {"queue": UNLIMITED_BUFFERS})


def double_queue(node: Node) -> Node:
    """Let the controller hold twice as many transactions."""
    return _with_controller(node, lambda controller: {"queue": 2 * controller.queue})


def instant_sri(node: Node) -> Node:
    """Pass the SRI at once; its data path is never the bottleneck."""
    return node.model_copy(update={"sri": node.sri.model_copy(update={"latency_ns": SHORTEST_NS, "data_gb_per_s": None})})


def double_sri(node: Node) -> Node:
    """Pass the SRI in half the time, at twice the rate where it has one."""
    rate = node.sri.data_gb_per_s
    update = {"latency_ns": _half_delay(node.sri.latency_ns), "data_gb_per_s": None if rate is None else 2 * rate}
    return node.model_copy(update={"sri": node.sri.model_copy(update=update)})


def instant_crossbar(node: Node) -> Node:
    """Pass the crossbar at once."""
    return node.model_copy(update={"crossbar": node.crossbar.model_copy(update={"latency_ns": SHORTEST_NS})})


def double_crossbar(node: Node) -> Node:
    """Pass the crossbar in half the time."""
    update = {"latency_ns": _half_delay(node.crossbar.latency_ns)}
    return node.model_copy(update={"crossbar": node.crossbar.model_copy(update=update)})


def unlimited_buffers(node: Node) -> Node:
    """Give buffers between SRI, crossbar and controller that never run out."""
    return unlimited_node_buffers(node)


def no_probes(machine: Machine) -> Machine:
    """Ask nobody for newer copies: no probe, no answer, no wait for one."""
    return machine.model_copy(update={"coherence": machine.coherence.model_copy(update={"protocol": "unprobed"})})


def no_core_time(machine: Machine) -> Machine:
    """Let a core issue its next line at once, of the foreground and of the background."""
    return machine.model_copy(update={"core": machine.core.model_copy(update=dict.fromkeys(_CORE, 0.0))})


def half_core_time(machine: Machine) -> Machine:
    """Let cores rest half as long between lines, and vary by half as much."""
    halves = {name: getattr(machine.core, name) / 2 for name in _CORE}
    return machine.model_copy(update={"core": machine.core.model_copy(update=halves)})


def _half_delay(time_ns: float) -> float:
    return max(time_ns / 2, SHORTEST_NS)


def _with_controller(node: Node, change: Callable[[ControllerSpec], dict[str, float]]) -> Node:
    if node.controller is None:
        return node
    return node.model_copy(update={"controller": node.controller.model_copy(update=change(node.controller))})
