"""What a file of another tool tells about a machine: the one record that every reader returns.

What the file does not tell is ``None``, never 0: a node whose memory is unknown is not a node without memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

OWN = 10.0  # ACPI 6.5, section 5.2.17: a node's distance to itself, the smallest there is
UNREACHABLE = 255.0  # the same section: no way there; also the largest number of a byte


class Kind(StrEnum):
    """What the cells of a matrix are."""

    DISTANCE = "distance"
    LATENCY = "latency"
    BANDWIDTH = "bandwidth"


class Unit(StrEnum):
    """Units of cells and figures."""

    SLIT = "SLIT"  # ACPI System Locality Information Table: 10 is the node itself
    RELATIVE = "relative"  # 1.0 is the nearest
    NS = "ns"
    MB_PER_S = "MB/s"  # 1e6 bytes a second
    GB_PER_S = "GB/s"  # 1e9 bytes a second
    CYCLES = "cycles"


@dataclass(frozen=True)
class NodeRecord:
    """One node as the operating system numbers it.

    Parameters
    ----------
    id : int
        Its number in the file; numbers may be sparse.
    cpus : tuple of int, optional
        Sorted; empty for a node without processors, None where the file does not tell.
    memory_mib : float, optional
        0 for a node without memory, None where the file does not tell.
    package : int, optional
        The socket it is in, where the file tells.
    """

    id: int
    cpus: tuple[int, ...] | None = None
    memory_mib: float | None = None
    package: int | None = None


@dataclass(frozen=True)
class Matrix:
    """Values for pairs of nodes.

    Parameters
    ----------
    kind : Kind
    unit : Unit
    rows : tuple of int
        Nodes that ask, as numbered in the file.
    columns : tuple of int
        Nodes whose memory is asked; may be more, fewer or others than `rows`.
    values : tuple of tuple of float or None, shape (rows, columns)
        None where the file leaves a cell out.
    name : str
        What the tool calls it, such as ``NUMALatency`` or ``idle latency``; tells several of one kind apart.
    """

    kind: Kind
    unit: Unit
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    values: tuple[tuple[float | None, ...], ...]
    name: str

    def __post_init__(self) -> None:
        if len(self.values) != len(self.rows) or any(len(row) != len(self.columns) for row in self.values):
            raise ValueError("a matrix needs a value or None for every row and column")

    def at(self, row: int, column: int) -> float | None:
        """Return the value for node `row` asking node `column`; None where there is none."""
        if row not in self.rows or column not in self.columns:
            return None
        return self.values[self.rows.index(row)][self.columns.index(column)]


@dataclass(frozen=True)
class Figure:
    """One number that names no pair of nodes: a peak bandwidth by mix, a plateau of latency, STREAM's triad.

    Parameters
    ----------
    name : str
        In the words of the tool.
    value : float
    unit : Unit
    threads : int, optional
    working_set_bytes : int, optional
        How much memory it went over, where that is what tells figures apart.
    """

    name: str
    value: float
    unit: Unit
    threads: int | None = None
    working_set_bytes: int | None = None


@dataclass(frozen=True)
class LoadedPoint:
    """One row of a loaded-latency table.

    Parameters
    ----------
    inject_delay : int
        In the tool's own count (cycles between requests).
    latency_ns : float
    bandwidth_gb_per_s : float
    """

    inject_delay: int
    latency_ns: float
    bandwidth_gb_per_s: float


@dataclass(frozen=True)
class Record:
    """All that a reader found.

    Parameters
    ----------
    format : str
        The reader's name, as `--format` takes it.
    nodes : tuple of NodeRecord, optional
        Sorted by number; None where the file tells nothing of nodes.
    matrices : tuple of Matrix
    figures : tuple of Figure
    loaded : tuple of LoadedPoint
    packages : int, optional
        Number of sockets, where the file tells.
    title : str, optional
        Name of the processor or board, where the file tells.
    warnings : tuple of str
        What a careful reader would say of this file, each one sentence without a full stop.
    """

    format: str
    nodes: tuple[NodeRecord, ...] | None = None
    matrices: tuple[Matrix, ...] = ()
    figures: tuple[Figure, ...] = ()
    loaded: tuple[LoadedPoint, ...] = ()
    packages: int | None = None
    title: str | None = None
    warnings: tuple[str, ...] = ()

    def matrix(self, kind: Kind, name: str | None = None) -> Matrix | None:
        """Return the first matrix of this kind (and name); None without one."""
        return next((found for found in self.matrices if found.kind == kind and name in (None, found.name)), None)
