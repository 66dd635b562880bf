"""``--set PATH=VALUE``: paths as they stand in a machine file.

``link.latency_ns`` is the machine-wide block, exactly as in the file: a link or node that gives the value itself keeps its
own. Where all of them do, the override would change nothing and is refused. ``link[0-1].latency_ns`` is one link,
``link[*].latency_ns`` every link whatever it says itself; ``node[3]``, ``sri[3]``, ``crossbar[3]`` and ``controller[3]``
likewise. Machine-wide values are set first, then ``[*]``, then single ones: the order of the arguments does not matter.
"""

from __future__ import annotations

import copy
import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.errors import InputError
from simulator.machine.document import ORIGIN, Document, Path, note_in_source
from simulator.machine.fields import Schema, hint, keys, lookup
from simulator.machine.schema import MACHINE_BLOCKS, NODE_BLOCKS, machine_json_schema

Overrides = Mapping[str, Any] | Sequence[str]
_HEADS = (*MACHINE_BLOCKS, "node")
_UNSET = ("schema_version", "name", "title", "source", "extends", "nodes", "links")
_FIXED = ("source", "fitted", "id", "ends")
_PATH = re.compile(r"(?P<head>[^.\[\]]+)(?:\[(?P<which>[^\]]*)\])?(?P<rest>(?:\.[^.\[\]]+)*)")
_LINK = re.compile(r"(\d{1,9})-(\d{1,9})(?:#(\d{1,9}))?")


@dataclass(frozen=True)
class Override:
    """One override: `head[which].rest = value`; `which` is None for the machine-wide block."""

    text: str
    head: str
    which: str | None
    rest: tuple[str, ...]
    value: Any

    @property
    def rank(self) -> tuple[int, str]:
        """Order of application: machine-wide, every one, one; then by name."""
        return (0 if self.which is None else 1 if self.which == "*" else 2, self.text)

    def error(self, what: str, *, allowed: str | None = None) -> InputError:
        """Make the error that says what is wrong with the path."""
        return InputError(what, file=ORIGIN, field=self.text, allowed=allowed)


def parse_overrides(overrides: Overrides) -> list[Override]:
    """Turn overrides into their parts, in order of application.

    Parameters
    ----------
    overrides : mapping of path to value, or sequence of "PATH=VALUE"
        Values in text are TOML values (``8``, ``[[0, 1], [0, 1]]``), else plain text (``response-first``).

    Raises
    ------
    InputError
        No ``=``, no value, or a path that no machine file has.
    """
    if isinstance(overrides, str):
        overrides = (overrides,)
    pairs = list(overrides.items()) if isinstance(overrides, Mapping) else [_split(text) for text in overrides]
    schema = machine_json_schema() if pairs else {}
    return sorted((_parse(path.strip(), value, schema) for path, value in pairs), key=lambda override: override.rank)


def settings_of(texts: Sequence[str]) -> dict[str, Any]:
    """Return texts PATH=VALUE as a mapping of paths to values.

    Raises
    ------
    InputError
        One is none, or a path is there twice.
    """
    settings: dict[str, Any] = {}
    for path, value in map(_split, texts):
        if path.strip() in settings:
            raise InputError("is set twice", file=ORIGIN, field=path.strip())
        settings[path.strip()] = value
    return settings


def apply_overrides(document: Document, overrides: Sequence[Override]) -> Document:
    """Return the document with values replaced, and the sources of the blocks saying so.

    Raises
    ------
    InputError
        A node or link that is not there, one value set twice, or an override that would change nothing.
    """
    if not overrides:
        return document
    changed = Document(copy.deepcopy(document.data), dict(document.origins), document.file)
    seen: dict[tuple[int, Path], Override] = {}
    for override in overrides:
        for block in _blocks(changed, override):
            path = (*block, *override.rest)
            other = seen.setdefault((override.rank[0], path), override)
            if other is not override:
                raise override.error(f"is set twice, as {other.text} too" if other.text != override.text else "is set twice")
            _set(changed, block, override)
    return changed


def _split(text: str) -> tuple[str, Any]:
    if not isinstance(text, str):
        raise InputError("is no override", file=ORIGIN, value=text, allowed="PATH=VALUE, such as link.latency_ns=8")
    path, equals, value = text.partition("=")
    if not equals or not path.strip() or not value.strip():
        raise InputError("is no override", file=ORIGIN, value=text, allowed="PATH=VALUE, such as link.latency_ns=8")
    return path, _value(value.strip())


def _value(text: str) -> Any:
    if "\n" in text:
        return text
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return table["value"] if table.keys() == {"value"} else text


def _parse(path: str, value: Any, schema: Schema) -> Override:
    match = _PATH.fullmatch(path)
    if match is None:
        raise InputError("is no path", file=ORIGIN, field=path, allowed="such as link.latency_ns or link[0-1].credits.request")
    rest = tuple(match["rest"].split(".")[1:])
    head = match["head"]
    if head == "node" and match["which"] is not None and rest and rest[0] in NODE_BLOCKS:
        head, rest = rest[0], rest[1:]  # node[3].controller.read_ns is controller[3].read_ns
    override = Override(path, head, match["which"], rest, value)
    _check_path(override, schema)
    return override


