"""`load_machine`: from a name or a file to a validated machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from simulator.machine.merge import document_of, read_document
from simulator.machine.overrides import Overrides, parse_overrides
from simulator.machine.read import locate, shipped_names
from simulator.machine.resolve import resolve
from simulator.machine.spec import Machine


def load_machine(name_or_path: str | os.PathLike[str], overrides: Overrides = ()) -> Machine:
    """Load a machine that ships with numasim, or a user's own file.

    Parameters
    ----------
    name_or_path : str or path
        ``"quartet"``, or the path of a TOML file. A shipped name wins over a file of the same name; ``./quartet`` is the file.
    overrides : sequence of "PATH=VALUE", or mapping of path to value
        As ``--set`` gives them: ``"link.latency_ns=8"``, ``"link[0-1].credits.request=4"``, ``{"core.window": 6}``.

    Returns
    -------
    Machine
        Nodes in ascending order, links sorted by their ends; the same for any order of entries in the file.

    Raises
    ------
    InputError
        Whatever is wrong with the file or the overrides: one message with file, field, value and what is allowed.
    """
    parsed = parse_overrides(overrides)
    return resolve(read_document(locate(name_or_path)), parsed)


def machine_from_dict(table: Mapping[str, Any], overrides: Overrides = (), *, label: str = "machine") -> Machine:
    """Make a machine of a table in the form of a machine file, for machines that stand in no file.

    Parameters
    ----------
    table : mapping
        What ``tomllib`` would read from a machine file; ``extends`` works.
    overrides : sequence or mapping
        As for :func:`load_machine`.
    label : str
        What messages call it.

    Raises
    ------
    InputError
        As for :func:`load_machine`.
    """
    parsed = parse_overrides(overrides)
    return resolve(document_of(table, label), parsed)


def list_machines() -> list[str]:
    """Return the names of the shipped machines, sorted; files without nodes are bases for others and left out."""
    return [name for name in shipped_names() if read_document(locate(name)).data.get("nodes")]
