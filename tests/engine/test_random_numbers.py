"""Counter-based random numbers and the distributions made of them."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.random_numbers import TABLE_SIZE, constant, exponential, random_bits, stream_start, uniform

# First outputs of SplitMix64 started at 1234567, as the reference code of its authors prints them.
SPLITMIX = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)


def test_the_numbers_are_splitmix64() -> None:
    assert tuple(random_bits(1234567, number) for number in range(1, 6)) == SPLITMIX


def test_a_number_depends_on_stream_and_place_alone() -> None:
    numbers = {(stream, number): random_bits(stream, number) for number in (3, 1, 2) for stream in (9, 7)}
    assert numbers == {(stream, number): random_bits(stream, number) for stream in (7, 9) for number in (1, 2, 3)}
    assert len(set(numbers.values())) == len(numbers)


def test_streams_are_named() -> None:
    starts = [stream_start(seed, name) for seed in (1, 2) for name in ("thread 0.0.r.0 #0", "thread 0.0.r.0 #1", "port DRAM")]
    assert len(set(starts)) == len(starts)
    assert all(0 <= start < 1 << 64 for start in starts)
    assert stream_start(1, "thread 0.0.r.0 #0") == starts[0]


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_even_spread(mean_ps: int, half_width_ps: int) -> None:
    values = uniform(mean_ps, half_width_ps)
    half = min(half_width_ps, mean_ps)
    assert len(values) & (len(values) - 1) == 0  # a power of two, so that bits choose
    assert sum(values) == mean_ps * len(values)
    assert mean_ps - half <= min(values) <= max(values) <= mean_ps + half
    assert list(values) == sorted(values)


def test_even_spread_has_the_variance_of_a_uniform_distribution() -> None:
    values = uniform(100_000, 30_000)
    assert statistics.pvariance(values) == pytest.approx(30_000**2 / 3, rel=1e-4)


def test_no_spread() -> None:
    assert uniform(81_000, 0) == constant(81_000) == (81_000,)
    assert uniform(0, 4_000) == (0,)


@pytest.mark.parametrize("mean_ps", [1_000, 12_000, 1_000_000])
def test_exponential(mean_ps: int) -> None:
    values = exponential(mean_ps)
    assert len(values) == TABLE_SIZE
    assert list(values) == sorted(values)
    assert statistics.fmean(values) == pytest.approx(mean_ps, rel=1e-4)
    assert 0.997 < statistics.pvariance(values) / mean_ps**2 < 1.001
    below = sum(value < mean_ps for value in values) / TABLE_SIZE
    assert below == pytest.approx(1 - math.exp(-1), abs=2 / TABLE_SIZE)


def test_bits_that_choose_from_a_table_are_even() -> None:
    """Chi-square over 16 bins of 16,000 draws of one stream; 37.7 is exceeded once in 1,000 streams."""
    stream = stream_start(1, "thread 0.0.w.1 #0")
    bins = [0] * 16
    for number in range(16_000):
        bins[random_bits(stream, number) & 15] += 1
    assert sum((count - 1000) ** 2 / 1000 for count in bins) < 37.7
