"""What `numasim sweep` and `numasim results` say; `numasim schema sweep-report` and `results` print the JSON Schemas."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Report(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class UnsteadyPoint(_Report):
    """A point whose numbers are not what was asked for; it is in the store all the same."""

    key: str
    point: str
    verdict: str


class SweepReport(_Report):
    """A sweep that has come to its end: every point is in the store."""

    schema_version: Literal[1] = 1
    points: int
    found: int = Field(description="points that were in the store before")
    done: int = Field(description="points that this sweep has finished")
    done_elsewhere: int = Field(description="points that other sweeps on the same store finished meanwhile")
    not_steady: tuple[UnsteadyPoint, ...]


class ResultRows(_Report):
    """Rows of a store."""

    schema_version: Literal[1] = 1
    table: str
    rows: tuple[dict[str, Any], ...] = Field(description="one object a row, with the columns of docs/sweeps.md")
