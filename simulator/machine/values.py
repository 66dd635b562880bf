"""Numbers of a machine by the path that ``--set`` gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from simulator.errors import InputError
from simulator.machine.fitted import link_selector
from simulator.machine.overrides import Override, parse_overrides
from simulator.machine.schema import NODE_BLOCKS
from simulator.machine.spec import Machine

_REVERSED = re.compile(r"(\d+)-(\d+)(.*)")


def number_at(machine: Machine, path: str) -> int | float:
    """Return the number at a path; of a machine-wide path that of the first node or link.

    Parameters
    ----------
    machine : Machine
    path : str
        Such as ``link.latency_ns`` or ``link[0-1].credits.request``.

    Raises
    ------
    InputError
        There is no such path, no such node or link, or no number there.
    """
    (override,) = parse_overrides({path: 0})
    block = next(_blocks(machine, override), None)
    if block is None:
        raise InputError(
            f"{machine.name} has no such node or link", field=path, allowed="the numbers of nodes and ends of links it has"
        )
    value: Any = block
    for name in override.rest:
        value = getattr(value, name, None)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError("is no number", field=path, value=value, allowed="a value that is a number")
    return value


def _blocks(machine: Machine, override: Override) -> Iterator[Any]:
    which, head = override.which, override.head
    if head == "link":
        for index, link in enumerate(machine.links):
            if which in (None, "*") or link_selector(machine, index)[1:-1] == _ascending(which or ""):
                yield link
    elif head in NODE_BLOCKS or head == "node":
        for node in machine.nodes:
            block = node if head == "node" else getattr(node, head)
            if block is not None and which in (None, "*", str(node.id)):
                yield block
    else:
        yield getattr(machine, head)


def _ascending(ends: str) -> str:
    match = _REVERSED.fullmatch(ends)
    if match is None or int(match[1]) <= int(match[2]):
        return ends
    return f"{match[2]}-{match[1]}{match[3]}"
