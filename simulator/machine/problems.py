"""One clear message out of what pydantic finds wrong with a machine file."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from simulator.errors import InputError
from simulator.machine.document import ORIGIN, Document, Path, holds
from simulator.machine.fields import describe, hint, keys
from simulator.machine.schema import machine_json_schema

RANGE = 'two numbers [lowest, highest], choices such as ["a", "b"], or [] to drop what a parent file says'
_WHAT = {  # pydantic's error type, or its beginning: what to say
    "finite_number": "is not a finite number",
    "greater_than": "is too small",
    "less_than": "is too large",
    "string_type": "must be text",
    "string_too_short": "is empty",
    "string_too_long": "is too long",
    "string_pattern": "holds a control character",
    "literal_error": "is not one of the choices",
    "float": "must be a number",
    "int": "must be a whole number",
    "too_short": "is too short",
    "too_long": "is too long",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be a table",
    "model": "must be a table",
}


def first_problem(error: ValidationError, document: Document) -> InputError:
    """Turn the first thing pydantic found wrong into an InputError that says how many more there are."""
    found = _furthest([(_real_path(item, document), item) for item in error.errors(include_url=False)])
    path, item = found[0]
    first = _problem(path, item, document)
    more = len({path for path, _ in found}) - 1
    if not more:
        return first
    what = f"{first.what} (and {more} more {'problem' if more == 1 else 'problems'})"
    return InputError(what, file=first.file, field=first.field, value=first.value, allowed=first.allowed)


def _problem(path: Path, item: ErrorDetails, document: Document) -> InputError:
    schema = machine_json_schema()
    kind, value = item["type"], item["input"]
    if "fitted" in path[:-1]:
        return document.error(path, "is no range", value=document.get(path), allowed=RANGE)
    if kind == "extra_forbidden":
        allowed = keys(schema, path[:-1])
        what = f"unknown key{hint(str(path[-1]), allowed)}"
        return document.error(path, what, allowed=", ".join(allowed))
    if kind == "missing":
        return InputError("is missing", file=document.file, field=document.field(path), allowed=describe(schema, path))
    what = next((text for start, text in _WHAT.items() if kind.startswith(start)), item["msg"].lower())
    given = document.origin(path) == ORIGIN
    return document.error(path, _sharpened(what, path, value, given), value=_shown(value), allowed=describe(schema, path))


def _sharpened(what: str, path: Path, value: object, given: bool) -> str:
    """Add what would help; `given` says that the value comes from the command line, where quotes do not count."""
    if isinstance(value, str) and what.endswith("number"):
        with_unit = value[:1].isdigit() and value[-1:].isalpha()
        return f"{what} without a unit: the name says it" if with_unit else what if given else f"{what}, without quotes"
    if path and path[-1] == "memory_gib" and value == 0:
        return f"{what}; leave it out for a node without memory"
    return what


def _shown(value: object) -> object:
    return "a table" if isinstance(value, dict) else value


def _real_path(item: ErrorDetails, document: Document) -> Path:
    """Drop what pydantic adds to a path for the alternatives of a field."""
    path: list[str | int] = []
    here: Any = document.data
    for position, key in enumerate(item["loc"]):
        last = position == len(item["loc"]) - 1
        if holds(here, key):
            here = here[key]
            path.append(key)
        elif last and item["type"] == "missing":
            path.append(key)
    if "fitted" in path[:-1]:  # one problem an entry, wherever in its list
        return tuple(path[: path.index("fitted") + 2])
    return tuple(path)


def _furthest(found: list[tuple[Path, ErrorDetails]]) -> list[tuple[Path, ErrorDetails]]:
    """Of the alternatives of one field keep the one that got furthest: a bad entry in a table, not "is no text"."""
    beaten = {path[:length] for path, _ in found for length in range(len(path))}
    return [(path, item) for path, item in found if path not in beaten]
