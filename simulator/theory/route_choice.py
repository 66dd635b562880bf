"""Throughput if packets could be spread over all shortest routes: a linear program over routes.

Every packet that goes from one node to another may take any shortest route; probes keep their broadcast trees, and of parallel
links a packet takes the one that carries its virtual channel, as only one does. What the machine's own tables choose is one
such spread, so this bound is never below that of `simulator.theory.bounds`, and the difference is what the tables cost. Zero-load
latencies stay those of the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from simulator.engine.lower import lower
from simulator.engine.plan import NONE, Plan
from simulator.machine.routing import CARRIED, Routes, link_for, link_key, neighbours, path, resolve_routes, shortest_distances
from simulator.machine.spec import Machine, VirtualChannelName
from simulator.protocol import CHANNEL_NAMES, Channel
from simulator.theory.allocation import maximise, usable
from simulator.theory.bounds import gb_per_s, thread_caps
from simulator.theory.demands import Load, constraints_on, least_held_ps, thread_loads
from simulator.theory.walk import walk
from simulator.workload import Workload

MOST_ROUTES = 64  # of one pair of nodes
_OFF_TABLE = -1e-6  # lines: routes of the tables are left only where that gains something

Flow = tuple[int, int, int]  # packet kind, from node, to node (ids)
Route = tuple[str, ...]  # link directions


@dataclass(frozen=True)
class RouteShare:
    """How much of a kind of packet between two nodes takes one of several routes, in the best spread.

    Attributes
    ----------
    packet : str
    start, end : int
    links : tuple of str
        Link directions, such as ``0->1``.
    share : float
        Of these packets; shares of a flow add up to 1.
    by_table : bool
        Whether the machine's tables send them this way.
    """

    packet: str
    start: int
    end: int
    links: Route
    share: float
    by_table: bool


@dataclass(frozen=True)
class RouteChoice:
    """The best spread over routes.

    Attributes
    ----------
    total_gb_per_s : float
        Most that all threads together can do with it.
    routes : tuple of RouteShare
        Of packets that have a choice.
    """

    total_gb_per_s: float
    routes: tuple[RouteShare, ...]


def best_routes(machine: Machine, workload: Workload) -> RouteChoice:
    """Choose the spread over routes that lets all threads together do most.

    Raises
    ------
    InputError
        The workload does not fit the machine.
    """
    plan = lower(machine, workload)
    flows = [_flows(plan, number) for number in range(len(plan.threads.label))]
    routes = resolve_routes(machine)
    every = {flow: _choices(machine, routes, plan, flow) for flow in sorted(set().union(*flows))}
    choices = {flow: found for flow, found in every.items() if len(found) > 1}
    variables = [(flow, route) for flow, found in choices.items() for route in found]
    fixed = _without_choices(plan, thread_loads(plan), flows, choices)
    spread = [_route_load(plan, flow, route) for flow, route in variables]
    limits = constraints_on(plan, [*fixed, *spread], [*plan.threads.count, *[1] * len(spread)])
    caps = [min(cap.values()) for cap in thread_caps(plan)]
    demand, most = usable(limits, [*caps, *[float("inf")] * len(spread)])
    gain = np.array([1.0] * len(caps) + [_OFF_TABLE * (route != choices[flow][0]) for flow, route in variables])
    rates = maximise(gain, demand, most, _conservation(plan, flows, list(choices), variables))[1]
    total = gb_per_s(float(rates[: len(caps)].sum()))
    return RouteChoice(total, _shares(plan, choices, variables, rates[len(caps) :].tolist()))


def _flows(plan: Plan, thread: int) -> Counter[Flow]:
    """Return the packets between different nodes in a thread's program."""
    first, found = plan.threads.first[thread], Counter[Flow]()
    table, ids = plan.transactions, plan.node_ids
    for line in range(first, first + plan.threads.count[thread]):
        for row in {plan.program.transaction[line], plan.program.victim[line]} - {NONE}:
            here, home = ids[table.requester[row]], ids[table.home[row]]
            found[table.request_kind[row], here, home] += 1
            found[table.done_kind[row], here, home] += 1
            found[table.reply_kind[row], home, here] += 1
            found.update((table.answer_kind[row], ids[node], here) for node in walk(plan, row).answers)
    return Counter({flow: count for flow, count in found.items() if flow[1] != flow[2]})


