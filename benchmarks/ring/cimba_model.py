"""The ring in cimba, whose models are classes; importing this needs cimba.

It needs a process of its own, too: with the compiled engine loaded beside it, numba does not find cimba's lists.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from benchmarks.ring.model import CUSTOMERS, STATIONS, duration

cb: Any = import_module("cimba")


class Station(cb.Model):  # type: ignore[misc]
    """One server."""

    server: cb.Resource


class Ring(cb.Model):  # type: ignore[misc]
    """Customers that go round for ever."""

    stations: list[Station]
    visits: cb.Output[int]

    @cb.process(copies=CUSTOMERS)  # type: ignore[untyped-decorator]
    def customer(self) -> None:
        """Visit station after station."""
        while True:
            for number in range(STATIONS):
                station = self.stations[number]
                station.server.acquire()
                cb.hold(1.0)
                station.server.release()
                self.visits += 1


def run(trips: int) -> int:
    """Run the ring and return the visits."""
    model = Ring()
    model.stations = [Station() for _ in range(STATIONS)]
    experiment = cb.Experiment(model, replications=1, window=cb.Window(warmup=0.0, duration=duration(trips)), seed=1)
    return int(experiment.run()[model].visits.values.item())
