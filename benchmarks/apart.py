"""Run a function in a process of its own, so that memory, caches and processor time belong to it alone."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Section:
    """A part of the report, and what is wrong in it."""

    lines: list[str]
    complaints: list[str] = field(default_factory=list)


def apart(what: str, function: Callable[..., Result], *arguments: object) -> Result:
    """Call a function in a new process; on a terminal, say what runs meanwhile."""
    _show(what)
    with ProcessPoolExecutor(max_workers=1, mp_context=multiprocessing.get_context("spawn")) as process:
        result = process.submit(function, *arguments).result()
    _show("")
    return result


def _show(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()