def _check_path(override: Override, schema: Schema) -> None:
    head = override.head
    if head in _UNSET:
        raise override.error(f"{head} cannot be set", allowed=", ".join(_HEADS))
    if head not in _HEADS:
        close = difflib.get_close_matches(head, _HEADS, 1)
        guess = f"; did you mean {close[0]}?" if close else ""
        raise override.error(f"there is no block {head}{guess}", allowed=", ".join(_HEADS))
    if override.which is None and head == "node":
        raise override.error("does not say which node", allowed="node[0].memory_gib, or node[*] for every node")
    if override.which is not None and head not in (*NODE_BLOCKS, "node", "link"):
        raise override.error(f"{head} is the same for the whole machine", allowed=f"{head} without [{override.which}]")
    start = _schema_path(override)
    for length in range(len(override.rest)):
        names = _names(schema, (*start, *override.rest[:length]))
        if override.rest[length] not in names:
            raise override.error(_unknown(override, length, names), allowed=", ".join(names) or None)
    names = _names(schema, (*start, *override.rest))
    if names:
        allowed = ", ".join(f"{override.text}.{name}" for name in names)
        raise override.error("is a table; set its values one by one", allowed=allowed)
    if isinstance(override.value, dict):
        raise override.error("a table cannot be set", allowed="a single value or a list")


def _unknown(override: Override, length: int, names: list[str]) -> str:
    name = override.rest[length]
    if not names:
        return f"{'.'.join((override.head, *override.rest[:length]))} is a single value and holds no {name}"
    if name in _FIXED:
        return f"{name} cannot be set"
    return f"there is no {name} here{hint(name, names)}"


def _schema_path(override: Override) -> Path:
    if override.head == "node":
        return ("nodes", 0)
    return ("links", 0) if override.head == "link" and override.which is not None else (override.head,)


def _names(schema: Schema, path: Path) -> list[str]:
    part = lookup(schema, path)
    return [] if part is None else [name for name in keys(schema, path) if name not in _FIXED]


def _blocks(document: Document, override: Override) -> list[Path]:
    """Return the paths of the tables in which the override sets its value."""
    if override.which is None:
        _check_taken(document, override)
        return [(override.head,)]
    if override.head == "link":
        return [("links", index) for index in _links(document, override)]
    below: Path = () if override.head == "node" else (override.head,)
    return [("nodes", index, *below) for index in _nodes(document, override)]


def _check_taken(document: Document, override: Override) -> None:
    """Refuse a machine-wide value that every node or link overrides."""
    if override.head == "link":
        places: list[Path] = [("links", index) for index in range(len(document.data.get("links", ())))]
    elif override.head in NODE_BLOCKS:
        places = [("nodes", index, override.head) for index in range(len(document.data.get("nodes", ())))]
    else:
        return
    if places and all(document.get((*place, *override.rest)) is not None for place in places):
        every = ".".join((f"{override.head}[*]", *override.rest))
        raise override.error(f"changes nothing: each {override.head} of the file gives this value itself", allowed=every)


def _nodes(document: Document, override: Override) -> list[int]:
    ids = [node.get("id") for node in document.data.get("nodes", ())]
    if override.which == "*":
        if override.head == "controller":
            return [index for index, node in enumerate(document.data.get("nodes", ())) if "memory_gib" in node]
        return list(range(len(ids)))
    found = [index for index, node_id in enumerate(ids) if str(node_id) == override.which]
    if not found:
        raise override.error(f"there is no node {override.which}", allowed=f"nodes {', '.join(map(str, ids))}")
    return found


def _links(document: Document, override: Override) -> list[int]:
    ends = [tuple(sorted(link["ends"])) for link in document.data.get("links", ())]
    if override.which == "*":
        return list(range(len(ends)))
    match = _LINK.fullmatch(override.which or "")
    if match is None:
        raise override.error("does not name a link", allowed="link[0-1], link[0-1#1] among parallel links, link[*]")
    wanted = tuple(sorted((int(match[1]), int(match[2]))))
    found = [index for index, pair in enumerate(ends) if pair == wanted]
    if match[3] is not None:
        found = found[int(match[3]) : int(match[3]) + 1]
    if not found:
        names = ", ".join(dict.fromkeys(f"{low}-{high}" for low, high in ends)) or "none: the machine has no links"
        raise override.error(f"there is no link {override.which}", allowed=f"links {names}" if ends else names)
    if len(found) > 1:
        choices = " or ".join(f"link[{match[1]}-{match[2]}#{ordinal}]" for ordinal in range(len(found)))
        raise override.error("names parallel links", allowed=choices)
    return found


def _set(document: Document, block: Path, override: Override) -> None:
    table: Any = document.data
    for key in block:
        table = table[key] if isinstance(key, int) else table.setdefault(key, {})
    note = f"{'.'.join(override.rest)} overridden"
    inherited = document.get((override.head, "source")) if len(block) == 3 else None
    table["source"] = note_in_source(table.get("source", inherited), note)
    for key in override.rest[:-1]:
        table = table.setdefault(key, {})
    table[override.rest[-1]] = override.value
    origins = document.origins
    assert isinstance(origins, dict)
    origins[(*block, *override.rest)] = ORIGIN
