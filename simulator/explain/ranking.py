"""Which resources bind: kinds first, then members of those that bind most, then pairs that hide each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from simulator.explain.gains import Gain, gain, mean_time, thread_gains
from simulator.explain.report import Effect, ResourceGain
from simulator.explain.resources import Resource, members, resources, use
from simulator.explain.trials import Bench, Trial
from simulator.machine.spec import Machine

MOST_SPLIT = 3  # kinds of resources whose members are looked at one by one


@dataclass(frozen=True)
class Ranking:
    """Everything found out, in the order of what it gains."""

    resources: tuple[ResourceGain, ...]
    members: tuple[ResourceGain, ...]
    pairs: tuple[ResourceGain, ...]
    pair_members: tuple[ResourceGain, ...]


def rank(bench: Bench) -> Ranking:
    """Time every change that is worth a look, and rank them."""
    whole = resources(bench.machine)
    pairs = pairs_of_limits(bench.machine)
    bench.time([*_graded(whole), *(Trial(pair) for pair in pairs)])
    single = _members(bench, whole)
    bench.time(_graded(single))
    hiding = _hiding(bench, pairs)
    narrowed = with_single_members(hiding[0], lambda one: members(bench.machine, one, bench.base)) if hiding else ()
    bench.time([Trial(pair) for pair in narrowed])
    return Ranking(
        resources=_ranked(_gain(bench, (one,)) for one in whole),
        members=_ranked(_gain(bench, (one,)) for one in single),
        pairs=tuple(_gain(bench, pair, _hidden(bench, pair)) for pair in hiding),
        pair_members=_ranked(_gain(bench, pair) for pair in narrowed),
    )


def pairs_of_limits(machine: Machine) -> list[tuple[Resource, Resource]]:
    """Return pairs of what holds or serves so much at a time: one limit shows only once the other is out of the way."""
    rated = any(node.sri.data_gb_per_s is not None for node in machine.nodes)
    limits = [one for one in resources(machine) if one.kind.capacity or (one.kind.name == "SRI" and rated)]
    return list(combinations(limits, 2))


def with_single_members(
    pair: tuple[Resource, ...], split: Callable[[Resource], tuple[Resource, ...]]
) -> tuple[tuple[Resource, Resource], ...]:
    """Return the pair with single members of one of the two: of the second, or of the first where the second has none."""
    one, other = pair
    if found := split(other):
        return tuple((one, member) for member in found)
    return tuple((other, member) for member in split(one))


def effect(bench: Bench, trial: Trial) -> Effect | None:
    """Return what a trial did; None: it was not made."""
    result = bench.result(trial)
    if result is None:
        return None
    change, time = gain(bench.base, result, bench.count), mean_time(result)
    return Effect(
        time_per_line_ns=None if time is None else time.time_ns,
        faster_percent=None if change is None else change.percent,
        half_width_percent=None if change is None else change.half_width_percent,
        beyond_noise=change is not None and change.beyond_noise,
        threads_faster_percent=thread_gains(bench.base, result),
        verdict=result.verdict,
    )


def _graded(wanted: Sequence[Resource]) -> list[Trial]:
    return [Trial((one,), twice) for one in wanted for twice in (False, True)]


def _members(bench: Bench, whole: Sequence[Resource]) -> list[Resource]:
    """Return the members of the kinds that bind most."""
    found = [(one, members(bench.machine, one, bench.base)) for one in whole]
    gains = {one: _single(bench, one) for one, split in found if split}
    binding = [one for one, change in gains.items() if change is not None and change.beyond_noise and change.percent > 0]
    binding.sort(key=lambda one: -_percent(gains[one]))
    return [member for one in binding[:MOST_SPLIT] for member in dict(found)[one]]


def _hiding(bench: Bench, pairs: Sequence[tuple[Resource, Resource]]) -> list[tuple[Resource, Resource]]:
    """Return the pairs that gain more together than one by one, the largest gain first."""
    hiding = [pair for pair in pairs if _hidden(bench, pair) is not None]
    return sorted(hiding, key=lambda pair: -_percent(_together(bench, pair)))


def _hidden(bench: Bench, pair: tuple[Resource, Resource]) -> float | None:
    """Return the gain of a pair beyond those of its two, one upon the other; None where it is not beyond noise."""
    both, apart = _together(bench, pair), [_single(bench, one) for one in pair]
    known = [change for change in (both, *apart) if change is not None and change.half_width_percent is not None]
    if both is None or len(known) < 3:
        return None
    factor = 1.0
    for change in known[1:]:
        factor *= 1 + max(0.0, change.percent) / 100
    hidden = both.percent - 100 * (factor - 1)
    noise = sum(change.half_width_percent or 0.0 for change in known)
    return hidden if hidden > noise else None


def _single(bench: Bench, one: Resource) -> Gain | None:
    return _together(bench, (one,))


def _together(bench: Bench, changed: tuple[Resource, ...]) -> Gain | None:
    result = bench.result(Trial(changed))
    return None if result is None else gain(bench.base, result, bench.count)


def _percent(change: Gain | None) -> float:
    return float("-inf") if change is None else change.percent


def _gain(bench: Bench, changed: tuple[Resource, ...], hidden: float | None = None) -> ResourceGain:
    ideal = effect(bench, Trial(changed))
    assert ideal is not None, "every resource can be made ideal"
    return ResourceGain(
        kinds=tuple(one.kind.name for one in changed),
        member=changed[-1].member,
        name=" + ".join(one.name for one in changed),
        use=use(bench.machine, changed[-1], bench.base),
        ideal=ideal,
        twice=effect(bench, Trial(changed, twice=True)),
        hidden_percent=hidden,
    )


def _ranked(gains: Iterable[ResourceGain]) -> tuple[ResourceGain, ...]:
    def place(one: ResourceGain) -> float:
        return float("inf") if one.ideal.faster_percent is None else -one.ideal.faster_percent

    return tuple(sorted(gains, key=place))
