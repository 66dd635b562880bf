"""Closed networks with product form, against exact mean value analysis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simulator.engine.plan import Plan, PortKind
from simulator.theory.mva import mean_value_analysis
from simulator.theory.network import Solution, Station, station
from tests.oracle.machines import READ
from tests.verification.draws import exponential
from tests.verification.machine_plans import FROM_DRAM, HOME_ENTRY, TO_DRAM, one_node, reader
from tests.verification.model import SLOWER, Model
from tests.verification.plans import Customers, Server, network_plan
from tests.verification.window import Window

QUEUE, MOST_OUTSTANDING = 3, 8  # more lines than entries, by so many that one always waits
LATE_CORE_NS = 150.0
THINK_NS, KINDS = 200.0, (PortKind.DRAM, PortKind.LINK, PortKind.INTERNAL)
Networks = Callable[[float], tuple[Sequence[Station], Sequence[int]]]


def solved(networks: Networks, factor: float = 1.0) -> Solution:
    """Solve a network whose services take `factor` times as long; it must have product form."""
    solution = mean_value_analysis(*networks(factor))
    assert solution.exact
    return solution


def memory_and_core(windows: Sequence[int], core_times_ns: Sequence[float]) -> Model:
    """Return the cores of a machine file's node at its DRAM: all that is not DRAM is a delay, and may be constant."""

    def networks(factor: float) -> tuple[Sequence[Station], Sequence[int]]:
        away = tuple(TO_DRAM + FROM_DRAM + core_ns for core_ns in core_times_ns)
        once = (1.0,) * len(windows)
        dram = Station("DRAM", (READ * factor,) * len(windows), once)
        return [dram, Station("away", away, once, "delay")], windows

    solution = solved(networks)
    rates = {f"lines/us, core {core}": rate * 1000 for core, rate in enumerate(solution.throughput_per_ns)}

    def build(seed: int, factor: float) -> Plan:
        threads = [
            reader(window, core_ns, core) for core, (window, core_ns) in enumerate(zip(windows, core_times_ns, strict=True))
        ]
        return one_node(threads, seed, random_service=True, service_factor=factor)

    def look(window: Window) -> tuple[float, ...]:
        dram = window.plan.controller_port[0]
        return (*(window.per_us(thread) for thread in range(len(windows))), window.busy(dram), window.waiting(dram))

    return Model(
        name=f"closed, {len(windows)} class{'es' * (len(windows) > 1)}, cores and DRAM of a machine",
        source="exact MVA",
        theory={
            **rates,
            "DRAM utilization": solution.utilization[0],
            "DRAM waiting": sum(solution.present[0]) - solution.utilization[0],
        },
        theory_if_slower=solved(networks, SLOWER).throughput_per_ns[0] * 1000,
        build=build,
        look=look,
        decisive="lines/us, core 0",
    )


def controller_queue() -> Model:
    """Return a machine file's controller whose few entries are always wanted: they are the customers of a closed network."""

    def networks(factor: float) -> tuple[Sequence[Station], Sequence[int]]:
        return [station("DRAM", READ * factor), station("entry kept", HOME_ENTRY, discipline="delay")], (QUEUE,)

    solution = solved(networks)

    def build(seed: int, factor: float) -> Plan:
        return one_node([reader(MOST_OUTSTANDING, 0.0)], seed, random_service=True, service_factor=factor, queue=QUEUE)

    def look(window: Window) -> tuple[float, ...]:
        dram, entries = window.plan.controller_port[0], window.plan.controller_pool[0]
        return window.per_us(), window.busy(dram), window.waiting(dram), window.held(entries)

    return Model(
        name=f"controller queue of {QUEUE}, saturated, of a machine",
        source="exact MVA",
        theory={
            "lines/us": solution.throughput_per_ns[0] * 1000,
            "DRAM utilization": solution.utilization[0],
            "DRAM waiting": solution.present[0][0] - solution.utilization[0],
            "entries in use": QUEUE,
        },
        theory_if_slower=solved(networks, SLOWER).throughput_per_ns[0] * 1000,
        build=build,
        look=look,
        decisive="lines/us",
    )


def ring(service_ns: Sequence[float], routes: Sequence[Sequence[int]], customers: Sequence[int]) -> Model:
    """Return a network of DRAM, link and inner ports that each class passes on a route of its own, then thinks."""
    classes = range(len(routes))

    def networks(factor: float) -> tuple[Sequence[Station], Sequence[int]]:
        servers = [
            Station(f"server {number}", (one_ns * factor,) * len(routes), tuple(float(route.count(number)) for route in routes))
            for number, one_ns in enumerate(service_ns)
        ]
        return [*servers, Station("think", (THINK_NS,) * len(routes), (1.0,) * len(routes), "delay")], customers

    solution = solved(networks)
    theory = {f"lines/us, class {number}": rate * 1000 for number, rate in enumerate(solution.throughput_per_ns)}
    for number in range(len(service_ns)):
        theory[f"utilization, {KINDS[number].name}"] = solution.utilization[number]
        theory[f"waiting, {KINDS[number].name}"] = sum(solution.present[number]) - solution.utilization[number]

    def build(seed: int, factor: float) -> Plan:
        servers = [
            Server(kind.name, exponential(one_ns * 1000 * factor), kind) for kind, one_ns in zip(KINDS, service_ns, strict=True)
        ]
        who = [
            Customers(f"class {number}", tuple(routes[number]), customers[number], exponential(THINK_NS * 1000))
            for number in classes
        ]
        return network_plan(servers, who, seed)

    def look(window: Window) -> tuple[float, ...]:
        stations = [value for port in range(len(service_ns)) for value in (window.busy(port), window.waiting(port))]
        return (*(window.per_us(thread) for thread in classes), *stations)

    return Model(
        name=f"closed, {len(routes)} class{'es' * (len(routes) > 1)}, 3 kinds of port",
        source="exact MVA",
        theory=theory,
        theory_if_slower=solved(networks, SLOWER).throughput_per_ns[0] * 1000,
        build=build,
        look=look,
        decisive="lines/us, class 0",
    )


MEMORY = memory_and_core([6], [0.0])
RING = ring((100.0, 80.0, 60.0), [(0, 1, 2)], [6])
CLOSED_NETWORKS = (
    MEMORY,
    memory_and_core([4, 3], [0.0, LATE_CORE_NS]),
    controller_queue(),
    RING,
    ring((100.0, 80.0, 60.0), [(0, 1, 2, 1), (2, 0)], [3, 3]),
)
