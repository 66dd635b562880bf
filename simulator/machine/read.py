"""Where machine files are: shipped ones by name, a user's own by path."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from simulator import outside
from simulator.errors import InputError

MAX_NODES = 64
MAX_LINKS = 4096
_FOLDER = "topologies"
_NOUN = f"a machine file (at most {MAX_NODES} nodes and {MAX_LINKS} links)"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Location:
    """A machine file: `label` is what the user calls it, `path` is None for a shipped one."""

    label: str
    path: Path | None = None

    @property
    def key(self) -> str:
        """Equal for two locations of one file."""
        return f"shipped {self.label}" if self.path is None else os.path.realpath(self.path)


def shipped_names() -> list[str]:
    """Return the names of all shipped machine files, bases included, sorted."""
    return outside.shipped_names(_FOLDER)


def locate(name_or_path: str | os.PathLike[str], folder: Path | None = None) -> Location:
    """Find a machine file.

    Parameters
    ----------
    name_or_path : str or path
        The name of a shipped file, or a path. A shipped name wins over a file of that name; ``./name`` means the file.
    folder : Path, optional
        What a relative path starts from; the current folder if left out.

    Raises
    ------
    InputError
        There is neither a shipped machine of that name nor such a file.
    """
    text = os.fspath(name_or_path)
    names = shipped_names()
    if isinstance(name_or_path, str) and text in names:
        return Location(text)
    path = (folder or Path()) / text
    if text and "\0" not in text and os.path.lexists(path):
        return Location(text, path)
    raise unknown_machine(text)


def unknown_machine(text: str) -> InputError:
    """Make the error that says that there is no such machine."""
    bare = _NAME.fullmatch(text.removesuffix(".toml"))
    what = "there is no machine of that name" if bare else "there is no such file"
    return InputError(what, value=text, allowed=f"the path of a machine file, or one of {', '.join(shipped_names())}")


def read_table(location: Location) -> dict[str, Any]:
    """Read one machine file without its parents.

    Raises
    ------
    InputError
        It cannot be read, is no regular file, too large, empty, no text or no TOML.
    """
    if location.path is not None:
        return outside.read_toml(location.path, location.label, _NOUN)
    file: Traversable = outside.shipped_folder(_FOLDER) / f"{location.label}.toml"
    return outside.read_toml(file, location.label, _NOUN)
