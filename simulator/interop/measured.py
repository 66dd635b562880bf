"""Measured numbers of pairs of nodes and of sets of threads, and how they are written as CSV; `measured_csv` reads it.

The header names the columns:

``experiment,from_node,to_node,threads,read_fraction,quantity,value,unit,ci_percent``
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from simulator.tables import csv_text


class Quantity(StrEnum):
    """What a value is."""

    LATENCY = "latency"  # one dependent read at a time, on an idle machine
    BANDWIDTH = "bandwidth"  # payload of all the threads together
    TIME_PER_LINE = "time_per_line"  # of one thread; of the first, where `threads` names several
    TOTAL_TIME = "total_time"  # times a line of all the threads, summed
    RELATIVE_LATENCY = "relative_latency"  # one dependent read at a time, 1 for the quickest pair


UNITS = {
    Quantity.LATENCY: ("ns",),
    Quantity.BANDWIDTH: ("GB/s", "MB/s"),
    Quantity.TIME_PER_LINE: ("ns",),
    Quantity.TOTAL_TIME: ("ns",),
    Quantity.RELATIVE_LATENCY: ("",),
}
SMALLEST, LARGEST = 1e-6, 1e12  # beyond these, in any of the units, no memory was measured


@dataclass(frozen=True)
class Measurement:
    """One measured number, and what it was measured on.

    Parameters
    ----------
    experiment : str
        Groups rows, such as ``idle_latency``; any word.
    quantity : Quantity
    value : float
        In `unit`; `SMALLEST` to `LARGEST`.
    unit : str
        ns for times, GB/s (1e9 bytes a second) or MB/s (1e6) for bandwidths, empty for relative latencies.
    from_node, to_node : int, optional
        The node whose cores ask, and the node whose memory answers.
    threads : str
        Empty, a number of threads on `from_node`, or labels such as ``0.0.w.1 1.0.w.0``.
    read_fraction : float, optional
        Share of reads among the lines asked for, 0 to 1.
    ci_percent : float, optional
        Half-width of the 95 % confidence interval, percent of `value`.
    """

    experiment: str
    quantity: Quantity
    value: float
    unit: str
    from_node: int | None = None
    to_node: int | None = None
    threads: str = ""
    read_fraction: float | None = None
    ci_percent: float | None = None


COLUMNS = ("experiment", "from_node", "to_node", "threads", "read_fraction", "quantity", "value", "unit", "ci_percent")


def measurements_csv(rows: Iterable[Measurement]) -> str:
    """Return the rows as CSV text with a header."""
    return csv_text(COLUMNS, ([getattr(row, column) for column in COLUMNS] for row in rows))
