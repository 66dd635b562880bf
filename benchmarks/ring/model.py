"""The ring, and how many visits it must give: what all simulators are asked to do.

All customers start at station 0. Its queue is never empty again, so it lets one customer go in each unit of time, and station k
has its first k units later: after ``trips + 7.5`` units station k has completed ``trips + 7 - k`` visits. With times that do not
scatter every simulator must count exactly that.
"""

from __future__ import annotations

STATIONS = 8
CUSTOMERS = 16


def duration(trips: int) -> float:
    """Return how long to run, in units of service time, until so many customers have been round."""
    return trips + STATIONS - 0.5


def expected_visits(trips: int) -> int:
    """Return the visits completed by then, over all stations."""
    return sum(trips + STATIONS - 1 - station for station in range(STATIONS))
