"""The best and the worst placements of a truth table; those that are equal by the machine's symmetry count as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simulator.machine.spec import Machine
from simulator.validation.placement import Hops, Placement, in_words, placement, request_hops
from simulator.validation.symmetry import PairKey, pair_key, symmetries
from simulator.validation.truth_table_report import SIMULATED, PairRow, RankedPlacement, Ranking

SHOWN = 10


def rank(machine: Machine, rows: Sequence[PairRow]) -> Ranking:
    """Return the `SHOWN` best and worst placements. Pairs that came to a standstill have no time and are left out."""
    ranked = _ranked(machine, rows)
    worst = ranked[::-1]
    return Ranking(
        best=tuple(ranked[:SHOWN]),
        worst=tuple(worst[:SHOWN]),
        worst_on_two_cores=tuple([found for found in worst if found.method == SIMULATED][:SHOWN]),
        placements=len(ranked),
    )


def _ranked(machine: Machine, rows: Iterable[PairRow]) -> list[RankedPlacement]:
    relabellings, hops = symmetries(machine), request_hops(machine)
    places: dict[str, Placement] = {}
    groups: dict[PairKey, list[PairRow]] = {}
    for row in rows:
        for label in (row.first, row.second):
            if label not in places:
                places[label] = placement(label, machine)
        if row.percent is not None:
            groups.setdefault(pair_key(places[row.first], places[row.second], relabellings), []).append(row)
    found = [_group(same, places, hops) for same in groups.values()]
    return sorted(found, key=lambda group: (group.percent, places[group.first], places[group.second]))


def _group(same: Sequence[PairRow], places: dict[str, Placement], hops: Hops) -> RankedPlacement:
    values = [row.percent for row in same if row.percent is not None]
    shown = min(same, key=lambda row: (places[row.first], places[row.second]))
    return RankedPlacement(
        first=shown.first,
        second=shown.second,
        words=in_words(places[shown.first], places[shown.second], hops),
        pairs=len(same),
        percent=sum(values) / len(values),
        lowest_percent=min(values),
        highest_percent=max(values),
        method=shown.method,
    )
