"""What the model says to a measured number: which run it takes, and what is read off its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.interop.measured import Measurement, Quantity
from simulator.machine.spec import Machine
from simulator.machine.variants import without_jitter
from simulator.measure.idle import one_slot
from simulator.measure.matrix import BandwidthThreads, stands_still
from simulator.measure.result import RunResult
from simulator.workload import Workload, check_workload, parse_label
from simulator.workload.mix import mixed_accesses

GB_PER_S = {"GB/s": 1.0, "MB/s": 1e-3}
_LATENCIES = (Quantity.LATENCY, Quantity.RELATIVE_LATENCY)


@dataclass(frozen=True)
class Work:
    """A run: a machine and what it has to do."""

    machine: Machine
    workload: Workload


class UnpredictableError(Exception):
    """The model has no answer to a measurement; the text says why."""


def work_for(machine: Machine, row: Measurement) -> Work:
    """Return the run that predicts a measurement.

    Latencies are those of one thread that reads with one line in flight, without jitter; bandwidths those of threads that keep
    as many lines in flight as the machine's background threads do, one on each core of `from_node` or as many as `threads` says,
    and where neither nodes nor threads are named one on each core of the machine, each with its own node's memory. Labels run
    as in :func:`simulator.measure.run.run`, and nodes beside them tell nothing more.

    Raises
    ------
    UnpredictableError
        The machine lacks a node, core or memory that it names, or the row does not say enough.
    """
    if row.quantity in _LATENCIES:
        _check_idle(row)
        from_node, to_node = _pair(machine, row)
        return Work(without_jitter(machine), one_slot(from_node, to_node, "r"))
    labels = () if row.threads.isdecimal() else tuple(row.threads.split())
    if labels:
        return Work(machine, _labelled(machine, labels))
    if row.quantity is not Quantity.BANDWIDTH:
        raise UnpredictableError("a time a line needs labels in `threads`, such as 0.0.w.1")
    everywhere = row.from_node is None and row.to_node is None and not row.threads  # a peak of the whole machine
    return Work(machine, _everywhere(machine, row) if everywhere else _bandwidth(machine, row))


def predicted(row: Measurement, result: RunResult) -> float | None:
    """Return what a run says to a measurement, in the row's unit; None when the run came to a standstill.

    A relative latency is returned in ns; :func:`scaled_to_measured` is for those who have all of them.
    """
    if stands_still(result):
        return None
    if row.quantity in _LATENCIES:
        return None if result.latency_ns is None else result.latency_ns.mean
    foreground = [thread for thread in result.threads if not thread.background]
    if row.quantity is Quantity.BANDWIDTH:
        return sum(thread.gb_per_s for thread in foreground) / GB_PER_S[row.unit]
    times = [thread.time_per_line_ns for thread in foreground]
    if row.quantity is Quantity.TIME_PER_LINE:
        first = parse_label(row.threads.split()[0]).label
        times = [thread.time_per_line_ns for thread in foreground if thread.label == first]
    known = [time for time in times if time is not None]
    return sum(known) if known and len(known) == len(times) else None


def scaled_to_measured(measured: Sequence[float], latencies_ns: Sequence[float | None]) -> list[float | None]:
    """Return simulated latencies on the scale of measured relative ones: the least of both are equal; None stays None.

    Parameters
    ----------
    measured : sequence of float
        Relative; only the quickest pair of all that were measured has 1, and the machine may lack it.
    latencies_ns : sequence of float or None
        Of the same pairs.
    """
    known = [(one, other) for one, other in zip(measured, latencies_ns, strict=True) if other is not None]
    if not known:
        return [None] * len(latencies_ns)
    scale = min(one for one, _ in known) / min(other for _, other in known)
    return [None if latency is None else latency * scale for latency in latencies_ns]


def _check_idle(row: Measurement) -> None:
    if row.threads not in ("", "1"):
        raise UnpredictableError("a latency with threads named: only idle latencies are predicted, of one thread")
    if row.read_fraction not in (None, 1.0):
        raise UnpredictableError("a latency of writes: only that of reads is predicted")


def _pair(machine: Machine, row: Measurement) -> tuple[int, int]:
    if row.from_node is None or row.to_node is None:
        raise UnpredictableError("it does not name the two nodes")
    nodes = {node.id: node for node in machine.nodes}
    for node in (row.from_node, row.to_node):
        if node not in nodes:
            raise UnpredictableError(f"the machine has no node {node}")
    if not nodes[row.from_node].cores:
        raise UnpredictableError(f"node {row.from_node} of the machine has no cores")
    if nodes[row.to_node].controller is None:
        raise UnpredictableError(f"node {row.to_node} of the machine has no memory")
    return row.from_node, row.to_node


def _labelled(machine: Machine, labels: tuple[str, ...]) -> Workload:
    try:
        workload = Workload.from_labels(labels)
        check_workload(machine, workload)
    except InputError as error:
        raise UnpredictableError(_why(error)) from None
    return workload


def _why(error: InputError) -> str:
    """Return what is wrong without the place and the value, so that many alike are one reason."""
    return error.what if error.allowed is None else f"{error.what}; allowed: {error.allowed}"


def _everywhere(machine: Machine, row: Measurement) -> Workload:
    nodes = [node.id for node in machine.nodes if node.cores and node.controller is not None]
    if not nodes:
        raise UnpredictableError("the machine has no node with both cores and memory")
    per_node = BandwidthThreads(_read_fraction(row))
    return Workload(tuple(thread for node in nodes for thread in per_node.on(machine, node, node).threads))


def _read_fraction(row: Measurement) -> float:
    read_fraction = 1.0 if row.read_fraction is None else row.read_fraction
    try:
        mixed_accesses(0, read_fraction)
    except InputError as error:
        raise UnpredictableError(_why(error)) from None
    return read_fraction


def _bandwidth(machine: Machine, row: Measurement) -> Workload:
    from_node, to_node = _pair(machine, row)
    cores = machine.node(from_node).cores
    count = int(row.threads) if row.threads else cores
    if not 1 <= count <= cores:
        raise UnpredictableError(f"node {from_node} of the machine has {cores} cores, not {row.threads}")
    return BandwidthThreads(_read_fraction(row), count).on(machine, from_node, to_node)
