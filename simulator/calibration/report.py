"""What a calibration reports; `numasim schema calibrate` prints its JSON Schema."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from simulator.measure.result import Report

SCHEMA_VERSION: Final = 1


class FittedParameter(Report):
    """One chosen value."""

    path: str
    value: float
    lowest: float
    highest: float
    before: float = Field(description="value of the machine that was started with")
    at_bound: bool = Field(description="within 1 % of the range from a bound")
    sensitivity_percent: float | None = Field(
        description="root mean square change of the fitted rows, in points of per cent, for a step of a tenth of the range; "
        "None for counts"
    )
    standard_error: float | None = Field(description="in the unit of the value; None where the rows do not determine it")
    correlation: dict[str, float] = Field(description="with the other values, -1 to 1; empty where the rows do not determine it")
    leave_out_percent: float | None = Field(
        default=None,
        description="fitted error, rms, if this value stays in the middle of its range and the others are fitted again",
    )


class Indistinct(Report):
    """Values that the rows cannot tell apart: moving them together as `direction` says changes hardly anything."""

    paths: tuple[str, ...]
    direction: dict[str, float] = Field(description="steps in tenths of each range, of length 1 together")
    change_percent: float = Field(description="root mean square change of the rows for such a step, in points of per cent")


class CalibrationRow(Report):
    """One row before and after."""

    name: str
    group: str
    kind: str
    tolerance_percent: float
    held_out: bool
    before_percent: float | None = Field(description="signed error of the machine that was started with; None: a standstill")
    after_percent: float | None


class ErrorSummary(Report):
    """Errors of several rows in short, orders left out."""

    rows: int
    rms_percent: float | None
    max_percent: float | None
    standstills: int = Field(description="rows without a value, which the errors leave out")
    orders_broken: int = Field(description="orders that the simulation turns round")


class Fold(Report):
    """A group of rows held out: fitted without it, from starts that know nothing of it."""

    group: str
    rows: tuple[CalibrationRow, ...] = Field(
        description="the rows held out; before_percent is of the machine that was started with"
    )
    fitted: ErrorSummary
    held_out: ErrorSummary
    values: dict[str, float]


class CrossValidation(Report):
    """Every group held out once."""

    folds: tuple[Fold, ...]
    bars: ErrorSummary = Field(description="over the bars, each predicted by the fold that did not see it")
    all_rows: ErrorSummary


class CalibrationProvenance(Report):
    """All that determines the numbers: no clock, host or path."""

    version: str
    seed: int
    lines: int
    scan: int
    starts: int
    steps: int
    evaluations: int = Field(description="machines looked at")
    runs: int
    interrupted: bool = Field(description="stopped before the end: the best so far")


class Calibration(Report):
    """A machine calibrated."""

    schema_version: Literal[1] = SCHEMA_VERSION
    machine: str
    against: str
    parameters: tuple[FittedParameter, ...]
    indistinct: tuple[Indistinct, ...]
    rows: tuple[CalibrationRow, ...]
    by_kind: dict[str, ErrorSummary] = Field(description="of the fitted rows, after")
    before: ErrorSummary
    fitted: ErrorSummary
    held_out: ErrorSummary | None
    left_out: tuple[str, ...] = Field(description="what was measured and cannot be looked at, with the reason")
    cross_validation: CrossValidation | None
    provenance: CalibrationProvenance
