"""How stations can be shared: most for all together, as a linear program, and max-min fair.

Both over rates x (lines per ns, one a thread) with x <= what each thread can do by itself, and demand . x <= 1 for every station.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.errors import NumasimError
from simulator.theory.demands import Constraint

_TIGHT = 1e-9  # relative: a station this close to full is full
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Share:
    """Rate of a thread, and the station that holds it there; an empty name where it has all that it can do."""

    lines_per_ns: float
    limit: str


def largest_total(limits: Sequence[Constraint], most_per_ns: Sequence[float]) -> float:
    """Return the most lines per ns of all threads together: maximise sum(x), by HiGHS.

    Parameters
    ----------
    limits : sequence of Constraint
    most_per_ns : sequence of float, shape (threads,)
        What each thread can do by itself; may be inf where a station holds it.
    """
    demand, most = usable(limits, most_per_ns)
    return maximise(np.ones(len(most)), demand, most)[0]


def maximise(gain: _Floats, demand: _Floats, most: _Floats, equal: _Floats | None = None) -> tuple[float, _Floats]:
    """Solve max gain . x with demand . x <= 1, equal . x = 0 and 0 <= x <= most.

    Returns
    -------
    float, ndarray of shape (variables,)
        The largest value and an x that has it. Times are scaled so that the solver sees numbers near 1.
    """
    from scipy.optimize import linprog

    scale = demand.max() if demand.size and demand.max() > 0 else 1.0
    found = linprog(
        -gain,
        A_ub=demand / scale if len(demand) else None,
        b_ub=np.ones(len(demand)) if len(demand) else None,
        A_eq=equal if equal is not None and len(equal) else None,
        b_eq=np.zeros(len(equal)) if equal is not None and len(equal) else None,
        bounds=[(0, None if math.isinf(bound) else bound * scale) for bound in most],
        method="highs",
    )
    if found.x is None:
        raise NumasimError(f"the linear program of the bounds has no solution: {found.message}")
    return float(-found.fun) / scale, found.x / scale


def fair_shares(limits: Sequence[Constraint], most_per_ns: Sequence[float]) -> list[Share]:
    """Raise all threads together until something holds each (progressive filling): the max-min fair rates.

    D. Bertsekas, R. Gallager, Data Networks, 2nd ed. 1992, section 6.5.2.

    Parameters
    ----------
    limits, most_per_ns
        As for `largest_total`.

    Returns
    -------
    list of Share, shape (threads,)
    """
    demand, most = usable(limits, most_per_ns)
    rate: _Floats = np.zeros(len(most))
    held_by = [_missing(limits, number) for number in range(len(most))]
    rising = most > 0
    while rising.any():
        together = demand[:, rising].sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(together > 0, (1 - demand @ rate) / together, np.inf)
        step = max(0.0, min(room.min(initial=np.inf), (most - rate)[rising].min()))
        if math.isinf(step):
            raise NumasimError("nothing holds a thread of this workload: it takes no time at all")
        rate[rising] += step
        full = np.where((demand @ rate >= 1 - _TIGHT)[:, None], demand, 0.0)
        for number in np.flatnonzero(rising & (rate < most * (1 - _TIGHT))):
            if full[:, number].any():  # of several full stations the one where its lines take longest
                held_by[number] = limits[int(full[:, number].argmax())].station
        rising &= (rate < most * (1 - _TIGHT)) & ~full.any(axis=0)
    return [Share(float(one), limit) for one, limit in zip(rate, held_by, strict=True)]


def usable(limits: Sequence[Constraint], most_per_ns: Sequence[float]) -> tuple[_Floats, _Floats]:
    """Return the matrix of demands, shape (stations, threads), and what each thread can do; 0 where it lacks a buffer."""
    demand: _Floats = np.array([limit.demand_ns for limit in limits]).reshape(len(limits), len(most_per_ns))
    lacking = np.isinf(demand)
    most = np.where(lacking.any(axis=0), 0.0, np.array(most_per_ns, dtype=float))
    return np.where(lacking, 0.0, demand), most


def _missing(limits: Sequence[Constraint], number: int) -> str:
    return next((limit.station for limit in limits if math.isinf(limit.demand_ns[number])), "")
