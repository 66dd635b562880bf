"""STREAM (McCalpin), version 5: best rates of Copy, Scale, Add and Triad.

Its MB/s are 1e6 bytes a second (``1.0E-06 * bytes[j]/mintime[j]`` in stream.c). It names no nodes.
"""

from __future__ import annotations

import re

from simulator.interop.record import Figure, Record, Unit
from simulator.interop.source import Source

FORMAT = "stream"
KERNELS = ("Copy", "Scale", "Add", "Triad")
_MAX_FIGURES = 10_000
_HEADER = re.compile(r"\s*Function\s+(?:Best Rate MB/s|Rate \(MB/s\))\s")
_KERNEL = re.compile(r"\s*(Copy|Scale|Add|Triad)\s*:\s*(\S+)((?:\s+\S+)*)\s*$")
_THREADS = re.compile(r"\s*Number of Threads (?:requested|counted)\s*=\s*([0-9]{1,7})\s*$")
_RATE = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")


def recognises(source: Source) -> bool:
    """Say whether there is the head of STREAM's table."""
    return any(_HEADER.match(line) for line in source.lines)


def read(source: Source) -> Record:
    """Return one figure for each kernel and run; the number of threads where STREAM says it.

    Raises
    ------
    InputError
        A table has not all four kernels, or a rate is no number.
    """
    figures: list[Figure] = []
    threads: int | None = None
    expected: list[str] = []
    for line, text in enumerate(source.lines):
        counted, kernel = _THREADS.match(text), _KERNEL.match(text)
        if text.startswith("STREAM version"):
            threads = None  # a run of its own, perhaps without OpenMP
        elif counted:
            threads = int(counted.group(1))
        elif _HEADER.match(text):
            _check_done(source, line, expected)
            expected = list(KERNELS)
        elif kernel and expected:
            _check_order(source, line, kernel.group(1), expected.pop(0))
            figures.append(_figure(source, line, kernel, threads))
        if len(figures) > _MAX_FIGURES:
            raise source.wrong("has too many runs", line=line, allowed=f"at most {_MAX_FIGURES} rates")
    _check_done(source, source.last_line, expected)
    if not figures:
        raise source.wrong("has no table of STREAM", allowed="the output of stream")
    return Record(FORMAT, figures=tuple(figures), warnings=tuple(_warnings(source)))


def _figure(source: Source, line: int, kernel: re.Match[str], threads: int | None) -> Figure:
    name, rate, times = kernel.groups()
    if not _RATE.fullmatch(rate) or not float(rate):
        raise source.wrong("is no rate", line=line, value=rate, allowed="MB/s above 0")
    if len(times.split()) != 3:
        raise source.wrong("the row of a kernel needs a rate and three times", line=line, value=source.lines[line].strip())
    return Figure(name, float(rate), Unit.MB_PER_S, threads)


def _check_order(source: Source, line: int, got: str, wanted: str) -> None:
    if got != wanted:
        raise source.wrong(f"a row of {wanted} is missing here", line=line, value=got)


def _check_done(source: Source, line: int, expected: list[str]) -> None:
    if expected:
        raise source.wrong(f"the table ends before {expected[0]}", line=line, allowed=", ".join(KERNELS))


def _warnings(source: Source) -> list[str]:
    warnings = ["STREAM does not tell which CPUs asked which node"]
    if "Failed Validation" in source.text or "VALIDATION FAILED" in source.text.upper():
        warnings.append("STREAM's own check of the results failed")
    elif "Solution Validates" not in source.text:
        warnings.append("STREAM's own check of the results is not in the text")
    return warnings
