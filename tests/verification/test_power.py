"""A service time that is 1 % off in the Plan, and not in the theory, fails the comparison."""

from __future__ import annotations

import pytest

from simulator.engine.build import EngineName
from tests.verification.closed_networks import MEMORY, RING
from tests.verification.conftest import Record
from tests.verification.credits import RANDOM_LINKS
from tests.verification.finite_buffers import BUFFERS
from tests.verification.intervals import compare, power
from tests.verification.model import FASTER, SLOWER, Effort, Model
from tests.verification.models import ERROR, MODELS, REPLICATIONS, SIMPY_LINES, effort
from tests.verification.single_stations import M_D_1, M_M_1, M_M_1_LINK, M_M_C

QUICK = (M_M_1, M_D_1, M_M_C, MEMORY, BUFFERS, RANDOM_LINKS[0])
LONG = 40_000  # lines of simpy's replications where service is random


def check_rejected(
    model: Model, engine: EngineName, spent: Effort, quantity: str, factor: float, shift: float, report: Record
) -> None:
    """See that falsified services are told by one quantity, and that this was no luck."""
    seen = model.replicate(engine, spent, f"power {factor}", factor)[quantity]
    told, strength = compare(model.theory[quantity], seen, ERROR), power(shift, seen, ERROR)
    numbers = (f"{told.theory:.4g}", f"{told.mean:.4g}", f"±{told.half_width_percent:.2f} %", f"{strength:.4f}")
    report("power", model.name, engine, quantity, f"{factor - 1:+.0%}", *numbers)
    assert not told.holds
    assert strength > 0.99


@pytest.mark.parametrize(
    "factor", [pytest.param(SLOWER, id="1 % longer"), pytest.param(FASTER, id="1 % shorter", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "model", [pytest.param(one, id=one.name, marks=() if one in QUICK else pytest.mark.slow) for one in MODELS]
)
def test_one_per_cent_is_told(model: Model, factor: float, report: Record) -> None:
    """In every model, by the same comparison as without falsification."""
    shift = model.theory_if_slower - model.theory[model.decisive]
    check_rejected(model, "compiled", effort(model, "compiled"), model.decisive, factor, shift, report)


@pytest.mark.parametrize(
    ("model", "lines", "factor"),
    [
        pytest.param(M_D_1, SIMPY_LINES, SLOWER, id="M/D/1"),
        pytest.param(M_M_1_LINK, LONG, SLOWER, id="M/M/1", marks=pytest.mark.slow),
    ],
)
def test_one_per_cent_is_told_with_simpy(model: Model, lines: int, factor: float, report: Record) -> None:
    """By the busy time a customer, which scatters least (not at all if constant); waits would need runs as long as above."""
    shift = (factor - 1) * model.theory["service ns"]
    check_rejected(model, "simpy", Effort(REPLICATIONS, lines), "service ns", factor, shift, report)


@pytest.mark.slow
def test_one_per_cent_is_told_with_simpy_in_a_closed_network(report: Record) -> None:
    shift = RING.theory_if_slower - RING.theory[RING.decisive]
    check_rejected(RING, "simpy", Effort(REPLICATIONS, LONG), RING.decisive, SLOWER, shift, report)
