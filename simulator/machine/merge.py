"""`extends`: a machine file laid over its parents."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from simulator.errors import InputError
from simulator.machine.document import Document, Path, leaves, merge_tables, note_in_source
from simulator.machine.read import Location, locate, read_table, shipped_names

MAX_DEPTH = 8
_VALUE_NAME = re.compile(r"[a-z_.]+")
_NOT_VALUES = ("source", "fitted", "extends", "schema_version")


def read_document(location: Location) -> Document:
    """Read a machine file and all that it extends, and merge them.

    Tables merge by key, arrays (nodes, links, rows of a routing table) are replaced whole. Where a child changes a block
    without giving the block a source of its own, the parent's source says so.

    Raises
    ------
    InputError
        A file of the chain cannot be read, the chain is a circle, or longer than `MAX_DEPTH`.
    """
    chain = _read_chain(location)
    return merge_chain([(step.label, table) for step, table in reversed(chain)])


def document_of(table: Mapping[str, Any], label: str) -> Document:
    """Make a document of a table that stands in no file; it may extend shipped machines or files."""
    chain = [(Location(label), dict(table))]
    parent = _parent(table, label, None)
    if parent is not None:
        chain += _read_chain(parent)
    return merge_chain([(step.label, layer) for step, layer in reversed(chain)])


def merge_chain(layers: list[tuple[str, dict[str, Any]]]) -> Document:
    """Merge (file, table) pairs, eldest first."""
    data: dict[str, Any] = {}
    origins: dict[Path, str] = {}
    for file, table in layers:
        layer = _with_sources(data, table) if data else table
        layer = {key: value for key, value in layer.items() if key != "extends"}
        data = merge_tables(data, layer)
        _note_origins(origins, layer, file, ())
    return Document(data, origins, layers[-1][0])


def _read_chain(location: Location) -> list[tuple[Location, dict[str, Any]]]:
    chain: list[tuple[Location, dict[str, Any]]] = []
    step: Location | None = location
    while step is not None:
        if step.key in (seen.key for seen, _ in chain):
            circle = " -> ".join([seen.label for seen, _ in chain] + [step.label])
            raise InputError(f"machine files extend each other in a circle: {circle}", file=chain[-1][0].label, field="extends")
        if len(chain) == MAX_DEPTH:
            allowed = f"a chain of at most {MAX_DEPTH} files"
            raise InputError("too many files extend each other", file=location.label, field="extends", allowed=allowed)
        table = read_table(step)
        chain.append((step, table))
        step = _parent(table, step.label, step)
    return chain


def _parent(table: Mapping[str, Any], label: str, step: Location | None) -> Location | None:
    name = table.get("extends")
    if name is None:
        return None
    names = shipped_names()
    allowed = f"a path relative to this file, or one of {', '.join(names)}"
    if not isinstance(name, str) or not name:
        raise InputError("wants a name or a path", file=label, field="extends", value=name, allowed=allowed)
    folder = step.path.parent if step is not None and step.path is not None else None
    try:
        return locate(name, folder)
    except InputError:
        close = difflib.get_close_matches(name, names, 1)
        what = f"there is no such machine or file{f'; did you mean {close[0]}?' if close else ''}"
        raise InputError(what, file=label, field="extends", value=name, allowed=allowed) from None


def _with_sources(base: Mapping[str, Any], child: Mapping[str, Any]) -> dict[str, Any]:
    """Return the child with a source in each block it changes: its own, or its parent's with a remark."""
    result = {key: _with_source(base[key], value) if _both_tables(base, key, value) else value for key, value in child.items()}
    changed = sorted(key for key, value in child.items() if key not in _NOT_VALUES and not isinstance(value, dict))
    return _remark(result, base, changed)


def _with_source(base: Mapping[str, Any], child: dict[str, Any]) -> dict[str, Any]:
    return _remark(dict(child), base, sorted(leaves({key: value for key, value in child.items() if key not in _NOT_VALUES})))


def _remark(child: dict[str, Any], base: Mapping[str, Any], changed: list[str]) -> dict[str, Any]:
    changed = [name for name in changed if _VALUE_NAME.fullmatch(name)]  # any other is unknown and refused later
    if changed and "source" not in child and "source" in base:
        child["source"] = note_in_source(base["source"], f"{', '.join(changed)} set by an extending file without a source")
    return child


def _both_tables(base: Mapping[str, Any], key: str, value: object) -> bool:
    return isinstance(value, dict) and isinstance(base.get(key), dict)


def _note_origins(origins: dict[Path, str], table: Mapping[str, Any], file: str, path: Path) -> None:
    for key, value in table.items():
        here = (*path, key)
        if isinstance(value, dict):
            origins.setdefault(here, file)
            _note_origins(origins, value, file, here)
        else:
            origins[here] = file
