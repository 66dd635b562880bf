"""All models of the suite, how much of each is run, and the share of the error that each comparison gets."""

from __future__ import annotations

from simulator.engine.build import EngineName
from tests.verification.closed_networks import CLOSED_NETWORKS, MEMORY
from tests.verification.credits import RANDOM_LINKS
from tests.verification.finite_buffers import BUFFERS, FINITE_BUFFERS
from tests.verification.intervals import FAMILY_WISE_ERROR
from tests.verification.model import Effort, Model
from tests.verification.second_opinion import QUANTITIES
from tests.verification.single_stations import M_D_1, M_M_1, M_M_C, SINGLE_STATIONS

ENGINES: tuple[EngineName, ...] = ("compiled", "simpy")
MODELS: tuple[Model, ...] = (*SINGLE_STATIONS, *CLOSED_NETWORKS, *FINITE_BUFFERS, *RANDOM_LINKS)
REPLICATIONS, SIMPY_LINES = 20, 1000

CONFIDENCE = 0.95  # of the intervals whose coverage is counted
COVERED: tuple[tuple[Model, EngineName, int, Effort], ...] = (  # model, engine, groups, each group
    *((model, "compiled", 300, Effort(8, 2000)) for model in (M_M_1, M_D_1, M_M_C, MEMORY, BUFFERS, RANDOM_LINKS[0])),
    *((model, "simpy", 100, Effort(8, 500)) for model in (M_M_C, BUFFERS, RANDOM_LINKS[0])),
)

COMPARISONS = len(ENGINES) * sum(len(model.theory) for model in MODELS) + len(COVERED) + len(QUANTITIES)
ERROR = FAMILY_WISE_ERROR / COMPARISONS  # of each


def effort(model: Model, engine: EngineName) -> Effort:
    """Return how much of a model is run with an engine."""
    return Effort(REPLICATIONS, model.lines if engine == "compiled" else SIMPY_LINES)
