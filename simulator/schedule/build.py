"""`make -jN` as processes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

from simulator.engine.random_numbers import random_bits, stream_start
from simulator.schedule.actions import Compute, Fork, Get, Pipe, Program, Put, Sleep, Steps, WaitChild
from simulator.schedule.build_spec import BuildSpec, StageSpec
from simulator.schedule.footprint import Footprint

_MILLION = 1e6
_PS_PER_MS = 10**9


@dataclass(frozen=True)
class Build:
    """A build ready to be started.

    Attributes
    ----------
    spec : BuildSpec
    jobs : int
        Compilations that make keeps going: the N of ``-jN``.
    modules : bool
        Build the modules too.
    memory_bound_work : float, optional
        The compiler is one that is bound by memory, with so many times the instructions; None: it is the described one.
    """

    spec: BuildSpec
    jobs: int
    modules: bool = False
    memory_bound_work: float | None = None

    def program(self) -> Program:
        """Return make."""
        return Program("make", self._tools, self._make)

    @property
    def _tools(self) -> Footprint:
        return self.spec.tools.footprint("tools")

    @property
    def _compiler(self) -> Footprint:
        if self.memory_bound_work is None:
            return self.spec.compiler.footprint("compiler")
        return self.spec.memory_bound.footprint("memory bound")

    def _make(self) -> Steps:
        number = 0
        for stage in (*self.spec.stages, *(self.spec.modules if self.modules else ())):
            for _ in range(stage.repeat):
                yield from self._stage(stage, number)
                number += stage.files

    def _stage(self, stage: StageSpec, first: int) -> Steps:
        yield from self._work(stage.million_instructions_before * _MILLION)
        going = 0
        for size in file_sizes(stage.files, self.spec.compile.spread, first):
            if going == self.jobs:
                yield WaitChild()
                going -= 1
            yield Fork(Program("cc", self._tools, self._compilation(size)))
            going += 1
        for _ in range(going):
            yield WaitChild()
        if stage.wait_ms:
            yield Sleep(round(stage.wait_ms * _PS_PER_MS))
        yield from self._work(stage.million_instructions_after * _MILLION)

    def _compilation(self, size: float) -> Callable[[], Steps]:
        compile_spec = self.spec.compile

        def steps() -> Steps:
            pipe = Pipe(compile_spec.pipe_pieces)
            pieces = max(1, round(compile_spec.pieces * size))
            instructions = compile_spec.million_instructions * _MILLION * size
            compiling = instructions * (self.memory_bound_work or 1.0)
            yield Fork(Program("cc1", self._compiler, lambda: self._cc1(compiling, pieces, pipe)))
            assembling = instructions * compile_spec.assembler_share
            yield Fork(Program("as", self.spec.assembler.footprint("assembler"), lambda: self._as(assembling, pieces, pipe)))
            yield WaitChild()
            yield WaitChild()

        return steps

    def _cc1(self, instructions: float, pieces: int, pipe: Pipe) -> Steps:
        yield Compute(instructions * self.spec.compile.system_share, system=True)
        for _ in range(pieces):
            yield Compute(instructions / pieces)
            yield Put(pipe)

    def _as(self, instructions: float, pieces: int, pipe: Pipe) -> Steps:
        at_end = instructions * self.spec.compile.assembler_end_share
        for _ in range(pieces):
            yield Get(pipe)
            yield Compute((instructions - at_end) / pieces)
        yield Compute(at_end)
        yield Compute(instructions * self.spec.compile.system_share, system=True)

    def _work(self, instructions: float) -> Steps:
        yield Compute(instructions)
        yield Compute(instructions * self.spec.compile.system_share, system=True)


def file_sizes(count: int, spread: float, first: int = 0) -> list[float]:
    """Return sizes of files relative to their mean: quantiles of a log-normal distribution, shuffled.

    Parameters
    ----------
    count : int
    spread : float
        Standard deviation of the logarithm.
    first : int
        Number of the first file; decides the order.

    Returns
    -------
    list of float
        Their mean is 1.
    """
    normal = NormalDist()
    sizes = [math.exp(spread * normal.inv_cdf((place + 0.5) / count)) for place in range(count)]
    stream = stream_start(1, f"files from {first}")
    order = sorted(range(count), key=lambda place: random_bits(stream, place))
    mean = sum(sizes) / count if count else 1.0
    return [sizes[place] / mean for place in order]
