"""What a reference file holds: published bars, loads, orders and anchors of one machine, each with its page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from simulator.units import LINE_BYTES

Text = Annotated[str, Field(strict=True, min_length=1, max_length=500)]
Name = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ,._+-]{0,79}$")]
Label = Annotated[str, Field(strict=True, pattern=r"^\d{1,5}\.\d{1,5}\.[rw]\.\d{1,5}$")]
LinkKey = Annotated[str, Field(strict=True, pattern=r"^\d{1,5}->\d{1,5}(#\d{1,3})?$")]
ControllerKey = Annotated[str, Field(strict=True, pattern=r"^\d{1,5}$")]
Page = Annotated[int, Field(strict=True, ge=1, le=100_000)]
NodeId = Annotated[int, Field(strict=True, ge=0, le=65535)]
Positive = Annotated[float, Field(strict=True, gt=0, le=1e6, allow_inf_nan=False)]
Percent = Annotated[float, Field(strict=True, gt=0, le=1e5, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False)]


def _each_once(labels: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(labels)) < len(labels):
        raise ValueError("a thread is there twice")
    return labels


Labels = Annotated[tuple[Label, ...], Field(min_length=1, max_length=256), AfterValidator(_each_once)]


class Part(BaseModel):
    """A part of a reference file: no unknown keys, never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Base(Part):
    """The case that all bars are relative to."""

    threads: Annotated[tuple[Label, ...], Field(min_length=1, max_length=1)]
    published_gb_per_s: Positive = Field(description="lines of 64 B it reads a second; gives its time a line")
    source: Text

    @property
    def time_per_line_ns(self) -> float:
        """Published time a line."""
        return LINE_BYTES / self.published_gb_per_s


class Tolerance(Part):
    """How far a reproduction may be off, relative errors in per cent; a missed one means exit code 1."""

    bars_rms_percent: Percent = Field(description="root mean square over published bars, the base left out")
    bars_max_percent: Percent
    base_time_per_line_percent: Percent
    loads_rms_percent: Percent
    orders: bool = Field(strict=True, description="every order must hold")


class BackgroundLevel(Part):
    """What a background thread asks for at a named level."""

    name: Name
    gb_per_s: Positive
    assumed: bool = Field(default=False, strict=True, description="not published; such a level is never fitted")
    source: Text


class Background(Part):
    """Threads that run beside those of a case."""

    threads: Labels
    level: Name


class Case(Part):
    """One bar of a figure."""

    name: Name | None = Field(default=None, description="name of the case in the figure; left out: its threads")
    threads: Labels
    published_percent: Percent | None = Field(default=None, description="height of the bar; left out: not recorded")
    calibration: bool = Field(strict=True, description="whether a fit may look at it")

    @property
    def title(self) -> str:
        """What the case is called in tables and pictures."""
        return self.name if self.name is not None else " ".join(self.threads)

    @model_validator(mode="after")
    def _fit_needs_a_value(self) -> Case:
        if self.calibration and self.published_percent is None:
            raise ValueError("a case without published_percent cannot be a calibration row")
        return self


class Order(Part):
    """Two cases of a figure whose order is published, though perhaps not their bars."""

    slower: Name
    faster: Name


class Trend(Part):
    """A lead that shrinks from figure to figure: of the faster case over the slower one."""

    figures: Annotated[tuple[str, ...], Field(min_length=2)]
    slower: Name
    faster: Name
    source: Text


