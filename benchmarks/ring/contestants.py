"""The ring in each simulator. Each `prepare` imports what it needs, so that a package that is missing stops that one only.

A function given here prepares (imports, compiles) and returns another that runs a number of trips and returns the visits.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from importlib import import_module
from time import process_time
from typing import Any

from benchmarks.ring.model import CUSTOMERS, STATIONS, duration
from benchmarks.ring.plan import completed_visits, ring_plan

Run = Callable[[int], int]
EVENT_BUDGET = 1 << 40  # never used up here


def compiled() -> Run:
    """Return the compiled engine on the ring's Plan."""
    from simulator.engine.compiled import CompiledEngine

    def run(trips: int) -> int:
        engine = CompiledEngine(ring_plan())
        engine.advance([trips], EVENT_BUDGET)
        return completed_visits(engine.snapshot())

    run(1)  # compiles, or loads compiled code
    return run


def simpy_engine() -> Run:
    """Return the simpy engine on the ring's Plan."""
    from simulator.engine.simpy_engine import SimpyEngine

    def run(trips: int) -> int:
        engine = SimpyEngine(ring_plan())
        engine.advance([trips], EVENT_BUDGET)
        return completed_visits(engine.snapshot())

    return run


def plain_simpy() -> Run:
    """Return plain simpy: a Resource a station, a process a customer."""
    simpy = import_module("simpy")

    def run(trips: int) -> int:
        environment = simpy.Environment()
        stations = [simpy.Resource(environment) for _ in range(STATIONS)]
        visits = [0]

        def customer() -> Generator[Any, Any, None]:
            while True:
                for station in stations:
                    with station.request() as request:
                        yield request
                        yield environment.timeout(1.0)
                    visits[0] += 1

        for _ in range(CUSTOMERS):
            environment.process(customer())
        environment.run(until=duration(trips))
        return visits[0]

    return run


def ciw() -> Run:
    """Return Ciw: all customers arrive at once, and no route leads out."""
    ciw_package = import_module("ciw")
    dists = ciw_package.dists

    def run(trips: int) -> int:
        network = ciw_package.create_network(
            arrival_distributions=[dists.Sequential([0.0, float("inf")])] + [None] * (STATIONS - 1),
            batching_distributions=[dists.Deterministic(CUSTOMERS)] + [dists.Deterministic(1)] * (STATIONS - 1),
            service_distributions=[dists.Deterministic(1.0)] * STATIONS,
            routing=[[float(to == (station + 1) % STATIONS) for to in range(STATIONS)] for station in range(STATIONS)],
            number_of_servers=[1] * STATIONS,
        )
        simulation = ciw_package.Simulation(network)
        simulation.simulate_until_max_time(duration(trips))
        return sum(len(individual.data_records) for individual in simulation.get_all_individuals())

    return run


def salabim() -> Run:
    """Return salabim, in the mode in which processes are generators; its other mode needs a package it does not bring along."""
    salabim_package = import_module("salabim")
    salabim_package.yieldless(False)

    def run(trips: int) -> int:
        environment = salabim_package.Environment(trace=False)
        stations = [salabim_package.Resource(f"station {number}") for number in range(STATIONS)]
        visits = [0]

        class Customer(salabim_package.Component):  # type: ignore[misc, name-defined]
            def process(self) -> Generator[Any, Any, None]:
                while True:
                    for station in stations:
                        yield self.request(station)
                        yield self.hold(1.0)
                        self.release(station)
                        visits[0] += 1

        for _ in range(CUSTOMERS):
            Customer()
        environment.run(till=duration(trips))
        return visits[0]

    return run


def cimba() -> Run:
    """Return cimba, whose model is compiled by its first run."""
    run: Run = import_module("benchmarks.ring.cimba_model").run
    run(1)
    return run


CONTESTANTS: Mapping[str, Callable[[], Run]] = {
    "compiled engine": compiled,
    "simpy engine": simpy_engine,
    "plain simpy": plain_simpy,
    "Ciw": ciw,
    "salabim": salabim,
    "cimba": cimba,
}
OWN = ("compiled engine", "simpy engine", "plain simpy")
IN_MACHINE_CODE = ("compiled engine", "cimba")


@dataclass(frozen=True)
class RingRun:
    """One run of one simulator.

    Attributes
    ----------
    visits : int
        As the simulator counted them.
    cpu_s, preparation_s : float
        Processor time of the run, building the model included, and of imports and compiling before.
    peak_mib : float
        Largest resident memory of the process.
    missing : str
        Why it could not run; empty if it did.
    """

    visits: int = 0
    cpu_s: float = 0.0
    preparation_s: float = 0.0
    peak_mib: float = 0.0
    missing: str = ""


def run_ring(name: str, trips: int) -> RingRun:
    """Run the ring in one simulator; meant for a process of its own."""
    started_s = process_time()
    try:
        run = CONTESTANTS[name]()
    except Exception as error:  # other people's packages fail in their own ways; ours must not
        if name in OWN:
            raise
        return RingRun(missing=f"{type(error).__name__}: {error}".splitlines()[0])
    prepared_s = process_time()
    visits = run(trips)
    cpu_s = process_time() - prepared_s
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return RingRun(visits, cpu_s, prepared_s - started_s, peak_mib)
