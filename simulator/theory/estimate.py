"""What theory says of a workload in one document, and how far a run of it came."""

from __future__ import annotations

import math
from typing import Any

from simulator import __version__
from simulator.errors import InputError
from simulator.machine.routing import link_key
from simulator.machine.spec import Machine
from simulator.measure.result import RunResult
from simulator.theory.bounds import StationBound, ThreadBound, WorkloadBounds, workload_bounds
from simulator.theory.estimate_report import (
    Estimate,
    EstimateProvenance,
    LawEstimate,
    RouteEstimate,
    StationEstimate,
    ThreadEstimate,
    TotalEstimate,
)
from simulator.theory.laws import LawCheck, check_laws
from simulator.theory.prediction import Prediction, predict
from simulator.theory.route_choice import RouteChoice, best_routes
from simulator.workload import Workload


def estimate(machine: Machine, workload: Workload, run: RunResult | None = None) -> Estimate:
    """Work out every bound of a workload, without simulation.

    Parameters
    ----------
    machine : Machine
    workload : Workload
    run : RunResult, optional
        A run of that workload on that machine, to be compared with the bounds.

    Raises
    ------
    InputError
        The workload does not fit the machine, or the run is of another machine or workload.
    """
    bounds, choice = workload_bounds(machine, workload), best_routes(machine, workload)
    expected = predict(machine, workload) or (None,) * len(workload.threads)
    if run is not None:
        check_same(machine, workload, run)
    return Estimate(
        machine=machine.name,
        threads=tuple(_thread(bounds.threads[number], one, run, number) for number, one in enumerate(expected)),
        stations=tuple(_station(station, run) for station in bounds.stations),
        total=_total(bounds, choice, run),
        routes=tuple(
            RouteEstimate(
                packet=route.packet,
                from_node=route.start,
                to_node=route.end,
                links=route.links,
                share=route.share,
                by_table=route.by_table,
            )
            for route in choice.routes
        ),
        laws=() if run is None else tuple(_law(law) for law in check_laws(run)),
        verdict=None if run is None else run.verdict,
        provenance=EstimateProvenance(
            version=__version__,
            machine=machine.model_dump(mode="json"),
            workload=workload.as_dict(),
            run=None if run is None else run.provenance,
        ),
    )


def check_same(machine: Machine, workload: Workload, run: RunResult) -> None:
    """Refuse a run of another machine or other threads, or one that lacks some of its own.

    Raises
    ------
    InputError
        It is.
    """
    dumped = machine.model_dump(mode="json")
    if run.provenance.machine != dumped:
        names = (name for name in dumped if run.provenance.machine.get(name) != dumped[name])
        what = f"is a run of another machine: {', '.join(names) or 'more fields'} differ"
        raise InputError(what, field="--against", value=run.machine, allowed=f"a run of {machine.name} as given here")
    if _plain(run.provenance.workload) != _plain(workload.as_dict()):
        labels = " ".join(thread.label for thread in run.threads)
        allowed = "a run of " + " ".join(thread.label for thread in workload.threads)
        raise InputError("is a run of another workload", field="--against", value=labels, allowed=allowed)
    keys = {
        "threads": ([thread.label for thread in run.threads], [thread.label for thread in workload.threads]),
        "links": (sorted(run.links), sorted(link_key(machine, link, end) for link in machine.links for end in link.ends)),
        "controllers": (sorted(run.controllers), sorted(str(node.id) for node in machine.nodes if node.controller is not None)),
    }
    for name, (found, wanted) in keys.items():
        if found != wanted:
            what = f"is a run whose {name} are not those that it says it is of"
            raise InputError(what, field="--against", value=" ".join(found), allowed=" ".join(wanted))


def _plain(value: Any) -> Any:
    """Return a tree with lists for tuples, as JSON has them."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _thread(bound: ThreadBound, expected: Prediction | None, run: RunResult | None, number: int) -> ThreadEstimate:
    simulated = None if run is None else run.threads[number].gb_per_s
    finite = math.isfinite(bound.bottleneck_ns)
    return ThreadEstimate(
        label=bound.label,
        background=bound.background,
        window=bound.window,
        rate_gb_per_s=bound.rate_gb_per_s,
        zero_load_latency_ns=bound.latency_ns,
        cycle_ns=bound.cycle_ns,
        bottleneck=bound.bottleneck,
        bottleneck_ns=bound.bottleneck_ns if finite else None,
        saturation_window=bound.saturation_window if finite else None,
        alone_gb_per_s=bound.alone_gb_per_s,
        alone_limit=bound.alone_limit,
        fair_gb_per_s=bound.fair_gb_per_s,
        fair_limit=bound.fair_limit,
        expected_gb_per_s=None if expected is None else expected.gb_per_s,
        expected_latency_ns=None if expected is None else expected.latency_ns,
        fullest=bound.fullest,
        fullest_utilization=bound.fullest_utilization,
        simulated_gb_per_s=simulated,
        ci_percent=None if run is None else run.threads[number].ci_percent,
        of_alone_percent=_percent(simulated, bound.alone_gb_per_s),
        of_fair_percent=_percent(simulated, bound.fair_gb_per_s),
    )


def _station(bound: StationBound, run: RunResult | None) -> StationEstimate:
    return StationEstimate(
        name=bound.name,
        kind=bound.kind,
        demand_ns=tuple(demand if math.isfinite(demand) else None for demand in bound.demand_ns),
        fair_utilization=bound.fair_utilization,
        simulated_utilization=None if run is None else _simulated(bound, run),
    )


def _simulated(bound: StationBound, run: RunResult) -> float | None:
    if bound.kind == "link":
        return run.links[bound.name.removeprefix("link ")].utilization
    if bound.kind == "DRAM":
        return run.controllers[bound.name.removeprefix("node ").removesuffix(" DRAM")].utilization
    return None


def _total(bounds: WorkloadBounds, choice: RouteChoice, run: RunResult | None) -> TotalEstimate:
    simulated = None if run is None else sum(thread.gb_per_s for thread in run.threads)
    return TotalEstimate(
        bound_gb_per_s=bounds.total_gb_per_s,
        fair_gb_per_s=bounds.fair_total_gb_per_s,
        best_routes_gb_per_s=max(choice.total_gb_per_s, bounds.total_gb_per_s),  # equal up to the solver's last digits
        simulated_gb_per_s=simulated,
        of_bound_percent=_percent(simulated, bounds.total_gb_per_s),
    )


def _law(check: LawCheck) -> LawEstimate:
    finite = math.isfinite(check.difference_percent)
    return LawEstimate(
        law=check.law,
        place=check.place,
        measured=check.measured,
        expected=check.expected,
        relation=check.relation,
        difference_percent=check.difference_percent if finite else None,
        tolerance_percent=check.tolerance_percent,
        holds=check.holds,
        why=check.why,
    )


def _percent(part: float | None, whole: float) -> float | None:
    return None if part is None or not whole else 100 * part / whole
