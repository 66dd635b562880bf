"""What a field of a machine file may be, in words; read from the JSON Schema, so that it is said in one place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from simulator.machine.document import Path

Schema = Mapping[str, Any]
UNITS = {  # endings of field names, longest first where one ends another
    "_gb_per_s": "GB/s",
    "_gt_per_s": "GT/s",
    "_ghz": "GHz",
    "_gib": "GiB",
    "_bits": "bits",
    "_bytes": "bytes",
    "_ns": "ns",
}
_FOREIGN_UNITS = ("_mb_per_s", "_mt_per_s", "_mhz", "_mib", "_gb", "_mb", "_ps", "_us", "_ms", "_s", "_cycles", "_clocks", "_hz")


def lookup(schema: Schema, path: Path) -> Schema | None:
    """Return the part of a JSON Schema that describes the value at `path`, or None where nothing can be."""
    part: Schema | None = schema
    for key in path:
        part = _step(schema, part, key) if part is not None else None
    return None if part is None else _resolved(schema, part)


def keys(schema: Schema, path: Path) -> list[str]:
    """Return the keys allowed in the table at `path`, in the order of the schema."""
    part = lookup(schema, path)
    return [] if part is None else list(part.get("properties", {}))


def describe(schema: Schema, path: Path) -> str | None:
    """Say what is allowed at `path`: ``a number from 0 to 1000000 (ns)``."""
    part = lookup(schema, path)
    if part is None:
        return None
    text = _words(schema, part)
    name = path[-1] if path and isinstance(path[-1], str) else ""
    unit = next((unit for ending, unit in UNITS.items() if name.endswith(ending)), None)
    return f"{text} ({unit})" if unit else text


def hint(key: str, allowed: Iterable[str]) -> str:
    """Guess what an unknown key was meant to be; empty where there is no good guess."""
    allowed = list(allowed)
    stem = _stem(key)
    with_unit = [name for name in allowed if name != _stem(name) and _stem(name) == stem]
    if with_unit:
        return f"; the unit is part of the name: {' or '.join(with_unit)}"
    close = difflib.get_close_matches(key, allowed, 1, 0.6)
    return f"; did you mean {close[0]}?" if close else ""


def _stem(key: str) -> str:
    for ending in (*UNITS, *_FOREIGN_UNITS):
        if key.endswith(ending) and len(key) > len(ending):
            return key[: -len(ending)]
    return key


def _resolved(schema: Schema, part: Schema) -> Schema:
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].rsplit("/", 1)[1]]
    return part


def _step(schema: Schema, part: Schema, key: str | int) -> Schema | None:
    part = _resolved(schema, part)
    for alternative in part.get("anyOf", ()) if "properties" not in part else ():
        found = _step(schema, alternative, key)
        if found is not None:
            return found
    if isinstance(key, int):
        prefix = part.get("prefixItems", [])
        found = prefix[key] if key < len(prefix) else part.get("items")
        return found if isinstance(found, Mapping) else None
    found = part.get("properties", {}).get(key, part.get("additionalProperties"))
    return found if isinstance(found, Mapping) else None


def _words(schema: Schema, part: Schema, plural: bool = False) -> str:
    part = _resolved(schema, part)
    if "anyOf" in part and "properties" not in part:
        return " or ".join(dict.fromkeys(_words(schema, alternative, plural) for alternative in part["anyOf"]))
    if "const" in part or "enum" in part:
        return " or ".join(_literal(value) for value in part.get("enum", [part.get("const")]))
    kind = part.get("type")
    if kind in ("number", "integer"):
        noun = "number" if kind == "number" else "whole number"
        return (f"{noun}s" if plural else f"a {noun}") + _range(part)
    if kind == "string":
        limit = f" of at most {part['maxLength']} characters" if "maxLength" in part else ""
        return "texts" if plural else f"text{limit}"
    if kind == "array":
        return ("lists of " if plural else "a list of ") + _items(schema, part)
    names = ", ".join(part.get("properties", ()))
    return "tables" if plural else f"a table of {names}" if names else "a table"


def _items(schema: Schema, part: Schema) -> str:
    if "prefixItems" in part:
        return f"{len(part['prefixItems'])} {_words(schema, part['prefixItems'][0], plural=True)}"
    return _words(schema, part["items"], plural=True) if "items" in part else "values"


def _range(part: Schema) -> str:
    low, above, high = part.get("minimum"), part.get("exclusiveMinimum"), part.get("maximum")
    if low is not None and high is not None:
        return f" from {low:g} to {high:.10g}"
    if above is not None and high is not None:
        return f" above {above:g}, at most {high:.10g}"
    if low is not None:
        return f" of at least {low:g}"
    return ""


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
