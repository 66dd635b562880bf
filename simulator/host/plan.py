"""Which tests a machine gets: pairs of nodes, threads alone, and two threads in all placements or a chosen few."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from typing import Literal

from simulator.host.topology import Host, HostNode

Mode = Literal["r", "w"]
Experiment = Literal["idle_latency", "bandwidth", "one_thread", "two_threads"]
MODES: tuple[Mode, ...] = ("r", "w")


@dataclass(frozen=True)
class HostThread:
    """A thread by AMD's label: core `core` of node `node` reads or writes memory of node `memory`."""

    node: int
    core: int
    mode: Mode
    memory: int

    @property
    def label(self) -> str:
        """Such as ``0.0.w.1``."""
        return f"{self.node}.{self.core}.{self.mode}.{self.memory}"


@dataclass(frozen=True)
class HostTest:
    """One test; a latency is measured by the first thread's CPU with a pointer chase."""

    experiment: Experiment
    threads: tuple[HostThread, ...]

    @property
    def name(self) -> str:
        """For people."""
        first = self.threads[0]
        if self.experiment == "idle_latency":
            return f"latency {first.node} to {first.memory}"
        if self.experiment == "bandwidth":
            return f"{'read' if first.mode == 'r' else 'write'} bandwidth {first.node} to {first.memory}"
        return " ".join(thread.label for thread in self.threads)


@dataclass(frozen=True)
class Plan:
    """The tests, and what a reader should know of the choice."""

    tests: tuple[HostTest, ...]
    notes: tuple[str, ...] = ()


def plan_tests(host: Host, most_pairs: int) -> Plan:
    """Choose the tests of a machine.

    Every pair of a node with CPUs and a node with memory gets a latency, a bandwidth of reads and one of writes, and a thread
    alone that reads and one that writes. Two threads run in every distinct placement, cores of a node taken as equal, where
    that makes at most `most_pairs`; else in those of :func:`chosen_pairs`.

    Parameters
    ----------
    host : Host
    most_pairs : int
    """
    tests = [test for asker, memory in product(host.askers, host.memories) for test in _tests_of_pair(asker, memory.id)]
    every = list(every_pair(host, most_pairs + 1))
    whole = len(every) <= most_pairs
    pairs = every if whole else list(chosen_pairs(host))
    notes = [] if whole else [f"two threads: {len(pairs)} chosen placements, both reading or both writing, not all"]
    if not pairs:
        notes.append("this process may use one CPU only: tests of two threads are left out")
    return Plan((*tests, *(HostTest("two_threads", pair) for pair in pairs)), tuple(notes))


def every_pair(host: Host, most: int) -> Iterator[tuple[HostThread, HostThread]]:
    """Yield every distinct placement of two threads, at most so many; cores of a node are taken as equal."""
    accesses = tuple((memory.id, mode) for memory in host.memories for mode in MODES)
    found = 0
    for asker in host.askers:
        if len(asker.cpus) > 1:
            for one, other in combinations_with_replacement(accesses, 2):
                yield _thread(asker.id, 0, one), _thread(asker.id, 1, other)
                found += 1
                if found >= most:
                    return
    for first, second in combinations(host.askers, 2):
        for one, other in product(accesses, repeat=2):
            yield _thread(first.id, 0, one), _thread(second.id, 0, other)
            found += 1
            if found >= most:
                return


def chosen_pairs(host: Host) -> Iterator[tuple[HostThread, HostThread]]:
    """Yield the placements that AMD's note is about, seen from the first node.

    Both threads read or both write. Two on the first node: both at one memory (any), or one at its own and one at another.
    One on it and one on another node: each at its own memory or at the other's.
    """
    home, *others = host.askers
    memories = [memory.id for memory in host.memories]
    for mode in MODES:
        if len(home.cpus) > 1:
            for one, other in dict.fromkeys([*zip(memories, memories, strict=True), *((memories[0], away) for away in memories)]):
                yield _thread(home.id, 0, (one, mode)), _thread(home.id, 1, (other, mode))
        for node in others:
            near = [memory for memory in (home.id, node.id) if memory in memories]
            for one, other in product(near, repeat=2):
                yield _thread(home.id, 0, (one, mode)), _thread(node.id, 0, (other, mode))


def _tests_of_pair(asker: HostNode, memory: int) -> Iterator[HostTest]:
    yield HostTest("idle_latency", (HostThread(asker.id, 0, "r", memory),))
    for mode in MODES:
        yield HostTest("bandwidth", tuple(HostThread(asker.id, core, mode, memory) for core in range(len(asker.cpus))))
    for mode in MODES:
        yield HostTest("one_thread", (HostThread(asker.id, 0, mode, memory),))


def _thread(node: int, core: int, access: tuple[int, Mode]) -> HostThread:
    return HostThread(node, core, access[1], access[0])
