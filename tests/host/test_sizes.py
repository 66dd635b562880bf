"""Arrays lie beyond the caches and within the memory."""

from __future__ import annotations

import pytest

from simulator.errors import InputError
from simulator.host.sizes import CHUNKS_PER_ARRAY, choose_sizes
from tests.host.hosts import GIB, host

MIB = 1 << 20


def test_amd_s_64_mb_where_caches_are_small() -> None:
    sizes = choose_sizes(host((0, 1), cache=2 * MIB))
    assert (sizes.array * 64, sizes.chase * 64, sizes.area * 64) == (64 * MIB, 128 * MIB, 128 * MIB)
    assert sizes.notes == ()


def test_four_times_a_large_cache() -> None:
    sizes = choose_sizes(host((0, 1), (2, 3), cache=48 * MIB))
    assert sizes.array * 64 == 192 * MIB
    assert sizes.share == {0: 96 * MIB // 64, 1: 96 * MIB // 64}  # all threads of a node together: four times the cache


def test_an_unknown_cache_is_taken_as_64_mb() -> None:
    assert choose_sizes(host((0,), cache=None)).array * 64 == 256 * MIB


@pytest.mark.parametrize("free", [8 * GIB, 400 * MIB, 90 * MIB])
@pytest.mark.parametrize("cpus", [1, 2, 7, 16])
def test_everything_fits(free: int, cpus: int) -> None:
    machine = host(tuple(range(cpus)), tuple(range(20, 20 + cpus)), free=(free, 8 * GIB), cache=32 * MIB)
    try:
        sizes = choose_sizes(machine)
    except InputError:
        assert free < 400 * MIB
        return
    assert sizes.area * 64 <= free // 4
    assert max(2 * sizes.array, sizes.chase, *(lines * cpus for lines in sizes.share.values())) <= sizes.area
    for lines in (sizes.array, *sizes.share.values()):
        assert lines % CHUNKS_PER_ARRAY == 0


def test_short_memory_is_said() -> None:
    sizes = choose_sizes(host((0, 1), cache=32 * MIB, left=400 * MIB))
    assert sizes.area * 64 <= 200 * MIB
    assert not sizes.notes
    (note,) = choose_sizes(host((0, 1), cache=32 * MIB, left=200 * MIB)).notes
    assert "less than twice the last-level cache" in note


def test_too_little_memory() -> None:
    with pytest.raises(InputError, match="too little memory"):
        choose_sizes(host((0, 1), free=(4 * MIB,)))
