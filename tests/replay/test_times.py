"""How long programs take: computing, rates, starts, barriers, moving pages, shared lines and locks."""

from __future__ import annotations

import pytest

from simulator.measure.accuracy import Accuracy
from simulator.measure.idle import zero_load_ps
from simulator.measure.run import run
from simulator.workload import Workload
from tests.replay.programs import LINES, ONE, PLAIN, QUARTET, init, moved_lines, ran

READ = {"pattern": "sequential", "array": "a"}
TWO = [{"name": "v", "node": 0, "core": 0}, {"name": "w", "node": 1, "core": 0}]


@pytest.mark.parametrize("node", [0, 1, 3])
def test_a_reader_takes_what_the_same_lines_take_in_a_run(node: int) -> None:
    arrays = [{"name": "a", "size_kib": 1024.0, "policy": f"--membind={node}"}]
    result = ran(init("w.0", arrays="a"), READ, threads=ONE, arrays=arrays)
    endless = run(PLAIN, Workload.from_labels([f"0.0.r.{node}"]), Accuracy(lines=4000))
    assert result.elapsed_ns / (16 * LINES) == pytest.approx(endless.threads[0].time_per_line_ns, rel=0.002)  # all but the start


def test_a_chased_pointer_takes_the_latency_of_a_line() -> None:
    result = ran(init("w.0"), {"pattern": "pointer-chase", "array": "a", "lines": 500}, threads=ONE)
    assert result.elapsed_ns == pytest.approx(500 * zero_load_ps(PLAIN, 0, 0) / 1000, rel=1e-3)  # CRC is extra
    computed = ran(init("w.0"), {"pattern": "pointer-chase", "array": "a", "lines": 500, "compute_ns": 50.0}, threads=ONE)
    assert computed.elapsed_ns == pytest.approx(result.elapsed_ns + 500 * 50.0)


def test_a_compute_bound_thread_takes_its_compute_time_wherever_its_memory_is() -> None:
    for node in (0, 3):
        arrays = [{"name": "a", "size_kib": 64.0, "policy": f"--membind={node}"}]
        result = ran(init("w.0", arrays="a"), {**READ, "compute_ns": 400.0}, threads=ONE, arrays=arrays)
        assert result.elapsed_ns == pytest.approx(LINES * 400.0, abs=400)  # and the latency of one line


def test_time_that_hits_take_is_computed_too() -> None:
    phase = {**READ, "compute_ns": 10.0, "repeat": 6}
    result = ran(init("w.0"), phase, machine=QUARTET, threads=ONE)
    first = ran(init("w.0"), {**phase, "repeat": 1}, machine=QUARTET, threads=ONE)
    assert result.elapsed_ns - first.elapsed_ns == pytest.approx(5 * LINES * 10.0, rel=1e-6)


def test_a_rate_is_kept() -> None:
    result = ran(init("w.0"), {**READ, "gb_per_s": 0.25}, threads=ONE)
    assert result.threads[0].gb_per_s == pytest.approx(0.25, rel=0.005)
    assert ran(init("w.0"), READ, threads=ONE).threads[0].gb_per_s > 1


def test_a_thread_starts_when_it_is_told() -> None:
    late = ran(init("w.0"), READ, threads=[{**ONE[0], "start_ns": 5000.0}])
    assert late.elapsed_ns == pytest.approx(5000 + ran(init("w.0"), READ, threads=ONE).elapsed_ns)


def test_a_window_of_one_phase_holds_for_its_thread_and_two_are_refused() -> None:
    narrow = ran(init("w.0"), {**READ, "window": 2}, threads=ONE)
    assert narrow.elapsed_ns == pytest.approx(ran(init("w.0"), READ, threads=[{**ONE[0], "window": 2}]).elapsed_ns)
    assert narrow.elapsed_ns > 1.5 * ran(init("w.0"), READ, threads=ONE).elapsed_ns
    with pytest.raises(Exception, match=r"thread w\.0 has phases with different windows"):
        ran(init("w.0"), {**READ, "window": 2}, {**READ, "window": 3}, threads=ONE)


