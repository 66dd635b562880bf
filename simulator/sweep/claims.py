"""Who is at work on which point, so that several sweeps share one store and none does what another does.

A claim belongs to an owner, and an owner's lease has to be renewed. What an owner that died had claimed is free again: at once
if it is known to be gone, else when its lease ends. A claim never decides what is kept: the key of a point does.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from simulator.sweep.complaints import complaints
from simulator.sweep.database import open_to_write, transaction
from simulator.sweep.liveness import is_gone, process_name

LEASE_S = 60.0


@dataclass(frozen=True)
class Taken:
    """What became of wanted keys.

    Attributes
    ----------
    mine : tuple of str
        Claimed now.
    finished : tuple of str
        In the store already.
    busy : tuple of str
        Another sweep is at work on them.
    """

    mine: tuple[str, ...]
    finished: tuple[str, ...]
    busy: tuple[str, ...]


class Claims:
    """The claims of one sweep, renewed until closed; a context manager.

    Parameters
    ----------
    path : Path
        Of a store that is there.
    lease_s : float
        How long others wait for an owner of which nothing is known.

    Raises
    ------
    InputError
        The store cannot be written.
    """

    def __init__(self, path: Path, lease_s: float = LEASE_S) -> None:
        self._path = path
        self._lease_s = lease_s
        self._owner = secrets.token_hex(8)
        self._process = process_name()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._connection = open_to_write(path).connection
        with complaints(path), transaction(self._connection):
            self._renew()
        self._heart = threading.Thread(target=self._beat, daemon=True)
        self._heart.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def take(self, keys: Sequence[str]) -> Taken:
        """Claim what is neither finished nor claimed; a few keys at a time.

        Raises
        ------
        InputError
            The store cannot be written.
        """
        with complaints(self._path), self._lock, transaction(self._connection):
            self._renew()
            self._free_what_the_dead_hold()
            finished, busy = self._known("point", keys), self._known("claim", keys)
            mine = [key for key in keys if key not in finished and key not in busy]
            self._connection.executemany("INSERT INTO claim (key, owner) VALUES (?, ?)", [(key, self._owner) for key in mine])
        others = tuple(key for key in keys if key in busy and key not in finished)
        return Taken(tuple(mine), tuple(key for key in keys if key in finished), others)

    def release(self, keys: Sequence[str]) -> None:
        """Give up claims: the points are finished, or failed."""
        with complaints(self._path), self._lock, transaction(self._connection):
            pairs = [(key, self._owner) for key in keys]
            self._connection.executemany("DELETE FROM claim WHERE key = ? AND owner = ?", pairs)

    def close(self) -> None:
        """Give up everything; on a disk that is full the next sweep sees to it."""
        self._closing.set()
        self._heart.join()
        try:
            self._connection.execute("DELETE FROM owner WHERE id = ?", (self._owner,))
        except sqlite3.Error:
            pass
        finally:
            self._connection.close()

    def _beat(self) -> None:
        while not self._closing.wait(self._lease_s / 4):
            try:
                with self._lock, transaction(self._connection):
                    self._renew()
            except sqlite3.Error:
                continue  # the disk may be full for a while; the worst is that another does the same point

    def _renew(self) -> None:
        """Write the lease; the owner may have been taken for dead while its machine slept."""
        self._connection.execute(
            "INSERT INTO owner (id, process, expires) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET expires = excluded.expires",
            (self._owner, self._process, time.time() + self._lease_s),
        )

    def _free_what_the_dead_hold(self) -> None:
        others = self._connection.execute("SELECT id, process, expires FROM owner WHERE id <> ?", (self._owner,)).fetchall()
        dead = [(owner,) for owner, process, expires in others if expires < time.time() or is_gone(process)]
        self._connection.executemany("DELETE FROM owner WHERE id = ?", dead)

    def _known(self, table: str, keys: Sequence[str]) -> set[str]:
        marks = ", ".join("?" * len(keys))
        return {key for (key,) in self._connection.execute(f"SELECT key FROM {table} WHERE key IN ({marks})", tuple(keys))}
