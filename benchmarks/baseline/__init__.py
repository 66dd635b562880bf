"""FROZEN: the baseline engine, a Plan run the way a simpy user writes it straight away.

Changes here would move the ruler that `make bench` measures with: do not make it faster, do not make it slower. Only what a new
form of the Plan forces may change, and then the ratios before and after belong into docs/decisions/.

Every port of the Plan is what the Plan says it is: a queue for each virtual channel (a `simpy.Resource` for its head) and one
server (a `simpy.Resource`); every pool is a `simpy.Container`; every packet and every window slot is a simpy process. The queue
heads are there because loads must agree with the reference engine: without them a probe response overtakes a line of data that
waits for a data buffer, and 8 threads run about 1.4 % too fast. Likewise servers go round the virtual channels: first come, first
served makes 8 threads up to 4 % too fast.
"""

from benchmarks.baseline.engine import BaselineEngine, Counters

__all__ = ["BaselineEngine", "Counters"]
