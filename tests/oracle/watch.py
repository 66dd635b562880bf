"""Ways to look at a run of the reference engine: event by event, line by line, or until nothing is left to happen."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from simulator.engine.build import build_engine
from simulator.engine.interface import Engine, Snapshot, Stop
from simulator.engine.lower import lower
from simulator.engine.plan import Plan
from simulator.engine.simpy_engine import ObservedEngine, Observer, SimpyEngine
from simulator.engine.simpy_engine.parts import TransactionState
from simulator.machine.spec import Machine
from simulator.workload import Access, ThreadSpec, Workload

FOR_EVER = 1 << 60  # lines no test thread ever completes
REST_NS = 1e6  # core time after which nothing of a line is left under way

Log = list[tuple[float, str]]


def time_log(machine: Machine, threads: Sequence[ThreadSpec], until_ns: float, *places: str, since_ns: float = 0.0) -> Log:
    """Return what happens when, as counters show it after each single event.

    Parameters
    ----------
    places : str
        Ports to look at, by the start of their names; none: all of them.

    Returns
    -------
    list of (ns, text), sorted
        ``"link 0->1: RdBlk"`` when a port takes a packet in hand, ``NOP`` and ``CRC`` likewise, ``"0.0.r.1: line"`` when a line
        is complete.
    """
    plan = lower(machine, Workload(tuple(threads)))
    log: Log = []
    for before, after in _events(plan, build_engine(plan, "simpy"), until_ns):
        log += [(after.time_ps / 1000, text) for text in _changes(plan, before, after) if after.time_ps >= since_ns * 1000]
    return sorted(entry for entry in log if not places or entry[1].startswith((*places,)) or entry[1].endswith("line"))


def snapshot_at(machine: Machine, threads: Sequence[ThreadSpec], until_ns: float) -> tuple[Plan, Snapshot]:
    """Return the counters after the last event that is not later than `until_ns`."""
    plan = lower(machine, Workload(tuple(threads)))
    engine = build_engine(plan, "simpy")
    last = engine.snapshot()
    for _, after in _events(plan, engine, until_ns):
        last = after
    return plan, last


def once(node: int, core: int, mode: str, memory: int, *, start_ns: float = 0.0, window: int = 1) -> ThreadSpec:
    """Return a thread that issues one line a slot and then rests until long after the test."""
    access = Access("r" if mode == "r" else "w", memory)
    return ThreadSpec(node, core, (access,), window=window, core_time_ns=REST_NS, start_ns=start_ns)


class Endless:
    """A run that waits for nothing, so that only its budget of events ends it."""

    below_target = 1
    hungry = None


class _Never:
    """A goal that is never reached."""

    below_target = 1
    hungry = None


def step(engine: SimpyEngine, events: int) -> bool:
    """Process up to so many events, whatever lines are asked for; return whether any event is left."""
    engine._events += engine._clock.run(_Never(), events)
    return engine._clock.has_events()


def drain(engine: SimpyEngine, most_events: int = 1_000_000) -> None:
    """Let everything happen that is still to happen; the programs must be finite."""
    assert not step(engine, most_events), f"not at rest after {most_events} events"


@dataclass(frozen=True)
class Line:
    """One line, or one eviction: whose, which, and its times in ps."""

    thread: int
    number: int
    transaction: str
    eviction: bool
    issued_ps: int
    completed_ps: int


class Watched:
    """An engine whose lines are written down.

    Attributes
    ----------
    launched : list of (ps, thread, number, eviction)
    lines : list of Line
        In order of completion.
    """

    def __init__(self, plan: Plan) -> None:
        watch = _LineWatch(plan)
        self.plan, self.engine = plan, ObservedEngine(plan, watch)
        self.launched, self.lines = watch.launched, watch.lines

    def run(self, until_ns: float) -> Watched:
        """Run until a time."""
        for _ in _events(self.plan, self.engine, until_ns):
            pass
        return self

    def issued(self, thread: int) -> list[int]:
        """Return when a thread issued its lines (ps)."""
        return [time for time, whose, _, eviction in self.launched if whose == thread and not eviction]

    def completed(self, thread: int) -> list[int]:
        """Return when a thread's lines were complete (ps)."""
        return [line.completed_ps for line in self.lines if line.thread == thread and not line.eviction]


class _LineWatch(Observer):
    """Writes down what is launched and what is complete."""

    def __init__(self, plan: Plan) -> None:
        self._table = plan.transactions
        self.launched: list[tuple[int, int, int, bool]] = []
        self.lines: list[Line] = []

    def issued(self, now_ps: int, transaction: TransactionState) -> None:
        eviction = bool(self._table.victim[transaction.row])
        self.launched.append((now_ps, transaction.slot.thread.index, transaction.number, eviction))

    def completed(self, now_ps: int, transaction: TransactionState) -> None:
        row, thread = transaction.row, transaction.slot.thread.index
        eviction = bool(self._table.victim[row])
        self.lines.append(Line(thread, transaction.number, self._table.name[row], eviction, transaction.issued_ps, now_ps))


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Fail, rather than hang, when what is inside takes longer."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _events(plan: Plan, engine: Engine, until_ns: float) -> Iterator[tuple[Snapshot, Snapshot]]:
    targets = [FOR_EVER] * len(plan.threads.label)
    before = engine.snapshot()
    while True:
        stop = engine.advance(targets, 1)
        after = engine.snapshot()
        if stop is not Stop.BUDGET or after.time_ps > until_ns * 1000:
            return
        yield before, after
        before = after


def _changes(plan: Plan, before: Snapshot, after: Snapshot) -> Iterator[str]:
    for port, name in enumerate(plan.ports.name):
        for kind, kind_name in enumerate(plan.kind_name):
            grown = after.port_sent[port][kind] - before.port_sent[port][kind]
            yield from [f"{name}: {kind_name}"] * grown
        yield from [f"{name}: NOP"] * (after.port_nops[port] - before.port_nops[port])
        yield from [f"{name}: CRC"] * (after.port_crcs[port] - before.port_crcs[port])
    for thread, label in enumerate(plan.threads.label):
        yield from [f"{label}: line"] * (after.thread_lines[thread] - before.thread_lines[thread])
