"""Units: integer picoseconds and bytes inside, nanoseconds and GB/s outside.

1 tick = 1 ps, as in gem5. 1 GB/s = 1e9 B/s = 1 byte per nanosecond.
"""

from __future__ import annotations

PS_PER_NS = 1000
LINE_BYTES = 64  # one cache line of every machine modelled here


def ps_from_ns(time_ns: float) -> int:
    """Round a time to ticks.

    Parameters
    ----------
    time_ns : float
        Nanoseconds.

    Returns
    -------
    int
        Picoseconds, halves to even.
    """
    return round(time_ns * PS_PER_NS)


def ns_from_ps(time_ps: float) -> float:
    """Turn ticks into nanoseconds.

    Parameters
    ----------
    time_ps : float
        Picoseconds.
    """
    return time_ps / PS_PER_NS


def gb_per_s(size_bytes: float, time_ps: float) -> float:
    """Turn bytes over a time into GB/s, 1e9 bytes a second.

    Parameters
    ----------
    size_bytes : float
    time_ps : float
        Picoseconds, above 0.
    """
    return size_bytes * PS_PER_NS / time_ps


def serialisation_ps(size_bytes: int, rate_gb_per_s: float) -> int:
    """Return how long bytes occupy a path, rounded once.

    Parameters
    ----------
    size_bytes : int
    rate_gb_per_s : float
        GB/s, above 0.

    Returns
    -------
    int
        Picoseconds.
    """
    return round(size_bytes * PS_PER_NS / rate_gb_per_s)
