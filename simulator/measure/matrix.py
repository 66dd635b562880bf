"""Idle latency and bandwidth from every node to every memory, one run a pair: what Intel MLC's two matrices hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from pydantic import Field

from simulator import __version__
from simulator.engine.build import EngineName
from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.measure.accuracy import Accuracy
from simulator.measure.idle import one_slot
from simulator.measure.result import Provenance, Report, RunResult, Verdict
from simulator.measure.run import run
from simulator.workload import Access, ThreadSpec, Workload
from simulator.workload.binding import node_ids_with_cores, node_ids_with_memory
from simulator.workload.mix import mixed_accesses

Quantity = Literal["latency", "bandwidth"]
Loop = Literal["stream", "test"]
Progress = Callable[[int, int, str], None]


class MatrixCell(Report):
    """One pair of nodes. `value` is None where the run came to a standstill."""

    from_node: int = Field(description="where the threads run")
    to_node: int = Field(description="whose memory they use")
    quantity: Quantity
    value: float | None
    unit: Literal["ns", "GB/s"] = Field(description="GB/s: 64 B for each line that the threads read or write")
    ci_percent: float | None = Field(description="half width of the 95 % confidence interval, per cent of the value")
    threads: int
    memory_gb_per_s: float | None = Field(description="of bandwidth: all that the memory moved; a line written is also read")
    verdict: Verdict
    verdict_detail: str | None


class MatrixReport(Report):
    """Matrices of a machine. A node without cores has no row, one without memory no column."""

    schema_version: Literal[1] = 1
    machine: str
    rows: tuple[int, ...] = Field(description="nodes with cores")
    columns: tuple[int, ...] = Field(description="nodes with memory")
    read_fraction: float = Field(description="share of the lines of the bandwidth threads that is read")
    threads_per_node: int | None = Field(description="None: one a core")
    loop: Loop
    cells: tuple[MatrixCell, ...] = Field(description="by quantity, latency first, then from_node, then to_node")
    provenance: Provenance

    def values(self, quantity: Quantity) -> tuple[tuple[float | None, ...], ...]:
        """Return the values of a quantity in its unit, shape (rows, columns); empty where it was not asked for."""
        found = {(cell.from_node, cell.to_node): cell.value for cell in self.cells if cell.quantity == quantity}
        return tuple(tuple(found[row, column] for column in self.columns) for row in self.rows) if found else ()


@dataclass(frozen=True)
class BandwidthThreads:
    """The threads of a bandwidth run.

    Attributes
    ----------
    read_fraction : float
        See :func:`simulator.workload.mix.mixed_accesses`.
    per_node : int, optional
        None: one on every core of the node.
    loop : {'stream', 'test'}
        ``stream`` threads only ask for bandwidth: window and core time of the machine's background threads. ``test`` threads are
        its foreground threads, those of AMD's two-thread test.
    """

    read_fraction: float = 1.0
    per_node: int | None = None
    loop: Loop = "stream"

    def on(self, machine: Machine, node: int, memory: int) -> Workload:
        """Return the threads on a node."""
        count = machine.node(node).cores if self.per_node is None else self.per_node
        accesses = mixed_accesses(memory, self.read_fraction)
        if self.loop == "test":
            return Workload(tuple(ThreadSpec(node, core, accesses) for core in range(count)))
        time_ns = machine.core.background_core_time_ns
        return Workload(tuple(stream_thread(machine, node, core, accesses, time_ns) for core in range(count)))

    def check(self, machine: Machine) -> None:
        """Refuse threads for which some node with cores has too few."""
        mixed_accesses(0, self.read_fraction)
        fewest = min(node.cores for node in machine.nodes if node.cores)
        if self.per_node is not None and not 1 <= self.per_node <= fewest:
            allowed = f"1 to {fewest}, the cores of the smallest node with cores"
            raise InputError("not so many cores a node", field="threads per node", value=self.per_node, allowed=allowed)


def stream_thread(
    machine: Machine, node: int, core: int, accesses: tuple[Access, ...], core_time_ns: float, *, background: bool = False
) -> ThreadSpec:
    """Return a thread with as many lines in flight as the machine's background threads, and a core time of its own."""
    window = machine.core.background_window
    return ThreadSpec(node, core, accesses, background=background, window=window, core_time_ns=core_time_ns)


