"""The values along each axis of a sweep, in canonical form and order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from simulator.errors import InputError
from simulator.machine.document import ORIGIN
from simulator.machine.overrides import Override, parse_overrides
from simulator.sweep.spec import BackgroundSpec
from simulator.workload import ThreadSpec, Workload, parse_background, parse_label
from simulator.workload.levels import background_levels

Background = tuple[tuple[str, float], ...]  # labels with the GB/s each asks for, in canonical order
_ABOVE_WHOLE = 1 << 63
_NODE = re.compile(r"\d{1,9}")  # digits as machine.overrides reads them
_LINK = re.compile(r"(\d{1,9})-(\d{1,9})(?:#(\d{1,9}))?")


@contextmanager
def said_of(file: str, field: str | None = None) -> Iterator[None]:
    """Let what goes wrong inside be said of a place in the spec."""
    try:
        yield
    except InputError as error:
        if field is None and error.file not in (None, ORIGIN):
            raise  # a machine file's own fault
        raise InputError(error.what, file=file, field=field or error.field, value=error.value, allowed=error.allowed) from None


@dataclass(frozen=True)
class SetAxis:
    """A machine constant and what it is set to.

    Attributes
    ----------
    path : str
        In canonical form.
    override : Override
        Its place in a machine; the value is that of no point.
    values : tuple
        Each once, in canonical order.
    """

    path: str
    override: Override
    values: tuple[Any, ...]


def set_axes(table: Mapping[str, Any], file: str) -> list[SetAxis]:
    """Return the axes of machine constants, sorted by path.

    Raises
    ------
    InputError
        A path that no machine has, no value, or one path in two spellings.
    """
    axes: dict[str, SetAxis] = {}
    for path, given in table.items():
        values = given if isinstance(given, (list, tuple)) else [given]
        field = f"set: {path}"
        if not values:
            raise InputError("has no values", file=file, field=field, allowed="a value, or a list of at least one")
        with said_of(file, field):
            name = canonical_path(path)
            (override,) = parse_overrides({name: next((value for value in values if isinstance(value, dict)), 0)})
            distinct = tuple(_each_once(map(canonical_value, values)))
        if name in axes:
            raise InputError("is there twice", file=file, field=field)
        axes[name] = SetAxis(name, override, distinct)
    return [axes[name] for name in sorted(axes)]


def canonical_path(path: str) -> str:
    """Return the one spelling of a path of ``--set``: ``link[01-0].latency_ns`` is ``link[0-1].latency_ns``.

    Raises
    ------
    InputError
        No machine file has such a path.
    """
    (override,) = parse_overrides({path: 0})
    which = "" if override.which is None else f"[{_canonical_which(override.which)}]"
    return ".".join((override.head + which, *override.rest))


def _canonical_which(which: str) -> str:
    """Return numbers without leading zeros, and the ends of a link in ascending order."""
    if _NODE.fullmatch(which):
        return str(int(which))
    link = _LINK.fullmatch(which)
    if link is None:
        return which
    low, high = sorted((int(link[1]), int(link[2])))
    return f"{low}-{high}" if link[3] is None else f"{low}-{high}#{int(link[3])}"


def canonical_value(value: Any) -> Any:
    """Return 8 for 8.0, and lists for tuples; InputError for a whole number that no store holds."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _ABOVE_WHOLE:
        return int(value)
    if isinstance(value, int) and abs(value) >= _ABOVE_WHOLE:
        raise InputError("is too large a number", value=value, allowed="whole numbers below 2^63")
    return [canonical_value(item) for item in value] if isinstance(value, (list, tuple)) else value


def foregrounds(lists: Sequence[Sequence[str]], file: str) -> list[tuple[str, ...]]:
    """Return each list of labels once, with its labels in canonical order.

    Raises
    ------
    InputError
        A label that cannot be read.
    """
    found: dict[tuple[str, ...], tuple[Any, ...]] = {}
    for number, labels in enumerate(lists, 1):
        with said_of(file, f"threads[{number}]"):
            threads = Workload(tuple(parse_label(label) for label in labels)).threads
        found[tuple(thread.label for thread in threads)] = _places(threads)
    return sorted(found, key=found.__getitem__)


def backgrounds(specs: Sequence[BackgroundSpec], file: str) -> list[Background]:
    """Return each background once, those at a lower rate first; one without threads if there is no spec.

    Raises
    ------
    InputError
        A label or rate that cannot be read, a thread twice, or an unknown level.
    """
    found: set[Background] = set()
    levels = background_levels() if specs else {}
    for number, spec in enumerate(specs, 1):
        field = f"background[{number}]"
        with said_of(file, field):
            found |= set(_expand(spec, levels))
    return sorted(found or {()}, key=_background_place)


def background_text(background: Background) -> str:
    """Return a background as ``--background`` takes its threads, joined by spaces."""
    return " ".join(f"{label}@{rate:.10g}" for label, rate in background)


def common_rate(background: Background) -> float | None:
    """Return the rate all threads of a background ask for; 0 of none, None where they differ."""
    rates = {rate for _, rate in background} or {0.0}
    return rates.pop() if len(rates) == 1 else None


def _expand(spec: BackgroundSpec, levels: Mapping[str, float]) -> Iterator[Background]:
    if spec.gb_per_s is None:
        yield _sorted_background([_own_rate(text, levels) for text in spec.threads])
        return
    for level in spec.gb_per_s if isinstance(spec.gb_per_s, tuple) else (spec.gb_per_s,):
        rate = _rate(level, levels)
        labels = [parse_label(label, rate_gb_per_s=rate or None).label for label in spec.threads]
        yield _sorted_background([(label, rate) for label in labels]) if rate else ()


def _own_rate(text: str, levels: Mapping[str, float]) -> tuple[str, float]:
    label, at, level = text.partition("@")
    if not at:
        allowed = "gb_per_s for all of them, or a rate for each: 2.0.r.2@0.5"
        raise InputError("a background thread needs a rate", value=text, allowed=allowed)
    return parse_background(f"{label}@{levels.get(level, level)}")


def _rate(level: float | str, levels: Mapping[str, float]) -> float:
    if isinstance(level, str):
        if level not in levels:
            raise InputError("there is no such level", value=level, allowed=f"GB/s, or one of {', '.join(levels)}")
        return levels[level]
    return float(level)


def _sorted_background(pairs: Iterable[tuple[str, float]]) -> Background:
    pairs = list(pairs)
    labels = [label for label, _ in pairs]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise InputError("a thread is there twice", value=twice, allowed="one thread a core")
    rates = dict(pairs)
    return tuple((thread.label, rates[thread.label]) for thread in Workload(tuple(map(parse_label, labels))).threads)


def _background_place(background: Background) -> tuple[Any, ...]:
    threads = [parse_label(label) for label, _ in background]
    return (max((rate for _, rate in background), default=0.0), _places(threads), background)


def _places(threads: Sequence[ThreadSpec]) -> tuple[Any, ...]:
    return tuple(thread.sort_key[:4] for thread in threads)


def _each_once(values: Iterable[Any]) -> list[Any]:
    """Return numbers in ascending order, then the rest by its text."""
    distinct = {json.dumps(value, default=str): value for value in values}
    return [distinct[text] for text in sorted(distinct, key=lambda text: _value_place(distinct[text], text))]


def _value_place(value: Any, text: str) -> tuple[int, float, str]:
    return (0, value, "") if isinstance(value, (int, float)) else (1, 0.0, text)
