"""Is a store still the file that was opened? SQLite goes on with a file that has lost its name, and what it keeps is lost."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from simulator.errors import InputError

_State = tuple[int, ...] | None


@dataclass(frozen=True)
class Watch:
    """What a store and its log were when they were opened.

    Attributes
    ----------
    name : str
        As the user named the store.
    path : Path
        That name from the root.
    real : Path
        Where its links lead.
    unchanging : bool
        Its content must stay as it was, too.
    store, log : tuple of int, or None
        Device and inode, with size and time of the last change if unchanging; None: not there.
    """

    name: str
    path: Path
    real: Path
    unchanging: bool
    store: _State
    log: _State

    def check(self) -> None:
        """See that they are the same still.

        Raises
        ------
        InputError
            They are not.
        """
        if self.unchanging:
            if (_state(self.real, True), _state(log_of(self.real), True)) != (self.store, self.log):
                raise InputError("was changed while it was read", file=self.name, allowed="the same command again")
            return
        now = _state(self.path, False)
        if now != self.store:
            what = "was removed" if now is None else "was replaced by another file"
            raise InputError(
                f"{what} while it was in use: nothing more can be kept", file=self.name, allowed="the file left in place"
            )
        if self.log is not None and _state(log_of(self.real), False) != self.log:
            what = "has lost its log, a file beside it: what was kept since is lost"
            raise InputError(what, file=self.name, allowed=f"{log_of(self.real).name} left in place")


def watch(path: Path, *, unchanging: bool = False) -> Watch:
    """Return the watch over a store that has just been opened."""
    real = Path(os.path.realpath(path))
    return Watch(os.fspath(path), path.absolute(), real, unchanging, _state(real, unchanging), _state(log_of(real), unchanging))


def log_of(real: Path) -> Path:
    """Return where SQLite keeps the write-ahead log of a store."""
    return real.with_name(real.name + "-wal")


def index_of(real: Path) -> Path:
    """Return where SQLite keeps the index of that log."""
    return real.with_name(real.name + "-shm")


def _state(path: Path, unchanging: bool) -> _State:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino, *((found.st_size, found.st_mtime_ns) if unchanging else ()))