def measure_matrix(
    machine: Machine,
    quantities: Sequence[Quantity] = ("latency", "bandwidth"),
    threads: BandwidthThreads | None = None,
    *,
    accuracy: Accuracy | None = None,
    seed: int = 1,
    engine: EngineName = "auto",
    progress: Progress | None = None,
    run_one: Callable[..., RunResult] = run,
) -> MatrixReport:
    """Run every pair of a node with cores and a node with memory.

    Parameters
    ----------
    machine : Machine
    quantities : sequence of {'latency', 'bandwidth'}
    threads : BandwidthThreads, optional
        By default readers on all cores. The latency is always that of reads by one thread with one slot.
    accuracy, seed, engine
        As for :func:`simulator.measure.run.run`, for every run.
    progress : callable, optional
        Called with runs done, runs in all, and the last pair.

    Raises
    ------
    InputError
        Too few cores for the threads, or a share of reads that cannot be.
    """
    threads, accuracy = threads or BandwidthThreads(), accuracy or Accuracy()
    rows, columns = node_ids_with_cores(machine), node_ids_with_memory(machine)
    threads.check(machine)
    wanted = [quantity for quantity in ("latency", "bandwidth") if quantity in quantities]
    jobs = [(quantity, row, column) for quantity in wanted for row in rows for column in columns]
    quiet, cells, engine_name = without_jitter(machine), [], str(engine)
    for done, (quantity, row, column) in enumerate(jobs, start=1):
        latency = quantity == "latency"  # jitter of the core time would only blur it
        used, workload = (quiet, one_slot(row, column, "r")) if latency else (machine, threads.on(machine, row, column))
        result = run_one(used, workload, accuracy, seed=seed, engine=engine)
        cells.append((_latency_cell if latency else _bandwidth_cell)(row, column, result))
        engine_name = result.provenance.engine
        if progress is not None:
            progress(done, len(jobs), f"{quantity} {row}->{column}")
    return MatrixReport(
        machine=machine.name,
        rows=rows,
        columns=columns,
        read_fraction=threads.read_fraction,
        threads_per_node=threads.per_node,
        loop=threads.loop,
        cells=tuple(cells),
        provenance=provenance(machine, {"quantities": wanted, **asdict(threads)}, accuracy, seed, engine_name),
    )


def provenance(machine: Machine, workload: dict[str, object], accuracy: Accuracy, seed: int, engine: str) -> Provenance:
    """Return the provenance of many runs on one machine; `workload` is what tells the runs apart, in short."""
    resolved = machine.model_dump(mode="json")
    given = asdict(accuracy)
    return Provenance(version=__version__, engine=engine, seed=seed, machine=resolved, workload=workload, accuracy=given)


def _latency_cell(row: int, column: int, result: RunResult) -> MatrixCell:
    (thread,) = result.threads
    value = None if result.latency_ns is None or stands_still(result) else result.latency_ns.mean
    ci = None
    if value and thread.ci_percent is not None and thread.time_per_line_ns is not None:
        ci = thread.ci_percent * thread.time_per_line_ns / value  # the core time is the same for every line
    return _cell(row, column, result, "latency", value, ci)


def _bandwidth_cell(row: int, column: int, result: RunResult) -> MatrixCell:
    memory = result.controllers[str(column)].gb_per_s
    total = sum(thread.gb_per_s for thread in result.threads)
    known = [thread.ci_percent * thread.gb_per_s / total for thread in result.threads if thread.ci_percent is not None and total]
    ci = sum(known) if len(known) == len(result.threads) else None  # errors of threads may go together
    if stands_still(result):
        return _cell(row, column, result, "bandwidth", None, None)
    return _cell(row, column, result, "bandwidth", total, ci, memory)


def stands_still(result: RunResult) -> bool:
    """Whether the run has no numbers worth giving."""
    return result.verdict in ("deadlock", "no progress", "not warmed up")


def _cell(
    row: int,
    column: int,
    result: RunResult,
    quantity: Quantity,
    value: float | None,
    ci_percent: float | None,
    memory_gb_per_s: float | None = None,
) -> MatrixCell:
    return MatrixCell(
        from_node=row,
        to_node=column,
        quantity=quantity,
        value=value,
        unit="ns" if quantity == "latency" else "GB/s",
        ci_percent=ci_percent,
        threads=len(result.threads),
        memory_gb_per_s=memory_gb_per_s,
        verdict=result.verdict,
        verdict_detail=result.verdict_detail,
    )