def _choices(machine: Machine, routes: Routes, plan: Plan, flow: Flow) -> list[Route]:
    """Return the routes of a flow, that of the tables first."""
    kind, start, end = flow
    is_response = plan.kind_channel[kind] == Channel.RESPONSE
    near = neighbours(machine, CARRIED["response" if is_response else "request"])
    distance = shortest_distances(near, end)

    def ways(node: int) -> Iterator[tuple[int, ...]]:
        if node == end:
            yield (end,)
        for onward in near[node]:
            if distance[onward] < distance[node]:
                yield from ((node, *rest) for rest in ways(onward))

    own = path(routes.response if is_response else routes.request, start, end)
    found = [own, *(nodes for nodes in islice(ways(start), MOST_ROUTES) if nodes != own)]
    return [_links(machine, nodes, CHANNEL_NAMES[plan.kind_channel[kind]]) for nodes in found]


def _links(machine: Machine, nodes: Sequence[int], channel: VirtualChannelName) -> Route:
    pairs = zip(nodes, nodes[1:], strict=False)
    return tuple(link_key(machine, link_for(machine, start, end, channel), start) for start, end in pairs)


def _route_load(plan: Plan, flow: Flow, route: Route) -> Load:
    """Return what one packet asks of the links of a route and of their buffers."""
    kind, _, end = flow
    load, ports = Load(), [plan.ports.name.index(f"link {key}") for key in route]
    leaving = [*(_leaving_ps(plan, kind, port) for port in ports), _into_ps(plan, kind, end)]
    channel = CHANNEL_NAMES[plan.kind_channel[kind]]
    names = (channel, f"{channel} data") if plan.kind_data_bytes[kind] else (channel,)
    for key, port, left_ps, onward_ps in zip(route, ports, leaving, leaving[1:], strict=False):
        load.service_ps[port] += plan.ports.service_ps[port][kind]
        load.sent_bytes[port] += plan.kind_bytes[kind]
        delay_ps = plan.delays.time_ps[plan.delays.name.index(f"link {key} wire and crossbar")]
        for name, held_ps in zip(names, least_held_ps(left_ps, delay_ps, onward_ps), strict=False):
            load.take(plan, plan.pools.name.index(f"link {key} {name} buffers"), held_ps)
    return load


def _leaving_ps(plan: Plan, kind: int, port: int) -> tuple[int, int]:
    """Return how long header and whole of a packet take to leave a link that cuts through."""
    times = plan.ports.header_ps if plan.kind_data_bytes[kind] else plan.ports.service_ps
    return times[port][kind], plan.ports.service_ps[port][kind]


def _into_ps(plan: Plan, kind: int, end: int) -> tuple[int, int]:
    """Return how long header and whole take into the SRI or the controller where the packet ends."""
    unit = "SRI" if plan.kind_channel[kind] == Channel.RESPONSE else "controller"
    time_ps = plan.ports.service_ps[plan.ports.name.index(f"node {end} crossbar to {unit}")][kind]
    return time_ps, time_ps


def _without_choices(
    plan: Plan, loads: Sequence[Load], flows: Sequence[Counter[Flow]], choices: dict[Flow, list[Route]]
) -> list[Load]:
    """Take off what packets with a choice ask on the routes of the tables."""
    for load, flow_counts in zip(loads, flows, strict=True):
        for flow, count in flow_counts.items():
            if flow in choices:
                load.take_off(_route_load(plan, flow, choices[flow][0]).times(count))
    return list(loads)


def _conservation(
    plan: Plan, flows: Sequence[Counter[Flow]], choices: Sequence[Flow], variables: Sequence[tuple[Flow, Route]]
) -> NDArray[np.float64]:
    """Return one row a flow: what its routes carry, less what the threads' lines need, is 0."""
    rows = []
    for flow in choices:
        need = [-flow_counts[flow] / count for flow_counts, count in zip(flows, plan.threads.count, strict=True)]
        rows.append([*need, *(float(other == flow) for other, _ in variables)])
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(flows) + len(variables))


def _shares(
    plan: Plan, choices: dict[Flow, list[Route]], variables: Sequence[tuple[Flow, Route]], rates: Sequence[float]
) -> tuple[RouteShare, ...]:
    total = dict.fromkeys(choices, 0.0)
    for (flow, _), rate in zip(variables, rates, strict=True):
        total[flow] += rate
    return tuple(
        RouteShare(plan.kind_name[flow[0]], flow[1], flow[2], route, rate / total[flow], route == choices[flow][0])
        for (flow, route), rate in zip(variables, rates, strict=True)
        if total[flow] > 0
    )
