"""Reference files: the shipped ones by name, a user's own by path."""

from __future__ import annotations

import os
import re
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from simulator.errors import InputError
from simulator.outside import read_toml, shipped_folder, shipped_names
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
    if _NAME.fullmatch(label) and not path.exists():
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
        raise _input_error(error, label) from None


def _input_error(error: ValidationError, label: str) -> InputError:
    first = error.errors(include_url=False)[0]
    path = first["loc"]
    value = first["input"] if first["type"] not in ("missing", "extra_forbidden", "value_error") else None
    what = {"missing": "is missing", "extra_forbidden": "is not a key of this table"}.get(first["type"], _own_words(first["msg"]))
    allowed = ", ".join(_keys(path[:-1])) if first["type"] == "extra_forbidden" else None
    return InputError(what, file=label, field=_field(path) or None, value=value, allowed=allowed)


def _own_words(message: str) -> str:
    text = message.removeprefix("Value error, ").replace("Input should be", "should be")
    return text[:1].lower() + text[1:]


def _field(path: Sequence[str | int]) -> str:
    """Name a path as a person counts: ``figure[2].cases[1].page`` is the second figure's first case."""
    text = ""
    for key in path:
        text += f"[{key + 1}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def _keys(path: Sequence[str | int]) -> list[str]:
    """Return the keys allowed in the table at `path`."""
    model: type[BaseModel] | None = Reference
    for key in path:
        if model is not None and isinstance(key, str):
            model = _part(model.model_fields[key].annotation) if key in model.model_fields else None
    return list(model.model_fields) if model is not None else []


def _part(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((part for part in map(_part, typing.get_args(annotation)) if part is not None), None)
