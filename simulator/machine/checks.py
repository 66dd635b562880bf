"""What no single field shows: do the nodes, links and tables of a machine fit together?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.errors import InputError
from simulator.machine.document import Document, Path
from simulator.machine.read import MAX_LINKS, MAX_NODES
from simulator.machine.routing import neighbours, resolve_routes, shortest_distances
from simulator.machine.spec import Machine

_NEEDED_BUFFERS = {  # without one of these nothing could pass, and every run would stand still
    "sri": ("to_crossbar", ("request", "response", "request_data")),
    "crossbar": ("to_sri", ("probe",)),
    "controller": ("to_crossbar", ("response", "probe", "response_data")),
}
_DATA_CHANNELS = ("request", "posted", "response")  # virtual channels whose packets may bring data


def check_size(document: Document) -> None:
    """Refuse a machine too large to simulate, before anything looks at its parts."""
    for name, limit in (("nodes", MAX_NODES), ("links", MAX_LINKS)):
        entries = document.data.get(name)
        if isinstance(entries, list) and len(entries) > limit:
            raise document.error((name,), f"too many {name}", value=len(entries), allowed=f"at most {limit} {name}")


def check_entries(document: Document) -> None:
    """Check what nodes and links say of each other, in the words of the file."""
    nodes: list[dict[str, Any]] = document.data.get("nodes", [])
    if not nodes:
        extendable = "at least one [[nodes]] entry; a file without nodes can only be extended"
        raise document.error(("nodes",), "the machine has no nodes", allowed=extendable)
    ids = [node["id"] for node in nodes]
    for index, node in enumerate(nodes):
        if node["id"] in ids[:index]:
            other = ids.index(node["id"]) + 1
            what = f"two nodes have this number ([[nodes]] number {other} and {index + 1})"
            raise document.error(("nodes", index, "id"), what, value=node["id"], allowed="a number of its own")
        if "controller" in node and "memory_gib" not in node:
            path: Path = ("nodes", index, "controller")
            raise document.error(path, "the node has no memory to control", allowed="memory_gib in the node")
    if not any(node["cores"] for node in nodes):
        raise document.error(("nodes",), "no node has a core", allowed="cores of at least 1 on one node")
    if not any("memory_gib" in node for node in nodes):
        raise document.error(("nodes",), "no node has memory", allowed="memory_gib on at least one node")
    for index, link in enumerate(document.data.get("links", ())):
        _check_ends(document, ("links", index, "ends"), link["ends"], ids)


def _check_ends(document: Document, path: Path, ends: Sequence[int], ids: Sequence[int]) -> None:
    for end in ends:
        if end not in ids:
            allowed = f"nodes {', '.join(map(str, sorted(ids)))}"
            raise document.error(path, f"the link leads to node {end}, which is not there", value=list(ends), allowed=allowed)
    if ends[0] == ends[1]:
        raise document.error(path, "the link leads from a node to itself", value=list(ends), allowed="two different nodes")


def check_links(document: Document, links: Sequence[Mapping[str, Any]]) -> None:
    """Check resolved links, in file order: no virtual channel on two parallel links, and buffers for each one carried."""
    carriers: dict[tuple[tuple[int, int], str], int] = {}
    for index, link in enumerate(links):
        ends = (min(link["ends"]), max(link["ends"]))
        path: Path = ("links", index, "carries")
        carries = list(link["carries"])
        if len(set(carries)) != len(carries) or not carries:
            raise document.error(path, "names no virtual channel, or one twice", value=carries, allowed="each at most once")
        for channel in link["carries"]:
            if carriers.setdefault((ends, channel), index) != index:
                what = f"parallel links {ends[0]}-{ends[1]} both carry {channel}, so nothing says which one a packet takes"
                allowed = 'channels shared out: carries = ["request", "posted", "probe"] on one, ["response"] on the other'
                raise document.error(path, what, value=carries, allowed=allowed)
            _check_credits(document, index, link["credits"], channel)


def check_buffers(document: Document, nodes: Sequence[Mapping[str, Any]]) -> None:
    """Check that resolved nodes, in file order, have the buffers inside a node that every access needs."""
    for index, node in enumerate(nodes):
        for block, (table, names) in _NEEDED_BUFFERS.items():
            for name in names if node[block] is not None else ():
                if node[block][table][name] == 0:
                    path = _place(document, ("nodes", index, block), (block,), (table, name))
                    raise document.error(path, "nothing could pass without a buffer here", value=0, allowed="at least 1")


def _place(document: Document, own: Path, wide: Path, name: Path) -> Path:
    """Return where the file gives a value: in the entry, or machine-wide."""
    return (*own, *name) if document.get((*own, *name)) is not None else (*wide, *name)


def _check_credits(document: Document, index: int, credits: Mapping[str, int], channel: str) -> None:
    for name in (channel, f"{channel}_data") if channel in _DATA_CHANNELS else (channel,):
        if credits[name] == 0:
            path = _place(document, ("links", index), ("link",), ("credits", name))
            raise document.error(path, f"the link carries {channel} but has no buffer for it", value=0, allowed="at least 1")


def check_machine(document: Document, machine: Machine) -> None:
    """Check a resolved machine: windows, coherence, reach, distances, routes."""
    core = machine.core
    for name in ("window", "background_window"):
        window = getattr(core, name)
        if window > core.max_outstanding:
            allowed = f"1 to {core.max_outstanding} (core.max_outstanding)"
            raise document.error(("core", name), "a core cannot have so many lines in flight", value=window, allowed=allowed)
    if machine.coherence.protocol == "probe-filtered" and machine.coherence.filter_lookup_ns is None:
        what, allowed = "is missing: a probe filter takes time", 'nanoseconds, of coherence.protocol = "probe-filtered"'
        raise document.error(("coherence", "filter_lookup_ns"), what, allowed=allowed)
    _check_reach(document, machine)
    _check_distances(document, machine)
    _check_caches(document, machine)
    try:
        resolve_routes(machine)
    except InputError as error:
        table = (error.field or "").removeprefix("routing.").split(",")[0]
        file = document.origin_text(("links",) if table == "links" else ("routing", table))
        raise InputError(error.what, file=file, field=error.field, value=error.value, allowed=error.allowed) from None


def _check_reach(document: Document, machine: Machine) -> None:
    near, first = neighbours(machine), machine.node_ids[0]
    missed = [node for node in machine.node_ids if node not in shortest_distances(near, first)]
    if missed:
        nodes = f"node{'s' if len(missed) > 1 else ''} {', '.join(map(str, missed))}"
        raise document.error(("links",), f"no way leads from node {first} to {nodes}", allowed="links that join all nodes")


def _check_caches(document: Document, machine: Machine) -> None:
    if machine.caches is None:
        return
    for name in ("l1", "l2", "l3"):
        cache = getattr(machine.caches, name)
        if cache is not None and cache.size_kib * 1024 % (cache.ways * machine.caches.line_bytes):
            allowed = f"a multiple of {cache.ways} ways of {machine.caches.line_bytes} bytes"
            path: Path = ("caches", name, "size_kib")
            raise document.error(path, "is no whole number of sets", value=cache.size_kib, allowed=allowed)


def _check_distances(document: Document, machine: Machine) -> None:
    if machine.distances is None:
        return
    size, path = len(machine.nodes), ("distances", "matrix")
    shape = [len(row) for row in machine.distances.matrix]
    if shape != [size] * size:
        found = f"{len(shape)} rows of {' or '.join(map(str, sorted(set(shape)))) or 0}"
        raise document.error(path, "has the wrong shape", value=found, allowed=f"{size} rows of {size}, in order of nodes")
