"""What every engine offers, so that the rule that stops a run is written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
import numpy.typing as npt

from simulator.engine.deadlock import WaitState

Rows = npt.NDArray[np.int64]
LATENCY_BIN_PS = 256
LATENCY_BINS = 1 << 16
PATH_BINS = 1 << 13  # of each path; its last one takes all latencies of 2.1 us and more


class EngineError(RuntimeError):
    """An engine found that it is wrong itself: no input may lead here."""


class Stop(Enum):
    """Why `advance` returned."""

    REACHED = "every thread reached its target"
    EXHAUSTED = "no event is left"
    BUDGET = "the budget of events is used up"
    HUNGRY = "a supplied thread is due to issue a line that it does not have yet"


@dataclass(frozen=True)
class Snapshot:
    """Counters of a run since its start, at one instant.

    Attributes
    ----------
    time_ps, events : int
    thread_lines, thread_last_ps : tuple of int
        By thread: lines completed, and when the last of them was.
    thread_latency_ps : tuple of int
        By thread: sum of the latencies of its lines.
    path_lines : tuple of int
        By path (see :class:`simulator.engine.plan.Paths`): lines completed.
    path_parts_ps : tuple of tuple of int, shape (paths, parts)
        By path and :class:`simulator.engine.plan.Part`: time of its completed lines. All but the core time add up to their
        latencies, to the last integer.
    port_busy_ps, port_waiting_ps : tuple of int
        By port: time its server was busy; time integral of the packets waiting for it.
    port_sent : tuple of tuple of int
        By port and packet kind: packets sent.
    port_nops, port_crcs : tuple of int
    pool_held_ps : tuple of int
        By pool: time integral of the buffers in use.
    """

    time_ps: int
    events: int
    thread_lines: tuple[int, ...]
    thread_last_ps: tuple[int, ...]
    thread_latency_ps: tuple[int, ...]
    path_lines: tuple[int, ...]
    path_parts_ps: tuple[tuple[int, ...], ...]
    port_busy_ps: tuple[int, ...]
    port_waiting_ps: tuple[int, ...]
    port_sent: tuple[tuple[int, ...], ...]
    port_nops: tuple[int, ...]
    port_crcs: tuple[int, ...]
    pool_held_ps: tuple[int, ...]


class Engine(Protocol):
    """Advances a plan through time.

    Attributes
    ----------
    name : str
        As provenance gives it.
    """

    name: str

    def advance(self, target_lines: Sequence[int], event_budget: int) -> Stop:
        """Run until every thread has completed its target of lines since the start (or the end of its program).

        The target of a thread that does not count is 0.
        """

    def snapshot(self) -> Snapshot:
        """Return the counters as they stand."""

    def start_latency_record(self) -> None:
        """Begin to count latencies of foreground lines."""

    def latency_histogram(self) -> Sequence[int]:
        """Return foreground lines by latency, in bins of `LATENCY_BIN_PS`; the last bin takes all that is longer."""

    def path_histogram(self, path: int) -> Sequence[int]:
        """Return the lines of a path by latency since `start_latency_record`, in `PATH_BINS` bins of `LATENCY_BIN_PS`."""

    def room(self, thread: int) -> int:
        """Return how many lines may be handed to a supplied thread now: places whose lines are complete."""

    def supply(self, thread: int, rows: Rows, *, last: bool) -> None:
        """Hand lines to a supplied thread.

        Where the lines are cut into portions changes nothing: the engine stops (`Stop.HUNGRY`) at the very event that wants a
        line which is not there, and goes on with that event.

        Parameters
        ----------
        thread : int
        rows : ndarray of int64, shape (lines, 8)
            Columns of :class:`simulator.engine.plan.Program` in their order. At most `room(thread)`.
        last : bool
            No more will follow.
        """

    def hungry(self) -> int | None:
        """Return the supplied thread that `advance` stopped for; None: it stopped for another reason."""

    def wait_state(self) -> WaitState:
        """Return who waits for what, for the deadlock check."""
