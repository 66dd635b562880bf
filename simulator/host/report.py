"""What `numasim measure` says, with `--json`; `numasim schema measure` prints the JSON Schema."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from simulator.interop.measured import Quantity


class _Report(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MeasuredNode(_Report):
    """One node of the machine."""

    id: int
    cpus: tuple[int, ...] = Field(description="as Linux numbers them; the place in this list is the core of a label")
    cache_bytes: int | None = Field(description="last-level caches of these CPUs together; null: not known")
    huge_page_share: float | None = Field(description="share of the test memory in huge pages; null: no memory, or not known")


class HostMeasurement(_Report):
    """One number, with the columns of the CSV file and the repeats behind it."""

    experiment: str
    from_node: int | None = None
    to_node: int | None = None
    threads: str = ""
    read_fraction: float | None = None
    quantity: Quantity
    value: float = Field(description="median of the repeats")
    unit: str
    ci_percent: float | None = Field(description="95 % interval of the median, its longer side in per cent of the median")
    repeats: tuple[float, ...]


class HostReport(_Report):
    """A machine, measured."""

    schema_version: Literal[1] = 1
    nodes: tuple[MeasuredNode, ...]
    array_bytes: int = Field(description="of each thread, where one or two run")
    chase_bytes: int
    repeats: int
    passes: int = Field(description="over its array, that a thread does at least in a repeat, after one that does not count")
    measurements: tuple[HostMeasurement, ...]
    notes: tuple[str, ...] = Field(description="what a reader of the numbers should know")

    def find(self, experiment: str) -> tuple[HostMeasurement, ...]:
        """Return the rows of one experiment."""
        return tuple(row for row in self.measurements if row.experiment == experiment)
