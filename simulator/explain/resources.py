"""The resources of a machine that `numasim why` makes ideal in turn: whole kinds, and single links, controllers and nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.explain import changes
from simulator.explain.changes import LinkChange, MachineChange, NodeChange
from simulator.machine.routing import link_key
from simulator.machine.spec import Link, Machine
from simulator.machine.variants import with_links, with_nodes
from simulator.measure.result import RunResult

Stands = Literal["link", "controller", "node", "machine"]
Change = Callable[[Machine, str | None], Machine]  # of the member of that name; None: of all


def _on_links(change: LinkChange) -> Change:
    def apply(machine: Machine, member: str | None) -> Machine:
        return with_links(machine, lambda link: change(link) if member in (None, link_name(machine, link)) else link)

    return apply


def _on_nodes(change: NodeChange) -> Change:
    def apply(machine: Machine, member: str | None) -> Machine:
        return with_nodes(machine, lambda node: change(node) if member in (None, f"node {node.id}") else node)

    return apply


def _on_machine(change: MachineChange) -> Change:
    return lambda machine, member: change(machine)


@dataclass(frozen=True)
class Kind:
    """A kind of resource.

    Attributes
    ----------
    name : str
    stands : {'link', 'controller', 'node', 'machine'}
        Where its members stand; a machine has one.
    capacity : bool
        It holds or serves so much at a time, so that lines queue for it and one limit can hide another; else it only takes time.
    ideal_words, twice_words : str
        The changes in words that follow "with".
    ideal : callable
    twice : callable or None
        None: there is no such thing as twice as good.
    """

    name: str
    stands: Stands
    capacity: bool
    ideal_words: str
    ideal: Change
    twice_words: str = ""
    twice: Change | None = None


KINDS = (
    Kind(
        "link rate",
        "link",
        True,
        "links that serialise in no time",
        _on_links(changes.instant_link_rate),
        "twice the link rate",
        _on_links(changes.double_link_rate),
    ),
    Kind(
        "link latency",
        "link",
        False,
        "links without latency",
        _on_links(changes.no_link_latency),
        "half the link latency",
        _on_links(changes.half_link_latency),
    ),
    Kind(
        "credits",
        "link",
        True,
        "unlimited credits",
        _on_links(changes.unlimited_credits),
        "twice the credits",
        _on_links(changes.double_credits),
    ),
    Kind(
        "controller service",
        "controller",
        True,
        "DRAM that serves in no time",
        _on_nodes(changes.instant_service),
        "DRAM twice as fast",
        _on_nodes(changes.double_service),
    ),
    Kind(
        "controller latency",
        "controller",
        False,
        "controllers without latency",
        _on_nodes(changes.no_controller_latency),
        "half the controller latency",
        _on_nodes(changes.half_controller_latency),
    ),
    Kind(
        "controller queue",
        "controller",
        True,
        "an unlimited controller queue",
        _on_nodes(changes.unlimited_queue),
        "twice the controller queue",
        _on_nodes(changes.double_queue),
    ),
    Kind("probes", "machine", True, "no probes", _on_machine(changes.no_probes)),
    Kind(
        "SRI",
        "node",
        False,
        "SRIs that take no time",
        _on_nodes(changes.instant_sri),
        "SRIs twice as fast",
        _on_nodes(changes.double_sri),
    ),
    Kind(
        "crossbar",
        "node",
        False,
        "crossbars that take no time",
        _on_nodes(changes.instant_crossbar),
        "crossbars twice as fast",
        _on_nodes(changes.double_crossbar),
    ),
    Kind("node buffers", "node", True, "unlimited buffers in nodes", _on_nodes(changes.unlimited_buffers)),
    Kind(
        "core",
        "machine",
        False,
        "cores that take no time",
        _on_machine(changes.no_core_time),
        "half the core time",
        _on_machine(changes.half_core_time),
    ),
)


@dataclass(frozen=True)
class Resource:
    """A kind of resource, or one member of it such as ``link 0-1`` or ``node 3``."""

    kind: Kind
    member: str | None = None

    @property
    def name(self) -> str:
        """Kind, and member if it is one."""
        return self.kind.name if self.member is None else f"{self.kind.name}, {self.member}"

    def ideal(self, machine: Machine) -> Machine:
        """Return the machine with this made ideal."""
        return self.kind.ideal(machine, self.member)

    def twice(self, machine: Machine) -> Machine | None:
        """Return the machine with this twice as good; None: there is no such thing."""
        return None if self.kind.twice is None else self.kind.twice(machine, self.member)


def resources(machine: Machine) -> tuple[Resource, ...]:
    """Return the kinds of resources that the machine has, each of them whole."""
    alone = len(machine.nodes) == 1  # has no links, and nobody whose answer to a probe would be waited for
    return tuple(Resource(kind) for kind in KINDS if not (alone and (kind.stands == "link" or kind.name == "probes")))


def members(machine: Machine, resource: Resource, run: RunResult) -> tuple[Resource, ...]:
    """Return the members of a kind that a run used; none where there is only one."""
    names = _member_names(machine, resource.kind.stands, run)
    return tuple(Resource(resource.kind, name) for name in names) if len(names) > 1 else ()


def use(machine: Machine, resource: Resource, run: RunResult) -> dict[str, float]:
    """Return how much of a resource a run used, 0 to 1, by link direction or controller; empty where that says nothing.

    Of a link rate and of DRAM it is the share of time it was busy, of a controller's queue the mean share of its places held.
    """
    kind, member = resource.kind.name, resource.member
    if kind == "link rate":
        links = [link for link in machine.links if member in (None, link_name(machine, link))]
        keys = [link_key(machine, link, end) for link in links for end in link.ends]
        return {key: run.links[key].utilization for key in keys}
    if kind not in ("controller service", "controller queue"):
        return {}
    shares = {}
    for node in machine.nodes:
        if node.controller is not None and member in (None, f"node {node.id}"):
            report = run.controllers[str(node.id)]
            held = report.mean_queue / node.controller.queue
            shares[f"node {node.id}"] = report.utilization if kind == "controller service" else held
    return shares


def link_name(machine: Machine, link: Link) -> str:
    """Name a link, both directions: ``link 0-1``, among parallel links ``link 0-1#0``."""
    return f"link {link_key(machine, link, link.ends[0]).replace('->', '-')}"


def _member_names(machine: Machine, stands: Stands, run: RunResult) -> Sequence[str]:
    if stands == "link":
        used = {key for key, report in run.links.items() if report.utilization > 0}
        return [link_name(machine, link) for link in machine.links if used & {link_key(machine, link, end) for end in link.ends}]
    if stands == "controller":
        return [f"node {node}" for node, report in run.controllers.items() if report.gb_per_s > 0]
    return [f"node {node.id}" for node in machine.nodes] if stands == "node" else []
