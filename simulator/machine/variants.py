"""Machines that differ from a given one in one respect: for what-if questions, not for files."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel

from simulator.machine.spec import Link, LinkCredits, Machine, Node

UNLIMITED_BUFFERS = 4096
IDEAL_GT_PER_S = 1e12  # every packet serialises in less than half a tick, hence in none


def with_links(machine: Machine, change: Callable[[Link], Link]) -> Machine:
    """Return the machine with every link changed."""
    return machine.model_copy(update={"links": tuple(change(link) for link in machine.links)})


def with_nodes(machine: Machine, change: Callable[[Node], Node]) -> Machine:
    """Return the machine with every node changed."""
    return machine.model_copy(update={"nodes": tuple(change(node) for node in machine.nodes)})


def all_credits(count: int) -> LinkCredits:
    """Return credits that are `count` in every class."""
    return LinkCredits(**dict.fromkeys(LinkCredits.model_fields, count))


def ideal_link(link: Link) -> Link:
    """Return the link without serialisation and with unlimited credits; its latency stays."""
    return link.model_copy(update={"rate_gt_per_s": IDEAL_GT_PER_S, "credits": all_credits(UNLIMITED_BUFFERS)})


def without_jitter(machine: Machine) -> Machine:
    """Return the machine with core times that do not vary."""
    return machine.model_copy(update={"core": machine.core.model_copy(update={"jitter_ns": 0.0})})


def with_ideal_link(machine: Machine, ends: tuple[int, int], ordinal: int) -> Machine:
    """Return the machine with one link made ideal in both directions."""

    def change(link: Link) -> Link:
        return ideal_link(link) if (link.ends, link.ordinal) == (ends, ordinal) else link

    return with_links(machine, change)


def _unlimited(buffers: BaseModel) -> BaseModel:
    return buffers.model_copy(update=dict.fromkeys(type(buffers).model_fields, UNLIMITED_BUFFERS))


def unlimited_node_buffers(node: Node) -> Node:
    """Return the node with unlimited buffers between SRI, crossbar and controller; the controller's queue stays."""
    sri = node.sri.model_copy(update={"to_crossbar": _unlimited(node.sri.to_crossbar)})
    crossbar = node.crossbar.model_copy(update={"to_sri": _unlimited(node.crossbar.to_sri)})
    controller = node.controller
    if controller is not None:
        controller = controller.model_copy(update={"to_crossbar": _unlimited(controller.to_crossbar)})
    return node.model_copy(update={"sri": sri, "crossbar": crossbar, "controller": controller})


def with_unlimited_buffers(machine: Machine) -> Machine:
    """Return the machine with unlimited credits on its links and unlimited buffers inside its nodes."""
    credits = all_credits(UNLIMITED_BUFFERS)
    return with_nodes(with_links(machine, lambda link: link.model_copy(update={"credits": credits})), unlimited_node_buffers)
