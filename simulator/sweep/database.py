"""Opening a store: is it one, may it be read, and what SQLite's complaints mean."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from simulator.errors import InputError
from simulator.sweep.schema import APPLICATION_ID, SCHEMA_VERSION, create_tables

_BUSY_S = 30.0  # how long to wait for another process that is writing
_LOG_PAGES = 256  # the log grows to about 1 MiB, however small the store is
_MAGIC = b"SQLite format 3\0"
_NOUN = "a store that `numasim sweep --store` made"


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open a store, or make one where there is no file or an empty one.

    Its commits survive the end of the process, but not a power cut; see :func:`sync`.

    Raises
    ------
    InputError
        The file is no store, is of a newer numasim, or cannot be written.
    """
    _check_kind(path)
    with complaints(path):
        connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        with complaints(path):
            new = _is_new(connection, path)
            _use_wal(connection, path)
            sync(connection, False)
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
            if new:
                with transaction(connection):
                    if _is_new(connection, path):  # nobody else was quicker
                        create_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a store that is there; nothing can be changed through it.

    Raises
    ------
    InputError
        There is no such file, or it is no store.
    """
    if not path.exists():
        raise InputError("there is no such file", file=os.fspath(path), allowed=_NOUN)
    _check_kind(path)
    try:
        return _read_only(path, "mode=rw")  # so that the last to close tidies up; see query_only
    except InputError:
        if os.access(path.parent, os.W_OK) or path.with_name(path.name + "-wal").exists():
            raise
        return _read_only(path, "mode=ro&immutable=1")  # a folder that is read-only has no place for SQLite's lock file


def sync(connection: sqlite3.Connection, wanted: bool) -> None:
    """Say whether the next commits, and all before them, reach the disk; that takes some milliseconds."""
    connection.execute(f"PRAGMA synchronous = {'FULL' if wanted else 'NORMAL'}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do all that is inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def complaints(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into an InputError that says what is wrong with the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise InputError(_in_words(error), file=os.fspath(path), allowed=_remedy(error)) from None


def _read_only(path: Path, mode: str) -> sqlite3.Connection:
    with complaints(path):
        connection = sqlite3.connect(f"file:{quote(os.fspath(path))}?{mode}", uri=True, timeout=_BUSY_S, isolation_level=None)
    try:
        with complaints(path):
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from anywhere
            if _is_new(connection, path):
                raise InputError("is empty", file=os.fspath(path), allowed=_NOUN)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_kind(path: Path) -> None:
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise InputError("its folder is not there", file=os.fspath(path), allowed="a file in a folder that exists") from None
        return
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {str(error).lower()}", file=os.fspath(path), allowed=_NOUN) from None
    if not stat.S_ISREG(kind):
        raise InputError("is a folder" if stat.S_ISDIR(kind) else "is no regular file", file=os.fspath(path), allowed=_NOUN)
    try:
        with path.open("rb") as stream:
            start = stream.read(len(_MAGIC))
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}", file=os.fspath(path)) from None
    if start not in (b"", _MAGIC):  # SQLite itself would take a file of a few bytes for an empty one
        raise InputError("is no SQLite file", file=os.fspath(path), allowed=_NOUN)


def _is_new(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether the database is still empty; InputError if it is something else than a store."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if not tables and not application and not version:
        return True
    if application != APPLICATION_ID:
        raise InputError("is an SQLite file, but no store of numasim", file=os.fspath(path), allowed=_NOUN)
    if version != SCHEMA_VERSION:
        what = f"is a store of {'a newer' if version > SCHEMA_VERSION else 'no known'} version of numasim"
        raise InputError(what, file=os.fspath(path), field="version", value=version, allowed=str(SCHEMA_VERSION))
    return False


def _use_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Switch to a write-ahead log; SQLite does not wait by itself while another process does the same."""
    end = time.monotonic() + _BUSY_S
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)
    if mode != "wal":
        allowed = "a local disk; network file systems cannot share a store"
        raise InputError("cannot keep a write-ahead log there", file=os.fspath(path), allowed=allowed)


def _in_words(error: sqlite3.Error) -> str:
    code = _code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return "is no SQLite file"
    if code == sqlite3.SQLITE_CORRUPT:
        return "is damaged"
    if code == sqlite3.SQLITE_FULL:
        return "cannot grow: the disk is full; what was in it is kept"
    if code == sqlite3.SQLITE_IOERR:
        return "cannot be read or written: the disk reports an error, perhaps it is full; what was in it is kept"
    if code == sqlite3.SQLITE_BUSY:
        return f"is in use: another process has been writing for more than {_BUSY_S:g} s"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return "cannot be opened for this: no permission, or a read-only place"
    return f"cannot be used: {str(error).lower()}"


def _remedy(error: sqlite3.Error) -> str | None:
    if _code(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return "the same command again, once there is room"
    return _NOUN if _code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT) else None


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF  # without what is extended
