"""Nothing is lost between the caches, the pages and the controllers, whatever the engine."""

from __future__ import annotations

import pytest

from simulator.replay import ReplayResult
from tests.replay.programs import LINES, ONE, PLAIN, QUARTET, init, moved_lines, ran

TRIAD = {"pattern": "triad", "reads": ["b", "c"], "writes": "a", "repeat": 2}
WINDOWS = 8 * 8  # more than evictions of eight threads that can be under way when the last line is complete


def _caches(result: ReplayResult, count: str) -> int:
    return sum(getattr(thread.caches, count) for thread in result.threads)


def test_every_fill_of_the_caches_is_a_line_and_every_victim_is_written() -> None:
    size = 4 << 20  # a thread's parts of three arrays, 6 MiB, are more than its caches hold
    threads = [{"name": "v", "node": 0, "core": 0}, {"name": "w", "node": 2, "core": 1}]
    result = ran(init("w.0"), {**TRIAD, "repeat": 1}, machine=QUARTET, size=size, threads=threads)
    assert result.verdict == "finished"
    assert _caches(result, "fills") == sum(thread.lines for thread in result.threads) == 3 * size // 64
    read = sum(moved_lines(result, node) for node in range(4))
    written = sum(moved_lines(result, node, "write_gb_per_s") for node in range(4))
    assert read == pytest.approx(_caches(result, "fills"))
    assert 0 < _caches(result, "victims") - WINDOWS < written < _caches(result, "victims") + 0.5


def test_what_hits_causes_no_line() -> None:
    result = ran(init("w.0"), {"pattern": "sequential", "array": "a", "repeat": 5}, machine=QUARTET, threads=ONE)
    assert _caches(result, "accesses") == 5 * LINES
    assert _caches(result, "fills") == result.threads[0].lines == LINES  # 64 KiB stay in the L1
    whole = ran(init("w.0"), {"pattern": "sequential", "array": "a", "repeat": 5}, machine=QUARTET, threads=ONE, caches=False)
    assert (whole.threads[0].lines, whole.threads[0].caches) == (5 * LINES, None)


def test_without_caches_a_written_line_is_fetched_and_written_back() -> None:
    result = ran(init("w.0"), {"pattern": "sequential", "array": "a", "read_fraction": 0.75}, threads=ONE)
    assert moved_lines(result, 0) == pytest.approx(LINES)
    assert LINES / 4 - WINDOWS < moved_lines(result, 0, "write_gb_per_s") < LINES / 4 + 0.5


def test_lines_come_from_where_the_pages_are() -> None:
    arrays = [{"name": "a", "size_kib": 64.0, "policy": "--interleave=1,3"}]
    result = ran(init("w.0", arrays="a"), {"pattern": "sequential", "array": "a"}, threads=ONE, arrays=arrays)
    assert result.pages == {0: 0, 1: 8, 2: 0, 3: 8}
    assert result.threads[0].lines_by_node == {1: LINES // 2, 3: LINES // 2}
    assert result.threads[0].local_percent == result.local_percent == 0
    assert [moved_lines(result, node) for node in range(4)] == pytest.approx([0, LINES / 2, 0, LINES / 2])


def test_a_node_serves_its_own_threads_where_each_touches_its_part() -> None:
    result = ran(init(), {"pattern": "sequential", "array": "a"})
    assert result.pages == {0: 12, 1: 12, 2: 12, 3: 12}
    assert [thread.local_percent for thread in result.threads] == [100] * 8


MIXED = (
    init("w.0"),
    {"pattern": "random", "array": "a", "lines": 60, "read_fraction": 0.5},
    {**TRIAD, "compute_ns": 3.0, "repeat": 1},
    {"pattern": "pointer-chase", "array": "b", "lines": 20, "threads": ["w.1", "w.6"]},
    {"pattern": "shared-line", "array": "c", "lines": 15, "compute_ns": 10.0},
    {"pattern": "migrate", "arrays": ["a"], "to_nodes": "3"},
    {"pattern": "split-lock", "array": "c", "locks": 3},
    {"pattern": "sequential", "array": "a", "barrier": False, "gb_per_s": 0.5},
)


@pytest.mark.parametrize("machine", [PLAIN, QUARTET], ids=["no caches", "caches"])
def test_both_engines_give_the_same_result(machine: object) -> None:
    simpy, compiled = (ran(*MIXED, machine=machine, engine=engine, size=8192) for engine in ("simpy", "compiled"))  # type: ignore[arg-type]
    assert (simpy.provenance.engine, compiled.provenance.engine) == ("simpy", "compiled")
    assert simpy.model_copy(update={"provenance": None}) == compiled.model_copy(update={"provenance": None})


def test_where_lines_are_cut_into_portions_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = ran(*MIXED, machine=QUARTET, size=8192)
    monkeypatch.setattr("simulator.program.patterns.CHUNK_LINES", 7)
    assert ran(*MIXED, machine=QUARTET, size=8192) == usual
