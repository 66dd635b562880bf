"""Files that a report is made of: which kind each is, and what it holds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from simulator.errors import InputError
from simulator.measure.loaded import LoadedReport
from simulator.measure.result import RunResult
from simulator.observe.check import MOST_BYTES
from simulator.observe.document import TraceDocument
from simulator.replay.result import ReplayResult, Replays
from simulator.tables import Table
from simulator.validation.report import Reproduction

KINDS = (
    "a run, trace, replay, loaded-latency or reproduce document that numasim has written as JSON, or a store of `numasim sweep`"
)
MOST_STORED_RUNS = 20  # of a store, drawn one by one; its table has all rows
MOST_ROWS = 2000
_SQLITE = b"SQLite format 3\x00"
_LONGEST_NAME = 120
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Named:
    """A result, and what the page calls it."""

    name: str
    result: RunResult | ReplayResult


@dataclass(frozen=True)
class StoreRows:
    """The points of a store: as a table, and as numbers by column."""

    name: str
    table: Table
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    more: int


@dataclass
class Documents:
    """All that the files hold, in their order."""

    runs: list[Named] = field(default_factory=list)
    traces: list[tuple[str, TraceDocument]] = field(default_factory=list)
    loaded: list[tuple[str, LoadedReport]] = field(default_factory=list)
    reproductions: list[tuple[str, Reproduction]] = field(default_factory=list)
    stores: list[StoreRows] = field(default_factory=list)


def read_documents(paths: Iterable[str | os.PathLike[str]]) -> Documents:
    """Read all files.

    Raises
    ------
    InputError
        One cannot be read, is of no kind that a report shows, or is not what it seems.
    """
    found = Documents()
    for path in paths:
        _read(os.fspath(path), found)
    return found


def _read(path: str, found: Documents) -> None:
    data = _bytes(path)
    name = Path(path).name[:_LONGEST_NAME]
    if data.startswith(_SQLITE):
        _read_store(path, name, found)
        return
    keys = _keys(data, path)
    if "traceEvents" in keys:
        from simulator.observe.write import read_trace

        found.traces.append((name, read_trace(path)))
    elif {"bars", "anchors"} <= keys:
        found.reproductions.append((name, _parsed(Reproduction, data, path)))
    elif {"points", "from_node"} <= keys:
        found.loaded.append((name, _parsed(LoadedReport, data, path)))
    elif keys == {"schema_version", "runs"}:
        replays = _parsed(Replays, data, path).runs
        found.runs += [Named(_replay_name(name, replay, len(replays)), replay) for replay in replays]
    elif {"window_ns", "threads", "links"} <= keys:
        found.runs.append(Named(name, _parsed(RunResult, data, path)))
    else:
        raise InputError("is of no kind that a report shows", file=path, allowed=KINDS)


def _bytes(path: str) -> bytes:
    try:
        if not Path(path).is_file():
            kind = "is a folder" if Path(path).is_dir() else "is no file" if Path(path).exists() else "there is no such file"
            raise InputError(kind, file=path, allowed=KINDS)
        with Path(path).open("rb") as stream:
            start = stream.read(len(_SQLITE))
            data = start if start == _SQLITE else start + stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InputError(f"cannot be read: {reason}", file=path, allowed=KINDS) from None
    if len(data) > MOST_BYTES:
        raise InputError("is too large", file=path, allowed=f"up to {MOST_BYTES / 1e6:.0f} MB")
    return data


def _keys(data: bytes, path: str) -> set[str]:
    from pydantic_core import from_json

    try:
        table = from_json(data)
    except ValueError as error:
        raise InputError(f"is no JSON: {str(error)[:120].lower()}", file=path, allowed=KINDS) from None
    if not isinstance(table, dict):
        raise InputError("is of no kind that a report shows", file=path, allowed=KINDS)
    return set(table)


def _parsed(model: type[_Model], data: bytes, path: str) -> _Model:
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or None
        raise InputError(f"is damaged: {first['msg'].lower()}", file=path, field=place, allowed=KINDS) from None


def _replay_name(name: str, replay: ReplayResult, several: int) -> str:
    return f"{name}: {replay.placement or replay.workload}" if several > 1 else name


def _read_store(path: str, name: str, found: Documents) -> None:
    from simulator.sweep import open_store
    from simulator.sweep.store import Selection
    from simulator.sweep.tables import selection_table

    with open_store(path, read_only=True) as store:
        selection = store.select("points")
        rows = [tuple(row) for row in islice(selection.rows, MOST_ROWS)]
        if not rows:
            raise InputError("holds no finished point", file=path, allowed="a store of a sweep that has finished some")
        columns, key = selection.columns, selection.columns.index("key")
        more, shown = sum(1 for _ in selection.rows), Selection("points", columns, iter(rows))
        found.stores.append(StoreRows(name, selection_table(shown), columns, tuple(rows), more))
        for row in rows[:MOST_STORED_RUNS]:
            result = store.result(str(row[key]))
            if result is not None:
                found.runs.append(Named(f"{name}: {_point_name(columns, rows, row)}", result))


def _point_name(columns: tuple[str, ...], rows: list[tuple[object, ...]], row: tuple[object, ...]) -> str:
    """Name a point by its threads, and by what else differs between points."""
    axes = [name for name in columns[: columns.index("verdict")] if name not in ("key", "threads")]
    varying = [name for name in axes if len({other[columns.index(name)] for other in rows}) > 1]
    words = [str(row[columns.index("threads")]), *(f"{name} {row[columns.index(name)]}" for name in varying)]
    return ", ".join(word for word in words if word)[:_LONGEST_NAME]
