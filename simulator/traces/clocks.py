"""From a thread's clock, or its count of instructions, to what passed since its access before."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


class ThreadClocks:
    """Remembers where each thread's clock stood.

    Parameters
    ----------
    common_start : bool
        True: clocks show one time, whose zero is that of the first access seen; a thread that starts earlier starts at zero.
        False: each thread counts from 0.
    """

    def __init__(self, *, common_start: bool) -> None:
        self._common_start = common_start
        self._start: int | None = None
        self._last: dict[int, int] = {}

    def since_before(self, thread: npt.NDArray[np.int32], clock: Integers) -> tuple[Integers, int | None]:
        """Return what passed before each access, and the first access whose clock went back, if there is one.

        Parameters
        ----------
        thread, clock : ndarray, shape (n,)
            n at least 1; of all accesses, in their order.
        """
        if self._start is None:
            self._start = int(clock[0]) if self._common_start else 0
        order = np.argsort(thread, kind="stable")
        sorted_thread, sorted_clock = thread[order], clock[order]
        firsts = np.flatnonzero(np.diff(sorted_thread, prepend=sorted_thread[0] - 1))
        previous = np.empty_like(sorted_clock)
        previous[1:] = sorted_clock[:-1]
        for first in firsts:
            number, now = int(sorted_thread[first]), int(sorted_clock[first])
            previous[first] = self._last.get(number, min(self._start, now))
        lasts = np.append(firsts[1:], len(order)) - 1
        self._last.update(zip(sorted_thread[lasts].tolist(), sorted_clock[lasts].tolist(), strict=True))
        before = np.empty_like(clock)
        before[order] = sorted_clock - previous
        back = np.flatnonzero(before < 0)
        return before, int(back[0]) if len(back) else None
