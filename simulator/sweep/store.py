"""Finished points of sweeps in one SQLite file: written whole or not at all, found again by key."""

from __future__ import annotations

import math
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from simulator.errors import InputError
from simulator.measure.result import RunResult
from simulator.sweep.complaints import complaints
from simulator.sweep.database import Opened, open_to_read, open_to_write, sync, transaction
from simulator.sweep.grid import Point
from simulator.sweep.natural import compare_naturally
from simulator.sweep.rows import axes_row, part_rows, point_row
from simulator.sweep.schema import VIEWS, WORKLOAD_COLUMNS, add_axes, canonical_order, part_table, quoted
from simulator.sweep.where import condition, is_text

_SYNC_EVERY_S = 1.0  # a sync takes as long as some runs
_MOST_RESULT_BYTES = 1 << 28
_AT_ONCE = 500  # keys in one query; SQLite takes at least 999


@dataclass(frozen=True)
class Selection:
    """Rows of a view, in an order that does not depend on when points were finished.

    Attributes
    ----------
    view : str
    columns : tuple of str
    rows : iterator of tuple
        Read from the store as they are asked for.
    """

    view: str
    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


class Store:
    """A store that is open; a context manager. Made by :func:`open_store`."""

    def __init__(self, path: Path, opened: Opened) -> None:
        self.path = path
        self._connection = opened.connection
        self._watch = opened.watch
        self._synced_at = -math.inf
        self._connection.create_collation("by_number", compare_naturally)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is None:
                self.check()
        finally:
            self.close()

    def check(self) -> None:
        """See that its name still leads to the file that is open, and that nobody changed it if nobody was expected to.

        Raises
        ------
        InputError
            It was removed or replaced: what was kept since is lost. Or what was read of it may be wrong.
        """
        if self._watch is not None:
            self._watch.check()

    def close(self) -> None:
        """Close the file; what was kept stays."""
        self._connection.close()

    def prepare(self, points: Iterable[Point]) -> None:
        """Add the columns of these points' axes; InputError if the store cannot be written."""
        names = {name for point in points for name in axes_row(point)}
        with complaints(self.path), transaction(self._connection):
            add_axes(self._connection, names)

    def keep(self, finished: Sequence[tuple[Point, RunResult]], model: str) -> None:
        """Keep results of prepared points, all or none. A known key is left as it is.

        Once it returns they survive the end of the process. A power cut may cost the last few.

        Raises
        ------
        InputError
            The store cannot be written, or its file has been removed or replaced.
        """
        due = time.monotonic() >= self._synced_at + _SYNC_EVERY_S
        with complaints(self.path):
            sync(self._connection, due)
            with transaction(self._connection):
                for point, result in finished:
                    self._insert(point, result, model)
        self.check()
        if due:
            self._synced_at = time.monotonic()

    def verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the verdicts of those keys that are there."""
        found: dict[str, str] = {}
        with complaints(self.path):
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ", ".join("?" * len(some))
                found |= dict(self._connection.execute(f"SELECT key, verdict FROM point WHERE key IN ({marks})", some))
        return found

    def result(self, key: str) -> RunResult | None:
        """Return the whole result kept under a key, or under the one key that begins so; None without one.

        Raises
        ------
        InputError
            Several keys begin so, or the result cannot be read.
        """
        if not is_text(key):
            raise InputError("is no text in UTF-8", field="--run", value=key, allowed="a key, or how it begins")
        with complaints(self.path):
            query = "SELECT result FROM point WHERE substr(key, 1, ?) = ? LIMIT 2"
            found = self._connection.execute(query, (len(key), key)).fetchall()
        if len(found) > 1:
            raise InputError("several keys begin so", file=os.fspath(self.path), value=key, allowed="more digits of the key")
        return self._unpack(found[0][0]) if found else None

    def select(self, view: str = "points", where: str = "") -> Selection:
        """Return rows of a view.

        Parameters
        ----------
        view : {'points', 'threads', 'links', 'controllers'}
        where : str
            A condition on the columns, such as ``link.latency_ns >= 8 and verdict = 'steady'``; empty: all.

        Raises
        ------
        InputError
            There is no such view or column, or the condition cannot be read.
        """
        if view not in VIEWS:
            raise InputError("there is no such table", field="--table", value=view, allowed=", ".join(VIEWS))
        with complaints(self.path):
            with closing(self._connection.execute(f"SELECT * FROM {view} LIMIT 0")) as empty:
                columns = tuple(str(column[0]) for column in empty.description)
            order = ", ".join(_sorted_by(name) for name in canonical_order(self._connection, view))
            sql, values = condition(where, columns)
            cursor = self._connection.execute(f"SELECT * FROM {view} WHERE {sql} ORDER BY {order}", values)
        shown = len(columns) if "place" not in columns else columns.index("place")
        return Selection(view, _without(columns, shown), (_without(row, shown) for row in self._rows(cursor)))

    def _unpack(self, data: bytes) -> RunResult:
        try:
            text = zlib.decompressobj().decompress(data, _MOST_RESULT_BYTES)
            return RunResult.model_validate_json(text)
        except (TypeError, ValueError, zlib.error):
            raise InputError("is damaged: a result in it cannot be read", file=os.fspath(self.path)) from None

    def _rows(self, cursor: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
        with complaints(self.path):
            yield from iter(cursor.fetchone, None)  # may be left half-way, the store closed before it

    def _insert(self, point: Point, result: RunResult, model: str) -> None:
        number = self._insert_row("point", point_row(point, result, model))
        if number is None:
            return
        for view, rows in part_rows(result).items():
            for row in rows:
                self._insert_row(part_table(view), {"point": number, **row})

    def _insert_row(self, table: str, row: Mapping[str, Any]) -> int | None:
        """Return the number of the row; None if it was there already."""
        names, marks = ", ".join(map(quoted, row)), ", ".join("?" * len(row))
        cursor = self._connection.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))
        return cursor.lastrowid if cursor.rowcount else None


def open_store(path: str | os.PathLike[str], *, read_only: bool = False) -> Store:
    """Open a store of finished points, or make one.

    Parameters
    ----------
    path : str or path
    read_only : bool
        It must be there, and nothing can be changed through it.

    Raises
    ------
    InputError
        The file is no store, is of a newer numasim, or cannot be opened.
    """
    place = Path(path)
    return Store(place, open_to_read(place) if read_only else open_to_write(place))


def _without(row: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    return row[:index] + row[index + 1 :]


def _sorted_by(name: str) -> str:
    return f"{quoted(name)} COLLATE by_number" if name in WORKLOAD_COLUMNS else quoted(name)
