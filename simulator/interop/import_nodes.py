"""The nodes of a machine file from those of a record: cores, memory, and what had to be guessed of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from simulator.errors import InputError
from simulator.interop.cpus import ranges
from simulator.interop.judgement import share_cpus
from simulator.interop.mlc import INTERLEAVED_SHARE
from simulator.interop.physical_cores import Cores, cores_in
from simulator.interop.record import OWN, Kind, NodeRecord, Record, Unit
from simulator.machine.read import MAX_NODES

MOST_CORES = 256  # of a node in a machine file
GUESSED_CORES, GUESSED_MIB = 1, 1024.0
_MIB_PER_GIB = 1024
_LEAST_GIB = 1e-6


@dataclass(frozen=True)
class Guess:
    """Something that the file does not tell.

    Parameters
    ----------
    about : str
        What of the machine file: ``cores``, ``memory``, ``links``, ``constants``, ``nodes``.
    text : str
        What was taken instead, and why; one sentence without a full stop.
    """

    about: str
    text: str


def check_count(nodes: Sequence[NodeRecord], label: str) -> None:
    """Raise InputError where there are more nodes than a machine file may have."""
    if len(nodes) > MAX_NODES:
        raise InputError("has too many nodes for a machine file", file=label, value=len(nodes), allowed=f"at most {MAX_NODES}")


def not_apart(record: Record) -> str | None:
    """Return why the nodes are no places of their own (fake NUMA, interleaving); None where they may be."""
    nodes = record.nodes or ()
    ids = [node.id for node in nodes]
    if share_cpus(nodes):
        return "the nodes list the same CPUs: fake NUMA, or several kinds of memory of one node"
    for matrix in record.matrices:
        remote = [value for a in ids for b in ids if a != b and (value := matrix.at(a, b)) is not None]
        if matrix.unit == Unit.SLIT and remote and max(remote) <= OWN:
            return "all nodes are as near to each other as to themselves: fake NUMA on one node"
        own = [value for node in ids if (value := matrix.at(node, node)) is not None]
        in_ns = matrix.kind == Kind.LATENCY and matrix.unit == Unit.NS
        if in_ns and remote and own and max(*remote, *own) <= (1 + INTERLEAVED_SHARE) * min(*remote, *own):
            return "local and remote latency are the same: the nodes are interleaved below the operating system"
    return None


def merged(record: Record) -> Record:
    """Return the record with one node that has all CPUs and all memory; what named pairs of nodes is gone."""
    nodes = record.nodes or ()
    cpus = [node.cpus for node in nodes]
    memory = [node.memory_mib for node in nodes]
    known_cpus = [found for found in cpus if found is not None]
    known_memory = [found for found in memory if found is not None]
    node = NodeRecord(
        min(node.id for node in nodes),
        tuple(sorted({cpu for found in known_cpus for cpu in found})) if len(known_cpus) == len(nodes) else None,
        sum(known_memory) if len(known_memory) == len(nodes) else None,
    )
    return replace(record, nodes=(node,), matrices=())


def node_entries(nodes: Sequence[NodeRecord], cores: Cores, origin: str, label: str) -> tuple[list[dict[str, Any]], list[Guess]]:
    """Return the `[[nodes]]` of a machine file, and the guesses in them.

    Parameters
    ----------
    nodes : sequence of NodeRecord
    cores : mapping of int to int
        The core of each CPU, where told.
    origin : str
        What the source of each node begins with.
    label : str
        What messages call the file.

    Raises
    ------
    InputError
        A node has more cores than a machine file allows.
    """
    entries: list[dict[str, Any]] = []
    places: dict[Guess, list[int]] = {}
    for node in nodes:
        count, about_cores = _cores(node, cores)
        memory_mib, about_memory = _memory(node)
        if count > MOST_CORES:
            raise InputError(
                "has too many cores", file=label, field=f"node {node.id}", value=count, allowed=f"at most {MOST_CORES}"
            )
        guesses = [guess for guess in (about_cores, about_memory) if guess is not None]
        for guess in guesses:
            places.setdefault(guess, []).append(node.id)
        entry: dict[str, Any] = {"id": node.id, "cores": count}
        if memory_mib > 0:
            entry["memory_gib"] = max(round(memory_mib / _MIB_PER_GIB, 6), _LEAST_GIB)
        entries.append(entry | {"source": "; ".join([origin, *(f"guess: {guess.text}" for guess in guesses)])})
    return entries, [Guess(guess.about, f"{_nodes(ids)}: {guess.text}") for guess, ids in places.items()]


def _cores(node: NodeRecord, cores: Cores) -> tuple[int, Guess | None]:
    if node.cpus is None:
        return GUESSED_CORES, Guess("cores", f"cores unknown, taken as {GUESSED_CORES}")
    told = cores_in(node, cores)
    if told is not None:
        return told, None
    return len(node.cpus), Guess("cores", "each CPU taken as a core; which hardware threads share one is unknown")


def _memory(node: NodeRecord) -> tuple[float, Guess | None]:
    if node.memory_mib is None:
        return GUESSED_MIB, Guess("memory", f"memory unknown, taken as {GUESSED_MIB / _MIB_PER_GIB:g} GiB")
    return node.memory_mib, None


def _nodes(ids: Sequence[int]) -> str:
    return f"node{'s' if len(ids) > 1 else ''} {ranges(ids)}"
