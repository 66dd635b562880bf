"""Rows of a store as tidy CSV and Parquet."""

from __future__ import annotations

import csv
import io

from simulator.sweep.optional import optional_module
from simulator.sweep.store import Selection


def rows_csv(selection: Selection) -> str:
    """Return the rows as CSV under a header; no value is an empty field."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(selection.columns)
    writer.writerows(selection.rows)
    return stream.getvalue()


def rows_parquet(selection: Selection) -> bytes:
    """Return the rows as a Parquet file. A column of numbers and texts becomes one of texts.

    Raises
    ------
    InputError
        pyarrow is not installed.
    """
    pyarrow = optional_module("pyarrow", "parquet", "--parquet")
    parquet = optional_module("pyarrow.parquet", "parquet", "--parquet")
    values = list(zip(*selection.rows, strict=True)) or [()] * len(selection.columns)
    arrays = [pyarrow.array(_of_one_kind(column)) for column in values]
    sink = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=list(selection.columns)), sink)
    return sink.getvalue()


def _of_one_kind(column: tuple[object, ...]) -> list[object]:
    kinds = {type(value) for value in column if value is not None}
    if str in kinds and len(kinds) > 1:
        return [None if value is None else str(value) for value in column]
    if float in kinds:
        return [float(value) if isinstance(value, int) else value for value in column]
    return list(column)
