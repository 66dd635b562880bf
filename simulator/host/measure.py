"""All the tests of a plan on the machine at hand, several times over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from simulator.host.area import Area, make_area
from simulator.host.kernels import compile_kernels
from simulator.host.placement import Placement, this_placement
from simulator.host.plan import HostTest, HostThread, plan_tests
from simulator.host.report import HostMeasurement, HostReport, MeasuredNode
from simulator.host.sizes import CHUNKS_PER_ARRAY, Sizes, choose_sizes
from simulator.host.summary import measurements
from simulator.host.together import Outcome, Share, run_together
from simulator.host.topology import Host
from simulator.units import LINE_BYTES

ENOUGH = 0.25  # of its chunks that must count; else a run is done again
TRIES = 3
_CHASE_CHUNKS = 64
_WARM_CHASE_CHUNKS = 2
_DISTURBED_SHARE = 0.2

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Attributes
    ----------
    repeats : int
        Of every test; at least 6 for an interval.
    passes : int
        Over its array, that a thread does in a repeat after one that does not count.
    chase_steps : int
        At most, in a repeat.
    most_pairs : int
        Placements of two threads: all, where there are no more than these.
    """

    repeats: int
    passes: int
    chase_steps: int
    most_pairs: int


QUICK = Effort(repeats=7, passes=2, chase_steps=1 << 20, most_pairs=40)  # whole on two nodes
FULL = Effort(repeats=15, passes=4, chase_steps=1 << 22, most_pairs=600)  # whole on four nodes


def measure_host(
    host: Host,
    effort: Effort = FULL,
    *,
    placement: Placement | None = None,
    array_bytes: int | None = None,
    progress: Progress = lambda done, total, last: None,
) -> HostReport:
    """Measure a machine.

    Repeats of one test do not follow each other: all tests are done once, then again, so that a disturbance of some seconds
    touches one repeat of many tests, and the median stays.

    Parameters
    ----------
    host : Host
        Of :func:`~simulator.host.topology.look_at_host`.
    effort : Effort
    placement : Placement, optional
        How memory is placed; this machine's own calls if left out.
    array_bytes : int, optional
        See :func:`~simulator.host.sizes.choose_sizes`.
    progress : callable
        Called with the number of runs done, of all runs, and the test's name.

    Raises
    ------
    InputError
        Memory or a CPU cannot be had.
    """
    plan = plan_tests(host, effort.most_pairs)
    sizes = choose_sizes(host, array_bytes)
    calls = placement or this_placement()
    areas = {node.id: make_area(host, node, sizes.area, sizes.chase, calls) for node in host.memories}
    compile_kernels()
    bench = _Bench(host, effort, sizes, areas)
    outcomes: dict[HostTest, list[Outcome]] = {test: [] for test in plan.tests}
    total = effort.repeats * len(plan.tests)
    for repeat in range(effort.repeats):
        for place, test in enumerate(plan.tests):
            outcomes[test].append(bench.run(test, outcomes[test][-1] if repeat else None))
            progress(repeat * len(plan.tests) + place + 1, total, test.name)
    rows = tuple(row for test, runs in outcomes.items() for row in measurements(test, runs))
    notes = (*host.notes, *plan.notes, *sizes.notes, *_area_notes(areas), *_disturbed(outcomes))
    return _report(host, effort, sizes, areas, rows, notes)


@dataclass(frozen=True)
class _Bench:
    host: Host
    effort: Effort
    sizes: Sizes
    areas: dict[int, Area]

    def run(self, test: HostTest, before: Outcome | None) -> Outcome:
        """Run a test; anew, if too little of it counts, and keep the run of which most counts."""
        tried: list[Outcome] = []
        while len(tried) < TRIES and not (tried and tried[-1].counted >= ENOUGH):
            tried.append(run_together(self._shares(test, before)))
        return max(tried, key=lambda outcome: outcome.counted)

    def _shares(self, test: HostTest, before: Outcome | None) -> list[Share]:
        if test.experiment == "idle_latency":
            return [self._chase(test.threads[0], before)]
        asker = test.threads[0].node
        lines = self.sizes.share[asker] if test.experiment == "bandwidth" else self.sizes.array
        return [self._stream(thread, place, lines) for place, thread in enumerate(test.threads)]

    def _stream(self, thread: HostThread, place: int, lines: int) -> Share:
        words = self.areas[thread.memory].part(place, lines)
        return Share(
            cpu=self._cpu(thread),
            kind=thread.mode,
            words=words,
            chunk=lines // CHUNKS_PER_ARRAY,
            warm=CHUNKS_PER_ARRAY,
            quota=self.effort.passes * CHUNKS_PER_ARRAY,
        )

    def _chase(self, thread: HostThread, before: Outcome | None) -> Share:
        """Go on where the repeat before ended: those lines were read longest ago, and are in no cache any more."""
        words = self.areas[thread.memory].part(0, self.sizes.chase)
        steps = min(self.effort.chase_steps, self.sizes.chase)
        share = Share(self._cpu(thread), "chase", words, steps // _CHASE_CHUNKS, _WARM_CHASE_CHUNKS, _CHASE_CHUNKS)
        return share if before is None else Share(**{**vars(share), "at": before.results[0]})

    def _cpu(self, thread: HostThread) -> int:
        return next(node.cpus[thread.core] for node in self.host.nodes if node.id == thread.node)


def _area_notes(areas: dict[int, Area]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for area in areas.values() for note in area.notes))


def _disturbed(outcomes: dict[HostTest, list[Outcome]]) -> tuple[str, ...]:
    runs = [outcome for each in outcomes.values() for outcome in each]
    few = sum(outcome.counted < ENOUGH for outcome in runs)
    lost = [test.name for test, each in outcomes.items() if all(outcome.time_per_line_ns is None for outcome in each)]
    notes = []
    if few > _DISTURBED_SHARE * len(runs):
        share = f"in {few} of {len(runs)} runs its threads had CPUs together for less than a fourth of their work"
        notes.append(f"the machine is busy: {share}, {TRIES} times in a row")
    if lost:
        notes.append(f"threads never ran at the same time, so there is no number: {', '.join(lost[:3])}")
    return tuple(notes)


def _report(
    host: Host,
    effort: Effort,
    sizes: Sizes,
    areas: dict[int, Area],
    rows: tuple[HostMeasurement, ...],
    notes: tuple[str, ...],
) -> HostReport:
    nodes = tuple(
        MeasuredNode(
            id=node.id,
            cpus=node.cpus,
            cache_bytes=node.cache_bytes,
            huge_page_share=areas[node.id].huge_share if node.id in areas else None,
        )
        for node in host.nodes
    )
    return HostReport(
        nodes=nodes,
        array_bytes=sizes.array * LINE_BYTES,
        chase_bytes=sizes.chase * LINE_BYTES,
        repeats=effort.repeats,
        passes=effort.passes,
        measurements=rows,
        notes=notes,
    )
