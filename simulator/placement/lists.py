"""Lists of nodes and of CPUs as numactl(8) writes them: ``0,2-3``, ``all``, ``!2``, ``+0-1``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.machine.distances import cpu_numbers
from simulator.machine.spec import Machine

_ITEM = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?", re.ASCII)
_DEVICE = re.compile(r"(netdev|file|ip|block|pci):.*", re.DOTALL)
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]+")
_LONGEST = 2000  # characters of a list


@dataclass(frozen=True)
class Numbers:
    """What a list may hold.

    Attributes
    ----------
    noun : str
        ``node`` or ``CPU``.
    owner : str
        Name of the machine, for messages.
    known : tuple of int
        All there are, ascending.
    usable : tuple of int
        Those that ``all`` means, that ``!`` leaves the rest of and that ``+`` counts in.
    """

    noun: str
    owner: str
    known: tuple[int, ...]
    usable: tuple[int, ...]

    @property
    def grammar(self) -> str:
        """What a list looks like."""
        return f"{self.noun} numbers as numactl writes them: 0, 0,2, 0-3 or all; !2 is all but 2, +0 counts among the usable ones"


def parse_nodes(text: str, machine: Machine, field: str, usable: Sequence[int] | None = None) -> tuple[int, ...]:
    """Read a list of nodes.

    Parameters
    ----------
    text : str
        ``0,2-3``, ``all``, ``!2`` (all others) or ``+0-1`` (the first two of the usable ones); ``!+0`` is both.
    machine : Machine
    field : str
        The option's name, for messages.
    usable : sequence of int, optional
        Nodes that ``all``, ``!`` and ``+`` speak of, ascending; None: all nodes.

    Returns
    -------
    tuple of int
        In ascending order, each once.

    Raises
    ------
    InputError
        It is no such list, or a node is not there.
    """
    known = machine.node_ids
    return parse_numbers(text, Numbers("node", machine.name, known, known if usable is None else tuple(usable)), field)


def parse_cpus(text: str, machine: Machine, field: str) -> tuple[int, ...]:
    """Read a list of CPUs, numbered as :func:`simulator.machine.distances.cpu_numbers` does; see :func:`parse_nodes`."""
    known = tuple(cpu for cpus in cpu_numbers(machine).values() for cpu in cpus)
    return parse_numbers(text, Numbers("CPU", machine.name, known, known), field)


def parse_numbers(text: str, numbers: Numbers, field: str) -> tuple[int, ...]:
    """Read a list of numbers; InputError where it is none, holds one that is not there, or leaves none."""
    rest = text.strip() if len(text) <= _LONGEST else ""
    inverted = rest.startswith("!")
    rest = rest.removeprefix("!")
    if rest == "all":
        found = set(numbers.usable)
    elif rest.startswith("+"):
        found = {_relative(place, numbers, text, field) for place in _items(rest[1:], numbers, text, field)}
    else:
        found = {_absolute(number, numbers, text, field) for number in _items(rest, numbers, text, field)}
    if inverted:
        found = set(numbers.usable) - found
    if not found:
        allowed = f"{numbers.noun}s {_listed(numbers.usable)}"
        raise InputError(f"leaves no {numbers.noun}", field=field, value=text, allowed=allowed)
    return tuple(sorted(found))


def _items(rest: str, numbers: Numbers, text: str, field: str) -> list[int]:
    found: list[int] = []
    for item in rest.split(","):
        match = _ITEM.fullmatch(item.strip())
        if match is None or int(match[1]) > int(match[2] or match[1]):
            raise _no_list(item.strip(), numbers, text, field)
        first, last = int(match[1]), int(match[2] or match[1])
        found += range(
            first, min(last, first + len(numbers.known)) + 1
        )  # one more than there are is enough to see that it is wrong
    return found


def _no_list(item: str, numbers: Numbers, text: str, field: str) -> InputError:
    if _DEVICE.fullmatch(item):
        what = f"{item.partition(':')[0]}: names a device of a real computer, and a machine file has none"
        return InputError(what, field=field, value=text, allowed=numbers.grammar)
    if _HEXADECIMAL.fullmatch(item):
        what = "a mask in hexadecimal, which numactl's manual shows and its parser takes for one number"
        return InputError(what, field=field, value=text, allowed=numbers.grammar)
    if item == "same":
        return InputError("same is not understood here", field=field, value=text, allowed="the list written out")
    return InputError(f"not a list of {numbers.noun}s", field=field, value=text, allowed=numbers.grammar)


def _absolute(number: int, numbers: Numbers, text: str, field: str) -> int:
    if number not in numbers.known:
        allowed = f"{numbers.noun}s {_listed(numbers.known)}"
        raise InputError(f"{numbers.owner} has no {numbers.noun} {number}", field=field, value=text, allowed=allowed)
    return number


def _relative(place: int, numbers: Numbers, text: str, field: str) -> int:
    if place >= len(numbers.usable):
        allowed = f"+0 to +{len(numbers.usable) - 1}"
        raise InputError(f"there is no usable {numbers.noun} at place +{place}", field=field, value=text, allowed=allowed)
    return numbers.usable[place]


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
