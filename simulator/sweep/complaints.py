"""What SQLite's complaints about a store mean, in words that help."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from simulator.errors import InputError
from simulator.sweep.watch import index_of, log_of

BUSY_S = 30.0  # how long to wait for another process that is writing
NOUN = "a store that `numasim sweep --store` made"
_REFUSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_NOT_UTF8 = "is damaged: a text in it is not UTF-8"


@contextmanager
def complaints(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into an InputError that says what is wrong with the file."""
    try:
        yield
    except UnicodeDecodeError:
        raise InputError(_NOT_UTF8, file=os.fspath(path), allowed=NOUN) from None
    except sqlite3.Error as error:
        what, remedy = _in_words(error), _remedy(error)
        foreign = _out_of_reach(path)
        if _code(error) in _REFUSED and foreign:
            what, remedy = f"cannot be opened for this: no permission for {foreign} beside it", "what their owner may do"
        raise InputError(what, file=os.fspath(path), allowed=remedy) from None


def _in_words(error: sqlite3.Error) -> str:
    code = _code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return "is no SQLite file"
    if str(error).startswith("Could not decode to UTF-8"):  # Python's own, without a code
        return _NOT_UTF8
    if code == sqlite3.SQLITE_CORRUPT:
        return "is damaged"
    if code == sqlite3.SQLITE_FULL:
        return "cannot grow: the disk is full; what was in it is kept"
    if code == sqlite3.SQLITE_IOERR:
        return "cannot be read or written: the disk reports an error, perhaps it is full; what was in it is kept"
    if code == sqlite3.SQLITE_BUSY:
        return f"is in use: another process has been writing for more than {BUSY_S:g} s"
    if code in _REFUSED:
        return "cannot be opened for this: no permission, or a read-only place"
    return f"cannot be used: {str(error).lower()}"


def _remedy(error: sqlite3.Error) -> str | None:
    if _code(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return "the same command again, once there is room"
    return NOUN if _code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT) else None


def _out_of_reach(path: Path) -> str:
    """Name the files that SQLite keeps beside a store and that this user may not write."""
    real = Path(os.path.realpath(path))
    files = [file for file in (log_of(real), index_of(real)) if file.exists() and not os.access(file, os.R_OK | os.W_OK)]
    return " and ".join(file.name for file in files)


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF  # without what is extended
