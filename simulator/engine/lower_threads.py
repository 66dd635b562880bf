"""Third step of lowering: threads, their programs, and the distributions that they draw from."""

from __future__ import annotations

from typing import Protocol

from simulator.engine.plan import NONE, Paths, Program, Threads
from simulator.engine.random_numbers import constant, exponential, stream_start, uniform
from simulator.machine.spec import Machine
from simulator.units import ps_from_ns
from simulator.workload import Access, ThreadSpec

_SHARED = 6  # column of the program
PLACES = 4096  # lines of a thread that are handed in and not complete yet; more than can be under way


class TransactionRows(Protocol):
    """Rows of the table of transactions, made when they are first asked for."""

    def line(self, mode: str, requester: int, home: int, shared: bool = False) -> int:
        """Row of a line read or written."""

    def victim(self, requester: int, home: int) -> int:
        """Row of an eviction."""


class ThreadTables:
    """Threads under construction.

    Attributes
    ----------
    draws : list of tuple of int
        Distributions, each kept once.
    """

    def __init__(self, machine: Machine, transactions: TransactionRows, seed: int) -> None:
        self._machine, self._transactions, self._seed = machine, transactions, seed
        self.draws: list[tuple[int, ...]] = []
        self._known_draws: dict[tuple[int, ...], int] = {}
        self._known_uniform: dict[tuple[int, int], int] = {}
        self._threads: list[dict[str, object]] = []
        self._lines: list[tuple[int, ...]] = []
        self._paths: dict[tuple[int, int], int] = {}
        self._parties: dict[int, int] = {}
        self._ordinals: dict[str, int] = {}

    def add(self, thread: ThreadSpec) -> None:
        """Add a thread and its program."""
        first = len(self._lines)
        if thread.handed_in is None:
            self._lines += [self._line(thread, access) for access in thread.accesses]
            barriers = {access.barrier for access in thread.accesses if access.barrier is not None}
        else:
            self._lines += self._places(thread)
            barriers = set(thread.handed_in.barriers)
        for barrier in barriers:
            self._parties[barrier] = self._parties.get(barrier, 0) + 1
        ordinal = self._ordinals[thread.label] = self._ordinals.get(thread.label, -1) + 1
        stream = stream_start(self._seed, f"thread {thread.label} #{ordinal}")
        self._threads.append(self._thread(thread, stream, first))

    def program(self) -> Program:
        """Return the finished table of lines."""
        return Program(*zip(*self._lines, strict=True))

    def paths(self) -> Paths:
        """Return the finished table of paths."""
        return Paths(thread=tuple(thread for thread, _ in self._paths), transaction=tuple(row for _, row in self._paths))

    def threads(self) -> Threads:
        """Return the finished table of threads."""
        columns = {name: tuple(row[name] for row in self._threads) for name in self._threads[0]}
        return Threads(**columns)  # type: ignore[arg-type]

    def barrier_parties(self) -> tuple[int, ...]:
        """Return how many threads must reach each barrier."""
        return tuple(self._parties.get(number, 0) for number in range(max(self._parties, default=-1) + 1))

    def shared_lines(self) -> int:
        """Return how many lines several threads use."""
        return 1 + max(line[_SHARED] for line in self._lines)

    def _line(self, thread: ThreadSpec, access: Access) -> tuple[int, ...]:
        requester = thread.node if access.node is None else access.node
        evicted_to = access.memory if access.victim_memory is None else access.victim_memory
        transaction = self._transactions.line(access.mode, requester, access.memory, access.shared is not None)
        evicts = access.mode == "w" and access.shared is None  # a line that others take away is never evicted
        victim = self._transactions.victim(requester, evicted_to) if evicts else NONE
        draw = self._core_draw(thread, access.mode, access.extra_core_time_ns)
        barrier = NONE if access.barrier is None else access.barrier
        shared = NONE if access.shared is None else access.shared
        return transaction, victim, draw, barrier, self._path(transaction), ps_from_ns(access.compute_ns), shared, access.lock

    def _places(self, thread: ThreadSpec) -> list[tuple[int, ...]]:
        """Return room for lines that are handed in; it begins with a line of each kind that may come, see engine/supply.py."""
        memories = [node.id for node in self._machine.nodes if node.controller is not None]
        kinds: list[tuple[int, ...]] = []
        for mode in ("r", "w"):
            for draw in (self._core_draw(thread, mode, 0.0), self._add_draw(constant(0))):
                for home in memories:
                    transaction = self._transactions.line(mode, thread.node, home)
                    victim = self._transactions.victim(thread.node, home)
                    kinds.append((transaction, victim, draw, NONE, self._path(transaction), 0, NONE, 0))
        for number, home in enumerate(thread.handed_in.shared if thread.handed_in else ()):
            for mode in ("r", "w"):
                transaction = self._transactions.line(mode, thread.node, home, True)
                kinds.append((transaction, NONE, self._add_draw(constant(0)), NONE, self._path(transaction), 0, number, 0))
        return kinds + [kinds[0]] * (PLACES - len(kinds))

    def _path(self, transaction: int) -> int:
        return self._paths.setdefault((len(self._threads), transaction), len(self._paths))

    def _core_draw(self, thread: ThreadSpec, mode: str, extra_ns: float) -> int:
        core = self._machine.core
        own_time_ns = core.background_core_time_ns if thread.background else core.core_time_ns
        core_time_ns = own_time_ns if thread.core_time_ns is None else thread.core_time_ns
        if mode == "w":
            core_time_ns += core.write_extra_ns
        return self._add_uniform(ps_from_ns(core_time_ns + extra_ns), ps_from_ns(core.jitter_ns))

    def _add_uniform(self, mean_ps: int, half_width_ps: int) -> int:
        key = mean_ps, half_width_ps
        if key not in self._known_uniform:
            self._known_uniform[key] = self._add_draw(uniform(mean_ps, half_width_ps))
        return self._known_uniform[key]

    def _add_draw(self, values: tuple[int, ...]) -> int:
        if values not in self._known_draws:
            self._known_draws[values] = len(self.draws)
            self.draws.append(values)
        return self._known_draws[values]

    def _thread(self, thread: ThreadSpec, stream: int, first: int) -> dict[str, object]:
        core = self._machine.core
        window = thread.window or (core.background_window if thread.background else core.window)
        interval = NONE
        if thread.arrivals is not None:
            mean_ps = ps_from_ns(thread.arrivals.mean_interval_ns)
            interval = self._add_draw(exponential(mean_ps) if thread.arrivals.random else constant(mean_ps))
        elif thread.interval_ns is not None:
            interval = self._add_draw(constant(ps_from_ns(thread.interval_ns)))
        turn = thread.time_slice
        handed_in = thread.handed_in is not None
        return {
            "label": thread.label,
            "stream": stream,
            "background": int(thread.background),
            "window": window,
            "first": first,
            "count": len(self._lines) - first,
            "repeat": int(thread.repeat and not handed_in),
            "supplied": int(handed_in),
            "start_ps": ps_from_ns(thread.start_ns),
            "interval_draw": interval,
            "open": int(thread.arrivals is not None),
            "slice_period_ps": 0 if turn is None else ps_from_ns(turn.period_ns),
            "slice_start_ps": 0 if turn is None else ps_from_ns(turn.start_ns),
            "slice_length_ps": 0 if turn is None else ps_from_ns(turn.length_ns),
        }
