"""What a workload file says: arrays, threads and phases, for any machine. docs/workload-files.md explains it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from simulator.placement.page_table import HUGE_PAGE_BYTES, PAGE_BYTES
from simulator.placement.policy import LARGEST_WEIGHT
from simulator.units import LINE_BYTES
from simulator.workload.check import LONGEST_NS
from simulator.workload.thread import FASTEST_GB_PER_S, SLOWEST_GB_PER_S

LARGEST_ARRAY_BYTES = 1 << 40
MOST_THREADS, MOST_ARRAYS, MOST_PHASES, MOST_STEPS = 1024, 256, 256, 100_000
MOST_LINES = 1 << 40  # of one thread in one phase
_NO_CONTROLS = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$"

Name = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,39}$")]
Reference = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,39}(\.[0-9]{1,4})?$")]
Words = Annotated[str, Field(strict=True, min_length=1, max_length=2000, pattern=_NO_CONTROLS)]
Text = Annotated[str, Field(strict=True, max_length=2000, pattern=_NO_CONTROLS)]
TimeNs = Annotated[float, Field(strict=True, ge=0, le=LONGEST_NS, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, le=1e6, allow_inf_nan=False)]
Rate = Annotated[float, Field(strict=True, ge=SLOWEST_GB_PER_S, le=FASTEST_GB_PER_S, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Lines = Annotated[int, Field(strict=True, ge=1, le=MOST_LINES)]
NodeNumber = Annotated[int, Field(ge=0, le=65535)]
Division = Literal["part", "whole"]
Arrays = Annotated[tuple[Name, ...], Field(min_length=1, max_length=MOST_ARRAYS)]
_DIVISION = "part: each thread its part of an array that they share; whole: each thread all of it"
_WRITES = "share of the lines that is read, the others are written; the writes are spread evenly"


def _number_one(value: object) -> object:
    if isinstance(value, (bool, float)):  # to pydantic they are equal to 1
        raise ValueError("should be 1")
    return value


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SystemSpec(_Table):
    """What the operating system and the BIOS are set to, whatever the machine."""

    node_interleaving: Annotated[bool, Field(strict=True)] = Field(
        default=False,
        description="the BIOS interleaves 4 KiB pages of physical memory over all nodes; memory policies do nothing",
    )
    node_weights: dict[NodeNumber, Annotated[int, Field(strict=True, ge=1, le=LARGEST_WEIGHT)]] = Field(
        default={}, description="weights for --weighted-interleave, by node; 1 where none is given"
    )
    in_use_gib: dict[NodeNumber, Annotated[float, Field(strict=True, ge=0, le=1e6)]] = Field(
        default={}, description="memory of a node that something else has, by node"
    )
    page_move_ns: TimeNs = Field(
        default=3000.0,
        description="kernel time to move one page beside the copying; assumed: the order of what is published of move_pages",
    )


class ArraySpec(_Table):
    """A contiguous piece of virtual memory."""

    name: Name
    size_bytes: Annotated[int, Field(strict=True, ge=1, le=LARGEST_ARRAY_BYTES)] | None = None
    size_kib: Positive | None = None
    size_mib: Positive | None = None
    size_gib: Positive | None = Field(default=None, description="exactly one size is given")
    policy: Words | None = Field(
        default=None,
        description="a memory policy in numactl's words, as mbind(2) sets it; left out: that of the thread that touches",
    )
    page: Literal["4KiB", "2MiB"] = Field(default="4KiB", description="page size")
    backing: Literal["anonymous", "page-cache"] = Field(
        default="anonymous",
        description="how interleaving counts: anonymous: a page's place in the array; page-cache (of a file): next node in turn",
    )
    per_thread: Annotated[bool, Field(strict=True)] = Field(
        default=False, description="every thread has one of its own, of this size; else one for all"
    )

    @property
    def bytes(self) -> int:
        """Size, in whole lines."""
        kib, mib, gib = self.size_kib or 0, self.size_mib or 0, self.size_gib or 0
        size = self.size_bytes or round(kib * (1 << 10) + mib * (1 << 20) + gib * (1 << 30))
        return -(-size // LINE_BYTES) * LINE_BYTES

    @property
    def page_bytes(self) -> int:
        """Page size."""
        return HUGE_PAGE_BYTES if self.page == "2MiB" else PAGE_BYTES


class ThreadGroup(_Table):
    """Threads of one kind; they are called ``name.0``, ``name.1``, ..."""

    name: Name
    node: Annotated[int, Field(strict=True, ge=0, le=65535)] | None = Field(
        default=None, description="with core: where the one thread runs"
    )
    core: Annotated[int, Field(strict=True, ge=0, le=65535)] | None = Field(
        default=None, description="number of the core on its node"
    )
    numactl: Words | None = Field(
        default=None, description="numactl's words: CPUs that may be used, and the memory policy of what these threads touch"
    )
    count: Annotated[int, Field(strict=True, ge=1, le=MOST_THREADS)] | None = Field(
        default=None, description="number of threads; left out: one on every CPU that may be used"
    )
    proc_bind: Literal["close", "spread"] = Field(
        default="close", description="with count: close fills one node's cores first, spread takes one core of each node in turn"
    )
    start_ns: TimeNs = Field(default=0.0, description="when they begin")
    window: Annotated[int, Field(strict=True, ge=1, le=4096)] | None = Field(
        default=None, description="lines in flight; left out: the machine's"
    )
    flops_per_ns: Positive | None = Field(
        default=None, description="floating-point operations a thread does in a ns; flops_per_byte needs it"
    )


class _Phase(_Table):
    name: Name | None = None
    threads: Annotated[tuple[Reference, ...], Field(min_length=1)] | None = Field(
        default=None, description="groups or threads that take part; left out: all"
    )
    barrier: Annotated[bool, Field(strict=True)] = Field(
        default=True, description="the phase begins when all threads of the workload have done the phases before"
    )


class _Work(_Phase):
    repeat: Annotated[int, Field(strict=True, ge=1, le=1_000_000)] = Field(
        default=1, description="passes, without barriers between"
    )
    compute_ns: TimeNs = Field(default=0.0, description="time the core computes before each line")
    flops_per_byte: Annotated[float, Field(strict=True, ge=0, le=1e6)] = Field(
        default=0.0, description="arithmetic intensity: adds 64 B x this / flops_per_ns of the thread to each line"
    )
    accesses_per_line: Annotated[int, Field(strict=True, ge=1, le=LINE_BYTES)] = Field(
        default=1, description="loads or stores that fall in one line; the line is asked for once"
    )
    access_ns: TimeNs = Field(default=0.0, description="time of one such access that finds its line; they add to each line")
    gb_per_s: Rate | None = Field(default=None, description="most that each thread asks for")
    window: Annotated[int, Field(strict=True, ge=1, le=4096)] | None = Field(
        default=None, description="lines in flight in this phase; left out: the thread's"
    )


class InitPhase(_Phase):
    """First touch: the named threads write the arrays before anybody else."""

    pattern: Literal["init"]
    arrays: Arrays
    division: Division = Field(default="part", description=_DIVISION)
    traffic: Annotated[bool, Field(strict=True)] = Field(
        default=False, description="whether the writing takes part in the run; else pages are placed and no time passes"
    )


class SweepPhase(_Work):
    """Lines of one array after the other, at a stride, at random, or in a chain in which each line names the next."""

    pattern: Literal["sequential", "stride", "random", "pointer-chase"]
    array: Name
    read_fraction: Share = Field(default=1.0, description=_WRITES)
    division: Division = Field(default="part", description=_DIVISION)
    stride_bytes: Annotated[int, Field(strict=True, ge=LINE_BYTES, le=LARGEST_ARRAY_BYTES)] | None = Field(
        default=None, description="for stride: distance of accesses"
    )
    lines: Lines | None = Field(default=None, description="lines a thread accesses in a pass; left out: as many as its part has")


class StreamSpec(_Table):
    """One of several streams of accesses that a thread takes in turn."""

    pattern: Literal["sequential", "stride", "random", "pointer-chase"]
    array: Name
    read_fraction: Share = Field(default=1.0, description=_WRITES)
    division: Division = Field(default="part", description=_DIVISION)
    stride_bytes: Annotated[int, Field(strict=True, ge=LINE_BYTES, le=LARGEST_ARRAY_BYTES)] | None = None
    burst: Annotated[int, Field(strict=True, ge=1, le=4096)] = Field(default=1, description="lines in each turn")


class MixPhase(_Work):
    """Several arrays at once: so many lines of the first stream, then of the second, and round again.

    The first stream sets the length; the others go round and round in their arrays.
    """

    pattern: Literal["mix"]
    streams: Annotated[tuple[StreamSpec, ...], Field(min_length=1, max_length=16)]
    lines: Lines | None = Field(
        default=None, description="lines of the first stream in a pass; left out: as many as its part has"
    )


class KernelPhase(_Work):
    """A kernel of STREAM (McCalpin): copy, scale, add or triad over arrays of one size, line by line."""

    pattern: Literal["copy", "scale", "add", "triad"]
    reads: Annotated[tuple[Name, ...], Field(min_length=1, max_length=2)] = Field(
        description="copy and scale read one array, add and triad two"
    )
    writes: Name
    division: Division = Field(default="part", description=_DIVISION)


class SharedLinePhase(_Work):
    """All threads write words of one line, which bounces between their caches: false sharing."""

    pattern: Literal["shared-line"]
    array: Name
    lines: Lines = Field(description="accesses of each thread")
    read_fraction: Share = Field(default=0.0, description=_WRITES)
    padded: Annotated[bool, Field(strict=True)] = Field(default=False, description="the cure: a line for each thread")


class SplitLockPhase(_Work):
    """All threads lock a word that lies across two lines, which stalls the whole fabric."""

    pattern: Literal["split-lock"]
    array: Name
    locks: Lines = Field(description="locks that each thread takes; the word lies at the end of the first line of the array")


class MigratePhase(_Phase):
    """Pages move: the first of the named threads reads each line of a page from the old node and writes it to the new one."""

    pattern: Literal["migrate"]
    arrays: Arrays
    to_nodes: Words = Field(description="where they go: nodes, as numactl lists them")
    from_nodes: Words = Field(default="all", description="nodes whose pages move; the n-th of them to the n-th of to_nodes")


Phase = Annotated[
    InitPhase | SweepPhase | MixPhase | KernelPhase | SharedLinePhase | SplitLockPhase | MigratePhase,
    Field(discriminator="pattern"),
]
WorkPhase = SweepPhase | MixPhase | KernelPhase | SharedLinePhase | SplitLockPhase
PHASES: tuple[type[BaseModel], ...] = (
    InitPhase,
    SweepPhase,
    MixPhase,
    KernelPhase,
    SharedLinePhase,
    SplitLockPhase,
    MigratePhase,
)


class Program(_Table):
    """A workload: what its threads do with which memory, phase by phase.

    Attributes
    ----------
    name : str
    arrays : tuple of ArraySpec
    threads : tuple of ThreadGroup
    phases : tuple of phases
    iterations : int
        How often all phases after the leading `init` ones are done.
    """

    schema_version: Annotated[Literal[1], BeforeValidator(_number_one)] = 1
    name: Name
    title: Text = ""
    seed: Annotated[int, Field(strict=True, ge=0, lt=1 << 63)] = Field(default=1, description="of random and chained lines")
    iterations: Annotated[int, Field(strict=True, ge=1, le=MOST_STEPS)] = Field(
        default=1, description="how often all phases after the leading init phases are done"
    )
    system: SystemSpec = SystemSpec()
    arrays: Annotated[tuple[ArraySpec, ...], Field(min_length=1, max_length=MOST_ARRAYS)]
    threads: Annotated[tuple[ThreadGroup, ...], Field(min_length=1, max_length=MOST_THREADS)]
    phases: Annotated[tuple[Phase, ...], Field(min_length=1, max_length=MOST_PHASES)]
