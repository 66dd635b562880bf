"""What one run saw between its warm-up and its end."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.engine.build import EngineName, build_engine
from simulator.engine.interface import Snapshot, Stop
from simulator.engine.plan import Part, Plan

NO_LIMIT = 1 << 40


@dataclass(frozen=True)
class Window:
    """Two looks at one run."""

    plan: Plan
    first: Snapshot
    last: Snapshot

    @property
    def span_ps(self) -> int:
        """Time between the looks."""
        return self.last.time_ps - self.first.time_ps

    def lines(self, thread: int = 0) -> int:
        """Lines that a thread completed."""
        return self.last.thread_lines[thread] - self.first.thread_lines[thread]

    def per_us(self, thread: int = 0) -> float:
        """Lines that a thread completed in a microsecond."""
        return self.lines(thread) / self.span_ps * 1e6

    def response_ns(self, thread: int = 0) -> float:
        """Mean latency of a thread's lines."""
        return (self.last.thread_latency_ps[thread] - self.first.thread_latency_ps[thread]) / self.lines(thread) / 1000

    def part_ns(self, part: Part, path: int = 0) -> float:
        """Mean time of a path's lines spent on a part."""
        spent_ps = self.last.path_parts_ps[path][part] - self.first.path_parts_ps[path][part]
        return spent_ps / (self.last.path_lines[path] - self.first.path_lines[path]) / 1000

    def busy(self, port: int) -> float:
        """Share of the time that a server was busy."""
        return (self.last.port_busy_ps[port] - self.first.port_busy_ps[port]) / self.span_ps

    def served(self, port: int) -> int:
        """Packets that a server began to serve."""
        return sum(self.last.port_sent[port]) - sum(self.first.port_sent[port])

    def service_ns(self, port: int) -> float:
        """Busy time a packet."""
        return (self.last.port_busy_ps[port] - self.first.port_busy_ps[port]) / self.served(port) / 1000

    def waiting(self, port: int) -> float:
        """Mean number of packets that waited for a server or a buffer behind it."""
        return (self.last.port_waiting_ps[port] - self.first.port_waiting_ps[port]) / self.span_ps

    def wait_ns(self, port: int) -> float:
        """Mean time that a packet waited."""
        return (self.last.port_waiting_ps[port] - self.first.port_waiting_ps[port]) / self.served(port) / 1000

    def held(self, pool: int) -> float:
        """Mean number of buffers in use."""
        return (self.last.pool_held_ps[pool] - self.first.pool_held_ps[pool]) / self.span_ps


def observe(plan: Plan, engine: EngineName, warmup: int, lines: int) -> Window:
    """Run until the first thread has done its warm-up, and then for a number of its lines."""
    running = build_engine(plan, engine)
    looks = []
    for target in (warmup, warmup + lines):
        stop = running.advance([target] + [0] * (len(plan.threads.label) - 1), NO_LIMIT)
        assert stop is Stop.REACHED, stop.value
        looks.append(running.snapshot())
    return Window(plan, *looks)
