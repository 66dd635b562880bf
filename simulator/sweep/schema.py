"""The tables of a store, and the views that people read. docs/sweeps.md describes each column."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from simulator.errors import InputError

APPLICATION_ID = 0x4E554D41  # "NUMA": tells a store from any other SQLite file
SCHEMA_VERSION = 1  # kept as user_version
ACCURACY_PREFIX = "accuracy."  # no machine file has a block of that name
MOST_AXES = 1_900  # SQLite takes 2,000 columns in all
VIEWS = ("points", "threads", "links", "controllers")
WORKLOAD_COLUMNS = {"threads": "TEXT NOT NULL", "background": "TEXT NOT NULL", "background_gb_per_s": "REAL"}
POINT_MEASURES = {
    "verdict_detail": "TEXT",
    "time_per_line_ns": "REAL",
    "ci_percent": "REAL",
    "gb_per_s": "REAL NOT NULL",
    "latency_mean_ns": "REAL",
    "latency_p50_ns": "REAL",
    "latency_p95_ns": "REAL",
    "latency_p99_ns": "REAL",
    "busiest_link": "TEXT",
    "busiest_link_utilization": "REAL",
    "busiest_controller": "INTEGER",
    "busiest_controller_utilization": "REAL",
    "window_ns": "REAL NOT NULL",
    "events": "INTEGER NOT NULL",
}
PROVENANCE = {
    "engine": "TEXT NOT NULL",
    "version": "TEXT NOT NULL",
    "model": "TEXT NOT NULL",
    "machine_hash": "TEXT NOT NULL",
}
PARTS = {  # several rows a point, in the order of `place`
    "threads": {
        "thread": "TEXT NOT NULL",
        "node": "INTEGER NOT NULL",
        "core": "INTEGER NOT NULL",
        "mode": "TEXT NOT NULL",
        "memory": "INTEGER",
        "is_background": "INTEGER NOT NULL",
        "asked_gb_per_s": "REAL",
        "time_per_line_ns": "REAL",
        "ci_percent": "REAL",
        "gb_per_s": "REAL NOT NULL",
        "lines": "INTEGER NOT NULL",
    },
    "links": {
        "link": "TEXT NOT NULL",
        "gb_per_s": "REAL NOT NULL",
        "utilization": "REAL NOT NULL",
        "data_bytes": "INTEGER NOT NULL",
        "command_bytes": "INTEGER NOT NULL",
        "probe_bytes": "INTEGER NOT NULL",
        "response_bytes": "INTEGER NOT NULL",
        "flow_control_bytes": "INTEGER NOT NULL",
        "crc_bytes": "INTEGER NOT NULL",
    },
    "controllers": {
        "node": "INTEGER NOT NULL",
        "gb_per_s": "REAL NOT NULL",
        "read_gb_per_s": "REAL NOT NULL",
        "write_gb_per_s": "REAL NOT NULL",
        "utilization": "REAL NOT NULL",
        "mean_queue": "REAL NOT NULL",
    },
}
_POINT = {
    "id": "INTEGER PRIMARY KEY",
    "key": "TEXT NOT NULL UNIQUE",
    "machine": "TEXT NOT NULL",
    **WORKLOAD_COLUMNS,
    "seed": "INTEGER NOT NULL",
    "verdict": "TEXT NOT NULL",
    **POINT_MEASURES,
    **PROVENANCE,
    "result": "BLOB NOT NULL",
}
_OWNERS = """
CREATE TABLE owner (id TEXT PRIMARY KEY, process TEXT NOT NULL, expires REAL NOT NULL);
CREATE TABLE claim (key TEXT PRIMARY KEY, owner TEXT NOT NULL REFERENCES owner(id) ON DELETE CASCADE)
"""


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables and views of an empty store, within the transaction under way."""
    connection.execute(f"CREATE TABLE point ({_declared(_POINT)})")
    for view, columns in PARTS.items():
        shared = {"point": "INTEGER NOT NULL REFERENCES point(id) ON DELETE CASCADE", "place": "INTEGER NOT NULL"}
        key = "PRIMARY KEY (point, place)"
        connection.execute(f"CREATE TABLE {part_table(view)} ({_declared({**shared, **columns})}, {key}) WITHOUT ROWID")
    for statement in _OWNERS.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    _make_views(connection)


