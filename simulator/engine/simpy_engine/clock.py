"""The only door between the engine and simpy's event queue.

simpy orders events at one instant by a priority and then by the order of scheduling. Here the priority is the whole canonical
key of engine/order.py, unique among pending events, so that the order of scheduling never decides. simpy's own `succeed()`,
`timeout()` and `run(until=...)` bring priorities of their own and are not used.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

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

    __slots__ = ("_calls", "_ok", "_value", "callbacks", "key", "owner")

    def __init__(self, key: int, owner: Any, call: Callable[[Any], None]) -> None:
        self.key, self.owner = key, owner
        self._calls: Calls = [call]
        self.callbacks: Calls | None = self._calls
        self._ok, self._value = True, None

    def rearm(self) -> None:
        """Make ready to happen again; simpy takes the calls away when it processes an event."""
        self.callbacks = self._calls


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


class Clock:
    """Integer picoseconds on a simpy environment.

    Attributes
    ----------
    now_ps : int
        Time of the event being processed.
    """

    def __init__(self) -> None:
        self._environment = simpy.Environment(initial_time=0)
        self._schedule = self._environment.schedule
        # simpy has no public way to see the key of the next event, only its time
        self._queue: list[tuple[int, int, int, Any]] = self._environment._queue  # type: ignore[assignment]
        self.now_ps = 0
        self._last_key = -1

    def schedule(self, event: StationEvent, at_ps: int) -> None:
        """Let a station's event happen at `at_ps`, now or later."""
        event.rearm()
        self._schedule(event, event.key, at_ps - self.now_ps)  # type: ignore[arg-type]

    def wake(self, event: WakeEvent, at_ps: int) -> None:
        """Let the process that yielded this event go on at `at_ps`, now or later."""
        self._schedule(event, event.key, at_ps - self.now_ps)  # type: ignore[arg-type]

    def start(self, process: Generator[Any, Any, Any]) -> None:
        """Start a simpy process and run it to its first yield, before anything else happens."""
        self._environment.process(process)
        self._environment.step()

    def step(self) -> None:
        """Process the next event.

        Raises
        ------
        IndexError
            No event is left.
        AssertionError
            Two pending events share time and key: their order would be an accident.
        """
        at_ps, key, _, _ = self._queue[0]
        assert key != self._last_key or at_ps != self.now_ps, f"two events at {at_ps} ps with key {key:#x}"
        self.now_ps, self._last_key = at_ps, key
        self._environment.step()
