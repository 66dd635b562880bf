"""``likwid-topology``, with or without its drawing (-g).

Keys and values stand in lines with tabs. Old versions have ``Domain 0:``, one line for free and total memory, and
``Relative distance to nodes``; version 5 has a line each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from simulator.interop.cells import MAX_CPUS, check_nodes, distance, memory_mib, node_number, whole
from simulator.interop.cpus import cpu_list, room_after
from simulator.interop.judgement import judged
from simulator.interop.record import Kind, Matrix, NodeRecord, Record, Unit
from simulator.interop.source import Source
from simulator.interop.sysfs import with_packages

_SECTION = "NUMA Topology"
_COUNT = re.compile(r"NUMA domains:\s*([0-9]+)$")
_DOMAIN = re.compile(r"Domain:?\s+([0-9]+):?$")
_KEY = re.compile(r"(Processors|Distances|Relative distance to nodes|Total memory|Memory):(.*)$")
_WRAPPED = re.compile(r"[0-9()][0-9()\s]*$")
_TABLE = re.compile(r"HWThread\s+Thread\s+Core\s")
_NAMES = {"Relative distance to nodes": "Distances", "Memory": "Total memory"}
_MAX_SOCKET = 1 << 16
Entry = tuple[int, str]
Domains = Mapping[int, Mapping[str, Entry]]  # by domain and key: Processors, Distances, Total memory


def recognises(source: Source) -> bool:
    """Tell whether the text has one of likwid's sections."""
    lines = [line.strip() for line in source.lines]
    return any(line in ("Hardware Thread Topology", _SECTION) or _COUNT.match(line) or _TABLE.match(line) for line in lines)


def read(source: Source) -> Record:
    """Return domains with their CPUs, memory, sockets and distances.

    Raises
    ------
    InputError
        The section of NUMA domains is missing, contradicts itself or is cut off.
    """
    domains = _domains(source)
    _check_count(source, domains)
    ids = sorted(domains)
    check_nodes(source, source.last_line, ids)
    nodes: list[NodeRecord] = []
    for node in ids:
        line, text = _entry(source, domains, node, "Processors")
        cpus = cpu_list(source, line, text.strip("( )"), room_after(other.cpus for other in nodes))
        nodes.append(NodeRecord(node, cpus, _memory(source, *_entry(source, domains, node, "Total memory"))))
    matrix = _matrix(source, domains)
    record = Record("likwid", tuple(nodes), (matrix,), title=_title(source))
    return judged(with_packages(record, _sockets(source)))


def _domains(source: Source) -> Domains:
    domains: dict[int, dict[str, tuple[int, list[str]]]] = {}
    current: int | None = None
    open_key: str | None = None
    for line, text in enumerate(source.lines):
        text = text.strip()
        domain, pair = _DOMAIN.match(text), _KEY.match(text)
        if domain is not None:
            current, open_key = node_number(source, line, domain[1]), None
            if current in domains:
                raise source.wrong(f"domain {current} is there twice", line=line)
            domains[current] = {}
        elif pair is not None and current is not None:
            open_key = _NAMES.get(pair[1], pair[1])
            if open_key in domains[current]:
                raise source.wrong(f"domain {current} has two lines of its {open_key.lower()}", line=line)
            domains[current][open_key] = (line, [pair[2].strip()])
        elif current is not None and open_key in ("Processors", "Distances") and _WRAPPED.match(text):
            domains[current][open_key][1].append(text)
        else:
            open_key = None
    return {domain: {key: (line, " ".join(texts)) for key, (line, texts) in found.items()} for domain, found in domains.items()}


def _check_count(source: Source, domains: Domains) -> None:
    if not domains:
        raise source.wrong(f"the section {_SECTION} has no domain: missing or cut off", line=source.last_line)
    found = ((line, _COUNT.match(text.strip())) for line, text in enumerate(source.lines))
    for line, match in found:
        if match and whole(match[1], 1 << 16) != len(domains):
            what = f"{source.place(line)} announces {match[1][:9]} domains, but there are {len(domains)}: the text is cut off"
            raise source.wrong(what, line=source.last_line)


def _entry(source: Source, domains: Domains, node: int, key: str) -> Entry:
    if key not in domains[node]:
        line = max((line for line, _ in domains[node].values()), default=source.last_line)
        raise source.wrong(f"domain {node} has no line of its {key.lower()}: missing or cut off", line=line)
    return domains[node][key]


def _memory(source: Source, line: int, text: str) -> float:
    """Return the MiB, which likwid calls MB: it divides the kernel's kB by 1024."""
    words = text.rpartition("total ")[2].split()
    if len(words) != 2 or words[1] != "MB":
        raise source.wrong("is no amount of memory, or one cut off", line=line, value=text, allowed="a number with MB")
    return memory_mib(source, line, words[0])


def _matrix(source: Source, domains: Domains) -> Matrix:
    ids = tuple(sorted(domains))
    rows = []
    for node in ids:
        line, text = _entry(source, domains, node, "Distances")
        row = tuple(distance(source, line, word) for word in text.split())
        if len(row) != len(ids):
            raise source.wrong(f"domain {node} has {len(row)} distances for {len(ids)} domains", line=line)
        rows.append(row)
    return Matrix(Kind.DISTANCE, Unit.SLIT, ids, ids, tuple(rows), "Distances")


def _sockets(source: Source) -> Mapping[int, int]:
    """Return the socket of each processor from the table of hardware threads, by the place of its column."""
    sockets: dict[int, int] = {}
    columns: Sequence[str] = ()
    for text in source.lines:
        words = text.split()
        if _TABLE.match(text.strip()):
            columns = words
        elif "Socket" in columns and len(words) > columns.index("Socket"):
            cpu, socket = whole(words[0], MAX_CPUS), whole(words[columns.index("Socket")], _MAX_SOCKET)
            if cpu is not None and socket is not None:
                sockets[cpu] = socket
        elif columns and sockets:
            break
    return sockets


def _title(source: Source) -> str | None:
    lines = (line.strip() for line in source.lines)
    return next((line.partition(":")[2].strip()[:200] or None for line in lines if line.startswith("CPU name:")), None)
