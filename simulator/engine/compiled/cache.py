"""Machine code kept on disk, so that only the first run on a machine pays for compiling.

numba's own cache looks at the file of a function only and does not notice that a module it draws constants or helpers from has
changed. So the code lies in a folder named by a hash of all the kernel's sources and of numba's version.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., object])
_LOG = logging.getLogger("simulator.engine")
FOLDER_VARIABLE = "NUMASIM_CACHE_DIR"


def cache_folder() -> Path:
    """Return where machine code of these very sources lies: below ``$NUMASIM_CACHE_DIR``, else below the user's cache folder."""
    given = os.environ.get(FOLDER_VARIABLE)
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numasim"
    return base / f"kernel-{_fingerprint()}"


def is_warm() -> bool:
    """Return whether compiled code is there already."""
    return any(cache_folder().rglob("*advance*.nbc"))


@contextmanager
def only_compiler() -> Iterator[None]:
    """Wait while another process compiles these very sources, where the platform has file locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    if _FOLDER is None:
        yield
        return
    with (_FOLDER / ".compiling").open("w") as lock:
        with suppress(OSError):  # a network file system without locks: compiling twice does no harm
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compiled(function: _Function) -> _Function:
    """Compile a function at its first call, from the cache where it can be; without a cache where the folder is not writable."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_FOLDER) if _FOLDER else ""  # read while a function is wrapped; other users of numba keep theirs
    try:
        return cast(_Function, numba.njit(function, cache=_FOLDER is not None, nogil=True, boundscheck=False))
    finally:
        config.CACHE_DIR = before


def _fingerprint() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _writable_folder() -> Path | None:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        _LOG.warning("compiled code cannot be kept in %s (%s); every start compiles anew", folder, error.strerror)
        return None
    return folder


_FOLDER = _writable_folder()
