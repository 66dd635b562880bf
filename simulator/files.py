"""Files written whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from simulator.errors import InputError

_WITHOUT_FILES = ("/dev/", "/proc/")  # /dev/stdout may lead to a file that the shell holds open: a rename would lose it


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write under a temporary name beside `path`, then rename, so that nobody sees half a file.

    A link to a file stays a link. A device or a pipe is written as it is: a rename would put a file in its place.

    Raises
    ------
    InputError
        The file cannot be written there.
    """
    part = None
    try:
        if _written_as_it_is(path):
            Path(path).write_bytes(data)
            return
        target = Path(path).resolve()
        part = _part(target)
        part.write_bytes(data)
        part.replace(target)
    except (OSError, ValueError, RuntimeError) as error:  # a link that leads to itself is a RuntimeError
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
        It has no name, or cannot be made or written.
    """
    if not os.fspath(path):
        raise InputError("is no name of a folder", value="", allowed="a name; . is the current folder")
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
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
    part = None
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(21, os.strerror(21))
        if _written_as_it_is(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(13, os.strerror(13))
            return
        part = _part(Path(path).resolve())
        part.touch()
    except (OSError, ValueError, RuntimeError) as error:
        raise _unwritable(path, error) from None
    finally:
        _remove(part)


def is_same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Return whether two names lead to one file, which need not be there yet; False for a device or a pipe."""
    try:
        if _written_as_it_is(one):
            return False
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        pass
    try:
        return os.path.realpath(one) == os.path.realpath(other)
    except (OSError, ValueError):
        return False


def _written_as_it_is(path: str | os.PathLike[str]) -> bool:
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return False
    if stat.S_ISREG(kind):
        return os.path.abspath(path).startswith(_WITHOUT_FILES)
    return not stat.S_ISDIR(kind)


def _part(target: Path) -> Path:
    return target.parent / f".{target.name}.{secrets.token_hex(4)}.part"


def _remove(part: Path | None) -> None:
    try:
        if part is not None:
            part.unlink(missing_ok=True)
    except (OSError, ValueError):
        return


def _unwritable(path: str | os.PathLike[str], error: Exception) -> InputError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return InputError(f"cannot be written: {reason}", file=os.fspath(path), allowed="a writable place")
