"""What a reproduction reports; `numasim schema reproduce` prints its JSON Schema."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from simulator.measure.result import Report, Verdict

SCHEMA_VERSION: Final = 1


class BarRow(Report):
    """One bar of a figure, simulated beside published."""

    figure: str
    page: int
    threads: tuple[str, ...]
    published_percent: float | None = Field(description="None: no published value recorded")
    simulated_percent: float | None = Field(description="None: the run came to a standstill")
    error_percent: float | None = Field(description="simulated less published, in per cent of published")
    ci_percent: float | None = Field(description="half width of the 95 % confidence interval, in per cent of the simulated bar")
    calibration: bool = Field(description="whether a fit may look at it")


class LoadRow(Report):
    """One published load of a link or controller."""

    page: int
    quantity: str
    published: float
    simulated: float
    error_percent: float


class OrderRow(Report):
    """Two cases of a figure whose order is published."""

    figure: str
    slower: str
    faster: str
    holds: bool


class AnchorRow(Report):
    """A fixed point: holds between `lowest` and `highest`."""

    quantity: str
    published: float | None = Field(description="None: only a range is given")
    lowest: float | None
    highest: float | None
    simulated: float | None = Field(description="None: the run came to a standstill")
    error_percent: float | None
    holds: bool


class Summary(Report):
    """How good it is. None where nothing was to be compared."""

    bars_rms_percent: float | None = Field(description="over bars with a published value, the base left out")
    bars_max_percent: float | None
    loads_rms_percent: float | None
    orders_hold: bool
    anchors_hold: bool


class RunRow(Report):
    """One of the runs behind the rows."""

    threads: tuple[str, ...]
    background: dict[str, float]
    verdict: Verdict
    verdict_detail: str | None


class ReproductionProvenance(Report):
    """All that determines the numbers: no clock, host or path."""

    version: str
    engine: str
    seed: int
    accuracy: dict[str, Any]
    machines: dict[str, dict[str, Any]]
    reference: dict[str, Any]
    figures: tuple[str, ...]


class Reproduction(Report):
    """A reference file replayed."""

    schema_version: Literal[1] = SCHEMA_VERSION
    reference: str
    machine: str
    bars: tuple[BarRow, ...]
    loads: tuple[LoadRow, ...]
    orders: tuple[OrderRow, ...]
    anchors: tuple[AnchorRow, ...]
    summary: Summary
    missed: tuple[str, ...] = Field(description="each tolerance, order or anchor missed, with its size; empty: all hold")
    runs: tuple[RunRow, ...]
    provenance: ReproductionProvenance
