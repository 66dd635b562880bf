"""From what another tool tells of a machine to a machine file that runs, with every guess marked as such.

Topology, cores and memory come from the record. No tool tells the constants of links and controllers: they are those of
the K8 Opterons, a guess for any other machine, to be fitted to measurements of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from simulator.errors import InputError
from simulator.interop.chosen_links import ChosenLinks
from simulator.interop.cpus import ranges
from simulator.interop.empty_nodes import about_empty, empty_nodes, needless
from simulator.interop.hop_classes import contradictions, pair_distances
from simulator.interop.import_links import ImportedLinks, distance_rows, import_links, slit
from simulator.interop.import_nodes import Guess, check_count, merged, node_entries, not_apart
from simulator.interop.judgement import asymmetric, tells_hops
from simulator.interop.machine_text import machine_name, printable, toml_text
from simulator.interop.physical_cores import Cores
from simulator.interop.record import UNREACHABLE, Kind, NodeRecord, Record, Unit
from simulator.interop.source import STDIN_LABEL
from simulator.machine.load import list_machines
from simulator.machine.merge import read_document
from simulator.machine.read import locate, shipped_names
from simulator.machine.schema import MACHINE_BLOCKS

BASE = "opteron-k8"
# Models of the K8: 140-890 and 1210-8224; later families have other hundreds (AMD's "Opteron model numbers").
_K8 = re.compile(r"Opteron(?:\(tm\))?(?: Processor)? [128](?:[4-9][0-9]|2[0-9]{2})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Origin:
    """Where a record comes from.

    Parameters
    ----------
    label : str
        What messages call it.
    name : str
        What sources in the machine file call it: without folders, for those are the user's own.
    cores : mapping of int to int
        The core of each CPU, where told.
    """

    label: str
    name: str
    cores: Cores = field(default_factory=dict)


@dataclass(frozen=True)
class ImportedMachine:
    """A machine file to be.

    Parameters
    ----------
    record : Record
        As read.
    table : mapping
        In the form of a machine file.
    guesses : tuple of Guess
    warnings : tuple of str
        What the reader and the import have to say.
    reproduces_distances : bool, optional
        Whether hops over the links sort all pairs of nodes as the distances do; None where these tell nothing.
    """

    record: Record
    table: Mapping[str, Any]
    guesses: tuple[Guess, ...]
    warnings: tuple[str, ...]
    reproduces_distances: bool | None

    @property
    def text(self) -> str:
        """The machine file; its head lists the guesses."""
        head = ["Written by numasim topo import. What its source told, and what had to be guessed:"]
        guesses = [f"guess, {guess.about}: {guess.text}" for guess in self.guesses]
        return toml_text(self.table, [*head, *(guesses or ["no guess"])])


def machine_of(
    record: Record,
    origin: Origin,
    links: ChosenLinks | None = None,
    merge: bool = False,
    base: str = BASE,
    name: str | None = None,
) -> ImportedMachine:
    """Make a machine file of a record.

    Parameters
    ----------
    record : Record
    origin : Origin
    links : tuple of pairs of nodes, or "full", optional
        The user's own, where distances do not tell.
    merge : bool
        Make one node of all.
    base : str
        Shipped constants to extend.
    name : str, optional
        Of the machine; made of the file's title or name if left out.

    Raises
    ------
    InputError
        There are no nodes or too many, they are no places of their own and not to be merged, or the links are not told.
    """
    if base not in _bases():
        raise InputError("has no constants to extend", field="--base", value=base, allowed=", ".join(_bases()))
    whole, nodes, guesses = _nodes(record, origin, links, merge)
    ids = [node.id for node in nodes]
    source = f"{printable(origin.name)} ({whole.format})"
    entries, about_nodes = node_entries(nodes, origin.cores, source, origin.label)
    imported = import_links(whole, ids, links, source, origin.label)
    k8 = base == BASE and whole.title is not None and _K8.search(whole.title) is not None
    guesses += [*about_nodes, *([imported.guess] if imported.guess else []), *([] if k8 else [_constants(base)])]
    table: dict[str, Any] = {"extends": base, "schema_version": 1, **_header(whole, origin, entries, source)}
    table |= {} if name is None else {"name": machine_name(name)}
    table |= {} if k8 else {name: {"source": f"guess: {_constants(base).text}"} for name in _blocks(base)}
    distances, about_distances = _distances(whole, ids, source)
    table |= distances | {"nodes": entries} | ({"links": imported.entries()} if imported.links else {})
    warnings = (*record.warnings, *imported.warnings, *about_distances, *_about_latencies(whole, origin))
    return ImportedMachine(record, table, tuple(guesses), warnings, _reproduces(whole, ids, imported))


def _nodes(
    record: Record, origin: Origin, links: ChosenLinks | None, merge: bool
) -> tuple[Record, tuple[NodeRecord, ...], list[Guess]]:
    """Return the record, its nodes as the machine has them, and what was guessed in choosing them."""
    if not record.nodes:
        what = "; ".join(("tells nothing of nodes", *record.warnings))
        raise InputError(what, file=origin.label, allowed="a file that names nodes, such as numactl --hardware prints")
    if merge:
        guess = Guess("nodes", f"nodes {ranges(node.id for node in record.nodes)} are merged into one, as --merge says")
        whole = merged(record)
        return whole, whole.nodes or (), [guess] if len(record.nodes) > 1 else []
    check_count(record.nodes, origin.label)
    reason = not_apart(record)
    if reason is not None:
        raise InputError(f"has no nodes to tell apart: {reason}", file=origin.label, allowed="with --merge, as one node")
    named = {end for pair in links for end in pair} if isinstance(links, tuple) else set()
    empty = [node for node in empty_nodes(record.nodes) if node not in named]
    if len(empty) == len(record.nodes):
        raise InputError("has neither CPUs nor memory in any node", file=origin.label)
    left_out = empty if links is not None else needless(slit(record), [node.id for node in record.nodes], empty)
    kept = tuple(node for node in record.nodes if node.id not in left_out)
    return record, kept, about_empty(empty, left_out)


@cache
def _bases() -> tuple[str, ...]:
    """Return the shipped files that hold constants only: machines extend them."""
    machines = set(list_machines())
    return tuple(name for name in shipped_names() if name not in machines)


@cache
def _blocks(base: str) -> list[str]:
    """Return the blocks of constants that a base has, distances left out."""
    table = read_document(locate(base)).data
    return [name for name in MACHINE_BLOCKS if name in table and name != "distances"]


def _constants(base: str) -> Guess:
    return Guess("constants", f"taken from {base}; no tool tells those of this machine")


def _header(record: Record, origin: Origin, entries: list[dict[str, Any]], source: str) -> dict[str, str]:
    name = printable(record.title or origin.name.partition(".")[0], 100)
    cores, count = sum(entry["cores"] for entry in entries), len(entries)
    parts = f"{count} node{'s' if count > 1 else ''}, {cores} core{'s' if cores != 1 else ''}"
    return {
        "name": machine_name(name),
        "title": f"{name}: {parts}" if record.title else f"{parts}, as {printable(origin.name)} tells",
        "source": f"imported from {source}; what is guessed says so",
    }


def _distances(record: Record, ids: list[int], source: str) -> tuple[dict[str, Any], list[str]]:
    """Return the block of distances, where the file has whole ones, else none and why."""
    matrix = slit(record)
    if matrix is None:
        return {}, []
    rows = distance_rows(matrix, ids)
    if rows is None:
        return {}, ["the distances are not in the machine file: some are unknown, or are none of 0 to 255"]
    told = "" if len(ids) < 2 or tells_hops(matrix) else "; they tell nothing of hops"
    return {"distances": {"matrix": rows, "source": f"{source}: {matrix.name}{told}"}}, []


def _about_latencies(record: Record, origin: Origin) -> list[str]:
    names = [matrix.name for matrix in record.matrices if matrix.kind == Kind.LATENCY and matrix.unit == Unit.NS]
    if not names:
        return []
    how = f"numasim calibrate MACHINE --against {'FILE' if origin.label == STDIN_LABEL else printable(origin.label)}"
    return [f"measured latencies ({', '.join(names)}) are not in a machine file; to fit the constants to them: {how}"]


def _reproduces(record: Record, ids: list[int], imported: ImportedLinks) -> bool | None:
    matrix = slit(record)
    if matrix is None or len(ids) < 2 or not tells_hops(matrix):
        return None
    known = pair_distances(matrix, ids)
    if asymmetric(matrix) or UNREACHABLE in known.values():
        return False
    return len(known) == len(ids) * (len(ids) - 1) // 2 and not contradictions(known, imported.links, ids)


def one_node(record: Record, cpus: tuple[int, ...], memory_mib: float | None) -> Record:
    """Return a record of a kernel without NUMA as one node with these CPUs."""
    return replace(record, nodes=(NodeRecord(0, cpus, memory_mib),))
