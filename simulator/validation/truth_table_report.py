"""What a truth table reports; `numasim schema truth-table` prints its JSON Schema."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from simulator.measure.result import Report, Verdict

SCHEMA_VERSION: Final = 1
SIMULATED: Final = "simulated"
TIME_SLICING: Final = "time slicing"
Method = Literal["simulated", "time slicing"]
_BASE = "an exact time is related to the exact base, an ordinary one to the ordinary base"
_EXACT = "asked for by --steady exact, and given: whole periods of the jitter-free system, which recurs"


class AloneRow(Report):
    """One thread alone on the machine."""

    thread: str
    time_ns: float | None = Field(description="time a line; None: the run came to a standstill")
    percent: float | None = Field(description=f"time a line in per cent of the base's; {_BASE}")
    ci_percent: float | None = Field(description="half width of the 95 % confidence interval, in per cent of the value")
    verdict: Verdict
    exact: bool = Field(description=_EXACT)


class PairRow(Report):
    """An ordered pair of threads. Both orders of a pair are one run."""

    first: str
    second: str
    time_first_ns: float | None = Field(description="time a line; None: the run came to a standstill")
    time_second_ns: float | None
    percent: float | None = Field(description=f"mean of both threads' times a line, in per cent of the base's; {_BASE}")
    ci_percent: float | None = Field(description="half width of the 95 % confidence interval, in per cent of the value")
    method: Method = Field(description="time slicing: both threads on one core; each takes the sum of both times alone")
    verdict: Verdict = Field(description="of the run; by time slicing the worse one of the two runs alone")
    exact: bool = Field(description=_EXACT)


class RankedPlacement(Report):
    """Pairs that the machine's symmetry makes equal."""

    first: str = Field(description="first of these pairs, in the order of the table")
    second: str
    words: str = Field(description="the pair in words")
    pairs: int = Field(description="number of ordered pairs")
    percent: float = Field(description="mean over these pairs")
    lowest_percent: float
    highest_percent: float
    method: Method


class Ranking(Report):
    """The ends of the table, the most extreme placement first."""

    best: tuple[RankedPlacement, ...]
    worst: tuple[RankedPlacement, ...]
    worst_on_two_cores: tuple[RankedPlacement, ...] = Field(description="the worst of those that are simulated")
    placements: int = Field(description="number of placements that differ by more than the machine's symmetry")


class UnsteadyRun(Report):
    """A run whose numbers are not what was asked for."""

    threads: tuple[str, ...]
    verdict: Verdict
    verdict_detail: str | None


class TruthTableProvenance(Report):
    """All that determines the numbers: no clock, host or path."""

    version: str
    engine: str
    seed: int
    accuracy: dict[str, Any]
    machine: dict[str, Any]


class TruthTable(Report):
    """Every ordered pair of threads of the idle two-thread test."""

    schema_version: Literal[1] = SCHEMA_VERSION
    machine: str
    base: str = Field(description="thread that alone is 100 per cent")
    threads: tuple[str, ...] = Field(description="rows and columns of the table, in order")
    alone: tuple[AloneRow, ...]
    ordinary_base: AloneRow = Field(description="the base with its jitter; the same as alone unless --steady exact was given")
    rows: tuple[PairRow, ...]
    ranking: Ranking
    not_steady: tuple[UnsteadyRun, ...] = Field(description="runs whose verdict is not steady; empty: all are")
    provenance: TruthTableProvenance
