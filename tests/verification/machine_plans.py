"""Plans of a machine file's stations: lowered as every run lowers them, but for the times that are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simulator.engine.lower import lower
from simulator.engine.plan import NONE, Draws, Plan
from simulator.workload import Access, Arrivals, ThreadSpec, Workload
from tests.oracle.machines import ENTRY, PATH, READ, SRI, XBAR, round_machine
from tests.verification.draws import exponential

PLENTY = tuple(
    f"{pool}=4096"
    for pool in (
        "sri.to_crossbar.request",
        "sri.to_crossbar.response",
        "crossbar.to_sri.probe",
        "controller.to_crossbar.probe",
        "controller.to_crossbar.response",
        "controller.to_crossbar.response_data",
    )
)
MANY_SLOTS = 400  # of an open stream: never all in use
TO_DRAM = SRI + XBAR + ENTRY  # ns, of a request
FROM_DRAM = PATH + XBAR + SRI  # ns, of the line; its probe answer is always there before it
HOME_ENTRY = ENTRY + FROM_DRAM + SRI + XBAR + ENTRY  # ns that a line keeps its entry of the controller's queue, but for DRAM


def one_node(
    threads: Sequence[ThreadSpec], seed: int, *, random_service: bool, service_factor: float = 1.0, queue: int = 4096
) -> Plan:
    """Lower one node without limits but DRAM and, if asked for, the controller's queue.

    Parameters
    ----------
    threads : sequence of ThreadSpec
    seed : int
    random_service : bool
        Exponential DRAM service; else constant.
    service_factor : float
        On the DRAM's service time.
    queue : int
        Entries of the controller's queue.
    """
    service_ns = READ * service_factor
    limits = (f"controller.queue={queue}", f"controller.read_ns={service_ns}", "controller.turnaround_ns=0.0")
    plan = lower(round_machine([0], overrides=(*PLENTY, *limits)), Workload(tuple(threads)), seed)
    return with_random_service(plan, plan.controller_port[0], service_ns * 1000) if random_service else plan


def arrivals_plan(load: float, seed: int, *, random_service: bool, service_factor: float = 1.0) -> Plan:
    """Lower a Poisson stream of reads that keeps DRAM busy for a share `load` of the time, if its service is not falsified."""
    interval_ns = READ / load
    thread = ThreadSpec(0, 0, (Access("r", 0),), window=MANY_SLOTS, core_time_ns=0.0, arrivals=Arrivals(interval_ns))
    plan = one_node([thread], seed, random_service=random_service, service_factor=service_factor)
    draws = Draws((*plan.draws.values, exponential(interval_ns * 1000)))
    return replace(plan, draws=draws, threads=replace(plan.threads, interval_draw=(len(draws.values) - 1,)))


def reader(window: int, core_time_ns: float, core: int = 0) -> ThreadSpec:
    """Return a closed thread that reads from the one node's own memory."""
    return ThreadSpec(0, core, (Access("r", 0),), window=window, core_time_ns=core_time_ns)


def with_random_service(plan: Plan, port: int, mean_ps: float) -> Plan:
    """Give a port exponential service, the same for all packets."""
    draws = Draws((*plan.draws.values, exponential(mean_ps)))
    drawn = [NONE] * len(plan.ports.name)
    drawn[port] = len(draws.values) - 1
    return replace(plan, draws=draws, ports=replace(plan.ports, service_draw=tuple(drawn)))