class Figure(Part):
    """One published figure, bars in its order."""

    id: Annotated[str, Field(strict=True, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$")]
    page: Page
    title: Text
    background: Background | None = None
    cases: Annotated[tuple[Case, ...], Field(min_length=1, max_length=256)]
    orders: tuple[Order, ...] = ()

    def case(self, title: str) -> Case:
        """Return the case of that title; KeyError when there is none."""
        for case in self.cases:
            if case.title == title:
                return case
        raise KeyError(title)

    @model_validator(mode="after")
    def _consistent(self) -> Figure:
        titles = [case.title for case in self.cases]
        if len(set(titles)) < len(titles):
            raise ValueError(f"figure {self.id}: two cases of one name")
        for order in self.orders:
            for name in (order.slower, order.faster):
                if name not in titles:
                    raise ValueError(f"figure {self.id}: an order names the unknown case {name!r}")
        return self


class Load(Part):
    """Published loads of links and controllers in one run."""

    page: Page
    threads: Labels | None = Field(default=None, description="alone on the machine")
    figure: str | None = Field(default=None, strict=True, description="instead of threads: a case of it, with its background")
    case: Name | None = None
    memory_gb_per_s: dict[ControllerKey, Positive] = {}
    link_gb_per_s: dict[LinkKey, Positive] = {}
    link_utilization: dict[LinkKey, Share] = {}
    calibration: bool = Field(strict=True, description="whether a fit may look at it")

    @model_validator(mode="after")
    def _one_run(self) -> Load:
        if (self.threads is None) == (self.figure is None) or (self.figure is None) != (self.case is None):
            raise ValueError("a load needs either threads, or figure and case")
        if not (self.memory_gb_per_s or self.link_gb_per_s or self.link_utilization):
            raise ValueError("a load needs memory_gb_per_s, link_gb_per_s or link_utilization")
        return self


class Anchor(Part):
    """A fixed point that is no bar: either a value with a tolerance, or a range."""

    quantity: Text
    kind: Literal["idle_latency_ns", "thread_gb_per_s", "link_utilization"]
    machine: Name | None = Field(default=None, description="left out: the reference's")
    node: NodeId | None = None
    memory: NodeId | None = None
    threads: Labels | None = None
    background: Background | None = None
    link: LinkKey | None = None
    value: Positive | None = None
    tolerance_percent: Percent | None = None
    minimum: Positive | None = None
    maximum: Positive | None = None
    source: Text

    @property
    def lowest(self) -> float | None:
        """Least value that holds; None: no bound."""
        if self.value is None or self.tolerance_percent is None:
            return self.minimum
        return self.value * (1 - self.tolerance_percent / 100)

    @property
    def highest(self) -> float | None:
        """Greatest value that holds; None: no bound."""
        if self.value is None or self.tolerance_percent is None:
            return self.maximum
        return self.value * (1 + self.tolerance_percent / 100)

    @model_validator(mode="after")
    def _complete(self) -> Anchor:
        idle = self.kind == "idle_latency_ns"
        if idle != (self.node is not None and self.memory is not None):
            raise ValueError("node and memory belong to the kind idle_latency_ns, which needs both")
        if idle == (self.threads is not None or self.background is not None):
            raise ValueError("threads or background belong to every kind but idle_latency_ns")
        if (self.kind == "link_utilization") != (self.link is not None):
            raise ValueError("link belongs to the kind link_utilization, which needs it")
        if (self.value is None) != (self.tolerance_percent is None):
            raise ValueError("value and tolerance_percent go together")
        if (self.value is None) == (self.minimum is None and self.maximum is None):
            raise ValueError("an anchor needs either value and tolerance_percent, or minimum, maximum or both")
        return self


class LinksPicture(Part):
    """The case whose link loads are drawn on the machine."""

    figure: Annotated[str, Field(strict=True)]
    case: Name


class Quoted(Part):
    """A figure of another source that is shown beside simulated ones and judges nothing."""

    quantity: Text
    machine: Text
    gb_per_s: Positive
    source: Text


class Reference(Part):
    """A whole reference file."""

    schema_version: Literal[1]
    name: Name
    title: Text
    source: Text
    machine: Annotated[str, Field(strict=True, min_length=1, max_length=500)]
    base: Base
    tolerance: Tolerance
    background_level: tuple[BackgroundLevel, ...] = ()
    anchor: tuple[Anchor, ...] = ()
    links_picture: LinksPicture | None = None
    trend: tuple[Trend, ...] = ()
    quoted: tuple[Quoted, ...] = ()
    figure: Annotated[tuple[Figure, ...], Field(min_length=1, max_length=256)]
    load: tuple[Load, ...] = ()

    def find_figure(self, figure_id: str) -> Figure:
        """Return the figure of that id; KeyError when there is none."""
        for figure in self.figure:
            if figure.id == figure_id:
                return figure
        raise KeyError(figure_id)

    def level(self, name: str) -> BackgroundLevel:
        """Return the background level of that name; KeyError when there is none."""
        for level in self.background_level:
            if level.name == name:
                return level
        raise KeyError(name)

    @model_validator(mode="after")
    def _consistent(self) -> Reference:
        _refuse_repeats("figure", [figure.id for figure in self.figure])
        _refuse_repeats("background_level", [level.name for level in self.background_level])
        for message in (*_level_mistakes(self), *_case_mistakes(self), *_trend_mistakes(self)):
            raise ValueError(message)
        return self


def _refuse_repeats(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{what} {name!r} is there twice")


def _trend_mistakes(reference: Reference) -> Iterator[str]:
    cases = {figure.id: {case.name for case in figure.cases} for figure in reference.figure}
    for trend in reference.trend:
        for figure_id in trend.figures:
            for name in (trend.slower, trend.faster):
                if name not in cases.get(figure_id, set()):
                    yield f"a trend names the unknown case {name!r} of figure {figure_id!r}"


def _level_mistakes(reference: Reference) -> Iterator[str]:
    levels = {level.name: level for level in reference.background_level}
    known = ", ".join(levels) or "none is defined"
    for figure in reference.figure:
        if figure.background is None:
            continue
        level = levels.get(figure.background.level)
        if level is None:
            yield f"figure {figure.id}: unknown background level {figure.background.level!r}; allowed: {known}"
        elif level.assumed and any(case.calibration for case in figure.cases):
            yield f"figure {figure.id}: background level {level.name!r} is assumed, so no case of it can be a calibration row"
    for load in reference.load:
        beside = next((figure.background for figure in reference.figure if figure.id == load.figure), None)
        level = None if beside is None else levels.get(beside.level)
        if load.calibration and level is not None and level.assumed:
            yield f"a load of figure {load.figure}: background level {level.name!r} is assumed, so it cannot be a calibration row"
    for anchor in reference.anchor:
        if anchor.background is not None and anchor.background.level not in levels:
            yield f"anchor {anchor.quantity!r}: unknown background level {anchor.background.level!r}; allowed: {known}"


def _case_mistakes(reference: Reference) -> Iterator[str]:
    titles = {(figure.id, case.title) for figure in reference.figure for case in figure.cases}
    for load in reference.load:
        if load.figure is not None and (load.figure, load.case) not in titles:
            yield f"a load names the unknown case {load.case!r} of figure {load.figure!r}"
    picture = reference.links_picture
    if picture is not None and (picture.figure, picture.case) not in titles:
        yield f"links_picture names the unknown case {picture.case!r} of figure {picture.figure!r}"
