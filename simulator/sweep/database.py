"""Opening a store: is it one, and may it be read or written."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from simulator.errors import InputError
from simulator.sweep.complaints import BUSY_S, NOUN, complaints
from simulator.sweep.schema import APPLICATION_ID, SCHEMA_VERSION, create_tables, is_whole
from simulator.sweep.watch import Watch, log_of, watch

_LOG_PAGES = 256  # the log grows to about 1 MiB, however small the store is
_SMALLEST_BYTES = 512  # of an SQLite file: one page
_IMMUTABLE = "mode=ro&immutable=1"  # needs no log, and does not notice a writer


@dataclass(frozen=True)
class Opened:
    """A store that is open.

    Attributes
    ----------
    connection : sqlite3.Connection
    watch : Watch or None
        What it must still be for what is kept, or was read, to be sound; None: whatever happens is sound.
    """

    connection: sqlite3.Connection
    watch: Watch | None


def open_to_write(path: Path) -> Opened:
    """Open a store, or make one where there is no file or an empty one.

    Its commits survive the end of the process, but not a power cut; see :func:`sync`.

    Raises
    ------
    InputError
        The file is no store, is of a newer numasim, or cannot be written.
    """
    check_kind(path)
    with complaints(path):
        connection = sqlite3.connect(path.absolute(), timeout=BUSY_S, isolation_level=None, check_same_thread=False)
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
        return Opened(connection, watch(path))
    except BaseException:
        connection.close()
        raise


def open_to_read(path: Path) -> Opened:
    """Open a store that is there; nothing can be changed through it, and nothing is left beside it.

    Raises
    ------
    InputError
        There is no such file, or it is no store.
    """
    if not path.exists():
        raise InputError("there is no such file", file=os.fspath(path), allowed=NOUN)
    check_kind(path)
    real = Path(os.path.realpath(path))
    if os.access(real, os.W_OK) and os.access(real.parent, os.W_OK):
        return _read_only(path, "mode=rw")  # so that the last to close tidies up; see query_only
    # A file that SQLite makes beside somebody else's store would stay there, and its owner could not write any more.
    return _read_only(path, "mode=ro&readonly_shm=1" if log_of(real).exists() else _IMMUTABLE)


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


def _read_only(path: Path, mode: str) -> Opened:
    seen = watch(path, unchanging=True) if mode == _IMMUTABLE else None
    with complaints(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=BUSY_S, isolation_level=None)
    try:
        with complaints(path):
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from anywhere
            if _is_new(connection, path):
                raise InputError("is empty", file=os.fspath(path), allowed=NOUN)
    except BaseException:
        connection.close()
        raise
    return Opened(connection, seen)


def check_kind(path: Path) -> None:
    """See that a store is, or could be, at a path.

    Raises
    ------
    InputError
        It is no SQLite file, or its folder is not there.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise InputError("its folder is not there", file=os.fspath(path), allowed="a file in a folder that exists") from None
        return
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {str(error).lower()}", file=os.fspath(path), allowed=NOUN) from None
    if not stat.S_ISREG(found.st_mode):
        raise InputError(
            "is a folder" if stat.S_ISDIR(found.st_mode) else "is no regular file", file=os.fspath(path), allowed=NOUN
        )
    # SQLite takes a file of a few bytes for an empty one. It is not opened here to look: to close it would, by the rules of
    # POSIX, drop all locks of this process on it, and another process could take the log away under a sweep.
    if 0 < found.st_size < _SMALLEST_BYTES:
        raise InputError("is no SQLite file", file=os.fspath(path), allowed=NOUN)


def _is_new(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether the database is still empty; InputError if it is something else than a store."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if not tables and not application and not version:
        return True
    if application != APPLICATION_ID:
        raise InputError("is an SQLite file, but no store of numasim", file=os.fspath(path), allowed=NOUN)
    if version != SCHEMA_VERSION:
        what = f"is a store of {'a newer' if version > SCHEMA_VERSION else 'no known'} version of numasim"
        raise InputError(what, file=os.fspath(path), field="version", value=version, allowed=str(SCHEMA_VERSION))
    if not is_whole(connection):
        raise InputError("is no store: it lacks tables or columns of one", file=os.fspath(path), allowed=NOUN)
    return False


def _use_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Switch to a write-ahead log; SQLite does not wait by itself while another process does the same."""
    end = time.monotonic() + BUSY_S
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
