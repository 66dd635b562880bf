"""A machine file as read: its tables, and which file gave each value, so that a complaint can name it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.errors import InputError

Path = tuple[str | int, ...]
ORIGIN = "--set"  # where an override comes from
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Document:
    """A machine file with its parents merged in.

    Parameters
    ----------
    data : dict
        The tables, as TOML gives them.
    origins : mapping of path to str
        Which file gave the value at a path, and all below it that has no entry of its own.
    file : str
        The file the user asked for.
    """

    data: dict[str, Any]
    origins: Mapping[Path, str]
    file: str

    def origin(self, path: Path) -> str:
        """Return the file that gave the value at `path`."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return self.file

    def get(self, path: Path) -> Any:
        """Return the value at `path`, or None where there is none."""
        value: Any = self.data
        for key in path:
            if not holds(value, key):
                return None
            value = value[key]
        return value

    def error(self, path: Path, what: str, *, value: object = None, allowed: str | None = None) -> InputError:
        """Make the error that says what is wrong at `path`."""
        return InputError(what, file=self.origin_text(path), field=self.field(path) or None, value=value, allowed=allowed)

    def origin_text(self, path: Path) -> str:
        """Name the file that gave the value at `path`, and how the user came to it."""
        origin = self.origin(path)
        return origin if origin in (self.file, ORIGIN) else f"{origin}, which {self.file} extends"

    def field(self, path: Path) -> str:
        """Name a path as ``--set`` does: ``link[0-1].latency_ns``, ``node[3].cores``."""
        if len(path) > 1 and path[0] in ("nodes", "links"):
            head, rest = self._entry(str(path[0]), path[1]), path[2:]
        else:
            head, rest = "", path
        text = f"{head}: " if head.startswith("[[") and rest else head
        for key in rest:
            if isinstance(key, int):
                text += f"[{key}]"
            else:
                text += ("." if text and not text.endswith(" ") else "") + (key if _BARE_KEY.fullmatch(key) else json.dumps(key))
        return text

    def _entry(self, array: str, index: str | int) -> str:
        entry = self.get((array, index))
        entry = entry if isinstance(entry, dict) else {}
        if array == "nodes" and type(entry.get("id")) is int:
            return f"node[{entry['id']}]"
        ends = entry.get("ends")
        if array == "links" and isinstance(ends, list) and len(ends) == 2 and all(type(end) is int for end in ends):
            return f"link[{ends[0]}-{ends[1]}]"
        return f"[[{array}]] number {int(index) + 1}" if isinstance(index, int) else array


def holds(value: object, key: str | int) -> bool:
    """Say whether a table has that key, or an array that entry."""
    return (isinstance(value, dict) and key in value) or (isinstance(value, list) and isinstance(key, int) and key < len(value))


def leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the dotted names of all values in nested tables."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def merge_tables(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two tables by key; `over` wins, arrays are replaced whole. Neither is changed."""
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        merged[key] = merge_tables(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def note_in_source(source: object, note: str) -> str:
    """Append what a block's source does not cover."""
    if not isinstance(source, str):
        return note
    return source if note in source.split("; ") else f"{source}; {note}"
