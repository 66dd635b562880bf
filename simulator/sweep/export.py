"""Rows of a store as tidy CSV and Parquet."""

from __future__ import annotations

import io
from collections.abc import Sequence

from simulator.optional import optional_module
from simulator.sweep.store import Selection
from simulator.tables import csv_text


def rows_csv(selection: Selection) -> str:
    """Return the rows as CSV under a header; no value is an empty field."""
    return csv_text(selection.columns, selection.rows)


def rows_parquet(selection: Selection) -> bytes:
    """Return the rows as a Parquet file. A column of numbers and texts becomes one of texts.

    Raises
    ------
    InputError
        pyarrow is not installed.
    """
    values = list(zip(*selection.rows, strict=True)) or [()] * len(selection.columns)
    return parquet_bytes(selection.columns, [_of_one_kind(column) for column in values], purpose="--parquet")


def parquet_bytes(
    columns: Sequence[str], values: Sequence[list[object]], *, purpose: str, kinds: Sequence[str] | None = None
) -> bytes:
    """Return columns as a Parquet file.

    Parameters
    ----------
    columns : sequence of str
    values : sequence of list
        One list a column.
    purpose : str
        What needs pyarrow, in the user's words.
    kinds : sequence of str, optional
        pyarrow's name of each column's type; inferred if left out.

    Raises
    ------
    InputError
        pyarrow is not installed.
    """
    pyarrow = optional_module("pyarrow", "parquet", purpose)
    parquet = optional_module("pyarrow.parquet", "parquet", purpose)
    types = [None] * len(columns) if kinds is None else [pyarrow.type_for_alias(kind) for kind in kinds]
    arrays = [pyarrow.array(column, kind) for column, kind in zip(values, types, strict=True)]
    sink = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=list(columns)), sink)
    return sink.getvalue()


def _of_one_kind(column: tuple[object, ...]) -> list[object]:
    kinds = {type(value) for value in column if value is not None}
    if str in kinds and len(kinds) > 1:
        return [None if value is None else str(value) for value in column]
    if float in kinds:
        return [float(value) if isinstance(value, int) else value for value in column]
    return list(column)
