"""Machine code kept on disk, so that only the first run on a machine pays for compiling.

numba's own cache looks at the file of a function only and does not notice that a module it draws constants or helpers from has
changed. So the code of each room's kernels lies in a folder named by a hash of all the room's sources and of numba's version.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., object])
_LOG = logging.getLogger("simulator.compile")
FOLDER_VARIABLE = "NUMASIM_CACHE_DIR"


class KernelStore:
    """Where the machine code of one room's kernels is kept.

    Parameters
    ----------
    room : Path
        The folder of the kernels' sources; its modules take compiled helpers from no other.
    """

    def __init__(self, room: Path) -> None:
        self._room = room
        self.fingerprint = functools.cache(self._fingerprint)
        self.writable_folder = functools.cache(self._writable_folder)

    def cache_folder(self) -> Path:
        """Return where machine code of these very sources lies: below ``$NUMASIM_CACHE_DIR``, else the user's cache folder."""
        return _base_folder() / f"kernel-{self.fingerprint()}"

    def _writable_folder(self) -> Path | None:
        """Return `cache_folder`, made if it was not there; None, and a warning, if nothing can be written there."""
        base: Path | str = "a home"
        try:
            base = _base_folder()
            folder = self.cache_folder()
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except (OSError, RuntimeError) as error:  # RuntimeError: a user without a home
            _warn_once(str(base), str(getattr(error, "strerror", None) or error))
            return None
        return folder

    def compile_once(self, what: str, last: str, compile_now: Callable[[], None]) -> None:
        """Compile a part of the kernels, or wait for the process that does, so that workers who start together compile once.

        Parameters
        ----------
        what : str
            The part's name, for the message that says what a cold start waits for.
        last : str
            The function that is compiled last: where its code is kept, all is.
        compile_now : callable
        """
        folder = self.writable_folder()
        if folder is None:  # said already
            compile_now()
        elif any(folder.rglob(f"*.{last}-*.nbc")):
            self._load_or_compile(folder, compile_now)
        else:
            _LOG.warning("compiling %s for this computer, once: this takes up to a minute", what)
            with self.only_compiler():
                compile_now()

    def _load_or_compile(self, folder: Path, compile_now: Callable[[], None]) -> None:
        """Load what is kept; where it is damaged, throw it away and compile anew."""
        try:
            compile_now()
        except Exception as error:  # whatever unpickling garbage raises
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            _LOG.warning("compiled code in %s is damaged (%s); compiling anew, which takes up to a minute", folder, reason)
            with self.only_compiler():
                for kept in folder.rglob("*.nb?"):
                    kept.unlink(missing_ok=True)
                compile_now()

    @contextmanager
    def only_compiler(self) -> Iterator[None]:
        """Wait while another process compiles these very sources, where the platform has file locks."""
        try:
            import fcntl
        except ImportError:
            yield
            return
        folder = self.writable_folder()
        if folder is None:
            yield
            return
        with ExitStack() as stack:
            with suppress(OSError):  # no locks here, or another user's lock file: compiling twice does no harm
                lock = stack.enter_context((folder / ".compiling").open("w"))
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def compiled(self, function: _Function) -> _Function:
        """Compile a function at its first call, from the cache where it can be; without one where nothing can be written."""
        config: Any = numba.config
        before, folder = config.CACHE_DIR, self.writable_folder()
        config.CACHE_DIR = str(folder or "")  # read while a function is wrapped; other users of numba keep theirs
        try:
            return cast(_Function, numba.njit(function, cache=folder is not None, nogil=True, boundscheck=False))
        finally:
            config.CACHE_DIR = before

    def _fingerprint(self) -> str:
        digest = hashlib.sha256(numba.__version__.encode())
        for source in sorted(self._room.glob("*.py")):
            digest.update(source.read_bytes())
        return digest.hexdigest()[:16]


def _base_folder() -> Path:
    given = os.environ.get(FOLDER_VARIABLE)
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numasim"


@functools.cache
def _warn_once(folder: str, reason: str) -> None:
    """Warn once a process, not once a room."""
    what = f"compiled code cannot be kept in {folder} ({reason})"
    _LOG.warning("%s; every start compiles the engine anew, which takes up to a minute", what)
