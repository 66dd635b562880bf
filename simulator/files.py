"""Files written whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from simulator.errors import InputError


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write under a temporary name beside `path`, then rename, so that nobody sees half a file.

    Raises
    ------
    InputError
        The file cannot be written there.
    """
    target = Path(path)
    part = _part(target)
    try:
        part.write_bytes(data)
        part.replace(target)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    finally:
        _remove(part)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write UTF-8 text as :func:`write_bytes` does."""
    write_bytes(path, text.encode())


def writable_folder(path: str | os.PathLike[str]) -> Path:
    """Make the folder if it is not there, and see that a file can be written in it, before long work starts.

    Raises
    ------
    InputError
        It cannot be made or written.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from None
    check_writable(folder / "result")
    return folder


def check_writable(path: str | os.PathLike[str]) -> None:
    """See that `path` could be written, leaving nothing behind.

    Raises
    ------
    InputError
        It could not.
    """
    target = Path(path)
    part = _part(target)
    try:
        if target.is_dir():
            raise IsADirectoryError(21, os.strerror(21))
        part.touch()
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    finally:
        _remove(part)


def _part(target: Path) -> Path:
    return target.parent / f".{target.name}.{secrets.token_hex(4)}.part"


def _remove(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except (OSError, ValueError):
        return


def _unwritable(path: str | os.PathLike[str], error: Exception) -> InputError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return InputError(f"cannot be written: {reason}", file=os.fspath(path), allowed="a writable place")
