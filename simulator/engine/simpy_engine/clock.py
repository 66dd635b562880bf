"""The only door between the engine and simpy's event queue.

simpy orders events at one instant by a priority and then by the order of scheduling. Here the priority is the whole canonical
key of engine/order.py, unique among pending events, so that the order of scheduling never decides. simpy's own `succeed()`,
`timeout()` and `run(until=...)` bring priorities of their own and are not used.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from heapq import heappop, heappush
from typing import Any, Protocol

import simpy

Calls = list[Callable[[Any], None]]


class StationEvent:
    """A re-usable event of a station: one call, no allocation.

    Attributes
    ----------
    owner : object
        The station it belongs to, for the call.
    key : int
        Canonical key, see `engine.order.event_key`.
    """

    __slots__ = ("_ok", "_value", "callbacks", "calls", "key", "owner")

    def __init__(self, key: int, owner: Any, call: Callable[[Any], None]) -> None:
        self.key, self.owner = key, owner
        self.calls: Calls = [call]
        self.callbacks: Calls | None = self.calls
        self._ok, self._value = True, None


class WakeEvent:
    """A re-usable event that a simpy process yields on."""

    __slots__ = ("_ok", "_value", "callbacks", "key")

    def __init__(self, key: int) -> None:
        self.key = key
        self.callbacks: Calls | None = []
        self._ok, self._value = True, None

    def rearm(self) -> WakeEvent:
        """Make ready to be yielded on again."""
        self.callbacks = []
        return self


class Progress(Protocol):
    """What a run waits for: `below_target` to be zero. `hungry` that is not None stops it as well."""

    below_target: int
    hungry: Any


class Clock:
    """Integer picoseconds on a simpy environment.

    Attributes
    ----------
    now_ps : int
        Time of the event being processed.
    """

    def __init__(self) -> None:
        self._environment = simpy.Environment(initial_time=0)
        # Entries as Environment.schedule() makes them: (time, priority, number, event). The key is the priority; it is unique, so
        # the number is never compared.
        self._queue: list[tuple[int, int, int, Any]] = self._environment._queue  # type: ignore[assignment]
        self.now_ps = 0
        self._last_key = -1

    def schedule(self, event: StationEvent, at_ps: int) -> None:
        """Let a station's event happen at `at_ps`, now or later."""
        assert at_ps >= self.now_ps, "time runs forwards"
        event.callbacks = event.calls  # simpy takes them away when it processes an event
        heappush(self._queue, (at_ps, event.key, 0, event))

    def wake(self, event: WakeEvent, at_ps: int) -> None:
        """Let the process that yielded this event go on at `at_ps`, now or later."""
        assert at_ps >= self.now_ps, "time runs forwards"
        heappush(self._queue, (at_ps, event.key, 0, event))

    def start(self, process: Generator[Any, Any, Any]) -> None:
        """Start a simpy process and run it to its first yield, before anything else happens."""
        self._environment.process(process)
        self._environment.step()

    def run(self, progress: Progress, event_budget: int) -> int:
        """Process events until `progress.below_target` is zero, a thread is hungry, the budget is used up or none is left.

        Each is processed as `Environment.step()` does, in one loop because that step is most of what a lean event costs.

        Returns
        -------
        int
            Events processed.

        Raises
        ------
        AssertionError
            Two pending events share time and key: their order would be an accident.
        Exception
            Whatever a thread's process has failed with.
        """
        queue, environment = self._queue, self._environment
        left = event_budget
        while progress.below_target and left and queue and progress.hungry is None:
            at_ps, key, _, event = heappop(queue)
            assert key != self._last_key or at_ps != self.now_ps, f"two events at {at_ps} ps with key {key:#x}"
            self.now_ps = environment._now = at_ps
            self._last_key = key
            calls, event.callbacks = event.callbacks, None
            for call in calls:
                call(event)
            if not event._ok:  # a thread's process has failed; Environment.step() raises it in the same way
                raise event._value
            left -= 1
        return event_budget - left

    @property
    def next_ps(self) -> int | None:
        """Time of the next event; None if none is pending."""
        return self._queue[0][0] if self._queue else None

    def forget_last_key(self) -> None:
        """Let the event that was processed last happen again at the same instant."""
        self._last_key = -1

    def has_events(self) -> bool:
        """Return whether any event is pending."""
        return bool(self._queue)
