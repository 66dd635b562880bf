"""Why one set of threads is slower than another: the parts of a line's time that differ, and what would close the gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulator.explain.gains import Gain, Mean, gain, mean_time
from simulator.explain.ranking import pairs_of_limits, with_single_members
from simulator.explain.report import GapWithout, PartGap
from simulator.explain.resources import Resource, members, resources
from simulator.explain.trials import AS_IT_IS, Bench, Trial
from simulator.measure.breakdown import LINE_PARTS, line_ns
from simulator.measure.result import PathReport, RunResult

HALF = 0.5  # of a gap: what is not sure to close so much explains little


def gap(this: Bench, other: Bench) -> GapWithout:
    """Return how much slower this side is as it is."""
    return _without(this, other, AS_IT_IS, None)


def gaps_without(this: Bench, other: Bench) -> tuple[GapWithout, ...]:
    """Make each resource ideal for both sides, and each two that can hide each other.

    What explains the gap comes first, and of that what leaves least of it; of the first kind and the first pair that do, single
    members are tried as well.
    """
    whole = [Trial((one,)) for one in resources(this.machine)]
    pairs = [Trial(pair) for pair in pairs_of_limits(this.machine)]
    _time(this, other, [*whole, *pairs])
    pairs = [pair for pair in pairs if _closes_more_than_each(this, other, pair)]
    splits = [
        Trial((member,))
        for closest in _first(this, other, [one for one in whole if _members(this, other, one.resources[0])])
        for member in _members(this, other, closest.resources[0])
    ]
    narrowed = [
        Trial(pair)
        for closest in _first(this, other, pairs)
        for pair in with_single_members(closest.resources, lambda one: _members(this, other, one))
    ]
    _time(this, other, [*splits, *narrowed])
    as_it_is = _gap(this, other, AS_IT_IS)
    return _ranked(_without(this, other, trial, as_it_is) for trial in (*whole, *splits, *pairs, *narrowed))


def part_gaps(this: RunResult, other: RunResult) -> tuple[PartGap, ...]:
    """Return the mean time in each part of a line on both sides, the largest difference first; none where one has no lines."""
    here, there = _foreground(this), _foreground(other)
    if not here or not there:
        return ()
    gaps = [
        _part(part.name, part.words, part.group, *(_mean([line_ns(path, part) for path in side]) for side in (here, there)))
        for part in LINE_PARTS
    ]
    gaps.append(
        _part(
            "other",
            "no line in the slot",
            "other",
            *(_mean([path.other_ns for path in side]) for side in (here, there)),
        )
    )
    return tuple(sorted((one for one in gaps if one.this_ns or one.other_ns), key=lambda one: -abs(one.gap_ns)))


def _part(name: str, words: str, group: str, this_ns: float, other_ns: float) -> PartGap:
    fields = {"part": name, "words": words, "group": group, "this_ns": this_ns, "other_ns": other_ns}
    return PartGap.model_validate({**fields, "gap_ns": this_ns - other_ns})


def _foreground(run: RunResult) -> tuple[PathReport, ...]:
    return tuple(path for path in run.breakdown if not path.background)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _time(this: Bench, other: Bench, trials: Sequence[Trial]) -> None:
    this.time(trials)
    other.time(trials)


def _members(this: Bench, other: Bench, one: Resource) -> tuple[Resource, ...]:
    """Return the members that either side uses."""
    found = (*members(this.machine, one, this.base), *members(other.machine, one, other.base))
    return tuple(sorted(set(found), key=lambda member: member.member or ""))


def _gap(this: Bench, other: Bench, trial: Trial) -> Gain | None:
    here, there = this.result(trial), other.result(trial)
    return None if here is None or there is None else gain(here, there, other.count + 1)


def _first(this: Bench, other: Bench, trials: Sequence[Trial]) -> list[Trial]:
    """Return the trial that explains the gap and leaves least of it, either way; empty where none explains it."""
    as_it_is = _gap(this, other, AS_IT_IS)
    gaps = [(_without(this, other, trial, as_it_is), trial) for trial in trials]
    left = [(abs(one.slower_percent), trial) for one, trial in gaps if one.explains and one.slower_percent is not None]
    return [min(left, key=lambda pair: pair[0])[1]] if left else []


def _explains(as_it_is: Gain, left: Gain, before: Mean | None, after: Mean | None) -> bool:
    """Whether at least half of the gap is closed beyond doubt, and not by making this side slower still."""
    if left.half_width_percent is None or before is None or after is None or not as_it_is.beyond_noise:
        return False
    share_left = left.percent / as_it_is.percent
    return share_left + left.half_width_percent / abs(as_it_is.percent) <= HALF and after.time_ns <= before.time_ns


def _closes_more_than_each(this: Bench, other: Bench, pair: Trial) -> bool:
    """Whether two made ideal leave less of the gap than either of them, beyond noise: one had hidden the other."""
    left = [_gap(this, other, trial) for trial in (pair, *(Trial((one,)) for one in pair.resources))]
    known = [change for change in left if change is not None and change.half_width_percent is not None]
    if len(known) < 3:
        return False
    both, *apart = known
    return all(one.percent - both.percent > (one.half_width_percent or 0) + (both.half_width_percent or 0) for one in apart)


def _without(this: Bench, other: Bench, trial: Trial, as_it_is: Gain | None) -> GapWithout:
    left = _gap(this, other, trial)
    closes = None
    if left is not None and as_it_is is not None and as_it_is.beyond_noise:
        closes = 100 * (1 - left.percent / as_it_is.percent)
    times = [None if (result := bench.result(trial)) is None else mean_time(result) for bench in (this, other)]
    return GapWithout(
        kinds=tuple(one.kind.name for one in trial.resources),
        member=trial.resources[-1].member if trial.resources else None,
        name=trial.name,
        this_ns=None if times[0] is None else times[0].time_ns,
        other_ns=None if times[1] is None else times[1].time_ns,
        slower_percent=None if left is None else left.percent,
        half_width_percent=None if left is None else left.half_width_percent,
        closes_percent=closes,
        explains=left is not None and as_it_is is not None and _explains(as_it_is, left, mean_time(this.base), times[0]),
    )


def _ranked(gaps: Iterable[GapWithout]) -> tuple[GapWithout, ...]:
    def place(one: GapWithout) -> tuple[bool, float]:
        return (not one.explains, float("inf") if one.slower_percent is None else abs(one.slower_percent))

    return tuple(sorted(gaps, key=place))
