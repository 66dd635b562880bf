"""Lines of placed threads through an engine, to a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from simulator import __version__
from simulator.cache import CoreCaches, NodeCaches
from simulator.engine.build import EngineName, build_engine
from simulator.engine.lower import lower
from simulator.engine.plan import NONE
from simulator.engine.supply import Lines, LineTable
from simulator.machine.spec import Machine
from simulator.measure.result import Provenance
from simulator.placement.page_table import PageTable
from simulator.replay.feed import Feeder, Progress, to_the_end
from simulator.replay.homes import Homes
from simulator.replay.report import Outcome, report
from simulator.replay.result import ReplayResult
from simulator.replay.spool import Spool
from simulator.workload import HandedIn, ThreadSpec, Workload


@dataclass(frozen=True)
class Place:
    """Where a thread runs.

    Attributes
    ----------
    node, core : int
    window : int, optional
        Lines in flight; None: the machine's.
    start_ns : float
    """

    name: str
    node: int
    core: int
    window: int | None = None
    start_ns: float = 0.0


def run_lines(
    machine: Machine,
    name: str,
    places: Sequence[Place],
    stretches: Sequence[Iterator[Lines]],
    homes: Sequence[Homes],
    cores: Sequence[CoreCaches | None],
    table: PageTable,
    shared_homes: tuple[int, ...],
    phases: Sequence[str],
    described: dict[str, Any],
    seed: int,
    engine: EngineName,
    progress: Progress | None,
) -> ReplayResult:
    """Run the lines of threads from first to last, and report.

    Parameters
    ----------
    machine : Machine
    name : str
        Of the workload.
    places : sequence of Place
        By thread, as `stretches`, `homes` and `cores`.
    stretches : sequence of iterators of Lines
    homes : sequence of Homes
    cores : sequence of CoreCaches or None
    table : PageTable
        Where pages are in the end.
    shared_homes : tuple of int
        Node of each shared line, by its number.
    phases : sequence of str
        What lies between barriers.
    described : dict
        The workload in full, for provenance.
    seed : int
    engine : {'auto', 'simpy', 'compiled'}
    progress : callable, optional
    """
    threads = [_thread(one, number, shared_homes) for number, one in enumerate(places)]
    workload = Workload(tuple(threads))
    order = [next(index for index, one in enumerate(threads) if one is thread) for thread in workload.threads]
    plan = lower(machine, workload, seed)
    first_home = next(index for index, port in enumerate(plan.controller_port) if port != NONE)
    spools = [
        Spool(LineTable(plan, place, alone=1 + number), stretches[number], first_home) for place, number in enumerate(order)
    ]
    feeder = Feeder(build_engine(plan, engine), spools)
    running = feeder.engine
    running.start_latency_record()
    opened = running.snapshot()
    verdict, detail = to_the_end(running, len(threads), progress)
    provenance = Provenance(
        version=__version__,
        engine=running.name,
        seed=seed,
        machine=machine.model_dump(mode="json"),
        workload=described,
        accuracy={"from": "first line", "to": "last line"},
    )
    marks = (opened, *feeder.barriers, running.snapshot())
    outcome = Outcome(plan, marks, running.latency_histogram(), verdict, detail)
    by_place = [(places[number], homes[number], cores[number]) for number in order]
    return report(machine, outcome, by_place, table, provenance, name, phases)


def _thread(place: Place, number: int, shared_homes: tuple[int, ...]) -> ThreadSpec:
    handed_in = HandedIn(barriers=(0, 1 + number), shared=shared_homes)
    return ThreadSpec(place.node, place.core, (), window=place.window, start_ns=place.start_ns, handed_in=handed_in)


def core_caches_of(
    machine: Machine, places: Sequence[Place], cycles_per_instruction: float | None = None
) -> list[CoreCaches | None]:
    """Return the caches of each thread's core; those of a node share its L3."""
    if machine.caches is None:
        return [None] * len(places)
    clock_ghz = machine.processor.clock_ghz
    nodes = {
        node: NodeCaches(machine.caches, clock_ghz, machine.node(node).cores, cycles_per_instruction)
        for node in {place.node for place in places}
    }
    return [nodes[place.node].cores[place.core] for place in places]
