"""Counter-based random numbers: the n-th number of a stream is a function of (stream, n) alone.

So no event order, engine or thread list changes what any component draws. The mixing function is the output step of SplitMix64
(G. Steele, D. Lea, C. Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
"""

from __future__ import annotations

import hashlib
import math

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
TABLE_SIZE = 1024


def stream_start(seed: int, name: str) -> int:
    """Return the start of a component's stream.

    Parameters
    ----------
    seed : int
    name : str
        Of the component, with its ordinal where several share a name.

    Returns
    -------
    int
        64 bits, the same on every platform (BLAKE2b).
    """
    digest = hashlib.blake2b(f"{seed}:{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def random_bits(stream: int, number: int) -> int:
    """Return 64 random bits.

    Parameters
    ----------
    stream : int
        From `stream_start`.
    number : int
        Which number of the stream, from 0.
    """
    z = (stream + number * _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def constant(time_ps: int) -> tuple[int, ...]:
    """Return the distribution that is always `time_ps`."""
    return (time_ps,)


def uniform(mean_ps: int, half_width_ps: int) -> tuple[int, ...]:
    """Return equally likely values, evenly spread over mean +- half width; their mean is `mean_ps` exactly.

    Parameters
    ----------
    mean_ps, half_width_ps : int
        Picoseconds. The half width is cut to the mean, so that no value is negative.

    Returns
    -------
    tuple of int, shape (TABLE_SIZE,) or (1,)
        Picoseconds.
    """
    half_width = min(half_width_ps, mean_ps)
    if half_width == 0:
        return constant(mean_ps)
    steps = TABLE_SIZE // 2
    above = [round(half_width * (2 * step + 1) / (2 * steps)) for step in range(steps)]
    return tuple(mean_ps - offset for offset in reversed(above)) + tuple(mean_ps + offset for offset in above)


def exponential(mean_ps: int) -> tuple[int, ...]:
    """Return an exponential distribution as the conditional means of equally likely slices.

    Parameters
    ----------
    mean_ps : int
        Picoseconds.

    Returns
    -------
    tuple of int, shape (TABLE_SIZE,)
        Picoseconds. The mean is kept up to rounding; the variance falls short of mean**2 by about 0.1 %.
    """

    def partial_mean(probability: float) -> float:  # integral of the quantile function from 0 to probability
        rest = 1.0 - probability
        return probability + (rest * math.log(rest) if rest > 0.0 else 0.0)

    edges = [partial_mean(edge / TABLE_SIZE) for edge in range(TABLE_SIZE + 1)]
    return tuple(round(mean_ps * TABLE_SIZE * (high - low)) for low, high in zip(edges, edges[1:], strict=False))
