"""Reader of CSV files of measured numbers: columns in any order, only `quantity`, `value` and `unit` must be there.

Cells may be quoted (RFC 4180), but hold no line breaks.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.interop.measured import COLUMNS, LARGEST, SMALLEST, UNITS, Measurement, Quantity
from simulator.interop.source import Source

MAX_ROWS = 100_000
LONGEST_NAME = 100
_LONGEST_THREADS = 20_000  # characters: some thousand labels
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,4})?")
_LABEL = re.compile(r"[0-9]{1,5}\.[0-9]{1,5}\.[rw]\.[0-9]{1,5}")  # as `simulator.workload.parse_label` takes them
_NEEDED = ("quantity", "value", "unit")
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}  # of other programs
_MOST_HEAD_LINES = 20  # before the header, of a file that is none of this schema yet


def recognises(source: Source) -> bool:
    """Say whether the first line of the file is a header of this schema."""
    first = next((line for line in source.lines if line.strip()), "")
    try:
        return set(_NEEDED) <= set(_split(first))
    except csv.Error:
        return False


def what_is_wrong(source: Source) -> InputError | None:
    """Return what keeps a text that looks like CSV of this schema from being read; None where it does not look so, or nothing.

    It looks so where one of its first lines names two columns or more, in whatever letters and with whatever between them.
    """
    head = [line for line in source.lines if line.strip()][:_MOST_HEAD_LINES]
    if not any(len(_named_columns(line)) > 1 for line in head):
        return None
    try:
        read_measurements(source)
    except InputError as error:
        what = f"looks like CSV of measured numbers, but {error.what}"
        return InputError(what, file=error.file, field=error.field, value=error.value, allowed=error.allowed)
    return None


def _named_columns(line: str) -> set[str]:
    words = re.split(r"[,;\t|]", line.strip().lstrip("#").lower())
    return {word.strip(" \"'") for word in words} & set(COLUMNS)


def read_measurements(source: Source) -> tuple[Measurement, ...]:
    """Return the rows of a CSV file of measurements.

    Raises
    ------
    InputError
        A column is unknown, twice there or missing; a row is too short or long; a value is not what its column takes.
    """
    numbered = [(number, line) for number, line in enumerate(source.lines) if line.strip()]
    if not numbered:
        raise source.wrong("is empty", allowed="a header and rows")
    if len(numbered) - 1 > MAX_ROWS:
        raise source.wrong("has too many rows", value=len(numbered) - 1, allowed=f"at most {MAX_ROWS:,}")
    (first, header), *body = numbered
    names = _header(source, first, header)
    if not body:
        raise source.wrong("has a header and no rows", allowed="at least one row")
    return tuple(_measurement(source, number, names, _cells(source, number, line)) for number, line in body)


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], strict=True, skipinitialspace=True), [])]


def _cells(source: Source, number: int, line: str) -> list[str]:
    try:
        return _split(line)
    except csv.Error as error:
        raise source.wrong(f"is not CSV: {error}", line=number, allowed="cells without line breaks, quoted or not") from None


def _header(source: Source, number: int, line: str) -> list[str]:
    _check_form(source, number, line)
    names = _cells(source, number, line)
    for name in names:
        if name not in COLUMNS and name.lower() in COLUMNS:
            raise source.wrong("has a column in other letters", line=number, value=name, allowed=name.lower())
        if name not in COLUMNS:
            raise source.wrong("has an unknown column", line=number, value=name, allowed=", ".join(COLUMNS))
        if names.count(name) > 1:
            raise source.wrong("has a column twice", line=number, value=name)
    for name in _NEEDED:
        if name not in names:
            raise source.wrong(f"has no column {name}", line=number, allowed=", ".join(COLUMNS))
    return names


def _check_form(source: Source, number: int, line: str) -> None:
    """Raise InputError where the first line is a comment, or another program's idea of CSV."""
    if line.lstrip().startswith("#"):
        raise source.wrong("begins with a comment", line=number, value=line.strip(), allowed="the names of the columns first")
    other = next((name for sign, name in _SEPARATORS.items() if sign in line), None)
    if "," not in line and other is not None:
        raise source.wrong(f"has cells parted by {other}", line=number, allowed="commas between cells, points in numbers")


def _measurement(source: Source, number: int, names: Sequence[str], cells: Sequence[str]) -> Measurement:
    if len(cells) != len(names):
        raise source.wrong("has another number of cells than the header", line=number, value=len(cells), allowed=str(len(names)))
    row = _Row(source, number, dict(zip(names, cells, strict=True)))
    quantity = Quantity(row.one_of("quantity", tuple(Quantity)))
    return Measurement(
        experiment=row.text("experiment", LONGEST_NAME) or "measured",
        quantity=quantity,
        value=row.value(),
        unit=row.one_of("unit", UNITS[quantity]),
        from_node=row.whole("from_node", "a node's number, or nothing"),
        to_node=row.whole("to_node", "a node's number, or nothing"),
        threads=row.threads(),
        read_fraction=row.number("read_fraction", 0.0, 1.0),
        ci_percent=row.number("ci_percent", 0.0),
    )


@dataclass(frozen=True)
class _Row:
    """A row whose cells know where they stand."""

    source: Source
    line: int
    cells: dict[str, str]

    def text(self, column: str, longest: int) -> str:
        text = " ".join(self.cells.get(column, "").split())
        if len(text) > longest or not text.isprintable():
            raise self._wrong(column, f"at most {longest:,} characters that can be printed")
        return text

    def one_of(self, column: str, allowed: Sequence[str]) -> str:
        text = self.cells.get(column, "")
        if text not in allowed:
            raise self._wrong(column, ", ".join(word or "nothing" for word in allowed))
        return text

    def value(self) -> float:
        value = self.number("value", SMALLEST, LARGEST)
        if value is None:
            raise self._wrong("value", "a number")
        return value

    def number(self, column: str, lowest: float, highest: float = math.inf) -> float | None:
        text = self.cells.get(column, "")
        if not text:
            return None
        allowed = f"a number from {lowest:g}" + ("" if highest == math.inf else f" to {highest:g}")
        value = float(text) if _NUMBER.fullmatch(text) else math.nan
        if not (math.isfinite(value) and lowest <= value <= highest):
            raise self._wrong(column, allowed)
        return value + 0.0  # -0 is 0

    def whole(self, column: str, allowed: str) -> int | None:
        text = self.cells.get(column, "")
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            raise self._wrong(column, allowed)
        return int(text)

    def threads(self) -> str:
        text = self.text("threads", _LONGEST_THREADS)
        allowed = "nothing, a number of threads, or labels such as 0.0.w.1 with blanks between"
        if "." not in text:
            return str(self.whole("threads", allowed)) if text else ""
        if not all(map(_LABEL.fullmatch, text.split())):
            raise self._wrong("threads", allowed)
        return text

    def _wrong(self, column: str, allowed: str) -> InputError:
        where = f"{self.source.place(self.line)}, column {column}"
        return InputError("is wrong", file=self.source.label, field=where, value=self.cells.get(column, ""), allowed=allowed)
