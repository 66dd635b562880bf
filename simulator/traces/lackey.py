"""Traces of Valgrind's lackey: one thread a file, since lackey prints none."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import numpy as np

from simulator.errors import InputError
from simulator.optional import needing_numba
from simulator.traces.blocks import MAX_LINE_BYTES, Block, Place
from simulator.traces.chunk import MAX_ACCESS_BYTES, AccessChunk
from simulator.traces.complaints import bad_line, cut_off
from simulator.traces.counts import TraceCounts

FORM = "`I  addr,size`, ` L addr,size`, ` S addr,size` or ` M addr,size`"
_SHORTEST_LINE = len(" L 0,1\n")
# How a line may start, or end, that is cut off and no text of the program.
_PART_OF_TRACE = re.compile(rb"\A(?:==|--|\*\*|I?\Z|I |\s?\Z| [LSM]?\Z| [LSM] )|(?:I | [LSM]) [0-9a-fA-F]*,?[0-9]*\Z")
_HEADING, _CLOSING = b"== Lackey, an example Valgrind tool", b"== Exit code:"
_TAIL_BYTES = 1 << 16


class LackeyReader:
    """Reads blocks of lines.

    Parameters
    ----------
    name : str
        The trace, as the user named it.
    thread : int
        Whose accesses they are.
    """

    def __init__(self, name: str, thread: int) -> None:
        self._kernel = _kernel()
        self._name, self._thread = name, thread
        self._seen = np.zeros(self._kernel.WORDS, np.int64)
        self._accesses = TraceCounts()

    @property
    def counts(self) -> TraceCounts:
        """What was read so far."""
        kernel, seen = self._kernel, self._seen
        skipped = (("lines of valgrind", int(seen[kernel.MESSAGES])), ("lines of the program", int(seen[kernel.OTHERS])))
        remarks = (("accesses or instructions behind text of the program", int(seen[kernel.BEHIND_TEXT])),)
        return replace(self._accesses, skipped=skipped, remarks=remarks, after_last=int(seen[kernel.PENDING]))

    def chunks(self, blocks: Iterator[Block]) -> Iterator[AccessChunk]:
        """Yield the accesses.

        Raises
        ------
        InputError
            A line is wrong or cut off, or the closing lines of valgrind are missing: after all accesses before it.
        """
        headed, tail, end = False, b"", Place(1, 0)
        for block in blocks:
            if not block.whole:
                yield from self._unfinished(block)
                continue
            yield from self._read(block)
            headed = headed or (block.place.byte == 0 and _HEADING in block.text[:_TAIL_BYTES])
            tail = (tail + block.text[-_TAIL_BYTES:])[-_TAIL_BYTES:]
            end = block.place_at(len(block.text))
        if headed and _CLOSING not in tail:
            raise self._without_closing(end)
        self._check_trace()

    def _read(self, block: Block) -> Iterator[AccessChunk]:
        kernel, seen = self._kernel, self._seen
        text = np.frombuffer(block.text, np.uint8)
        room = len(text) // _SHORTEST_LINE + 1
        address, size = np.empty(room, np.uint64), np.empty(room, np.uint32)
        kind, before = np.empty(room, np.uint8), np.empty(room, np.int64)
        seen[kernel.AT] = seen[kernel.ACCESSES] = 0
        kernel.read_lackey(text, address, size, kind, before, seen, np.uint64(MAX_ACCESS_BYTES), MAX_LINE_BYTES)
        count = int(seen[kernel.ACCESSES])
        if count:
            kinds = kind[:count]
            modify = kinds == kernel.MODIFY
            thread = np.full(count, self._thread, np.int32)
            write = (kinds == kernel.STORE) | modify
            chunk = AccessChunk(thread, address[:count], size[:count], write, modify, before[:count], "instructions")
            self._accesses = self._accesses.with_chunk(chunk)
            yield chunk
        if seen[kernel.FAULT]:
            at = int(seen[kernel.AT])
            raise bad_line(self._name, block.place_at(at), block.line_at(at), int(seen[kernel.FAULT]), form=FORM)

    def _unfinished(self, block: Block) -> Iterator[AccessChunk]:
        if _PART_OF_TRACE.search(block.text):
            raise cut_off(self._name, block)
        yield from self._read(replace(block, text=block.text + b"\n"))

    def _without_closing(self, end: Place) -> InputError:
        what = "the trace ends before valgrind's closing lines, so it is cut off"
        allowed = "a whole trace; of a part that was cut out on purpose, leave out the lines that start with =="
        return InputError(what, file=self._name, field=str(end), allowed=allowed)

    def _check_trace(self) -> None:
        kernel, seen = self._kernel, self._seen
        if not (self._accesses.accesses or seen[kernel.INSTRUCTIONS]):
            lines = int(seen[kernel.MESSAGES] + seen[kernel.OTHERS])
            what = f"holds no access and no instruction in its {lines} lines"
            raise InputError(what, file=self._name, allowed=f"what valgrind --tool=lackey --trace-mem=yes writes: {FORM}")


@functools.cache
def _kernel() -> ModuleType:
    """Return the kernel, compiled where its code is not kept yet."""
    what = "the reader of lackey traces"
    with needing_numba(what):
        from simulator.traces.kernels import lackey
        from simulator.traces.kernels.store import compile_once

        compile_once(what, "read_lackey", lackey.compile_lackey)
    return lackey
