"""A build as a file describes it: what `make -jN` starts, and the schedulers under which it was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from simulator.errors import InputError
from simulator.outside import read_toml
from simulator.problems import first_problem
from simulator.schedule.footprint import Footprint, Region

Positive = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
Text = Annotated[str, Field(strict=True, min_length=1, max_length=2000)]


class Block(BaseModel):
    """A table of the file, with where its values come from."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    source: Text


class FootprintSpec(Block):
    """How a program uses memory. See :class:`Footprint`."""

    near_kib: Positive = Field(description="used all the time, at random")
    middle_kib: Positive = Field(description="used now and then, at random")
    middle_share: Share = Field(description="of the accesses")
    far_kib: Positive = Field(description="more than the caches hold")
    far_share: Share = Field(description="of the accesses; they miss")
    far_order: Literal["random", "stream"] = "random"
    write_share: Share = Field(description="of the accesses store")
    instructions_per_access: Annotated[int, Field(strict=True, ge=1, le=1000)]
    dependent: bool = Field(description="a line waits for the one before it")

    def footprint(self, name: str) -> Footprint:
        """Return it as the schedule wants it."""
        near = Region(self.near_kib, 1.0 - self.middle_share - self.far_share)
        middle, far = Region(self.middle_kib, self.middle_share), Region(self.far_kib, self.far_share, self.far_order)
        return Footprint(name, (near, middle, far), self.write_share, self.instructions_per_access, self.dependent)


class CompileSpec(Block):
    """One compilation: a driver that starts compiler and assembler with a pipe between them."""

    million_instructions: Positive = Field(description="mean of the compiler, preprocessor included")
    spread: Annotated[float, Field(ge=0, le=3)] = Field(description="standard deviation of the logarithm of a file's size")
    assembler_share: Share = Field(description="instructions of the assembler, per one of the compiler")
    assembler_end_share: Share = Field(description="part of them after the last piece is read")
    pieces: Annotated[int, Field(strict=True, ge=1, le=1000)] = Field(description="pieces of assembly text of a mean file")
    pipe_pieces: Annotated[int, Field(strict=True, ge=1, le=1000)] = Field(description="that the pipe holds")
    system_share: Share = Field(description="instructions in the kernel, per one outside")


class StageSpec(Block):
    """A directory: make reads, starts compilations in parallel, and links."""

    repeat: Annotated[int, Field(strict=True, ge=1, le=10_000)] = 1
    files: Count
    million_instructions_before: NotNegative = Field(description="make, and what it runs one after the other, before the files")
    million_instructions_after: NotNegative = Field(description="the linker, and what runs one after the other behind the files")
    wait_ms: NotNegative = Field(description="for the disk, with nothing else to do")


class SchedulersSpec(Block):
    """Both schedulers, and what a switch costs."""

    switch_us: NotNegative
    slice_ms: Positive
    level_ms: Positive = Field(description="one queue: running time that lowers a thread's priority by a level, times the cores")
    push_load: Annotated[int, Field(strict=True, ge=1, le=1000)] = Field(
        description="queue a core: a thread waits for an idle core once so many run or wait on its own"
    )
    look_ms: Positive = Field(description="queue a core: an idle core looks into the others so often")
    balance_ms: Positive
    interactive_score: Annotated[int, Field(strict=True, ge=0, le=101)]
    history_ms: Positive
    fork_history_ms: Positive


class BuildSpec(BaseModel):
    """All of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    schema_version: Literal[1]
    name: Text
    title: Text
    machine: Text
    compiler: FootprintSpec
    assembler: FootprintSpec
    tools: FootprintSpec
    memory_bound: FootprintSpec = Field(description="takes the compiler's place in the question what if it were bound by memory")
    compile: CompileSpec
    stages: Annotated[tuple[StageSpec, ...], Field(min_length=1)]
    modules: tuple[StageSpec, ...] = Field(default=(), description="stages that follow where modules are built too")
    schedulers: SchedulersSpec
    fitted: dict[str, tuple[float, float]] = Field(default={}, description="range that a fit may use, by path")


def load_build(path: Path) -> BuildSpec:
    """Read the file of a build.

    Raises
    ------
    InputError
        Whatever is wrong with it.
    """
    label = str(path)
    table = read_toml(path, label, "a file that describes a build")
    try:
        return BuildSpec.model_validate(table)
    except ValidationError as error:
        raise first_problem(error, BuildSpec, table, label) from None


def value_at(spec: BuildSpec, path: str) -> float:
    """Return a number of a build by its path, such as ``compile.spread``.

    Raises
    ------
    InputError
        There is none.
    """
    found: object = spec
    for name in path.split("."):
        found = found[int(name)] if isinstance(found, tuple) and name.isdigit() else getattr(found, name, None)
    if not isinstance(found, (int, float)):
        raise InputError("no number of a build", field="path", value=path, allowed="such as compile.spread")
    return float(found)


def with_values(spec: BuildSpec, values: dict[str, float]) -> BuildSpec:
    """Return a build with other numbers, by path."""
    table = spec.model_dump()
    for path, value in values.items():
        value_at(spec, path)
        *outer, last = path.split(".")
        place = table
        for name in outer:
            place = place[int(name) if isinstance(place, (list, tuple)) else name]
        place[last] = value
    return BuildSpec.model_validate(table)
