"""Text of `perf script` from what `perf mem record` took: samples of loads and stores, each with its thread and time.

The order of fields is that of perf's documentation and source (tools/perf/builtin-script.c, Linux 6.1): comm, thread, [cpu],
time, period, event, addr, data_src, then what is not needed here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from simulator.errors import InputError
from simulator.traces.blocks import Block
from simulator.traces.chunk import MAX_THREAD, AccessChunk
from simulator.traces.clocks import ThreadClocks
from simulator.traces.complaints import cut_off, printable
from simulator.traces.counts import TraceCounts

COMMAND = "perf script -F comm,tid,time,event,addr,data_src"
FORM = f"lines of `{COMMAND}`, also with pid, cpu, period, weight, ip or sym"
_SAMPLE = re.compile(
    rb"^\s*(?P<comm>\S.*?)\s+(?:(?P<pid>-?\d+)/)?(?P<tid>-?\d+)\s+(?:\[(?P<cpu>\d+)\]\s+)?(?P<s>\d+)\.(?P<fraction>\d{6}|\d{9}):"
    rb"\s+(?:(?P<period>\d+)\s+)?(?P<event>\S+):\s+(?P<addr>[0-9a-f]{1,16})"
    rb"(?=\s*$|\s+[0-9a-f]+(?:\s|$)|\s+\|)"  # a symbol behind it would show that it is the instruction's address
    rb"(?:.*?\|OP (?P<op>[^|]*))?"
)
_SKIPPED = (
    (re.compile(rb"^\s*$"), "empty lines"),
    (re.compile(rb"^\s*#"), "comments"),
    (re.compile(rb"^\s+[0-9a-f]+ (?!-?\d)\S.*\(.*\)$"), "lines of call chains"),
    (re.compile(rb"PERF_RECORD_"), "other records"),
)
_SIZE_BYTES = 1  # perf does not say how long an access is: the line of its address is touched


@dataclass(frozen=True)
class _Sample:
    thread: int
    time_ns: int
    address: int
    is_write: bool
    is_modify: bool
    at: int


class PerfReader:
    """Reads blocks of lines.

    Parameters
    ----------
    name : str
        The trace, as the user named it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._skipped: Counter[str] = Counter()
        self._accesses = TraceCounts()
        self._clocks = ThreadClocks(common_start=True)

    @property
    def counts(self) -> TraceCounts:
        """What was read so far."""
        return replace(self._accesses, skipped=tuple(sorted(self._skipped.items())))

    def chunks(self, blocks: Iterator[Block]) -> Iterator[AccessChunk]:
        """Yield the accesses.

        Raises
        ------
        InputError
            A line is wrong or cut off: after all accesses before it.
        """
        for block in blocks:
            if not block.whole:
                raise cut_off(self._name, block)
            yield from self._read(block)
        if not self._accesses.accesses:
            skipped = ", ".join(f"{number} {what}" for what, number in sorted(self._skipped.items()))
            raise InputError(f"holds no access{f'; skipped: {skipped}' if skipped else ''}", file=self._name, allowed=FORM)

    def _read(self, block: Block) -> Iterator[AccessChunk]:
        samples: list[_Sample] = []
        problem: InputError | None = None
        at = 0
        for line in block.text.split(b"\n")[:-1]:
            try:
                sample = self._sample(line.rstrip(b"\r"), at)
            except _Wrong as wrong:
                problem = self._problem(block, at, str(wrong))
                break
            if sample is not None:
                samples.append(sample)
            at += len(line) + 1
        if samples:
            yield from self._chunk(block, samples)
        if problem is not None:
            raise problem

    def _sample(self, line: bytes, at: int) -> _Sample | None:
        found = _SAMPLE.match(line)
        if found is None:
            for pattern, what in _SKIPPED:
                if pattern.search(line):
                    self._skipped[what] += 1
                    return None
            raise _Wrong("is no sample with a thread, a time, an event and an address")
        kind = _kind(found["op"], found["event"])
        if kind is None:
            raise _Wrong("does not say whether it is a load or a store: neither data_src nor the event's name does")
        thread, address = int(found["tid"]), int(found["addr"], 16)
        if not 0 <= thread <= MAX_THREAD:
            raise _Wrong("has no thread number that Linux gives")
        if not kind or not address:
            self._skipped["samples of no load or store" if not kind else "samples without an address"] += 1
            return None
        time_ns = int(found["s"]) * 10**9 + int(found["fraction"].ljust(9, b"0"))
        if time_ns >= 2**63:
            raise _Wrong("has a time that is too large")
        return _Sample(thread, time_ns, address, "w" in kind, kind == "rw", at)

    def _chunk(self, block: Block, samples: list[_Sample]) -> Iterator[AccessChunk]:
        thread = np.array([sample.thread for sample in samples], np.int32)
        before, back = self._clocks.since_before(thread, np.array([sample.time_ns for sample in samples], np.int64))
        chunk = AccessChunk(
            thread=thread,
            address=np.array([sample.address for sample in samples], np.uint64),
            size_bytes=np.full(len(samples), _SIZE_BYTES, np.uint32),
            is_write=np.array([sample.is_write for sample in samples], np.bool_),
            is_modify=np.array([sample.is_modify for sample in samples], np.bool_),
            before=before,
            unit="time_ns",
        ).part(slice(back))
        if len(chunk):
            self._accesses = self._accesses.with_chunk(chunk)
            yield chunk
        if back is not None:
            raise self._problem(block, samples[back].at, "has an earlier time than the sample of this thread before")

    def _problem(self, block: Block, at: int, what: str) -> InputError:
        place, line = str(block.place_at(at)), printable(block.line_at(at))
        return InputError(f"the line {what}", file=self._name, field=place, value=line, allowed=FORM)


class _Wrong(Exception):
    """What is wrong with a line."""


def is_sample(line: bytes) -> bool:
    """Say whether a line is a sample with an address."""
    return _SAMPLE.match(line) is not None


def _kind(op: bytes | None, event: bytes) -> str | None:
    """Return r, w, rw, the empty word for what is no load and no store, or None where nothing says it."""
    if op is not None:
        words = op.strip().upper()
        return ("r" if b"LOAD" in words else "") + ("w" if b"STORE" in words else "")
    name = event.lower()
    kind = ("r" if b"load" in name else "") + ("w" if b"store" in name else "")
    return kind or None
