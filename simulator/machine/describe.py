"""A machine in words and numbers, for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from simulator.machine.distances import distances, numactl_text
from simulator.machine.fitted import allowed_words, link_selector
from simulator.machine.report import MOST_PAIRS_NODES, TopoShow
from simulator.machine.routing import Routes, resolve_routes
from simulator.machine.spec import BroadcastTable, ControllerSpec, Link, Machine, Table
from simulator.units import LINE_BYTES

_WIDTH = 100


def machine_text(machine: Machine, show: TopoShow) -> str:
    """Describe a machine: distances as ``numactl --hardware`` prints them, then parts, routes and what follows from them."""
    found = distances(machine)
    sections = [
        numactl_text(machine, found) + f"\nDistances: {found.explanation}.",
        f"{machine.name}: {machine.title}\n" + _source(machine.source),
        _section("Processor", _processor(machine), machine.processor.source),
        _section("Core", _core(machine), machine.core.source),
        _section("Links", _links(machine), _shared_source(link.source for link in machine.links)),
        _section("Memory controllers", _controllers(machine), _shared_source(_controller_sources(machine))),
        _section("Routing", _routing(machine, show), machine.routing.source),
        _section("At rest", _at_rest(machine, show)),
        _section("Fitted values, with the range each is allowed", _fitted(show)),
    ]
    return "\n\n".join(sections) + "\n"


def _section(title: str, lines: Iterable[str], source: str | None = None) -> str:
    text = "\n".join([title, *(f"  {line}" for line in lines)])
    return text if source is None else f"{text}\n{_source(source)}"


def _source(source: str) -> str:
    return textwrap.fill(f"source: {source}", _WIDTH, initial_indent="  ", subsequent_indent="          ")


def _shared_source(sources: Iterable[str]) -> str | None:
    """Return the sources, each once."""
    return "; ".join(dict.fromkeys(part for source in sources for part in source.split("; "))) or None


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay rows out in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _processor(machine: Machine) -> Iterator[str]:
    processor = machine.processor
    yield f"{processor.name}, {processor.clock_ghz:g} GHz; coherence: {machine.coherence.protocol}"
    if machine.coherence.protocol == "probe-filtered":
        yield f"the filter answers in {machine.coherence.lookup_ns:g} ns; lines that no other node holds cause no probes"
    yield f"a probe is answered in {machine.coherence.probe_answer_ns:g} ns"


def _core(machine: Machine) -> Iterator[str]:
    core = machine.core
    yield f"window {core.window} lines (background threads {core.background_window}, at most {core.max_outstanding})"
    yield f"core time {core.core_time_ns:g} ns a line, {core.write_extra_ns:g} ns more for a written one"
    yield f"core time varies evenly by {core.jitter_ns:g} ns either way"


def _links(machine: Machine) -> list[str]:
    if not machine.links:
        return ["none"]
    rows = [("link", "width", "rate", "each way", "latency", "carries")]
    return _table(rows + [_link_row(machine, index, link) for index, link in enumerate(machine.links)])


def _link_row(machine: Machine, index: int, link: Link) -> tuple[str, ...]:
    everything = len(link.carries) == 4
    return (
        link_selector(machine, index).strip("[]"),
        f"{link.width_bits} bit",
        f"{link.rate_gt_per_s:g} GT/s",
        f"{link.gb_per_s:g} GB/s",
        f"{link.latency_ns:g} ns",
        "all" if everything else ", ".join(link.carries),
    )


def _controllers(machine: Machine) -> list[str]:
    rows: list[tuple[str, ...]] = [("node", "memory", "bus peak", "line read", "line written", "turnaround", "queue")]
    for node in machine.nodes:
        if node.controller is None:
            rows.append((str(node.id), "none", *[""] * 5))
        else:
            rows.append((str(node.id), f"{node.memory_gib:g} GiB", *_controller_cells(node.controller)))
    return _table(rows)


def _controller_cells(controller: ControllerSpec) -> tuple[str, ...]:
    times = (controller.read_ns, controller.write_ns, controller.turnaround_ns)
    return (f"{controller.peak_gb_per_s:g} GB/s", *(f"{time:g} ns" for time in times), str(controller.queue))


def _controller_sources(machine: Machine) -> list[str]:
    return [node.controller.source for node in machine.nodes if node.controller is not None]


def _routing(machine: Machine, show: TopoShow) -> list[str]:
    routes = resolve_routes(machine)
    rows = [("requests", _how(machine.routing.request)), ("responses", _how(machine.routing.response))]
    rows.append(("probes", _how(machine.routing.broadcast)))
    lines = _table(rows)
    routed, shortest = show.routed_hops, show.shortest_hops
    lines.append(f"diameter {routed.diameter} hops as routed, {shortest.diameter} at best")
    lines.append(f"average distance {routed.average:.3f} hops as routed, {shortest.average:.3f} at best (0 to itself included)")
    if routed.average_remote is not None and shortest.average_remote is not None:
        lines.append(f"between different nodes {routed.average_remote:.3f} hops as routed, {shortest.average_remote:.3f} at best")
    lines += _trees(machine, routes)
    return lines + (list(show.warnings) or ["the routes cannot deadlock: no circle of channel dependencies"])


def _how(table: str | Table | BroadcastTable) -> str:
    return "shortest paths" if table == "shortest" else "tables of the file"


def _trees(machine: Machine, routes: Routes) -> Iterator[str]:
    if len(machine.nodes) > 8:
        return
    for root in machine.node_ids if len(machine.nodes) > 1 else ():
        reached, edges = [root], []
        for node in reached:
            reached += routes.broadcast[root, node]
            edges += [f"{node}->{child}" for child in routes.broadcast[root, node]]
        yield f"probes of node {root}: {' '.join(edges)}"


def _at_rest(machine: Machine, show: TopoShow) -> list[str]:
    lines = _idle_matrix(show) if len(machine.nodes) <= MOST_PAIRS_NODES else _idle_by_hops(show)
    services = sorted({node.controller.read_ns for node in machine.nodes if node.controller is not None})
    lines += [f"a DRAM that reads a line in {time:g} ns moves at most {LINE_BYTES / time:.2f} GB/s" for time in services if time]
    rates = sorted({link.gb_per_s for link in machine.links})
    return lines + [f"a line of {LINE_BYTES} B occupies a link of {rate:g} GB/s for {LINE_BYTES / rate:g} ns" for rate in rates]


def _idle_matrix(show: TopoShow) -> list[str]:
    """One read from each node of each memory, ns."""
    latency = {(read.node, read.memory): f"{read.latency_ns:.1f}" for read in show.idle_reads}
    memories = sorted({memory for _, memory in latency})
    header = ("node", *(f"memory {memory}" for memory in memories))
    rows = [(str(node), *(latency[node, memory] for memory in memories)) for node in sorted({node for node, _ in latency})]
    return ["a read, from core 0 of a node, ns:", *(f"  {line}" for line in _table([header, *rows]))]


def _idle_by_hops(show: TopoShow) -> list[str]:
    lines = [f"a read of memory {read.hops} hops away takes {read.latency_ns:.1f} ns ({read.label})" for read in show.idle_reads]
    return [line.replace(" 1 hops", " 1 hop") for line in lines]


def _fitted(show: TopoShow) -> list[str]:
    if not show.fitted:
        return ["none"]
    return _table([(fit.path, str(fit.value), allowed_words(fit.allowed)) for fit in show.fitted])
