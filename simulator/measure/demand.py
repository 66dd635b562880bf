"""Offered demand of a link: what would go over it if it were ideal.

A closed thread waits for its own lines, so a full link hides how much it is asked for. The demand is therefore measured in a run
of its own in which that one link, both directions, neither serialises nor runs out of credits, all else being equal. The demand
of an exact result is exact too, or not known where the machine with the ideal link does not recur.
"""

from __future__ import annotations

from simulator.engine.build import EngineName
from simulator.machine.routing import link_key
from simulator.machine.spec import Link, Machine
from simulator.machine.variants import with_ideal_link
from simulator.measure.accuracy import Accuracy
from simulator.measure.exact import is_exact
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Workload

BUSY_ENOUGH = 0.25  # a less used direction hides next to nothing, so its load counts as its demand
DEMAND_ACCURACY = Accuracy(ci_percent=1.0, lines=2000, warmup=300)


def with_demand(machine: Machine, workload: Workload, result: RunResult, *, engine: EngineName = "auto") -> RunResult:
    """Return the result with `demand_gb_per_s` of every link direction filled in.

    A direction less than `BUSY_ENOUGH` used keeps its load as demand; each link with another direction costs one short run. It is
    None where that run stands still, and where the result is exact and that run cannot be.
    """
    demands: dict[str, float | None] = {key: report.gb_per_s for key, report in result.links.items()}
    for link in machine.links:
        keys = [link_key(machine, link, end) for end in link.ends]
        busy = [key for key in keys if result.links[key].utilization >= BUSY_ENOUGH]
        if busy:
            demands.update(_demand(machine, workload, link, busy, result, engine))
    links = {key: report.model_copy(update={"demand_gb_per_s": demands[key]}) for key, report in result.links.items()}
    return result.model_copy(update={"links": links})


def _accuracy(carried: RunResult) -> Accuracy:
    """Return the accuracy of a demand run: short, and shorter still where the run itself was; as long as that if it is exact."""
    asked = carried.provenance.accuracy
    exact = is_exact(carried.verdict_detail)
    return Accuracy(
        ci_percent=max(DEMAND_ACCURACY.ci_percent, asked["ci_percent"]),
        lines=asked["lines"] if exact else min(DEMAND_ACCURACY.lines, asked["lines"]),
        warmup=min(DEMAND_ACCURACY.warmup, asked["warmup"]),
        steady="exact" if exact else "ci",
    )


def _demand(
    machine: Machine, workload: Workload, link: Link, keys: list[str], carried: RunResult, engine: EngineName
) -> dict[str, float | None]:
    ideal = with_ideal_link(machine, link.ends, link.ordinal)
    result = run(ideal, workload, _accuracy(carried), seed=carried.provenance.seed, engine=engine)
    stands_still = result.verdict in ("deadlock", "no progress")
    of_another_kind = is_exact(carried.verdict_detail) and not is_exact(result.verdict_detail)
    return {key: None if stands_still or of_another_kind else result.links[key].gb_per_s for key in keys}
