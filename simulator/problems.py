"""One clear message out of what pydantic finds wrong with a file."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from simulator.errors import InputError

_Path = tuple[str | int, ...]
_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not a key of this table",
    "tuple_type": "should be a list",
    "model_type": "should be a table",
}
_WITHOUT_VALUE = ("missing", "extra_forbidden", "value_error")


def first_problem(error: ValidationError, model: type[BaseModel], table: object, label: str) -> InputError:
    """Turn the first thing pydantic found wrong into an InputError.

    Parameters
    ----------
    error : ValidationError
    model : type
        What the table should have been.
    table : object
        What was validated.
    label : str
        What the user calls the file.
    """
    found = [(_real_path(item, table), item) for item in error.errors(include_url=False)]
    start = found[0][0]
    alternatives = [(path, item) for path, item in found if path[: len(start)] == start]
    path, item = max(alternatives, key=lambda pair: len(pair[0]))  # of a field's alternatives the one that got furthest
    value = item["input"] if item["type"] not in _WITHOUT_VALUE else None
    what = _WORDS.get(item["type"], _own_words(item["msg"]))
    allowed = ", ".join(_keys(model, path[:-1])) if item["type"] == "extra_forbidden" else None
    return InputError(what, file=label, field=_field(path) or None, value=value, allowed=allowed)


def _real_path(item: ErrorDetails, table: object) -> _Path:
    """Drop what pydantic adds to a path for the alternatives of a field."""
    path: list[str | int] = []
    here: Any = table
    for position, key in enumerate(item["loc"]):
        last = position == len(item["loc"]) - 1
        if _holds(here, key):
            here = here[key]
            path.append(key)
        elif last and item["type"] == "missing":
            path.append(key)
    return tuple(path)


def _holds(value: object, key: str | int) -> bool:
    if isinstance(value, (list, tuple)):
        return isinstance(key, int) and key < len(value)
    return isinstance(value, dict) and key in value


def _own_words(message: str) -> str:
    text = message.removeprefix("Value error, ").replace("Input should be", "should be")
    return text[:1].lower() + text[1:]


def _field(path: Sequence[str | int]) -> str:
    """Name a path as a person counts: ``figure[2].cases[1].page`` is the second figure's first case."""
    text = ""
    for key in path:
        text += f"[{key + 1}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def _keys(root: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """Return the keys allowed in the table at `path`."""
    model: type[BaseModel] | None = root
    for key in path:
        if model is not None and isinstance(key, str):
            model = _part(model.model_fields[key].annotation) if key in model.model_fields else None
    return list(model.model_fields) if model is not None else []


def _part(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((part for part in map(_part, typing.get_args(annotation)) if part is not None), None)
