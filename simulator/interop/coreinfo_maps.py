"""Coreinfo's maps: a mask of processors, ``*`` or ``-`` each, for every node or socket.

``****----  NUMA Node 0`` with one group of at most 64 processors; else ``NUMA Node 0:`` and a line of the mask for each group.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simulator.interop.cells import node_number
from simulator.interop.cpus import room_after
from simulator.interop.source import Source

_MASK = re.compile(r"([*\-]+)(?:\s+(.*))?$")
_LABEL = re.compile(r"(?:NUMA Node|Socket)\s+([0-9]+)(:?)$")
_MAX_GROUPS = 64  # each of up to 64 processors: more than Windows runs on
Mask = tuple[int, str]  # a line, and the signs of one group there


@dataclass(frozen=True)
class ProcessorMap:
    """A map as read.

    Parameters
    ----------
    cpus : mapping of int to tuple of int
        By node or socket; groups are numbered through.
    processors : int
        How many a mask has place for.
    last_line : int
        Where it ends.
    """

    cpus: Mapping[int, tuple[int, ...]]
    processors: int
    last_line: int


@dataclass
class _Reading:
    """What is read so far: masks by number, and those whose name comes behind them."""

    masks: dict[int, list[Mask]] = field(default_factory=dict)
    waiting: list[Mask] = field(default_factory=list)
    current: int | None = None  # the number whose masks come behind it
    last_line: int = 0


def section(source: Source, heading: str) -> int | None:
    """Return the line of a heading; None without it."""
    return next((line for line, text in enumerate(source.lines) if text.strip().startswith(heading)), None)


def read_map(source: Source, heading: str) -> ProcessorMap | None:
    """Return the map below a heading; None without the heading.

    Raises
    ------
    InputError
        It is empty, contradicts itself or is cut off.
    """
    start = section(source, heading)
    if start is None:
        return None
    reading = _Reading(last_line=start)
    for line in range(start + 1, len(source.lines)):
        text = source.lines[line].strip()
        if not (_take(source, reading, line, text) if text else not reading.masks):
            break
    if reading.waiting or not reading.masks:
        raise source.wrong("a map of processors ends before the name of its mask: cut off", line=reading.last_line)
    widths = _widths(source, reading)
    cpus: dict[int, tuple[int, ...]] = {}
    for number, masks in reading.masks.items():
        cpus[number] = _cpus(source, masks, widths, room_after(cpus.values()))
    return ProcessorMap(cpus, sum(widths), reading.last_line)


def _take(source: Source, reading: _Reading, line: int, text: str) -> bool:
    """Take a line in; False where the map has ended."""
    mask = _MASK.match(text)
    label = _LABEL.match(text if mask is None else mask[2] or "")
    if mask is not None:
        if mask[2] and label is None:
            raise source.wrong("is no name of a node or socket, or one cut off", line=line, value=mask[2])
        masks = reading.waiting if label or reading.current is None else reading.masks[reading.current]
        if len(masks) >= _MAX_GROUPS:
            raise source.wrong("a mask has too many lines", line=line, allowed=f"at most {_MAX_GROUPS}, one for each group")
        masks.append((line, mask[1]))
    if mask is None and label is None:
        return False
    reading.last_line = line
    if label is not None:
        number = node_number(source, line, label[1])
        if number in reading.masks:
            raise source.wrong(f"number {number} is there twice", line=line)
        reading.current = number if label[2] else None
        reading.masks[number], reading.waiting = reading.waiting, []
    return True


def _widths(source: Source, reading: _Reading) -> list[int]:
    """Return the processors of each group, which all masks must have alike."""
    widths = [len(signs) for _, signs in next(iter(reading.masks.values()))]
    for number, masks in reading.masks.items():
        for (line, signs), width in zip(masks, widths, strict=False):
            if len(signs) != width:
                raise source.wrong(f"the mask has {len(signs)} processors, the first one {width}", line=line)
        if len(masks) != len(widths) or not masks:
            what = f"number {number} has {len(masks)} lines of its mask, the first one {len(widths)}"
            raise source.wrong(what, line=masks[-1][0] if masks else reading.last_line)
    return widths


def _cpus(source: Source, masks: Sequence[Mask], widths: Sequence[int], room: int) -> tuple[int, ...]:
    if sum(signs.count("*") for _, signs in masks) > room:
        raise source.wrong("there are too many processors", line=masks[0][0])
    starts = [sum(widths[:group]) for group in range(len(widths))]
    return tuple(
        start + cpu for start, (_, signs) in zip(starts, masks, strict=True) for cpu, sign in enumerate(signs) if sign == "*"
    )
