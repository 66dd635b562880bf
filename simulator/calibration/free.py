"""Which values of a machine a calibration may choose, and between what bounds."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.machine.fitted import FittedValue, fitted_values
from simulator.machine.spec import Machine
from simulator.machine.values import number_at
from simulator.sweep.axes import canonical_path

MOST_COMBINATIONS = 24
_FREE = re.compile(r"(?P<path>[^:=]{1,200}):(?P<low>[-+0-9.eE]{1,30}?)\.\.(?P<high>[-+0-9.eE]{1,30})")
_FORM = "PATH:LOW..HIGH, such as link.latency_ns:5..20"
Values = Mapping[str, float]


@dataclass(frozen=True)
class FreeValue:
    """One value to choose.

    Attributes
    ----------
    path : str
        As ``--set`` names it.
    lowest, highest : float
        Bounds, in the unit of the value.
    whole : bool
        A count, such as a window: every whole number between the bounds is tried.
    """

    path: str
    lowest: float
    highest: float
    whole: bool

    def from_share(self, share: float) -> float:
        """Return the value at a share of the range, 0 to 1."""
        return self.lowest + share * (self.highest - self.lowest)

    def inside(self, value: float) -> float:
        """Return the nearest value in the range; of a count the nearest whole number in it."""
        if self.whole:
            return min(max(round(value), math.ceil(self.lowest)), math.floor(self.highest))
        return min(max(value, self.lowest), self.highest)

    def share_of(self, value: float) -> float:
        """Return where a value stands in the range, 0 to 1."""
        return (value - self.lowest) / (self.highest - self.lowest)


def free_values(machine: Machine, texts: Sequence[str]) -> tuple[FreeValue, ...]:
    """Return the values that a user frees; without any, the fitted numbers of the machine that are no counts.

    Parameters
    ----------
    machine : Machine
    texts : sequence of str
        ``link.latency_ns:5..20``; without bounds (``link.latency_ns``) those of the machine file.

    Raises
    ------
    InputError
        A path that the machine does not have, bounds that are none, or nothing to choose.
    """
    known = {value.path: value for value in fitted_values(machine)}
    if texts:
        found = [_parse(machine, text, known) for text in texts]
        _refuse_twice([value.path for value in found])
        _refuse_too_many(found)
        return tuple(found)
    numbers = [value for value in known.values() if isinstance(value.value, float) and not isinstance(value.allowed[0], str)]
    if not numbers:
        raise InputError(f"no value of {machine.name} is marked as fitted", field="--free", allowed=_FORM)
    return tuple(FreeValue(value.path, float(value.allowed[0]), float(value.allowed[1]), whole=False) for value in numbers)


def combinations(free: Sequence[FreeValue]) -> list[dict[str, float]]:
    """Return every combination of the counts among the values; one empty combination where there are none."""
    counts = [value for value in free if value.whole]
    choices = [range(math.ceil(value.lowest), math.floor(value.highest) + 1) for value in counts]
    return [dict(zip((value.path for value in counts), chosen, strict=True)) for chosen in itertools.product(*choices)]


def _parse(machine: Machine, text: str, known: Mapping[str, FittedValue]) -> FreeValue:
    match = _FREE.fullmatch(text.strip())
    if match is None and ":" in text:
        raise InputError("is no range", field="--free", value=text, allowed=_FORM)
    path = canonical_path(match["path"] if match else text)
    value = number_at(machine, path)
    if match is not None:
        lowest, highest = _bound(text, match["low"]), _bound(text, match["high"])
    elif path in known and not isinstance(known[path].allowed[0], str):
        lowest, highest = (float(bound) for bound in known[path].allowed)
    else:
        raise InputError("has no bounds here or in the machine file", field="--free", value=text, allowed=_FORM)
    if not lowest < highest:
        raise InputError("the lower bound is not below the upper", field="--free", value=text, allowed=_FORM)
    whole = isinstance(value, int)
    if whole and math.ceil(lowest) > math.floor(highest):
        raise InputError("there is no whole number between the bounds", field="--free", value=text, allowed=_FORM)
    return FreeValue(path, lowest, highest, whole)


def _bound(text: str, number: str) -> float:
    try:
        bound = float(number)
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise InputError("a bound is no number", field="--free", value=text, allowed=_FORM)
    return bound


def _refuse_twice(paths: Sequence[str]) -> None:
    for path in paths:
        if paths.count(path) > 1:
            raise InputError("is freed twice", field="--free", value=path)


def _refuse_too_many(free: Sequence[FreeValue]) -> None:
    number = math.prod(math.floor(value.highest) - math.ceil(value.lowest) + 1 for value in free if value.whole)
    if number > MOST_COMBINATIONS:
        what = "there are too many combinations of whole numbers to try each"
        raise InputError(what, field="--free", value=number, allowed=f"at most {MOST_COMBINATIONS}")
