"""Reference files: the shipped ones by name, a user's own by path."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from simulator.errors import InputError
from simulator.outside import read_toml, shipped_folder, shipped_names
from simulator.problems import first_problem
from simulator.validation.reference import Reference

_FOLDER = "references"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


def list_references() -> list[str]:
    """Return the names of the shipped references."""
    return shipped_names(_FOLDER)


def load_reference(name_or_path: str | os.PathLike[str]) -> Reference:
    """Load a reference: a shipped one by name, or a file.

    A shipped name wins over a file of that name; ``./name`` means the file.

    Raises
    ------
    InputError
        There is no such reference, the file cannot be read, or something in it is wrong.
    """
    label = os.fspath(name_or_path)
    names = list_references()
    if label in names:
        return parse_reference(read_toml(shipped_folder(_FOLDER) / f"{label}.toml", label, "a reference file"), label)
    path = Path(label)
    if _NAME.fullmatch(label) and not os.path.exists(label):
        raise InputError("there is no reference of that name", value=label, allowed=f"a path, or one of {', '.join(names)}")
    return parse_reference(read_toml(path, label, "a reference file"), label)


def parse_reference(table: dict[str, Any], label: str) -> Reference:
    """Validate the tables of a reference file.

    Parameters
    ----------
    label : str
        What the user calls the file, for messages.

    Raises
    ------
    InputError
        A key is unknown or missing, a value is not allowed, or two parts contradict each other.
    """
    try:
        return Reference.model_validate(table)
    except ValidationError as error:
        raise first_problem(error, Reference, table, label) from None
