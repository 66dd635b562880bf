"""Latency under load: dependent reads of one core while others load the same memory, as Intel MLC's loaded latencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import Field

from simulator.engine.build import EngineName
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.measure.accuracy import Accuracy
from simulator.measure.idle import one_slot
from simulator.measure.matrix import Progress, provenance, stands_still, stream_thread
from simulator.measure.result import Provenance, Report, RunResult, Verdict
from simulator.measure.run import run
from simulator.units import LINE_BYTES
from simulator.workload import Workload
from simulator.workload.binding import node_ids_with_cores, node_ids_with_memory
from simulator.workload.mix import exact_share, mixed_accesses

DELAYS_NS = (0, 10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000)
LONGEST_DELAY_NS = 10_000  # some 15 lines of each slot within the shortest window
MOST_BANDWIDTH, SLOWER, TWICE = 0.95, 1.1, 2.0  # the rule of `saturated`


class LoadedPoint(Report):
    """One load. Latency and bandwidth are None where the run came to a standstill."""

    read_fraction: float
    inject_delay_ns: int = Field(description="core time of a generator's slot between two of its lines")
    latency_ns: float | None = Field(description="mean of the measuring thread's reads")
    latency_p95_ns: float | None
    ci_percent: float | None = Field(description="half width of the 95 % confidence interval, per cent of the latency, at most")
    bandwidth_gb_per_s: float | None = Field(description="64 B a line of all threads, the measuring one included")
    memory_gb_per_s: float | None = Field(description="all that the memory moved; a line written is also read")
    memory_utilization: float | None = Field(description="share of the window its DRAM was busy")
    saturated: bool = Field(description="the first point of its curve, from light to heavy load, by the rule of docs/matrix.md")
    verdict: Verdict
    verdict_detail: str | None


class LoadedReport(Report):
    """Latency over load, a curve for each share of reads."""

    schema_version: Literal[1] = 1
    machine: str
    from_node: int
    to_node: int
    load_nodes: tuple[int, ...] = Field(description="nodes whose cores generate load")
    generators: int = Field(description="threads that generate load")
    idle_latency_ns: float | None
    points: tuple[LoadedPoint, ...] = Field(description="by read_fraction, reads only first, then from the shortest delay")
    provenance: Provenance

    def curve(self, read_fraction: float) -> tuple[LoadedPoint, ...]:
        """Return the points of one share of reads, the heaviest load first."""
        return tuple(point for point in self.points if point.read_fraction == read_fraction)

    @property
    def read_fractions(self) -> tuple[float, ...]:
        """The shares of reads, the largest first."""
        return tuple(dict.fromkeys(point.read_fraction for point in self.points))


def measure_loaded_latency(
    machine: Machine,
    from_node: int,
    to_node: int,
    read_fractions: Sequence[float] = (1.0,),
    *,
    load_nodes: Sequence[int] | None = None,
    delays_ns: Sequence[int] = DELAYS_NS,
    accuracy: Accuracy | None = None,
    seed: int = 1,
    engine: EngineName = "auto",
    progress: Progress | None = None,
    run_one: Callable[..., RunResult] = run,
) -> LoadedReport:
    """Measure the latency from a node to a memory under growing load.

    Core 0 of `from_node` reads with one slot; all other cores of `load_nodes` use the same memory with the window of background
    threads, resting for the delay between two lines of a slot.

    Parameters
    ----------
    machine : Machine
    from_node, to_node : int
    read_fractions : sequence of float
        Of the load, a curve each; see :func:`simulator.workload.mix.mixed_accesses`.
    load_nodes : sequence of int, optional
        None: `from_node` alone.
    delays_ns : sequence of int
        0 to `LONGEST_DELAY_NS`.
    accuracy, seed, engine
        As for :func:`simulator.measure.run.run`, for every run; it is the measuring thread that must meet the accuracy.
    progress : callable, optional
        Called with runs done, runs in all, and the last load.

    Raises
    ------
    InputError
        A node, core or memory that is not there; no core left to generate load; a share or a delay that cannot be.
    """
    accuracy, load_nodes = accuracy or Accuracy(), tuple(sorted(set(load_nodes or (from_node,))))
    shares = sorted({float(exact_share(share)) for share in read_fractions}, reverse=True)
    delays = _checked_delays(delays_ns)
    cores = _generator_cores(machine, from_node, to_node, load_nodes)
    jobs = [(share, delay) for share in shares for delay in delays]
    idle = run_one(without_jitter(machine), one_slot(from_node, to_node, "r"), accuracy, seed=seed, engine=engine)
    points = []
    for done, (share, delay) in enumerate(jobs, start=1):
        workload = _load(machine, from_node, to_node, cores, share, delay)
        points.append(_point(to_node, share, delay, run_one(machine, workload, accuracy, seed=seed, engine=engine)))
        if progress is not None:
            progress(done, len(jobs), f"{100 * share:.3g} % reads, {delay} ns")
    idle_ns = None if idle.latency_ns is None or stands_still(idle) else idle.latency_ns.mean
    told = {"from": from_node, "to": to_node, "load_nodes": list(load_nodes), "read_fractions": shares, "delays_ns": delays}
    return LoadedReport(
        machine=machine.name,
        from_node=from_node,
        to_node=to_node,
        load_nodes=load_nodes,
        generators=len(cores),
        idle_latency_ns=idle_ns,
        points=tuple(point for share in shares for point in _marked([p for p in points if p.read_fraction == share], idle_ns)),
        provenance=provenance(machine, told, accuracy, seed, idle.provenance.engine),
    )


def saturated(latency_ns: float, bandwidth_gb_per_s: float, idle_latency_ns: float, most_gb_per_s: float) -> bool:
    """Whether a point lies at or beyond the knee of its curve.

    Latency has at least doubled; or nearly all the bandwidth there is, is had, and latency has begun to rise (without the last,
    the heaviest load of any curve would count, however idle the machine).
    """
    plenty = bandwidth_gb_per_s >= MOST_BANDWIDTH * most_gb_per_s
    return latency_ns >= TWICE * idle_latency_ns or (plenty and latency_ns >= SLOWER * idle_latency_ns)


def _checked_delays(delays_ns: Sequence[int]) -> list[int]:
    for delay in delays_ns:
        if not 0 <= delay <= LONGEST_DELAY_NS:
            raise InputError("delay out of range", field="delays", value=delay, allowed=f"0 to {LONGEST_DELAY_NS} ns")
    return sorted(set(delays_ns))


def _generator_cores(machine: Machine, from_node: int, to_node: int, load_nodes: Sequence[int]) -> list[tuple[int, int]]:
    with_cores = node_ids_with_cores(machine)
    for field, nodes, known, what in (
        ("from", (from_node,), with_cores, "cores"),
        ("to", (to_node,), node_ids_with_memory(machine), "memory"),
        ("load nodes", load_nodes, with_cores, "cores"),
    ):
        for node in nodes:
            if node not in known:
                allowed = f"nodes {', '.join(map(str, known))}"
                raise InputError(f"{machine.name} has no node {node} with {what}", field=field, value=node, allowed=allowed)
    cores = [(node, core) for node in load_nodes for core in range(machine.node(node).cores) if (node, core) != (from_node, 0)]
    if not cores:
        what = f"core 0 of node {from_node} measures, and no core is left to make load"
        raise InputError(
            what, field="load nodes", value=list(load_nodes), allowed="--load-from with nodes that have further cores"
        )
    return cores


def _load(machine: Machine, from_node: int, to_node: int, cores: Sequence[tuple[int, int]], share: float, delay: int) -> Workload:
    accesses = mixed_accesses(to_node, share)
    load = [stream_thread(machine, node, core, accesses, float(delay), background=True) for node, core in cores]
    return Workload((*one_slot(from_node, to_node, "r").threads, *load))


def _point(to_node: int, share: float, delay: int, result: RunResult) -> LoadedPoint:
    (measuring,) = (thread for thread in result.threads if not thread.background)
    memory, latency = result.controllers[str(to_node)], result.latency_ns
    known = latency is not None and not stands_still(result)
    ci = None
    if latency is not None and measuring.ci_percent is not None and measuring.time_per_line_ns is not None:
        ci = measuring.ci_percent * measuring.time_per_line_ns / latency.mean  # at most: the jitter of the core time is in it
    # From the times of lines, not from their count: with long delays the lines of all slots come in bunches.
    rates = [LINE_BYTES / thread.time_per_line_ns for thread in result.threads if thread.time_per_line_ns]
    return LoadedPoint(
        read_fraction=share,
        inject_delay_ns=delay,
        latency_ns=latency.mean if latency is not None and known else None,
        latency_p95_ns=latency.p95 if latency is not None and known else None,
        ci_percent=ci if known else None,
        bandwidth_gb_per_s=sum(rates) if known else None,
        memory_gb_per_s=memory.gb_per_s if known else None,
        memory_utilization=memory.utilization if known else None,
        saturated=False,
        verdict=result.verdict,
        verdict_detail=result.verdict_detail,
    )


def _marked(curve: Sequence[LoadedPoint], idle_ns: float | None) -> list[LoadedPoint]:
    """Return a curve, the heaviest load first, with its saturation point marked, if it has one."""
    known = [point for point in curve if point.latency_ns is not None and point.bandwidth_gb_per_s is not None]
    if idle_ns is None or not known:
        return list(curve)
    most = max(point.bandwidth_gb_per_s or 0.0 for point in known)
    knee = next((p for p in reversed(known) if saturated(p.latency_ns or 0.0, p.bandwidth_gb_per_s or 0.0, idle_ns, most)), None)
    return [point.model_copy(update={"saturated": point is knee}) for point in curve]
