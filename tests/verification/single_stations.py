"""Open queues: one station of an engine and arrivals that wait for nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from simulator.engine.plan import Part, Plan, PortKind
from simulator.protocol import Channel
from simulator.theory.queueing import QueueSteadyState, m_d_1, m_m_1, m_m_c
from tests.oracle.machines import READ
from tests.verification.draws import exponential
from tests.verification.machine_plans import FROM_DRAM, MANY_SLOTS, TO_DRAM, arrivals_plan
from tests.verification.model import SLOWER, Model
from tests.verification.plans import Customers, Server, network_plan
from tests.verification.window import Window

SERVICE_NS = 100.0
LINES = 200_000  # a replication: waits of open queues scatter widely
Solve = Callable[[float, float], QueueSteadyState]


def _queue_theory(solve: Solve, arrivals_per_ns: float, service_ns: float, alone_ns: float = 0.0) -> dict[str, float]:
    steady = solve(arrivals_per_ns, service_ns)
    return {
        "utilization": steady.utilization,
        "service ns": service_ns,
        "wait ns": steady.wait_ns,
        "waiting": steady.waiting,
        "response ns": steady.response_ns + alone_ns,
    }


def _queue_look(port: int, window: Window) -> tuple[float, ...]:
    return window.busy(port), window.service_ns(port), window.wait_ns(port), window.waiting(port), window.response_ns()


def at_dram(name: str, solve: Solve, load: float, *, random_service: bool) -> Model:
    """Return a queue at the DRAM of a machine file's node."""
    arrivals, alone_ns = load / READ, TO_DRAM + FROM_DRAM

    def build(seed: int, factor: float) -> Plan:
        return arrivals_plan(load, seed, random_service=random_service, service_factor=factor)

    return Model(
        name=f"{name}, load {load}, DRAM of a machine",
        source="Pollaczek and Khinchine",
        theory=_queue_theory(solve, arrivals, READ, alone_ns),
        theory_if_slower=solve(arrivals, READ * SLOWER).wait_ns,
        build=build,
        look=lambda window: _queue_look(window.plan.controller_port[0], window),
        decisive="wait ns",
        lines=LINES,
    )


def at_port(name: str, solve: Solve, load: float, kind: PortKind, service: Callable[[float], tuple[int, ...]]) -> Model:
    """Return a queue at a single port of one kind."""
    arrivals = load / SERVICE_NS

    def build(seed: int, factor: float) -> Plan:
        server = Server("server", service(SERVICE_NS * 1000 * factor), kind)
        return network_plan([server], [Customers("arrivals", (0,), MANY_SLOTS, intervals=exponential(1000 / arrivals))], seed)

    return Model(
        name=f"{name}, load {load}, {kind.name} port",
        source="Pollaczek and Khinchine",
        theory=_queue_theory(solve, arrivals, SERVICE_NS),
        theory_if_slower=solve(arrivals, SERVICE_NS * SLOWER).wait_ns,
        build=build,
        look=partial(_queue_look, 0),
        decisive="wait ns",
        lines=LINES,
    )


def window_slots(servers: int, load: float) -> Model:
    """Return M/M/c, whose servers are window slots and whose service is the core time: an arrival waits for a free slot."""
    arrivals = load * servers / SERVICE_NS
    steady, slower = (m_m_c(arrivals, SERVICE_NS * factor, servers) for factor in (1, SLOWER))

    def build(seed: int, factor: float) -> Plan:
        service, intervals = exponential(SERVICE_NS * 1000 * factor), exponential(1000 / arrivals)
        return network_plan([Server("way", (0,))], [Customers("slots", (0,), servers, service, intervals)], seed)

    def look(window: Window) -> tuple[float, ...]:
        core_ns = window.part_ns(Part.CORE)
        return core_ns * window.per_us() / 1000 / servers, core_ns, window.part_ns(Part.SOURCE)

    return Model(
        name=f"M/M/{servers}, load {load}, window slots",
        source="Erlang C",
        theory={"utilization": steady.utilization, "service ns": SERVICE_NS, "wait ns": steady.wait_ns},
        theory_if_slower=slower.wait_ns,
        build=build,
        look=look,
        decisive="wait ns",
        lines=LINES,
    )


def priorities(loads: Sequence[float]) -> Model:
    """Return M/M/1 with non-preemptive priorities at a strict port: responses before probes before requests.

    Wait of class k = W0 / ((1 - s(k-1)) (1 - s(k))), where s(k) is the load of classes 1 .. k and W0 = load x service the work
    left of whoever is in service (A. Cobham, Priority assignment in waiting line problems, 1954).
    """
    channels = (Channel.RESPONSE, Channel.PROBE, Channel.REQUEST)[: len(loads)]

    def waits_ns(service_ns: float) -> list[float]:
        above = [sum(loads[:k]) * service_ns / SERVICE_NS for k in range(len(loads) + 1)]
        return [above[-1] * service_ns / ((1 - above[k]) * (1 - above[k + 1])) for k in range(len(loads))]

    def build(seed: int, factor: float) -> Plan:
        server = Server("server", exponential(SERVICE_NS * 1000 * factor), PortKind.LINK, strict=True)
        classes = [
            Customers(channel.name.lower(), (0,), MANY_SLOTS, intervals=exponential(SERVICE_NS * 1000 / load), channel=channel)
            for channel, load in zip(channels, loads, strict=True)
        ]
        return network_plan([server], classes, seed)

    names = [f"response ns, {channel.name.lower()}" for channel in channels]
    return Model(
        name=f"M/M/1, {len(loads)} priorities, LINK port",
        source="Cobham",
        theory={
            "utilization": sum(loads),
            **{name: wait + SERVICE_NS for name, wait in zip(names, waits_ns(SERVICE_NS), strict=True)},
        },
        theory_if_slower=waits_ns(SERVICE_NS * SLOWER)[-1] + SERVICE_NS * SLOWER,
        build=build,
        look=lambda window: (window.busy(0), *(window.response_ns(thread) for thread in range(len(loads)))),
        decisive=names[-1],
        lines=LINES,
    )


def _constant(mean_ps: float) -> tuple[int, ...]:
    return (round(mean_ps),)


M_M_1 = at_dram("M/M/1", m_m_1, 0.5, random_service=True)
M_D_1 = at_dram("M/D/1", m_d_1, 0.5, random_service=False)
M_M_C = window_slots(3, 0.7)
M_M_1_LINK = at_port("M/M/1", m_m_1, 0.7, PortKind.LINK, exponential)
SINGLE_STATIONS = (
    M_M_1,
    M_D_1,
    M_M_1_LINK,
    at_port("M/D/1", m_d_1, 0.7, PortKind.INTERNAL, _constant),
    M_M_C,
    priorities((0.2, 0.2, 0.2)),
)
