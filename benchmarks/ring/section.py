"""The ring's part of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from benchmarks.apart import Section, apart
from benchmarks.ring.contestants import CONTESTANTS, IN_MACHINE_CODE, RingRun, run_ring
from benchmarks.ring.model import CUSTOMERS, STATIONS, expected_visits

TRIPS, QUICK_TRIPS = 4000, 1000
FAST_FACTOR = 100  # machine code runs so many times further, to be long enough to measure
OURS = "compiled engine"
Rounds = Sequence[Mapping[str, RingRun]]


def ring_section(rounds: int, quick: bool) -> Section:
    """Run the ring in every simulator, in turns."""
    trips = QUICK_TRIPS if quick else TRIPS
    done = [{name: _run(name, trips, number, rounds) for name in CONTESTANTS} for number in range(1, rounds + 1)]
    present = [name for name in CONTESTANTS if not done[0][name].missing]
    notes = [f"{name}: left out, {done[0][name].missing}" for name in CONTESTANTS if done[0][name].missing]
    complaints = complaints_about_visits(done, trips)
    counted = "DIFFER" if complaints else "equal to the number that follows from the model"
    title = f"closed ring, {STATIONS} stations, {CUSTOMERS} customers, constant service; visits counted: {counted}"
    return Section([title, *_table(done, present), *notes], complaints)


def trips_of(name: str, trips: int) -> int:
    """Return how many trips a simulator runs."""
    return trips * FAST_FACTOR if name in IN_MACHINE_CODE else trips


def complaints_about_visits(rounds: Rounds, trips: int) -> list[str]:
    """Return which simulators did not count the visits that the model gives."""
    complaints = []
    for name in CONTESTANTS:
        expected = expected_visits(trips_of(name, trips))
        counts = {one[name].visits for one in rounds if not one[name].missing}
        complaints += [f"ring: {name} counted {count} visits, not {expected}" for count in sorted(counts - {expected})]
    return complaints


def _run(name: str, trips: int, number: int, rounds: int) -> RingRun:
    return apart(f"ring, round {number} of {rounds}: {name}", run_ring, name, trips_of(name, trips))


def _table(rounds: Rounds, names: Sequence[str]) -> list[str]:
    columns = f"{'simulator':<18}{'visits':>9}{'visits/s':>11}{'peak MiB':>10}{'prepare s':>11}"
    lines = [f"{columns}{'compiled engine is':>20}{'min':>8}{'max':>8}"]
    for name in names:
        runs = [one[name] for one in rounds]
        ratios = [_rate(one[OURS]) / _rate(one[name]) for one in rounds]
        lines.append(
            f"{name:<18}{runs[0].visits:>9}{median(map(_rate, runs)):>11.0f}{max(run.peak_mib for run in runs):>10.1f}"
            f"{median(run.preparation_s for run in runs):>11.2f}"
            f"{median(ratios):>14.2f} times{min(ratios):>8.2f}{max(ratios):>8.2f}"
        )
    return lines


def _rate(run: RingRun) -> float:
    return run.visits / run.cpu_s
