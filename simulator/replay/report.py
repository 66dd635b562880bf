"""From the counters of a replay to its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal, Protocol

from simulator.cache import CoreCaches
from simulator.engine.interface import Snapshot
from simulator.engine.plan import Plan
from simulator.machine.spec import Machine
from simulator.measure.breakdown import path_reports
from simulator.measure.report import Window, controller_reports, latency_report, link_reports
from simulator.measure.result import Provenance
from simulator.placement.page_table import PageTable
from simulator.replay.homes import Homes
from simulator.replay.look import TraceLook
from simulator.replay.result import CacheReport, PhaseReport, ReplayResult, ReplayThread, TraceReport
from simulator.units import LINE_BYTES, gb_per_s, ns_from_ps, ps_from_ns


class ThreadPlace(Protocol):
    """Where a thread runs."""

    @property
    def name(self) -> str: ...

    @property
    def node(self) -> int: ...

    @property
    def core(self) -> int: ...

    @property
    def start_ns(self) -> float: ...


@dataclass(frozen=True)
class Outcome:
    """A finished run.

    Attributes
    ----------
    marks : tuple of Snapshot
        At its start, whenever all threads had passed a barrier, and at its end.
    histogram : sequence of int
        Lines by latency.
    """

    plan: Plan
    marks: tuple[Snapshot, ...]
    histogram: Sequence[int]
    verdict: Literal["finished", "deadlock", "no progress"]
    detail: str | None

    @property
    def last(self) -> Snapshot:
        """At its end."""
        return self.marks[-1]

    @property
    def elapsed_ps(self) -> int:
        """Until the last thread was done, or until it was clear that this never comes."""
        return max(self.last.thread_last_ps) if self.verdict == "finished" else self.last.time_ps


def report(
    machine: Machine,
    outcome: Outcome,
    threads: Sequence[tuple[ThreadPlace, Homes, CoreCaches | None]],
    table: PageTable,
    provenance: Provenance,
    workload: str,
    phases: Sequence[str],
) -> ReplayResult:
    """Return the result of a replay.

    Parameters
    ----------
    machine : Machine
    outcome : Outcome
    threads : sequence of (ThreadPlace, Homes, CoreCaches or None)
        In the order of the plan.
    table : PageTable
        Where pages are in the end.
    provenance : Provenance
    workload : str
        Its name.
    phases : sequence of str
        What lies between its barriers.
    """
    window = Window(outcome.plan, outcome.marks[0], outcome.last)
    stretches = [Window(outcome.plan, *ends) for ends in pairwise(outcome.marks)]
    reports = [_thread(machine, window, stretches, place, *each) for place, each in enumerate(threads)]
    return ReplayResult(
        machine=machine.name,
        workload=workload,
        elapsed_ns=ns_from_ps(outcome.elapsed_ps),
        threads=tuple(sorted(reports, key=lambda thread: (thread.node, thread.core, thread.name))),
        phases=tuple(_phase(one, name) for one, name in zip(stretches, phases, strict=False)),
        pages=table.totals(),
        links=link_reports(window),
        controllers=controller_reports(window),
        latency_ns=latency_report(window, outcome.histogram),
        breakdown=path_reports(window),
        events=outcome.last.events,
        verdict=outcome.verdict,
        verdict_detail=outcome.detail,
        provenance=provenance,
    )


def _phase(window: Window, name: str) -> PhaseReport:
    lines = sum(window.difference("path_lines", path) for path in range(len(window.plan.paths.thread)))
    latency_ps = sum(window.difference("thread_latency_ps", thread) for thread in range(len(window.plan.threads.label)))
    return PhaseReport(
        name=name,
        start_ns=ns_from_ps(window.opened.time_ps),
        time_ns=ns_from_ps(window.time_ps),
        lines=lines,
        latency_ns=ns_from_ps(latency_ps / lines) if lines else None,
        links={key: one.utilization for key, one in link_reports(window).items()},
        controllers={key: one.utilization for key, one in controller_reports(window).items()},
    )


def _thread(
    machine: Machine,
    window: Window,
    stretches: Sequence[Window],
    index: int,
    place: ThreadPlace,
    homes: Homes,
    caches: CoreCaches | None,
) -> ReplayThread:
    time_ps = window.last.thread_last_ps[index]
    paths = [path for path, thread in enumerate(window.plan.paths.thread) if thread == index]
    lines = sum(window.difference("path_lines", path) for path in paths)
    busy_ps = sum(_busy_ps(stretch, index, paths, place) for stretch in stretches)
    fetched = dict(zip(machine.node_ids, homes.lines_by_node.tolist(), strict=True))
    total = sum(fetched.values())
    return ReplayThread(
        name=place.name,
        node=place.node,
        core=place.core,
        time_ns=ns_from_ps(time_ps),
        lines=lines,
        busy_ns=ns_from_ps(busy_ps),
        gb_per_s=gb_per_s(lines * LINE_BYTES, busy_ps) if busy_ps else 0.0,
        local_percent=100 * fetched[place.node] / total if total else None,
        lines_by_node={node: count for node, count in fetched.items() if count},
        caches=None if caches is None else _caches(machine, caches),
    )


def _busy_ps(stretch: Window, index: int, paths: Sequence[int], place: ThreadPlace) -> int:
    """Return how long a thread was at work between two barriers: from its start to its last line there, if it had any."""
    if not any(stretch.difference("path_lines", path) for path in paths):
        return 0
    begins_ps = max(stretch.opened.time_ps, ps_from_ns(place.start_ns))
    return max(0, min(stretch.last.time_ps, stretch.last.thread_last_ps[index]) - begins_ps)


def _caches(machine: Machine, caches: CoreCaches) -> CacheReport:
    counts = asdict(caches.counts)
    if machine.caches is None or machine.caches.l3 is None:
        counts["l3_hits"] = None
    return CacheReport(**counts)


def trace_reports(look: TraceLook) -> tuple[TraceReport, ...]:
    """Return what was read of each trace."""
    return tuple(
        TraceReport(
            file=Path(source.file.path).name,
            accesses=counts.accesses,
            skipped={kind: count for kind, count in counts.skipped if count},
            remarks={kind: count for kind, count in counts.remarks if count},
            damage=damage,
        )
        for source, counts, damage in zip(look.sources, look.counts, look.damages, strict=True)
    )
