"""The DRAM of a node as a queue that theory knows: Poisson arrivals, exponential or constant service, room for all.

It is the engine's own DRAM, with its own queue and arbitration, inside a whole machine. Three things are changed so that closed
formulas hold: lines arrive by themselves, whether or not earlier ones are done (a core would wait for them); buffers are
unlimited, so that the stream reaches the DRAM as it arrived, later by a constant; and the service time may be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from simulator.engine.build import EngineName, build_engine
from simulator.engine.lower import lower
from simulator.engine.plan import NONE, Draws, Plan
from simulator.engine.random_numbers import exponential
from simulator.errors import InputError
from simulator.machine.spec import Machine, Node
from simulator.machine.variants import UNLIMITED_BUFFERS, with_nodes, with_unlimited_buffers
from simulator.units import ns_from_ps, ps_from_ns
from simulator.workload import Access, Arrivals, ThreadSpec, Workload

Service = Literal["exponential", "constant"]
_SLOTS = 1000  # of the thread that the lines arrive at: never all in use, but near a load of 1
_MOST_LOAD = 0.98
_EVENTS_A_LINE = 1000  # far more than a line has


@dataclass(frozen=True)
class StationRun:
    """What one run saw of the DRAM.

    Attributes
    ----------
    load : float
        Asked for: arrivals x mean service time.
    service_ns : float
        Mean service time.
    wait_ns : float
        Mean time of a line in its queue.
    utilization : float
        Share of time that it was busy.
    waiting : float
        Mean number of lines in its queue.
    """

    load: float
    service_ns: float
    wait_ns: float
    utilization: float
    waiting: float


def dram_station(
    machine: Machine,
    load: float,
    service: Service = "exponential",
    *,
    lines: int = 20_000,
    warmup: int = 2_000,
    seed: int = 1,
    engine: EngineName = "auto",
) -> StationRun:
    """Let reads of the first node's memory arrive at random, and look at its DRAM.

    Parameters
    ----------
    machine : Machine
        Its buffers are made unlimited.
    load : float
        Above 0, at most 0.98.
    service : {'exponential', 'constant'}
        Around, or at, the machine's time of a read.
    lines, warmup : int
        Lines measured, and before.
    seed, engine
        As for :func:`simulator.measure.run.run`.

    Raises
    ------
    InputError
        The load or the service is none of these.
    """
    if not 0 < load <= _MOST_LOAD:
        raise InputError("load out of range", field="load", value=load, allowed=f"above 0, up to {_MOST_LOAD}")
    if service not in get_args(Service):
        raise InputError("there is no such service", field="service", value=service, allowed=", ".join(get_args(Service)))
    plan, service_ns = _station_plan(machine, load, service, seed)
    running, port = build_engine(plan, engine), plan.controller_port[0]
    running.advance([warmup], warmup * _EVENTS_A_LINE)
    first = running.snapshot()
    running.advance([warmup + lines], lines * _EVENTS_A_LINE)
    last = running.snapshot()
    served = sum(last.port_sent[port]) - sum(first.port_sent[port])
    waiting_ps = last.port_waiting_ps[port] - first.port_waiting_ps[port]
    window_ps = last.time_ps - first.time_ps
    return StationRun(
        load=load,
        service_ns=service_ns,
        wait_ns=ns_from_ps(waiting_ps / served),
        utilization=(last.port_busy_ps[port] - first.port_busy_ps[port]) / window_ps,
        waiting=waiting_ps / window_ps,
    )


def _station_plan(machine: Machine, load: float, service: Service, seed: int) -> tuple[Plan, float]:
    """Return the plan, and the mean service time in ns."""
    node = next(node for node in machine.nodes if node.cores and node.controller is not None)
    assert node.controller is not None
    service_ns = node.controller.read_ns
    reads = (Access("r", node.id),)
    thread = ThreadSpec(node.id, 0, reads, window=_SLOTS, core_time_ns=0.0, arrivals=Arrivals(service_ns / load))
    plan = lower(with_nodes(with_unlimited_buffers(machine), _with_room), Workload((thread,)), seed)
    return (_with_service(plan, exponential(ps_from_ns(service_ns))) if service == "exponential" else plan), service_ns


def _with_room(node: Node) -> Node:
    """Make the controller's queue unlimited."""
    if node.controller is None:
        return node
    return node.model_copy(update={"controller": node.controller.model_copy(update={"queue": UNLIMITED_BUFFERS})})


def _with_service(plan: Plan, times_ps: tuple[int, ...]) -> Plan:
    """Draw the service of the first DRAM from a distribution."""
    draws = Draws((*plan.draws.values, times_ps))
    service_draw = [NONE] * len(plan.ports.name)
    service_draw[plan.controller_port[0]] = len(draws.values) - 1
    return replace(plan, draws=draws, ports=replace(plan.ports, service_draw=tuple(service_draw)))
