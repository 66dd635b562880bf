"""Libraries that are not installed with every numasim, or do not work everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from simulator.errors import InputError


def optional_module(name: str, extra: str, purpose: str) -> Any:
    """Import a library that an extra brings.

    Parameters
    ----------
    name : str
        Such as ``pyarrow.parquet``.
    extra : str
        The extra of the distribution that installs it.
    purpose : str
        What needs it, in the user's words.

    Raises
    ------
    InputError
        It is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        allowed = f"what `pip install 'numasim[{extra}]'` brings"
        raise InputError(f"needs {name.split('.')[0]}, which is not installed", field=purpose, allowed=allowed) from None


@contextmanager
def needing_numba(purpose: str) -> Iterator[None]:
    """Turn whatever goes wrong while machine code is made or loaded into a line for the user.

    Parameters
    ----------
    purpose : str
        What needs it, in the user's words.

    Raises
    ------
    InputError
        Numba does not work on this platform.
    """
    try:
        yield
    except Exception as error:  # OSError from llvmlite's library, RuntimeError from numba, its compiler's errors
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        allowed = "a platform where `import numba` works"
        raise InputError(f"needs numba, which cannot be used here: {reason}", field=purpose, allowed=allowed) from None
