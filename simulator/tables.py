"""Tables of text: laid out here, coloured by the command line where a terminal shows them; and rows as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Mood = Literal["plain", "good", "bad", "faint"]


@dataclass(frozen=True)
class Cell:
    """One entry; `mood` says how a terminal may colour it."""

    text: str
    mood: Mood = "plain"


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    title : str
    headers : tuple of str
    rows : tuple of tuple of Cell
    left : int
        So many first columns hold text and start at the left; the others hold numbers and end at the right.
    note : str
        A line below the table; empty for none.
    """

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    left: int = 1
    note: str = ""

    def plain(self) -> str:
        """Return the table as lines of ASCII, each ended by a line break."""
        header = [self.headers] if any(self.headers) else []
        lines = [*header, *(tuple(cell.text for cell in row) for row in self.rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.headers))]
        text = [self.title, *(self._line(line, widths) for line in lines)]
        return "\n".join(text + ([self.note] if self.note else [])) + "\n"

    def _line(self, texts: Sequence[str], widths: Sequence[int]) -> str:
        cells = (
            text.ljust(width) if column < self.left else text.rjust(width)
            for column, (text, width) in enumerate(zip(texts, widths, strict=True))
        )
        return ("  " + "  ".join(cells)).rstrip()


def row(*cells: Cell | str) -> tuple[Cell, ...]:
    """Make a row of cells and plain texts."""
    return tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in cells)


def number(value: float | None, digits: int = 1, *, signed: bool = False, missing: str = "-") -> str:
    """Write a number with so many digits behind the point."""
    if value is None:
        return missing
    return f"{value:{'+' if signed else ''}z.{digits}f}"


def yes_no(value: bool) -> Cell:
    """Make a cell that says whether something holds."""
    return Cell("yes", "good") if value else Cell("no", "bad")


def plain_text(tables: Sequence[Table]) -> str:
    """Return several tables, an empty line between them."""
    return "\n".join(table.plain() for table in tables)


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV under a header; no value is an empty field.

    Parameters
    ----------
    columns : sequence of str
    rows : iterable of iterables
        As long as `columns`.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()
