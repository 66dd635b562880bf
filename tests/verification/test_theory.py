"""Stations of both engines against theory: it lies inside the intervals over seeded replications."""

from __future__ import annotations

import pytest

from simulator.engine.build import EngineName, build_engine
from tests.verification.conftest import Record
from tests.verification.intervals import Comparison, compare
from tests.verification.model import Model
from tests.verification.models import ENGINES, ERROR, MODELS, effort
from tests.verification.window import NO_LIMIT

by_name = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)


@by_name
@pytest.mark.parametrize("engine", ENGINES)
def test_theory_is_inside_the_interval(model: Model, engine: EngineName, report: Record) -> None:
    """Every quantity of every model. Numbers of a failure are those of all quantities that miss."""
    spent = effort(model, engine)
    seen = model.replicate(engine, spent, "theory")
    compared = {quantity: compare(theory, seen[quantity], ERROR) for quantity, theory in model.theory.items()}
    told = compared[model.decisive]
    inside = sum(one.holds for one in compared.values())
    lines = f"{spent.replications} x {spent.lines:,}"
    numbers = (f"{told.theory:.4g}", f"{told.mean:.4g}", f"±{told.half_width_percent:.2f} %")
    report("verified", model.name, model.source, engine, lines, model.decisive, *numbers, f"{inside} of {len(compared)}")
    assert misses(compared) == {}


def misses(compared: dict[str, Comparison]) -> dict[str, str]:
    """Return the quantities whose theory is outside, in words."""
    return {
        quantity: f"theory {one.theory:.6g}, simulated {one.mean:.6g}, {one.off_percent:+.3f} % (±{one.half_width_percent:.3f} %)"
        for quantity, one in compared.items()
        if not one.holds
    }


@by_name
def test_both_engines_give_the_same_numbers(model: Model) -> None:
    """To the last integer: so what is found with one engine in long runs holds for the other."""
    plan = model.build(7, 1.0)
    engines = [build_engine(plan, name) for name in ENGINES]
    for lines in (1, 50, 1500):
        for engine in engines:
            engine.advance([lines] + [0] * (len(plan.threads.label) - 1), NO_LIMIT)
        assert engines[0].snapshot() == engines[1].snapshot()
