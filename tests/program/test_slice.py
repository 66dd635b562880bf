"""A slice of a workload stands for all of it: lines from everywhere, caches warm, times that scale up."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import load_machine
from simulator.program import load_program, place
from simulator.program.orders import Strided
from simulator.program.scale import Scaled, scaled
from simulator.program.slice import PIECE_LINES, Sampled, sampled_numbers
from simulator.replay import run_program
from tests.program.workloads import QUARTET, placed

SWEEP = {"pattern": "sequential", "array": "a"}


def _lines(part: Scaled, thread: int, kind: str = "access") -> np.ndarray:
    found = [chunk.address for chunk in part.placed.chunks(thread) if chunk.kind == kind]
    return np.concatenate(found) if found else np.empty(0, np.uint64)


def test_pieces_come_from_every_stratum_and_once_only() -> None:
    whole, part = 100_000, 3_200
    numbers = sampled_numbers(np.arange(part), whole, part, key=7)
    assert len(np.unique(numbers)) == part
    assert (np.diff(numbers) > 0).all()
    counts = np.histogram(numbers, bins=20, range=(0, whole))[0]
    assert counts.min() > 0.7 * part / 20
    assert numbers.max() < whole
    assert (numbers[:PIECE_LINES] == numbers[0] + np.arange(PIECE_LINES)).all()


def test_what_warms_the_caches_is_not_run_and_falls_on_the_same_sets() -> None:
    whole, part = 262_144, 4_000
    run = sampled_numbers(np.arange(part), whole, part, key=3)
    warm = sampled_numbers(np.arange(8 * part), whole, 8 * part, key=3, odd=True)
    assert not set(run.tolist()) & set(warm.tolist())
    sets = 1024
    assert set((run % sets).tolist()) <= set((warm % sets).tolist())


def test_interleaved_pages_are_met_evenly() -> None:
    order = Sampled(Strided(0, 1 << 20, 64, 1 << 20), 1 << 20, 4096, key=1)
    page = order.addresses(0, 4096) // 4096
    assert np.bincount((page % 4).astype(int)) == pytest.approx([1024] * 4, rel=0.2)


def test_all_threads_do_the_same_share() -> None:
    part = scaled(
        placed(
            SWEEP | {"lines": 10_000}, {"pattern": "stride", "stride_bytes": 64, "array": "b", "lines": 40_000, "barrier": False}
        ),
        1000,
    )
    (weight,) = part.weights
    assert weight == pytest.approx(50)
    assert {len(_lines(part, thread)) for thread in range(8)} == {200 + 800}


def test_short_stretches_are_run_whole() -> None:
    whole = placed(SWEEP | {"lines": 1500})
    part = scaled(whole, 1000)
    assert part.weights == (1,)
    assert _lines(part, 3).tolist() == _lines(Scaled(whole, ()), 3).tolist()


def test_a_fixed_load_does_not_shorten_what_counts() -> None:
    threads = [{"name": "load", "node": 1, "core": 0}, {"name": "mine", "node": 0, "core": 0}]
    phases = (
        SWEEP | {"threads": ["mine"], "lines": 10_000},
        SWEEP | {"threads": ["load"], "lines": 80_000, "barrier": False},
    )
    part = scaled(placed(*phases, threads=threads), 1000, counts=lambda thread: thread.group == "mine")
    assert (len(_lines(part, 0)), len(_lines(part, 1))) == (8000, 1000)


def test_two_iterations_stand_for_all() -> None:
    phases = ({"pattern": "init", "arrays": ["a"]}, SWEEP | {"lines": 4000}, SWEEP | {"array": "b", "lines": 100})
    part = scaled(placed(*phases, iterations=10), 1000)
    assert part.weights == (4, 1, 4 * 9, 9)
    assert len(_lines(part, 0)) == 2 * (1000 + 100)


def test_iterations_without_a_barrier_are_one_stretch() -> None:
    part = scaled(placed(SWEEP | {"lines": 1000, "barrier": False}, iterations=10), 1000)
    assert part.weights == (10,)
    assert len(_lines(part, 0)) == 1000


def test_start_times_and_migrations_shrink_too() -> None:
    threads = [{"name": "w", "count": 1, "start_ns": 1000.0}]
    phases = (SWEEP | {"lines": 10_000}, {"pattern": "migrate", "arrays": ["a"], "to_nodes": "1"})
    whole = placed(*phases, threads=threads, size=1 << 20)
    part = scaled(whole, 1000)
    assert part.placed.threads[0].start_ns == pytest.approx(100)
    moved = len(_lines(Scaled(whole, ()), 0, "migrate"))
    assert len(_lines(part, 0, "migrate")) == pytest.approx(moved / part.weights[1], rel=0.2)
    assert len(_lines(part, 0, "migrate")) < 2500


def test_dirty_lines_are_driven_out_of_warm_caches() -> None:
    whole = placed(SWEEP | {"read_fraction": 0.0}, threads=[{"name": "w", "count": 1}], size=16 << 20)
    cold, warm = (run_program(QUARTET, scaled(whole, 1000, caches=caches).placed) for caches in (None, QUARTET.caches))
    assert cold.controllers["0"].write_gb_per_s == 0
    assert warm.controllers["0"].write_gb_per_s == pytest.approx(warm.controllers["0"].read_gb_per_s, rel=0.05)


def test_the_threads_of_a_node_warm_its_shared_cache_together() -> None:
    machine = load_machine("opteron-8385-4p")
    assert machine.caches is not None
    assert machine.caches.l3 is not None
    own, shared = (64 + 512) * 16, machine.caches.l3.size_kib * 16
    threads = [{"name": "w", "count": 3, "numactl": "-C 0,1,4"}]
    part = scaled(placed(SWEEP, threads=threads, machine=machine), 1000, caches=machine.caches).placed
    assert part.slice is not None
    assert part.slice.warm_lines == tuple(2 * (own + share) for share in (shared // 2, shared // 2, shared))


def test_what_fits_in_the_cache_stays_there() -> None:
    whole = placed(SWEEP | {"repeat": 100}, threads=[{"name": "w", "count": 1}], size=256 << 10)
    result = run_program(QUARTET, scaled(whole, 1000, caches=QUARTET.caches).placed)
    assert result.threads[0].lines < 50


def test_the_result_says_that_it_is_of_a_slice() -> None:
    part = scaled(placed(SWEEP | {"lines": 10_000}), 1000)
    assert run_program(QUARTET, part.placed).provenance.workload["slice"]["shares"] == {0: 0.1}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["advise_independent", "advise_too_large", "first_touch_serial", "interleaved"])
def test_the_time_of_a_slice_scales_up_to_that_of_the_whole(name: str) -> None:
    whole = place(load_program(f"experiments/workloads/{name}.toml"), QUARTET)
    part = scaled(whole, 2000, caches=QUARTET.caches)
    (weight,) = part.weights
    assert weight * run_program(QUARTET, part.placed).elapsed_ns == pytest.approx(
        run_program(QUARTET, whole).elapsed_ns, rel=0.05
    )
