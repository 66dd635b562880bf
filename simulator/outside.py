"""TOML files from outside, read with care, and the data folders that ship with the package."""

from __future__ import annotations

import stat
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from simulator.errors import InputError

MAX_FILE_BYTES = 1 << 20
_MAX_DOTS_IN_LINE = 100  # tomllib takes quadratic time for a key of many parts, and merging goes as deep


def shipped_folder(name: str) -> Traversable:
    """Return a data folder: inside the package (wheel), else beside it (checkout, editable install)."""
    inside = resources.files("simulator") / name
    return inside if inside.is_dir() else Path(__file__).resolve().parents[1] / name


def shipped_names(folder: str) -> list[str]:
    """Return the names of the TOML files in a data folder, sorted."""
    place = shipped_folder(folder)
    entries = place.iterdir() if place.is_dir() else ()
    return sorted(entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml"))


def read_toml(file: Traversable, label: str, noun: str) -> dict[str, Any]:
    """Read a TOML file that may be anything.

    Parameters
    ----------
    file : path or resource
    label : str
        What the user calls it.
    noun : str
        What it should be, such as ``a reference file``.

    Raises
    ------
    InputError
        It cannot be read, is no regular file, too large, empty, no text or no TOML.
    """
    try:
        data = _read_regular(file, label, noun) if isinstance(file, Path) else file.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}", file=label, allowed=noun) from None
    except ValueError:  # a NUL byte in the name
        raise InputError("is no file name", value=label) from None
    return _parse(data, label, noun)


def _read_regular(path: Path, label: str, noun: str) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise InputError(f"is {kind}", file=label, allowed=noun)
    with path.open("rb") as stream:
        data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        allowed = f"{noun} of at most {MAX_FILE_BYTES:,} bytes"
        raise InputError(f"is too large: {status.st_size:,} bytes", file=label, allowed=allowed)
    return data


def _parse(data: bytes, label: str, noun: str) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not text: byte {error.start} is not UTF-8", file=label, allowed=f"{noun}, TOML in UTF-8") from None
    if any(_dots(line) > _MAX_DOTS_IN_LINE for line in text.splitlines()):
        raise InputError(f"has a line with more than {_MAX_DOTS_IN_LINE} dots", file=label, allowed=noun)
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise InputError("is not TOML that can be read: nested too deep", file=label) from None
    except ValueError as error:  # TOMLDecodeError, and numbers of too many digits
        raise InputError(f"is not TOML: {_one_line(str(error))}", file=label, allowed=noun) from None
    if not table:
        raise InputError("is empty", file=label, allowed=noun)
    return table


def _dots(line: str) -> int:
    """Count the dots before the value, where a key may be."""
    return 0 if line.lstrip().startswith("#") else line.partition("=")[0].count(".")


def _one_line(text: str) -> str:
    printable = "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))
    return printable[:1].lower() + printable[1:200]
