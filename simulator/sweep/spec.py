"""What a sweep is: a grid over machines, their constants, threads, background, accuracy and seeds. docs/sweeps.md explains it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from simulator.measure.accuracy import Accuracy, Steady

Seed = Annotated[int, Field(strict=True, ge=0, lt=1 << 63)]
Label = Annotated[str, Field(strict=True, min_length=1, max_length=100)]
Level = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | Annotated[str, Field(strict=True, max_length=100)]
MachineName = Annotated[str, Field(strict=True, min_length=1, max_length=4096)]


def _number_one(value: object) -> object:
    if isinstance(value, (bool, float)):  # to pydantic they are equal to 1
        raise ValueError("should be 1")
    return value


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BackgroundSpec(_Table):
    """Threads beside the foreground, at one rate or at each of several in turn."""

    threads: tuple[Label, ...] = Field(
        description="labels, such as 2.0.r.2; without gb_per_s each with its own rate: 2.0.r.2@0.5; empty: none"
    )
    gb_per_s: Level | Annotated[tuple[Level, ...], Field(min_length=1)] | None = Field(
        default=None,
        description="rate each of them asks for, or AMD's low, medium, high, very_high; a list is an axis; 0: no background",
    )


class AccuracySpec(_Table):
    """When a run stops; see `numasim run --help`."""

    ci_percent: Annotated[float, Field(strict=True)] = Accuracy.ci_percent
    lines: Annotated[int, Field(strict=True)] = Accuracy.lines
    warmup: Annotated[int, Field(strict=True)] = Accuracy.warmup
    steady: Steady = Accuracy.steady

    def accuracy(self) -> Accuracy:
        """Return it as runs want it; InputError for a value out of range."""
        return Accuracy(**self.model_dump())


class Sweep(_Table):
    """A grid of runs: every combination of its axes.

    The order of axes and of values decides nothing. One value and a list of one value are the same.

    Attributes
    ----------
    machine : str or tuple of str
        Shipped names or paths of machine files.
    set : mapping of str to value or list of values
        Machine constants by path, as ``--set`` names them. A constant that is a list itself stands in a list.
    threads : tuple of tuple of str
        Foregrounds, each a list of labels; empty: background threads alone.
    background : tuple of BackgroundSpec
        Backgrounds, one after the other; empty: none.
    seed : int or tuple of int
    accuracy : AccuracySpec or tuple of AccuracySpec
    """

    schema_version: Annotated[Literal[1], BeforeValidator(_number_one)] = 1
    machine: MachineName | Annotated[tuple[MachineName, ...], Field(min_length=1)] = Field(
        description="name of a shipped machine or path of a machine file (from this file's folder); a list is an axis"
    )
    set: dict[str, Any] = Field(
        default={}, description='machine constants by path, such as "link.latency_ns" = [8, 10, 12]; a list is an axis'
    )
    threads: tuple[tuple[Label, ...], ...] = Field(
        default=((),), min_length=1, description='foregrounds, each a list of labels: [["0.0.w.1", "1.0.w.0"], ["0.0.r.1"]]'
    )
    background: tuple[BackgroundSpec, ...] = Field(default=(), description="backgrounds; left out: none")
    seed: Seed | Annotated[tuple[Seed, ...], Field(min_length=1)] = Field(
        default=1, description="of the jitter; a list is an axis"
    )
    accuracy: AccuracySpec | Annotated[tuple[AccuracySpec, ...], Field(min_length=1)] = Field(
        default=AccuracySpec(), description="when a run stops; a list is an axis"
    )

    @property
    def machines(self) -> tuple[str, ...]:
        """Names and paths, each once, sorted."""
        return tuple(sorted({self.machine} if isinstance(self.machine, str) else set(self.machine)))

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds, each once, ascending."""
        return tuple(sorted({self.seed} if isinstance(self.seed, int) else set(self.seed)))

    @property
    def accuracies(self) -> tuple[Accuracy, ...]:
        """Accuracies, each once, in the order of their fields."""
        tables = (self.accuracy,) if isinstance(self.accuracy, AccuracySpec) else self.accuracy
        found = {table.accuracy() for table in tables}
        return tuple(sorted(found, key=lambda accuracy: tuple(asdict(accuracy).values())))
