"""lmbench's ``lat_mem_rd``: latency of dependent reads by size of the array, and its plateaus.

The sizes are in units of 2**20 bytes and the latencies in ns (``lat_mem_rd.c``: ``range / LEN``, with LEN = 1024 * 1024).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from simulator.interop.record import Figure, Record, Unit
from simulator.interop.source import Source

FORMAT = "lat_mem_rd"
FLAT_STEP = 0.03  # change of latency from one size to the next
FLAT_DOUBLING = 0.10  # change of latency for a doubling of the size
FEWEST_POINTS = 3
_BYTES_PER_SIZE = 1 << 20
_SIZE_STEP_BYTES = 512  # sizes are multiples of it, printed with five decimals only
_MAX_BLOCKS = 1000
_STRIDE = re.compile(r'\s*"?stride=([0-9]{1,9})"?\s*$')
_POINT = re.compile(r"\s*([0-9]{1,9}\.[0-9]{1,6})\s+([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*$")


@dataclass
class _Block:
    """The points of one stride."""

    stride_bytes: int | None
    points: list[tuple[float, float]] = field(default_factory=list)


def recognises(source: Source) -> bool:
    """Say whether there is a line of a stride, or nothing but sizes and latencies with the sizes rising."""
    lines = [line for line in source.lines if line.strip()]
    if any(_STRIDE.match(line) for line in lines):
        return True
    points = [_POINT.match(line) for line in lines]
    sizes = [float(point.group(1)) for point in points if point]
    return len(sizes) == len(points) >= FEWEST_POINTS and all(low < high for low, high in zip(sizes, sizes[1:], strict=False))


def read(source: Source) -> Record:
    """Return the plateaus of each stride as figures; the last of a stride is called memory latency.

    A plateau is a longest run of at least three sizes in which the latency changes from each to the next by at
    most 3 %, or 10 % for each doubling of the size, whichever is more. Its value is the median, its size the largest.

    Raises
    ------
    InputError
        There are no points, a line is cut off, sizes do not rise, or no plateau is found.
    """
    figures: list[Figure] = []
    warnings = ["lat_mem_rd does not tell which CPU asked which node"]
    for block in _blocks(source):
        prefix = "" if block.stride_bytes is None else f"stride {block.stride_bytes}: "
        runs = plateaus(block.points)
        if not runs:
            warnings.append(f"{prefix}no plateau of latency is there")
            continue
        for place, (first, last) in enumerate(runs, start=1):
            name = "memory latency" if place == len(runs) else f"plateau {place}"
            latency_ns = median(latency for _, latency in block.points[first : last + 1])
            size_bytes = _SIZE_STEP_BYTES * round(block.points[last][0] * _BYTES_PER_SIZE / _SIZE_STEP_BYTES)
            figures.append(Figure(prefix + name, latency_ns, Unit.NS, working_set_bytes=size_bytes))
        if runs[-1][1] < len(block.points) - 1:
            warnings.append(f"{prefix}the latency still changes at the largest sizes: memory latency is maybe not reached")
    if not figures:
        raise source.wrong("has no plateau of latency", allowed=f"at least {FEWEST_POINTS} sizes of about the same latency")
    return Record(FORMAT, figures=tuple(figures), warnings=tuple(warnings))


def plateaus(points: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """Return first and last place of each plateau among points of size and latency, by the rule of :func:`read`."""
    runs: list[tuple[int, int]] = []
    first = 0
    for place in range(1, len(points) + 1):
        if place < len(points) and _is_flat(points[place - 1], points[place]):
            continue
        if place - first >= FEWEST_POINTS:
            runs.append((first, place - 1))
        first = place
    return runs


def _is_flat(before: tuple[float, float], after: tuple[float, float]) -> bool:
    doublings = math.log2(after[0] / before[0])
    return abs(math.log(after[1] / before[1])) <= max(math.log1p(FLAT_STEP), math.log1p(FLAT_DOUBLING) * doublings)


def _blocks(source: Source) -> list[_Block]:
    blocks = [_Block(None)]
    decimals: list[int] = []
    for line, text in enumerate(source.lines):
        stride, point = _STRIDE.match(text), _POINT.match(text)
        if stride:
            blocks.append(_Block(int(stride.group(1))))
            if len(blocks) > _MAX_BLOCKS:
                raise source.wrong("has too many strides", line=line, allowed=f"at most {_MAX_BLOCKS}")
        elif point:
            _add(source, line, blocks[-1].points, float(point.group(1)), float(point.group(2)))
            decimals.append(len(point.group(2).partition(".")[2]))
            if line == source.last_line and decimals[-1] < decimals[0]:
                raise source.wrong("the last latency has fewer decimals than the first: the text is cut off here", line=line)
        elif re.match(r"\s*[0-9]+\.[0-9]", text):
            raise source.wrong("is no size with a latency, or is cut off", line=line, value=text.strip())
    with_points = [block for block in blocks if block.points]
    if not with_points:
        raise source.wrong("has no sizes with latencies", line=source.last_line)
    return with_points


def _add(source: Source, line: int, points: list[tuple[float, float]], size: float, latency_ns: float) -> None:
    if not size or not latency_ns:
        raise source.wrong("is no size with a latency above 0", line=line, value=source.lines[line].strip())
    if points and size <= points[-1][0]:
        raise source.wrong("the size does not rise", line=line, value=source.lines[line].strip())
    points.append((size, latency_ns))
