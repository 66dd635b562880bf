"""Threads that read some of their lines and write the others."""

from __future__ import annotations

from fractions import Fraction

from simulator.errors import InputError
from simulator.workload.thread import Access

FINEST_SHARE = 100  # largest denominator: a pattern of so many lines at most
_TOLERANCE = 1e-6  # so that a share printed with six digits is understood again


def mixed_accesses(memory: int, read_fraction: float) -> tuple[Access, ...]:
    """Return the shortest pattern of lines in one memory of which this share is read; the writes are spread evenly.

    The pattern repeats, so the share is exact over each of its periods, and no random number is drawn for it: line i of a
    pattern of q lines with w writes is a write if floor((i + 1) w / q) > floor(i w / q).

    Parameters
    ----------
    memory : int
        Node whose memory holds the lines.
    read_fraction : float
        Lines read of all lines, 0 to 1; a fraction with a denominator of at most `FINEST_SHARE`.

    Returns
    -------
    tuple of Access, shape (denominator of the share,)

    Raises
    ------
    InputError
        The share is out of range, or finer than the pattern can be.
    """
    share = exact_share(read_fraction)
    length, writes = share.denominator, share.denominator - share.numerator
    written = [(line + 1) * writes // length > line * writes // length for line in range(length)]
    return tuple(Access("w" if write else "r", memory) for write in written)


def exact_share(read_fraction: float) -> Fraction:
    """Return the share as a fraction with a denominator of at most `FINEST_SHARE`.

    Raises
    ------
    InputError
        There is none within 1e-6 of it, or it is not between 0 and 1.
    """
    allowed = "0 to 1, in hundredths or as a fraction such as 2/3"
    if not 0 <= read_fraction <= 1:
        raise InputError("not a share of lines", field="read fraction", value=read_fraction, allowed=allowed)
    share = Fraction(read_fraction).limit_denominator(FINEST_SHARE)
    if abs(share - Fraction(read_fraction)) > _TOLERANCE:
        raise InputError("a share too fine for a pattern of lines", field="read fraction", value=read_fraction, allowed=allowed)
    return share
