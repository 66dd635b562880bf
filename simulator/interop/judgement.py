"""What a careful reader says of nodes and distances: where they tell nothing, or cannot be what they seem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from simulator.interop.cpus import ranges
from simulator.interop.record import OWN, UNREACHABLE, Kind, Matrix, NodeRecord, Record, Unit

DEFAULT_REMOTE = 20.0  # what Linux fills in between nodes where the firmware has no SLIT (REMOTE_DISTANCE)
Cell = tuple[int, int, float]  # the node that asks, the node asked, the distance


def judged(record: Record) -> Record:
    """Return the record with what there is to say of its nodes and distances added to its warnings.

    A distance of 0 of a node to itself becomes 10, one of 0 between nodes is unknown; all else is kept as the file has it.
    """
    matrices, warnings = [], list(_about_nodes(record.nodes or (), record.packages))
    if record.nodes and len(record.nodes) > 1 and not record.matrices:
        warnings.append("the distances between the nodes are missing: unknown")
    for matrix in record.matrices:
        if matrix.kind == Kind.DISTANCE and matrix.unit == Unit.SLIT:
            matrix, zeros = _without_zeros(matrix)
            warnings += [*zeros, *_about_distances(matrix, record.nodes or ())]
        matrices.append(matrix)
    return replace(record, matrices=tuple(matrices), warnings=(*record.warnings, *warnings))


def tells_hops(matrix: Matrix) -> bool:
    """Tell whether the distances between nodes can tell near from far: not Linux's default, not those of fake NUMA."""
    remote = {value for _, _, value in _remote(matrix)}
    return bool(remote) and remote not in ({DEFAULT_REMOTE}, {OWN})


def share_cpus(nodes: Sequence[NodeRecord]) -> bool:
    """Tell whether a processor is in more than one node: then the nodes are no parts of a machine."""
    return bool(_shared(nodes))


def asymmetric(matrix: Matrix) -> list[tuple[int, int]]:
    """Return the pairs whose two directions differ."""
    rows, columns = _places(matrix.rows), _places(matrix.columns)
    both = sorted(rows.keys() & columns.keys())
    values = matrix.values
    return [
        (a, b)
        for place, a in enumerate(both)
        for b in both[place + 1 :]
        if _differ(values[rows[a]][columns[b]], values[rows[b]][columns[a]])
    ]


def _differ(there: float | None, back: float | None) -> bool:
    return there is not None and back is not None and there != back


def _places(numbers: Sequence[int]) -> dict[int, int]:
    return {number: place for place, number in enumerate(numbers)}


def _about_nodes(nodes: Sequence[NodeRecord], packages: int | None) -> Iterator[str]:
    if len(nodes) == 1:
        what = "node interleaving in the firmware or a virtual machine may hide more"
        yield f"one node only, though {packages} sockets: {what}" if packages and packages > 1 else f"one node only: {what}"
    shared = _shared(nodes)
    if shared:
        memory = [node.memory_mib for node in nodes if node.memory_mib is not None]
        total = f" of {sum(memory):.0f} MiB" if len(memory) == len(nodes) else ""
        which = f"nodes {ranges(shared)} list the same CPUs"
        yield f"{which}: fake NUMA (numa=fake) on what is one node{total}, or several kinds of memory on it"
    bare = [node.id for node in nodes if node.cpus == () and node.memory_mib != 0]
    poor = [node.id for node in nodes if node.cpus != () and node.memory_mib == 0]
    void = [node.id for node in nodes if node.cpus == () and node.memory_mib == 0]
    if bare:
        yield f"{_nodes(bare)} without CPUs: only memory for others"
    if poor:
        yield f"{_nodes(poor)} without memory"
    if void:
        yield f"{_nodes(void)} with neither CPUs nor memory"


def _shared(nodes: Sequence[NodeRecord]) -> list[int]:
    count = Counter(cpu for node in nodes for cpu in node.cpus or ())
    return sorted(node.id for node in nodes if any(count[cpu] > 1 for cpu in node.cpus or ()))


