"""numactl's words: on which CPUs a program runs, and where its memory comes from."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.machine.distances import cpu_numbers
from simulator.machine.spec import Machine
from simulator.placement.lists import parse_cpus, parse_nodes
from simulator.placement.policy import Bind, Interleave, LocalAlloc, Policy, Preferred, PreferredMany, WeightedInterleave

LONG = {
    "-i": "--interleave",
    "-w": "--weighted-interleave",
    "-m": "--membind",
    "-p": "--preferred",
    "-P": "--preferred-many",
    "-l": "--localalloc",
    "-N": "--cpunodebind",
    "-C": "--physcpubind",
    "-a": "--all",
}
CPU_WORDS = ("--cpunodebind", "--physcpubind")
MEMORY_WORDS = ("--interleave", "--weighted-interleave", "--membind", "--preferred", "--preferred-many", "--localalloc")
_WITHOUT_VALUE = ("--localalloc", "--all")
_REFUSED = {
    "--balancing": "the kernel's NUMA balancing is not modelled",
    "-b": "the kernel's NUMA balancing is not modelled",
    "--cpubind": "is deprecated by numactl itself; --cpunodebind and --physcpubind say which numbers they mean",
    "-c": "is deprecated by numactl itself; --cpunodebind and --physcpubind say which numbers they mean",
}
_SEGMENT_WORDS = (
    *("--shm", "--shmid", "--file", "--huge", "--offset", "--length"),
    *("--strict", "--shmmode", "--touch", "--dump", "--dump-nodes"),
)
_SHOW = ("--show", "--hardware", "-s", "-H")
_GLUED = re.compile(r"-[iwmpPNC].+", re.DOTALL)
_MOST_WORDS = 100


@dataclass(frozen=True)
class Binding:
    """What numactl's words say.

    Attributes
    ----------
    cpus : tuple of int, optional
        CPU numbers that may be used, ascending; None: all.
    policy : Policy, optional
        Of all memory that has no policy of its own; None: not said, so local allocation.
    """

    cpus: tuple[int, ...] | None = None
    policy: Policy | None = None


def parse_numactl(words: str | Sequence[str], machine: Machine, *, field: str = "") -> Binding:
    """Read what could stand between ``numactl`` and the command.

    Parameters
    ----------
    words : str or sequence of str
        Such as ``--cpunodebind=0 --membind=0,1`` or ``["-N", "0", "-m", "0,1"]``.
    machine : Machine
    field : str
        Where the words stand, for messages; empty: on a command line, where the words say it themselves.

    Returns
    -------
    Binding

    Raises
    ------
    InputError
        A word is unknown or not modelled, is there twice or against another one, or its list is wrong.
    """
    said = _read(_split(words, field), field)
    return Binding(_cpus(said, machine, field), _policy(said, machine, field))


def parse_policy(words: str, machine: Machine, *, field: str) -> Policy:
    """Read the memory policy of an array: exactly one of numactl's memory words.

    Raises
    ------
    InputError
        As for :func:`parse_numactl`, and where a word says on which CPUs to run.
    """
    said = _read(_split(words, field), field)
    wrong = next((word for word in said if word not in MEMORY_WORDS), None)
    if wrong is not None:
        raise InputError(f"{wrong} says nothing about memory", field=field, value=words, allowed=", ".join(MEMORY_WORDS))
    policy = _policy(said, machine, field)
    if policy is None:
        raise InputError("is no policy", field=field, value=words, allowed=", ".join(MEMORY_WORDS))
    return policy


def _split(words: str | Sequence[str], field: str) -> list[str]:
    if not isinstance(words, str):
        return list(words)[:_MOST_WORDS]
    try:
        return shlex.split(words)[:_MOST_WORDS]
    except ValueError:
        raise InputError("has a quotation mark without its partner", field=field, value=words) from None


def _read(words: Sequence[str], field: str) -> dict[str, str]:
    """Return the options by their long names."""
    said: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--" and not rest:
            break
        name, value = _name(word, field)
        if value is None and name not in _WITHOUT_VALUE:
            if not rest or rest[0].startswith("--"):
                raise InputError(f"{name} needs a list", field=field, allowed=f"{name}=0, {name}=0-3, {name}=all")
            value = rest.pop(0)
        elif value is not None and name in _WITHOUT_VALUE:
            raise InputError(f"{name} takes no list", field=field, value=word, allowed=name)
        if name in said:
            raise InputError(f"{name} is there twice", field=field, allowed="each word once")
        said[name] = value or ""
    return said


def _name(word: str, field: str) -> tuple[str, str | None]:
    """Split a word into its long name and, where it is glued on, its value."""
    name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
    if _GLUED.fullmatch(word):
        name, equals, value = word[:2], "=", word[2:].removeprefix("=")
    name = LONG.get(name, name)
    if name in CPU_WORDS or name in MEMORY_WORDS or name == "--all":
        return name, value if equals else None
    allowed = ", ".join((*CPU_WORDS, *MEMORY_WORDS))
    if name in _REFUSED:
        raise InputError(f"{name}: {_REFUSED[name]}", field=field, allowed=allowed)
    if name in _SEGMENT_WORDS:
        what = f"{name}: segments and files of shared memory are arrays of a workload file here"
        raise InputError(what, field=field, allowed=allowed)
    if name in _SHOW:
        raise InputError(f"{name}: `numasim topo show` prints a machine", field=field, allowed=allowed)
    raise InputError("is no word of numactl's", field=field, value=word, allowed=allowed)


def _cpus(said: dict[str, str], machine: Machine, field: str) -> tuple[int, ...] | None:
    if "--physcpubind" in said and "--cpunodebind" in said:
        raise InputError("both say where to run", field=_at(field, "--cpunodebind, --physcpubind"), allowed="one of the two")
    if "--physcpubind" in said:
        return parse_cpus(said["--physcpubind"], machine, _at(field, "--physcpubind"))
    if "--cpunodebind" not in said:
        return None
    numbers = cpu_numbers(machine)
    with_cores = tuple(node.id for node in machine.nodes if node.cores)
    place = _at(field, "--cpunodebind")
    nodes = parse_nodes(said["--cpunodebind"], machine, place, with_cores)
    for node in nodes:
        if node not in with_cores:
            allowed = f"nodes with cores: {_listed(with_cores)}"
            raise InputError(f"node {node} has no cores", field=place, allowed=allowed)
    return tuple(cpu for node in nodes for cpu in numbers[node])


def _policy(said: dict[str, str], machine: Machine, field: str) -> Policy | None:
    found = [word for word in MEMORY_WORDS if word in said]
    if len(found) > 1:
        raise InputError(f"{' and '.join(found)} are two memory policies", field=field, allowed="one of them")
    if not found:
        return None
    word = found[0]
    if word == "--localalloc":
        return LocalAlloc()
    nodes = memory_nodes(said[word], machine, _at(field, word))
    if word == "--preferred":
        if len(nodes) > 1:
            raise InputError("takes one node", field=_at(field, word), value=said[word], allowed="one node, or --preferred-many")
        return Preferred(nodes[0])
    several = {
        "--interleave": Interleave,
        "--weighted-interleave": WeightedInterleave,
        "--membind": Bind,
        "--preferred-many": PreferredMany,
    }
    policy: Policy = several[word](nodes)
    return policy


def memory_nodes(text: str, machine: Machine, field: str) -> tuple[int, ...]:
    """Read a list of nodes that must have memory; ``all`` means those that have.

    Raises
    ------
    InputError
        It is no list of nodes, or one has no memory.
    """
    with_memory = tuple(node.id for node in machine.nodes if node.controller is not None)
    nodes = parse_nodes(text, machine, field, with_memory)
    for node in nodes:
        if node not in with_memory:
            allowed = f"nodes with memory: {_listed(with_memory)}"
            raise InputError(f"node {node} has no memory", field=field, allowed=allowed)
    return nodes


def _at(field: str, word: str) -> str:
    return f"{field}: {word}" if field else word


def _listed(ids: Sequence[int]) -> str:
    return ", ".join(map(str, ids)) or "none"
