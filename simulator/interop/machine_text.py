"""A machine file as text: one block after the other, short arrays on one line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_ROW = re.compile(r"\[\n((?:\s*\d+,\n)+)\s*\]")  # an array of whole numbers, as tomli_w lays it out; strings hold no line ends
_MAX_NAME = 40
_NO_NAME = re.compile(r"[^a-z0-9]+")
_MARKS = re.compile(r"\((?:r|tm|c)\)", re.IGNORECASE)  # of trade marks


def toml_text(table: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """Return a table in the form of a machine file as TOML.

    Parameters
    ----------
    table : mapping
        Plain values, blocks and arrays of blocks, in the order in which they are to stand.
    comments : sequence of str
        Lines at the head.
    """
    import tomli_w

    parts = ["".join(f"# {printable(line)}\n" for line in comments)]
    parts.append(tomli_w.dumps({key: value for key, value in table.items() if not isinstance(value, dict | list)}))
    for key, value in table.items():
        if isinstance(value, dict):
            parts.append(f"\n[{key}]\n{_block(value)}")
        elif isinstance(value, list):
            parts += [f"\n[[{key}]]\n{_block(entry)}" for entry in value]
    return "".join(parts)


def machine_name(text: str) -> str:
    """Return a name in one word, such as ``amd-opteron-processor-250``; ``imported`` where nothing is left."""
    return _NO_NAME.sub("-", _MARKS.sub("", text).lower())[:_MAX_NAME].strip("-") or "imported"


def printable(text: str, limit: int = 200) -> str:
    """Return text from outside in one line without controls, cut to `limit` characters."""
    line = "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 3] + "..."


def _block(block: Mapping[str, Any]) -> str:
    import tomli_w

    return _ROW.sub(lambda match: f"[{', '.join(match[1].replace(',', ' ').split())}]", tomli_w.dumps(block))
