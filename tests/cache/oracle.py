"""The cache model again, slowly and in another way: each set is a list, each line a record of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from simulator.machine.spec import CacheSpec, CachesSpec


def to_millionths(time_ps: Fraction) -> Fraction:
    """Round a constant as the model does, once; sums of it are exact."""
    return Fraction(round(time_ps * 10**6), 10**6)


@dataclass
class Level:
    """A cache: by set, its lines from the least to the most recently used, each with whether it is dirty."""

    spec: CacheSpec
    sets: dict[int, dict[int, bool]] = field(default_factory=dict)

    def of(self, line: int) -> dict[int, bool]:
        return self.sets.setdefault(line % (self.spec.size_kib * 1024 // 64 // self.spec.ways), {})

    def holds(self, line: int) -> bool:
        return line in self.of(line)

    def touch(self, line: int, dirty: bool = False) -> None:
        lines = self.of(line)
        lines[line] = lines.pop(line) or dirty

    def mark(self, line: int, dirty: bool) -> None:
        self.of(line)[line] |= dirty

    def drop(self, line: int) -> bool:
        return self.of(line).pop(line, False)

    def insert(self, line: int, dirty: bool) -> tuple[int, bool] | None:
        lines = self.of(line)
        assert line not in lines
        lines[line] = dirty
        if len(lines) <= self.spec.ways:
            return None
        oldest = next(iter(lines))
        return oldest, lines.pop(oldest)

    def dirty_lines(self) -> set[int]:
        return {line for lines in self.sets.values() for line, dirty in lines.items() if dirty}


@dataclass(frozen=True)
class Fill:
    """A line fetched: (address, for a store, address of its victim or None, time since the one before in whole ps)."""

    address: int
    for_store: bool
    victim: int | None
    compute_ps: int


class Node:
    """Caches of several cores."""

    def __init__(self, spec: CachesSpec, clock_ghz: float, cores: int) -> None:
        self.spec, self.cycle_ps = spec, Fraction(1000) / Fraction(str(clock_ghz))
        self.l3 = Level(spec.l3) if spec.l3 else None
        self.cores = [Core(self) for _ in range(cores)]


class Core:
    """One core of a node."""

    def __init__(self, node: Node) -> None:
        self.node, self.l1, self.l2 = node, Level(node.spec.l1), Level(node.spec.l2)
        self.exclusive = node.spec.l2.policy == "exclusive"
        self.waiting: list[int] = []
        self.time_ps = Fraction(0)
        self.hits = {1: 0, 2: 0, 3: 0}
        self.victims = 0

    def access(self, address: int, size: int, write: bool, modify: bool, before_ps: Fraction) -> list[Fill]:
        self.time_ps += before_ps
        fills = []
        for line in range(address // 64, (address + size - 1) // 64 + 1):
            fills += self._line(line, write, load=modify or not write)
        return fills

    def _line(self, line: int, write: bool, load: bool) -> list[Fill]:
        if self.l1.holds(line):
            self.hits[1] += 1
            self.l1.touch(line, write)
            return []
        level, dirty = self._fetch(line)
        self._take_in(self.l1.insert(line, dirty or write), self._leave_l1)
        if level < 4:
            self.hits[level] += 1
            spec = self.node.spec
            cache = spec.l2 if level == 2 else spec.l3
            assert cache is not None
            if load:
                beyond = Fraction(str(cache.hit_cycles)) - Fraction(str(spec.l1.hit_cycles))
                self.time_ps += to_millionths(Fraction(str(spec.exposed_share)) * beyond * self.node.cycle_ps)
            return []
        victim = self.waiting.pop(0) * 64 if self.waiting else None
        whole = int(self.time_ps)
        self.time_ps -= whole
        return [Fill(line * 64, not load, victim, whole)]

    def _fetch(self, line: int) -> tuple[int, bool]:
        l3 = self.node.l3
        if self.l2.holds(line):
            if self.exclusive:
                return 2, self.l2.drop(line)
            self.l2.touch(line)
            return 2, False
        level, dirty = 4, False
        if l3 and l3.holds(line):
            level = 3
            if self.node.spec.l3.policy == "victim":  # type: ignore[union-attr]
                dirty = l3.drop(line)
            else:
                l3.touch(line)
        elif l3 and self.node.spec.l3.policy == "inclusive":  # type: ignore[union-attr]
            self._take_in(l3.insert(line, False), self._leave_inclusive)
        if not self.exclusive:
            self._take_in(self.l2.insert(line, dirty), self._leave_l2)
            dirty = False
        return level, dirty

    def _take_in(self, gone, where) -> None:  # type: ignore[no-untyped-def]
        if gone is not None:
            where(*gone)

    def _leave_inclusive(self, line: int, dirty: bool) -> None:
        for core in self.node.cores:
            for cache in (core.l1, core.l2):
                dirty |= cache.drop(line)
        self._to_memory(line, dirty)

    def _leave_l1(self, line: int, dirty: bool) -> None:
        if not self.exclusive and self.l2.holds(line):
            self.l2.mark(line, dirty)
        elif self.exclusive or dirty:
            self._take_in(self.l2.insert(line, dirty), self._leave_l2)

    def _leave_l2(self, line: int, dirty: bool) -> None:
        l3 = self.node.l3
        if l3 is None:
            self._to_memory(line, dirty)
        elif self.node.spec.l3.policy == "victim":  # type: ignore[union-attr]
            if l3.holds(line):
                l3.touch(line, dirty)
            else:
                self._take_in(l3.insert(line, dirty), self._to_memory)
        elif l3.holds(line):
            l3.mark(line, dirty)
        else:
            self._to_memory(line, dirty)

    def _to_memory(self, line: int, dirty: bool) -> None:
        if dirty:
            self.waiting.append(line)
            self.victims += 1

    def leftover(self) -> list[int]:
        return [64 * line for line in [*self.waiting, *sorted(self.l1.dirty_lines() | self.l2.dirty_lines())]]
