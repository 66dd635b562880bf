"""The numbers that the notebooks' text and docs/teaching.md say: if the model moves, these words have to be read again."""

from __future__ import annotations

import pytest

from simulator import ThreadSpec, Workload, load_machine, run
from simulator.measure.result import RunResult
from simulator.theory.bounds import workload_bounds
from simulator.theory.zero_load import zero_load
from simulator.workload import Access

QUARTET = load_machine("quartet")
CROSSFIRE, ELSEWHERE = ["0.0.w.1", "1.0.w.0"], ["0.0.w.1", "1.0.w.3"]


def with_labels(labels: list[str], background: dict[str, float] | None = None, settings: tuple[str, ...] = ()) -> RunResult:
    """Run labels on the Quartet with some settings."""
    return run(load_machine("quartet", settings), Workload.from_labels(labels, background))


def time_ns(result: RunResult) -> float:
    """Return the mean time a line of the foreground."""
    times = [thread.time_per_line_ns or 0.0 for thread in result.threads if not thread.background]
    return sum(times) / len(times)


def test_2_a_local_line_waits_for_the_farthest_answer() -> None:
    lines = [zero_load(QUARTET, 0, memory) for memory in range(4)]
    assert [line.latency_ps / 1000 for line in lines] == pytest.approx([94.6, 105.9, 105.9, 138.3], abs=0.1)
    assert (lines[0].decided_by, lines[1].decided_by) == ("answer of node 3", "data")
    assert lines[0].data_ps / 1000 == pytest.approx(57.6, abs=0.1)
    assert zero_load(load_machine("one-node"), 0, 0).latency_ps == lines[0].data_ps
    slow = load_machine("quartet", ["link[1-3].latency_ns=50", "link[2-3].latency_ns=50"])
    assert zero_load(slow, 0, 0).latency_ps / 1000 == pytest.approx(174, abs=0.5)


def test_3_utilisation_is_an_outcome() -> None:
    full = {lines: with_labels(CROSSFIRE, settings=(f"core.window={lines}",)).links["0->1"].utilization for lines in (3, 4, 5)}
    assert [100 * full[lines] for lines in (3, 4, 5)] == pytest.approx([75, 90, 100], abs=1)
    crossfire, elsewhere = with_labels(CROSSFIRE), with_labels(ELSEWHERE)
    assert crossfire.breakdown[0].walking_ns == pytest.approx(elsewhere.breakdown[0].walking_ns, rel=0.02)
    assert crossfire.breakdown[0].parts_ns.link_queue == pytest.approx(24, abs=1)
    assert elsewhere.breakdown[0].parts_ns.link_queue < 5


def test_3_buffers_are_a_symptom_and_rate_is_not() -> None:
    credit_names = type(QUARTET.links[0].credits).model_fields
    more = tuple(f"link.credits.{name}={4 * getattr(QUARTET.links[0].credits, name)}" for name in credit_names)
    before = time_ns(with_labels(CROSSFIRE))
    assert before / time_ns(with_labels(CROSSFIRE, settings=more)) < 1.015
    assert before / time_ns(with_labels(CROSSFIRE, settings=("link.rate_gt_per_s=4.0",))) == pytest.approx(1.16, abs=0.02)


def test_4_far_beats_near() -> None:
    def places(rate: float) -> list[float]:
        return [time_ns(with_labels([f"0.0.r.{memory}"], {"1.0.r.0": rate, "2.0.r.0": rate})) for memory in (0, 1, 3)]

    assert places(2.0) == pytest.approx([71.1, 50.7, 55.3], abs=0.5)
    assert places(1.5) == pytest.approx([41.2, 45.7, 52.5], abs=0.5)


def test_5_the_knee_and_what_lies_beyond() -> None:
    def readers(memory: int, lines: int) -> Workload:
        return Workload((ThreadSpec(0, 0, (Access("r", memory),), window=lines, core_time_ns=0.0),))

    knees = [workload_bounds(QUARTET, readers(memory, 1)).threads[0].saturation_window for memory in (0, 1, 3)]
    assert knees == pytest.approx([6.75, 4.9, 6.5], abs=0.1)
    strict, fair = (load_machine("quartet", settings) for settings in ((), ("crossbar.arbitration=round-robin",)))
    had = [run(machine, readers(1, 6)) for machine in (strict, fair)]
    assert [result.threads[0].gb_per_s for result in had] == pytest.approx([2.3, 2.8], abs=0.06)
    assert [result.breakdown[0].parts_ns.probe_wait for result in had] == pytest.approx([41, 4], abs=1)
