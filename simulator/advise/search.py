"""Which placements are tried: all of them where they are few, else the best-looking ones and what lies beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from simulator.advise.candidate import Candidate
from simulator.advise.equal import Equality, Key
from simulator.advise.options import everything, neighbours, starts
from simulator.advise.trials import Bench
from simulator.placement.policy import Bind, Policy, Preferred

BATCH = 16  # placements run before the next ones are chosen; the number of jobs changes nothing
_STARTS_SHARE = 0.5  # of the runs, for the named strategies
_MOST_LOOKED_AT = 100_000  # placements, equal ones included, before the search is not exhaustive


@dataclass(frozen=True)
class Searched:
    """What a search did.

    Attributes
    ----------
    exhaustive : bool
        Whether every placement that can be written was tried, but for those equal to one that was.
    placements : int
        Tried, those that do not fit included.
    """

    exhaustive: bool
    placements: int


def search(bench: Bench, runs: int) -> Searched:
    """Run placements with the first seed each.

    Where there are no more than `runs` placements that differ, all of them. Else the named strategies (up to half of the runs),
    then, 16 at a time, the untried neighbours of the fastest placement that has any: it goes downhill from the best, and on
    from the next best where that is a valley.

    Parameters
    ----------
    bench : Bench
    runs : int
        Most runs.
    """
    chosen = _Chosen(Equality(bench.scene))
    own = chosen.new([bench.scene.own])
    every = list(islice(chosen.new(islice(everything(bench.scene), _MOST_LOOKED_AT)), runs))
    if len(every) < runs and not _more(bench, _MOST_LOOKED_AT):
        _run(bench, [*own, *every])
        return Searched(True, chosen.count)
    chosen = _Chosen(Equality(bench.scene))
    _run(bench, list(islice(chosen.new(starts(bench.scene)), max(int(runs * _STARTS_SHARE), 1))))
    _downhill(bench, chosen, runs)
    return Searched(False, chosen.count)


class _Chosen:
    """Keeps apart what has been chosen and what is new."""

    def __init__(self, equality: Equality) -> None:
        self._equality = equality
        self._seen: set[Key] = set()

    @property
    def count(self) -> int:
        return len(self._seen)

    def new(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Yield those that are equal to none before, and remember them."""
        for candidate in candidates:
            key = self._equality.key(candidate)
            if key not in self._seen:
                self._seen.add(key)
                yield candidate


def _more(bench: Bench, than: int) -> bool:
    return next(islice(everything(bench.scene), than, None), None) is not None


def _downhill(bench: Bench, chosen: _Chosen, runs: int) -> None:
    explored: set[Candidate] = set()
    while bench.runs < runs:
        centre = next((one for one in bench.ranked if one not in explored), None)
        if centre is None:
            return
        batch = list(islice(chosen.new(neighbours(bench.scene, centre)), min(BATCH, runs - bench.runs)))
        if len(batch) < BATCH:
            explored.add(centre)
        _run(bench, batch)


def _run(bench: Bench, candidates: list[Candidate]) -> None:
    """Run placements; where one node's memory is too small, that node is preferred instead, and the rest goes near it."""
    bench.run([(candidate, 0) for candidate in candidates])
    full = [one for one in bench.not_fitting if one in set(candidates)]
    instead = [_preferred(one) for one in full if _preferred(one) != one]
    bench.run([(candidate, 0) for candidate in instead])


def _preferred(candidate: Candidate) -> Candidate:
    return replace(
        candidate,
        policies=tuple(_softened(policy) for policy in candidate.policies),
        arrays=tuple(None if policy is None else _softened(policy) for policy in candidate.arrays),
    )


def _softened(policy: Policy) -> Policy:
    return Preferred(policy.nodes[0]) if isinstance(policy, Bind) and len(policy.nodes) == 1 else policy
