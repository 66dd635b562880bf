"""Traces as a replay reads them: each in a memory of its own, up to its end or, where that is accepted, to the first damage."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from simulator.errors import InputError
from simulator.traces import AccessChunk, Format, Trace, TraceCounts

_SPACE_SHIFT, _OWN_SPACES = 48, 1 << 12  # programs' addresses are below 2^47 or, the kernel's, at the upper end


@dataclass(frozen=True)
class TraceFile:
    """A recorded trace.

    Attributes
    ----------
    path : str
    form : str, optional
        As of :class:`simulator.traces.Trace`.
    partial : bool
        What is before the first damage is replayed; else a damaged trace is refused.
    program : int, optional
        Which program it is of, 0 to 4095: files of one program share its memory. None: a program of its own, so that equal
        addresses in two files are different memory.
    """

    path: str
    form: Format | None = None
    partial: bool = False
    program: int | None = None


@dataclass
class TraceSource:
    """A trace that can be read several times.

    Parameters
    ----------
    file : TraceFile
    space : int
        Number of the address space that it is in.

    Attributes
    ----------
    counts : TraceCounts
        Of the last time.
    damage : str or None
        What ended it early.
    """

    file: TraceFile
    space: int
    counts: TraceCounts = field(default_factory=TraceCounts)
    damage: str | None = None

    def chunks(self) -> Iterator[AccessChunk]:
        """Yield the accesses.

        Raises
        ------
        InputError
            The trace is broken, and `partial` does not accept that or nothing is before it.
        """
        trace = Trace(self.file.path, self.file.form)
        bits = np.uint64(self.space << _SPACE_SHIFT)
        try:
            for chunk in trace.chunks():
                yield replace(chunk, address=chunk.address ^ bits) if self.space else chunk
        except InputError as error:
            whole = trace.counts.accesses
            if not self.file.partial or not whole:
                raise _with_count(error, whole) from None
            self.damage = str(error)
        self.counts = trace.counts


def sources(files: Sequence[TraceFile]) -> tuple[TraceSource, ...]:
    """Return the traces of one replay.

    Raises
    ------
    InputError
        One comes from a pipe, which gives it once.
    """
    for file in files:
        _check_twice(file.path)
    own = (_OWN_SPACES + place if place else 0 for place in range(len(files)))
    return tuple(
        TraceSource(file, space if file.program is None else file.program) for file, space in zip(files, own, strict=True)
    )


def _check_twice(path: str) -> None:
    if path != "-":
        try:
            mode = Path(path).stat().st_mode
        except (OSError, ValueError):
            return  # the reader says what is wrong
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            return
    raise InputError("a trace is read twice, a pipe gives it once", file=path, allowed="the name of a file")


def _with_count(error: InputError, whole: int) -> InputError:
    """Say also what is whole before the damage."""
    if not whole:
        return error
    what = f"{error.what}; the {whole:,} accesses before it are whole, and --partial replays them"
    return InputError(what, file=error.file, field=error.field, value=error.value, allowed=error.allowed)
