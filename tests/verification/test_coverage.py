"""Intervals are what they say: of many independent ones, as many contain the theory as chance allows, and no more."""

from __future__ import annotations

import pytest

from simulator.engine.build import EngineName
from tests.verification.conftest import Record
from tests.verification.intervals import Comparison, compare, fewest_covered
from tests.verification.model import Effort, Model
from tests.verification.models import CONFIDENCE, COVERED, ERROR
from tests.verification.single_stations import M_M_C

QUICK = (M_M_C,)


def intervals(model: Model, engine: EngineName, groups: int, effort: Effort, theory: float) -> list[Comparison]:
    """Return an interval of level `CONFIDENCE` from each group of replications."""
    made = []
    for group in range(groups):
        first = group * effort.replications
        seen = model.replicate(engine, effort, "coverage", first=first)[model.decisive]
        made.append(compare(theory, seen, 1 - CONFIDENCE))
    return made


@pytest.mark.parametrize(
    ("model", "engine", "groups", "effort"),
    [
        pytest.param(
            *case, id=f"{case[0].name}-{case[1]}", marks=() if case[0] in QUICK and case[1] == "compiled" else pytest.mark.slow
        )
        for case in COVERED
    ],
)
def test_coverage(model: Model, engine: EngineName, groups: int, effort: Effort, report: Record) -> None:
    made = intervals(model, engine, groups, effort, model.theory[model.decisive])
    covered, least = sum(one.holds for one in made), fewest_covered(groups, CONFIDENCE, ERROR)
    report("coverage", model.name, engine, model.decisive, str(groups), f"{covered} ({covered / groups:.1%})", str(least))
    assert covered >= least


def test_a_theory_that_is_wrong_is_covered_too_seldom() -> None:
    """M/M/c with a theory one tenth off: the count of intervals sees what a single one of them may not."""
    model, groups = M_M_C, 200
    made = intervals(model, "compiled", groups, Effort(8, 2000), 1.1 * model.theory[model.decisive])
    assert 0 < sum(one.holds for one in made) < fewest_covered(groups, CONFIDENCE, ERROR)
