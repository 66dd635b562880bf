"""Where a command's output goes: to stdout, or to a file that is whole or not there."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path

from simulator.errors import InputError
from simulator.files import write_bytes

STDOUT = "-"


def write_text(path_or_dash: str | os.PathLike[str] | None, text: str) -> None:
    """Write a command's output.

    Parameters
    ----------
    path_or_dash : str, path or None
        ``-`` or None is stdout. A file is written under a temporary name in its folder and renamed; a link to a file stays a
        link; a device or a pipe is written as it is.
    text : str

    Raises
    ------
    InputError
        It cannot be written there. Nothing half-written is left in a folder.
    BrokenPipeError
        Nobody reads stdout any more.
    """
    if path_or_dash is None or os.fspath(path_or_dash) == STDOUT:
        _write_stdout(text)
        return
    path = Path(path_or_dash)
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            path.write_text(text, encoding="utf-8")  # a rename would put a file in the place of /dev/null
            return
        target = path.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise _unwritable(os.fspath(path_or_dash), error) from None
    try:
        write_bytes(target, text.encode())
    except InputError as error:
        raise InputError(error.what, file=os.fspath(path_or_dash), allowed=error.allowed) from None


def _write_stdout(text: str) -> None:
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode())  # UTF-8 as in a file, whatever the terminal's encoding: JSON stays JSON
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # the reader has seen enough: no matter for a message
    except OSError as error:
        raise _unwritable("standard output", error) from None


def _unwritable(name: str, error: Exception) -> InputError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return InputError(f"cannot be written: {reason}", file=name, allowed="a writable place")
