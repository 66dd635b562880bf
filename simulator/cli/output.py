"""Where a command's output goes: to stdout, or to a file that is whole or not there."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping

from simulator import files
from simulator.errors import InputError

STDOUT = "-"
Place = str | os.PathLike[str] | None


def write_text(path_or_dash: Place, text: str) -> None:
    """Write a command's output.

    Parameters
    ----------
    path_or_dash : str, path or None
        ``-`` or None is stdout. A file is written as :func:`simulator.files.write_bytes` does.
    text : str

    Raises
    ------
    InputError
        It cannot be written there. Nothing half-written is left in a folder.
    BrokenPipeError
        Nobody reads stdout any more.
    """
    if _is_stdout(path_or_dash) and not isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    write_bytes(path_or_dash, text.encode())  # UTF-8 as in a file, whatever the terminal's encoding: JSON stays JSON


def write_bytes(path_or_dash: Place, data: bytes) -> None:
    """Write what is no text as :func:`write_text` does."""
    if path_or_dash is not None and not _is_stdout(path_or_dash):
        files.write_bytes(path_or_dash, data)
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # the reader has seen enough: no matter for a message
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"cannot be written: {reason}", file="standard output", allowed="a writable place") from None


def check_outputs(outputs: Mapping[str, Place], inputs: Mapping[str, Place]) -> None:
    """See, before any work, that outputs can be written and replace nothing that is read, nor each other.

    Parameters
    ----------
    outputs : mapping of str to str, path or None
        By option: ``{"--csv": "rows.csv"}``. None is not asked for, ``-`` is stdout.
    inputs : mapping of str to str, path or None
        By what they are: ``{"the store": "s.sqlite"}``.

    Raises
    ------
    InputError
        One cannot be written, is one of the inputs, or is asked for twice.
    """
    seen: dict[str, str | os.PathLike[str]] = {}
    for option, output in outputs.items():
        if output is None:
            continue
        for what, read in inputs.items():
            if read is not None and not _is_stdout(output) and files.is_same_file(output, read):
                raise InputError(f"is {what} itself", file=os.fspath(output), field=option, allowed="another file")
        for other, written in seen.items():
            if _is_same(output, written):
                raise InputError(f"is what {other} writes", file=os.fspath(output), field=option, allowed="another file")
        if not _is_stdout(output):
            files.check_writable(output)
        seen[option] = output


def _is_stdout(place: Place) -> bool:
    return place is None or os.fspath(place) == STDOUT


def _is_same(output: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    if _is_stdout(output) or _is_stdout(other):
        return _is_stdout(output) and _is_stdout(other)
    return files.is_same_file(output, other)
