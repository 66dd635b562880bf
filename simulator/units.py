"""Units: integer picoseconds and bytes inside, nanoseconds and GB/s outside.

1 tick = 1 ps, as in gem5. 1 GB/s = 1e9 B/s = 1 byte per nanosecond.
"""

from __future__ import annotations

PS_PER_NS = 1000
LINE_BYTES = 64  # one cache line of every machine modelled here


def ps_from_ns(time_ns: float) -> int:
    """Round a time in ns to ticks (ps), halves to even."""
    return round(time_ns * PS_PER_NS)


def ns_from_ps(time_ps: float) -> float:
    """Turn ticks (ps) into ns."""
    return time_ps / PS_PER_NS


def gb_per_s(size_bytes: float, time_ps: float) -> float:
    """Turn bytes over a time in ps into GB/s (1e9 bytes a second)."""
    return size_bytes * PS_PER_NS / time_ps


def serialisation_ps(size_bytes: int, rate_gb_per_s: float) -> int:
    """Time in ps that `size_bytes` occupy a path of `rate_gb_per_s`, rounded once."""
    return round(size_bytes * PS_PER_NS / rate_gb_per_s)