def add_axes(connection: sqlite3.Connection, names: Iterable[str]) -> None:
    """Add the columns of axes that are not there yet, within the transaction under way.

    Raises
    ------
    InputError
        They would be more than `MOST_AXES`.
    """
    known = set(axis_columns(connection))
    missing = sorted(set(names) - known)
    if len(known) + len(missing) > MOST_AXES:
        allowed = f"at most {MOST_AXES:,} in one store; another store"
        raise InputError(f"would have {len(known) + len(missing):,} constants that were set", field="--store", allowed=allowed)
    for name in missing:
        connection.execute(f"ALTER TABLE point ADD COLUMN {quoted(name)}")
    if missing:
        _make_views(connection)


def is_whole(connection: sqlite3.Connection) -> bool:
    """Return whether all tables and views are there with the columns that every store has."""
    first = ["key", "machine", *WORKLOAD_COLUMNS, "seed", "verdict"]
    wanted = {"point": list(_POINT), "points": [*first, *POINT_MEASURES, *PROVENANCE]}
    wanted |= {"owner": ["id", "process", "expires"], "claim": ["key", "owner"]}
    for view, columns in PARTS.items():
        wanted |= {part_table(view): ["point", "place", *columns], view: [*first, *columns, "place", *PROVENANCE]}
    return all(set(columns) <= set(_columns(connection, table)) for table, columns in wanted.items())


def axis_columns(connection: sqlite3.Connection) -> list[str]:
    """Return the columns that sweeps have added: constants that were set, then accuracy, each sorted."""
    added = [column for column in _columns(connection, "point") if "." in column]
    return sorted(added, key=lambda column: (column.startswith(ACCURACY_PREFIX), column))


def canonical_order(connection: sqlite3.Connection, view: str) -> list[str]:
    """Return the columns to sort a view by, so that it does not show in which order points were finished."""
    place = [] if view == "points" else ["place"]
    return [*_identity(connection), "version", "model", "machine_hash", "key", *place]


def part_table(view: str) -> str:
    """Return the table behind a view of several rows a point."""
    return view.removesuffix("s")


def quoted(name: str) -> str:
    """Return a column's name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]


def _declared(columns: dict[str, str]) -> str:
    return ", ".join(f"{quoted(name)} {kind}" for name, kind in columns.items())


def _identity(connection: sqlite3.Connection) -> list[str]:
    """Return the columns that say which point it is."""
    axes = axis_columns(connection)
    settings = [name for name in axes if not name.startswith(ACCURACY_PREFIX)]
    accuracy = [name for name in axes if name.startswith(ACCURACY_PREFIX)]
    return ["machine", *settings, *WORKLOAD_COLUMNS, *accuracy, "seed"]


def _make_views(connection: sqlite3.Connection) -> None:
    for view in VIEWS:
        connection.execute(f"DROP VIEW IF EXISTS {view}")
    first = ["key", *_identity(connection), "verdict"]
    connection.execute(f"CREATE VIEW points AS SELECT {_of('point', [*first, *POINT_MEASURES, *PROVENANCE])} FROM point")
    for view, columns in PARTS.items():
        shown = ", ".join([_of("point", first), _of("part", [*columns, "place"]), _of("point", list(PROVENANCE))])
        joined = f"point JOIN {part_table(view)} AS part ON part.point = point.id"
        connection.execute(f"CREATE VIEW {view} AS SELECT {shown} FROM {joined}")


def _of(table: str, columns: Sequence[str]) -> str:
    return ", ".join(f"{table}.{quoted(name)} AS {quoted(name)}" for name in columns)
