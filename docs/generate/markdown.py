"""Pieces of Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from simulator.tables import Table

_CODE = re.compile(r"(`[^`]*`)")
_SPECIAL = re.compile(r"([\\*_\[\]|])")


def escaped(text: str) -> str:
    """Return plain text as Markdown that shows it; what stands between backticks stays code."""
    parts = _CODE.split(text)
    return "".join(part if part.startswith("`") else _SPECIAL.sub(r"\\\1", html.escape(part, quote=False)) for part in parts)


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a table; cells are Markdown already.

    Parameters
    ----------
    headers : sequence of str
    rows : iterable of sequence of str
        As long as `headers`.
    left : int
        So many first columns start at the left, the others end at the right.
    """
    rules = ["---" if column < left else "---:" for column in range(len(headers))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [headers, rules, *rows]) + "\n"


def from_table(source: Table, level: int = 2) -> str:
    """Return one of the program's tables under its title as a heading."""
    rows = ([escaped(cell.text) for cell in cells] for cells in source.rows)
    heading = f"{'#' * level} {source.title}"
    note = f"\n{escaped(source.note.strip())}\n" if source.note else ""
    return f"{heading}\n\n{table(source.headers, rows, source.left)}{note}"


def code_block(text: str, language: str = "text") -> str:
    """Return text as a fenced block."""
    return f"```{language}\n{text.rstrip()}\n```\n"
