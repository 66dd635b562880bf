"""The whole search: a scan of the ranges, a descent from the best starts, and the best of their ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.calibration.evaluate import Point
from simulator.calibration.fit import Candidate, Search, descend, mean_square, scattered_points
from simulator.calibration.free import combinations
from simulator.errors import InputError

FINAL_LINES_TIMES = 4  # how much longer than in the search runs are that decide between ends


@dataclass(frozen=True)
class Effort:
    """How hard to search.

    Attributes
    ----------
    scan : int
        Points scattered over the ranges, from which the starts are taken.
    starts : int
        Descents.
    steps : int
        Most points that a descent goes to beyond its start, derivatives not counted.
    """

    scan: int = 32
    starts: int = 3
    steps: int = 12


def find_best(search: Search, effort: Effort, first: Point | None, seed: int, lines: int) -> Candidate:
    """Return the best candidate of several descents.

    Published orders are looked at only if the best machine without them breaks one: their runs are long, and most machines that
    fit the numbers keep them. The search then goes on from there with them.

    Parameters
    ----------
    search : Search
    effort : Effort
    first : mapping of path to value, optional
        A start beside those of the scan: the values of the machine file. Left out where these must not be known, as when they
        were chosen by looking at rows that are held out.
    seed : int
        Of the scan.
    lines : int
        Measured lines a foreground thread in the search.
    """
    whole, search.rows = search.rows, [row for row in search.rows if row.kind != "order"]
    ends = _descents(search, effort, first, seed)
    search.rows = whole
    if all(row.kind != "order" for row in whole):
        return _longer(search, ends, lines)
    best = _longer(search, ends, lines)
    broken = [error for error, row in zip(best.errors, whole, strict=True) if row.kind == "order" and error != 0.0]
    if not broken:
        return best
    search.doing = "orders"
    search.look_anew()
    end = descend(search, search.look_at([best.point])[0], effort.steps)
    return _longer(search, [best, end], lines)


def _descents(search: Search, effort: Effort, first: Point | None, seed: int) -> list[Candidate]:
    search.doing = "scan"
    points: list[Point] = list(scattered_points(search.free, combinations(search.free), effort.scan, seed))
    if first is not None:
        points = [first, *points]
    scanned = search.look_at(points)
    if all(error is None for candidate in scanned for error in candidate.errors):
        raise InputError(
            "every run comes to a standstill, whatever the values", field="--free", allowed="a machine and rows that run"
        )
    starts = sorted(scanned[1:] if first is not None else scanned, key=lambda candidate: candidate.cost)
    chosen = [*scanned[:1], *starts[: effort.starts - 1]] if first is not None else starts[: effort.starts]
    ends = []
    for number, start in enumerate(chosen, start=1):
        search.doing = f"start {number} of {len(chosen)}"
        ends.append(descend(search, start, effort.steps))
    return ends


def _longer(search: Search, ends: Sequence[Candidate], lines: int) -> Candidate:
    """Return the best end by longer runs, so that it is not the one with the luckiest chance."""
    points = [candidate.point for candidate in ends]
    errors = search.evaluator.errors(points, search.rows, lines=FINAL_LINES_TIMES * lines)
    found = [
        Candidate(point, values, mean_square(search.residuals(values))) for point, values in zip(points, errors, strict=True)
    ]
    return min(found, key=lambda candidate: candidate.cost)
