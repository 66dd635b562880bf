"""multichase (Google): one number, the mean ns of a dependent read, after whatever the program says before."""

from __future__ import annotations

import re

from simulator.interop.record import Figure, Record, Unit
from simulator.interop.source import Source

FORMAT = "multichase"
_MAX_FIGURES = 10_000
_NUMBER = re.compile(r"\s*([0-9]{1,9}\.[0-9]{1,9})\s*$")
_CHATTER = re.compile(r"cheap_create|cursor_heap|multichase|nr_threads\s*=|total_memory\s*=|tlb_locality\s*=|per_thread_work")
_THREADS = re.compile(r"\s*nr_threads\s*=\s*([0-9]{1,7})\s*$")
_LARGEST_NS = 1e6


def recognises(source: Source) -> bool:
    """Say whether there is a number on a line of its own, with multichase's words before it or nothing else at all."""
    lines = [line for line in source.lines if line.strip()]
    if not any(_NUMBER.match(line) for line in lines):
        return False
    return len(lines) == 1 or any(_CHATTER.search(line) for line in lines)


def read(source: Source) -> Record:
    """Return the latency of each run.

    Raises
    ------
    InputError
        There is no number, or one that is no latency.
    """
    figures: list[Figure] = []
    threads: int | None = None
    for line, text in enumerate(source.lines):
        number, counted = _NUMBER.match(text), _THREADS.match(text)
        if counted:
            threads = int(counted.group(1))
        elif number:
            latency_ns = float(number.group(1))
            if not 0 < latency_ns <= _LARGEST_NS:
                raise source.wrong("is no latency", line=line, value=text.strip(), allowed=f"0 to {_LARGEST_NS:,.0f} ns")
            figures.append(Figure("chase latency", latency_ns, Unit.NS, threads))
        if len(figures) > _MAX_FIGURES:
            raise source.wrong("has too many numbers", line=line, allowed=f"at most {_MAX_FIGURES:,}")
    if not figures:
        raise source.wrong("has no number on a line of its own", line=source.last_line, allowed="ns, such as 91.2")
    warnings = ["multichase does not tell which CPU asked which node"]
    if len(figures) > 1:
        warnings.append(f"there are {len(figures)} numbers: of several runs")
    return Record(FORMAT, figures=tuple(figures), warnings=tuple(warnings))