def test_phases_add_up_and_begin_when_all_are_done() -> None:
    phases = (
        {"name": "one", **READ, "threads": ["v"], "compute_ns": 100.0},
        {"name": "two", "pattern": "sequential", "array": "b", "threads": ["w"]},
        {"name": "three", "pattern": "random", "array": "c", "read_fraction": 0.5},
    )
    result = ran(init(), *phases, threads=TWO)
    one, two, three = result.phases
    assert [phase.name for phase in result.phases] == ["one", "two", "three"]
    assert [phase.lines for phase in result.phases] == [LINES, LINES, LINES]
    assert sum(phase.time_ns for phase in result.phases) == pytest.approx(result.elapsed_ns)
    assert (one.start_ns, two.start_ns, three.start_ns) == pytest.approx((0, one.time_ns, one.time_ns + two.time_ns))
    assert one.time_ns == pytest.approx(LINES * 100.0, abs=200)
    alone = ran(init(), {"pattern": "sequential", "array": "b", "threads": ["w"]}, threads=TWO)
    assert two.time_ns == pytest.approx(alone.elapsed_ns, abs=1)
    assert one.controllers["0"] > 0 == one.controllers["2"]
    assert two.links["0->1"] > one.links["0->1"]  # w's part of b is v's first


def test_without_a_barrier_phases_overlap() -> None:
    one, two = {**READ, "threads": ["v"], "compute_ns": 100.0}, {"pattern": "sequential", "array": "b", "threads": ["w"]}
    result = ran(init(), one, {**two, "barrier": False}, threads=TWO)
    assert len(result.phases) == 1
    assert result.phases[0].name == "sequential + sequential"
    assert result.elapsed_ns == pytest.approx(ran(init(), one, threads=TWO).elapsed_ns, rel=0.01)


def test_moving_pages_takes_traffic_and_time() -> None:
    move = {"name": "move", "pattern": "migrate", "arrays": ["a"], "to_nodes": "1", "threads": ["v"]}
    result = ran(init("v.0"), move, {"name": "read", **READ, "threads": ["w"]}, threads=TWO)
    moving, reading = result.phases
    assert moving.lines == 2 * LINES
    assert moving.time_ns > 16 * 3000  # so long the kernel takes for 16 pages, beside the copying
    assert result.pages[1] == 16
    assert moved_lines(result, 0) == pytest.approx(LINES)
    assert moved_lines(result, 1) == pytest.approx(2 * LINES)  # lines that are written are fetched, then all are read there
    there = {thread.name: thread.lines_by_node for thread in result.threads}
    assert there == {"v.0": {0: LINES, 1: LINES}, "w.0": {1: LINES}}
    assert reading.time_ns == pytest.approx(ran(init("w.0"), {**READ, "threads": ["w"]}, threads=TWO).elapsed_ns, rel=0.01)


def test_false_sharing_costs_more_than_a_line_each() -> None:
    phase = {"pattern": "shared-line", "array": "a", "lines": 200, "compute_ns": 5.0}
    shared, padded = ran(init("v.0"), phase, threads=TWO), ran(init("v.0"), {**phase, "padded": True}, threads=TWO)
    assert shared.elapsed_ns > 3 * padded.elapsed_ns
    first_lines_ns = 2 * zero_load_ps(PLAIN, 1, 0) / 1000
    assert padded.elapsed_ns == pytest.approx(200 * 5.0, abs=first_lines_ns)  # all but the first are in the writer's own cache
    read = ran(init("v.0"), {**phase, "read_fraction": 1.0}, threads=TWO)
    assert read.elapsed_ns == pytest.approx(padded.elapsed_ns, abs=first_lines_ns)  # readers take no copy away


def test_a_split_lock_holds_up_everybody() -> None:
    other = {**READ, "threads": ["w"]}
    alone = ran(init("w.0"), other, threads=TWO).elapsed_ns
    locks = {"pattern": "split-lock", "array": "b", "locks": 40, "compute_ns": 500.0, "threads": ["v"], "barrier": False}
    times = {thread.name: thread for thread in ran(init("w.0"), other, locks, threads=TWO).threads}
    assert times["v.0"].lines == 80
    assert times["w.0"].time_ns - alone > 40 * zero_load_ps(PLAIN, 0, 0) / 1000  # a lock takes two lines from memory
    writes = {"pattern": "sequential", "array": "b", "lines": 80, "read_fraction": 0.0, "threads": ["v"], "barrier": False}
    unlocked = {thread.name: thread.time_ns for thread in ran(init("w.0"), other, writes, threads=TWO).threads}
    assert unlocked["w.0"] < 1.05 * alone


def test_equal_seeds_give_equal_results_and_others_do_not() -> None:
    phases = init("w.0"), {**READ, "lines": 200}
    first, again, other = (ran(*phases, machine=QUARTET, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.elapsed_ns != other.elapsed_ns


def test_a_shared_line_that_is_first_touched_after_pages_have_moved() -> None:
    move = {"pattern": "migrate", "arrays": ["a"], "to_nodes": "1", "threads": ["v"]}
    result = ran(init("v.0", arrays="a"), move, {"pattern": "shared-line", "array": "b", "lines": 5}, threads=TWO)
    assert result.verdict == "finished"
    assert result.phases[1].lines == 10
