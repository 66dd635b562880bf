"""A truth table as files and as text."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from simulator.files import write_bytes, write_text
from simulator.sweep.export import parquet_bytes
from simulator.tables import Table, csv_text, number, row
from simulator.validation.truth_table_report import PairRow, RankedPlacement, TruthTable

COLUMNS = tuple(PairRow.model_fields)
_NUMBERS = ("time_first_ns", "time_second_ns", "percent", "ci_percent")
_KINDS = {**dict.fromkeys(_NUMBERS, "float64"), "exact": "bool"}


def truth_table_json(table: TruthTable) -> str:
    """Return the table as one JSON document."""
    return table.model_dump_json(indent=1) + "\n"


def truth_table_csv(table: TruthTable) -> str:
    """Return the pairs as CSV, a row each; no value is an empty field."""
    return csv_text(COLUMNS, ([getattr(pair, column) for column in COLUMNS] for pair in table.rows))


def truth_table_parquet(table: TruthTable) -> bytes:
    """Return the pairs as a Parquet file.

    Raises
    ------
    InputError
        pyarrow is not installed.
    """
    values = [[getattr(pair, column) for pair in table.rows] for column in COLUMNS]
    kinds = [_KINDS.get(column, "string") for column in COLUMNS]
    return parquet_bytes(COLUMNS, values, purpose="Parquet", kinds=kinds)


def save_truth_table(table: TruthTable, folder: Path) -> tuple[Path, ...]:
    """Write ``truth-table.json`` and ``.csv``, with pyarrow ``.parquet`` too, and return their paths.

    Raises
    ------
    InputError
        They cannot be written there.
    """
    written = [folder / "truth-table.json", folder / "truth-table.csv"]
    write_text(written[0], truth_table_json(table))
    write_text(written[1], truth_table_csv(table))
    if find_spec("pyarrow") is not None:
        written.append(folder / "truth-table.parquet")
        write_bytes(written[-1], truth_table_parquet(table))
    return tuple(written)


def ranking_tables(table: TruthTable) -> tuple[Table, ...]:
    """Return the best and the worst placements; tables without rows are left out."""
    ranking = table.ranking
    total = f"{len(table.rows):,} pairs, {ranking.placements:,} different placements"
    tables = (
        _ranked(table, f"Best placements of {table.machine} ({total})", ranking.best),
        _ranked(table, "Worst placements: both threads on one core, by time slicing", ranking.worst)
        if all(found.method == "time slicing" for found in ranking.worst)
        else _ranked(table, "Worst placements", ranking.worst),
        _ranked(table, "Worst placements with a core for each thread", ranking.worst_on_two_cores),
    )
    return tuple(found for found in tables if found.rows)


def _ranked(table: TruthTable, title: str, placements: Sequence[RankedPlacement]) -> Table:
    rows = (
        row(
            found.words,
            f"{found.first} {found.second}",
            number(found.percent),
            f"{number(found.lowest_percent)}-{number(found.highest_percent)}",
            str(found.pairs),
        )
        for found in placements
    )
    headers = ("placement", "for example", f"% of {table.base}", "lowest-highest", "pairs")
    return Table(title, headers, tuple(rows), left=2)
