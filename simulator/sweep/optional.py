"""Libraries that are not installed with every numasim."""

from __future__ import annotations

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
