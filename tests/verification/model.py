"""What a verified model is: its theory, its Plan, and what to look at."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from simulator.engine.build import EngineName
from simulator.engine.plan import Plan
from simulator.engine.random_numbers import stream_start
from tests.verification.window import Window, observe

SEED_TEXT = os.environ.get("NUMASIM_VERIFY_SEED") or "1"
if not SEED_TEXT.removeprefix("-").isdecimal():
    raise ValueError(f"make verify SEED={SEED_TEXT}: a seed is a whole number")
BASE_SEED = int(SEED_TEXT)
SLOWER, FASTER = 1.01, 0.99  # services falsified by 1 %
LEAST_WARMUP, MOST_WARMUP = 200, 2000  # lines; networks here forget their empty start within tens of services


@dataclass(frozen=True)
class Effort:
    """How much is run: independent replications, and lines of the first thread in each."""

    replications: int
    lines: int


@dataclass(frozen=True)
class Model:
    """A queueing model that theory solves and the engines can run.

    Services falsified by 1 % must be told by the `decisive` quantity.

    Attributes
    ----------
    name : str
        Model, and which station it is driven on.
    source : str
        What the theory is.
    theory : mapping of str to float
        By quantity: the exact value.
    theory_if_slower : float
        The exact value of `decisive` if services took 1 % longer.
    build : callable
        Seed and factor on service times to the Plan.
    look : callable
        Window to the simulated values, in the order of `theory`.
    decisive : str
        A quantity.
    lines : int
        Of the first thread, in one replication with the compiled engine.
    """

    name: str
    source: str
    theory: Mapping[str, float]
    theory_if_slower: float
    build: Callable[[int, float], Plan]
    look: Callable[[Window], tuple[float, ...]]
    decisive: str
    lines: int = 100_000

    def replicate(
        self, engine: EngineName, effort: Effort, purpose: str, factor: float = 1.0, first: int = 0
    ) -> dict[str, list[float]]:
        """Run independent replications; return the simulated values by quantity.

        Parameters
        ----------
        engine : {'compiled', 'simpy'}
        effort : Effort
        purpose : str
            What for: other purposes use other random numbers.
        factor : float
            On the service times of the Plan, not of the theory.
        first : int
            Number of the first replication.
        """
        seen: dict[str, list[float]] = {quantity: [] for quantity in self.theory}
        warmup = min(MOST_WARMUP, max(LEAST_WARMUP, effort.lines // 4))
        for number in range(first, first + effort.replications):
            seed = stream_start(BASE_SEED, f"{self.name}, {engine}, {purpose}, replication {number}")
            plan = self.build(seed, factor)
            values = self.look(observe(plan, engine, warmup, effort.lines))
            for quantity, value in zip(self.theory, values, strict=True):
                seen[quantity].append(value)
        return seen