def _without_zeros(matrix: Matrix) -> tuple[Matrix, list[str]]:
    zeros = [(row, column) for row, column, value in _cells(matrix) if value == 0]
    if not zeros:
        return matrix, []
    values = tuple(
        tuple(
            (OWN if row == column else None) if value == 0 else value for column, value in zip(matrix.columns, cells, strict=True)
        )
        for row, cells in zip(matrix.rows, matrix.values, strict=True)
    )
    own = [row for row, column in zeros if row == column]
    notes = [f"{_nodes(own)} at distance 0 of {_self(own)}: taken as 10"] if own else []
    if len(zeros) > len(own):
        notes.append("a distance of 0 between nodes means nothing: unknown")
    return replace(matrix, values=values), notes


def _about_distances(matrix: Matrix, nodes: Sequence[NodeRecord]) -> Iterator[str]:
    strange = sorted(row for row, column, value in _cells(matrix) if row == column and value != OWN)
    if strange:
        yield f"{_nodes(strange)} not at distance 10 of {_self(strange)}, as the ACPI tables have it"
    remote = {value for _, _, value in _remote(matrix)}
    if remote == {DEFAULT_REMOTE}:
        told = "the firmware gave no distances" if len(matrix.columns) > 2 else "the firmware may have given no distances"
        yield f"{told}: 20 between all nodes is what Linux fills in, and tells nothing of hops"
    if remote and min(remote) <= OWN:
        yield _about_equal(matrix)
    if UNREACHABLE in remote:
        yield from _about_unreachable(matrix, nodes)
    pairs = asymmetric(matrix)
    if pairs:
        a, b = pairs[0]
        example = f"{a}->{b} {matrix.at(a, b):g}, {b}->{a} {matrix.at(b, a):g}"
        yield f"the distances are not symmetric: {len(pairs)} {'pairs differ' if len(pairs) > 1 else 'pair differs'} ({example})"
    idle = {node.id for node in nodes if node.cpus == ()}
    if idle:
        empty = {node.id for node in nodes if node.memory_mib == 0}
        yield from _about_central(matrix, idle, empty)


def _about_equal(matrix: Matrix) -> str:
    near = sorted((row, column) for row, column, value in _remote(matrix) if value <= OWN)
    if len(near) == sum(1 for _ in _remote(matrix)):
        return "all nodes are at distance 10 of each other, as of themselves: fake NUMA on one memory, not a NUMA machine"
    return f"nodes {near[0][0]} and {near[0][1]} are as near to each other as to themselves: not two places"


def _about_unreachable(matrix: Matrix, nodes: Sequence[NodeRecord]) -> Iterator[str]:
    askers = sorted({row for row, _, value in _remote(matrix) if value == UNREACHABLE})
    idle = {node.id for node in nodes if node.cpus == ()}
    harmless = [node for node in askers if node in idle]
    harmful = [node for node in askers if node not in idle]
    if harmless:
        yield f"distance 255 (unreachable) from {_nodes(harmless)}: harmless, for nothing there asks"
    if harmful:
        yield f"distance 255 (unreachable) from {_nodes(harmful)}: memory that cannot be reached"


def _about_central(matrix: Matrix, idle: set[int], empty: set[int]) -> Iterator[str]:
    """Find memory nearer to every node than any other node is: such as the interleaved part of a cell machine."""
    nearest: dict[int, float] = {}
    for row, column, value in _remote(matrix):
        if column not in idle:
            nearest[row] = min(value, nearest.get(row, value))
    farther = {column for row, column, value in _remote(matrix) if value >= nearest.get(row, value + 1)}
    for node in sorted(idle.intersection(matrix.columns) - farther - empty):
        if len(nearest) > 2:
            yield f"node {node} (no CPUs) is nearer to every node than any other node: memory spread over all, not a place"


def _cells(matrix: Matrix) -> Iterator[Cell]:
    for row, cells in zip(matrix.rows, matrix.values, strict=True):
        for column, value in zip(matrix.columns, cells, strict=True):
            if value is not None:
                yield row, column, value


def _remote(matrix: Matrix) -> Iterator[Cell]:
    return (cell for cell in _cells(matrix) if cell[0] != cell[1])


def _nodes(numbers: Sequence[int]) -> str:
    return f"node{'s' if len(numbers) > 1 else ''} {ranges(numbers)}"


def _self(numbers: Sequence[int]) -> str:
    return "themselves" if len(numbers) > 1 else "itself"
