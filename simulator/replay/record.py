"""Recording a program's memory accesses with valgrind, where a computer has it and a C compiler."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from simulator.errors import InputError

_COMPILER, _VALGRIND = "gcc", "valgrind"


def can_record() -> bool:
    """Return whether gcc and valgrind are there."""
    return all(shutil.which(tool) is not None for tool in (_COMPILER, _VALGRIND))


def record(source: Path, arguments: Sequence[str], folder: Path) -> Path:
    """Compile a C program, run it under valgrind's lackey, and return its trace.

    Parameters
    ----------
    source : Path
        Of one C file.
    arguments : sequence of str
        Of the program.
    folder : Path
        Where the program and its trace go, some 70 MB a million accesses.

    Raises
    ------
    InputError
        A tool is missing, or fails.
    """
    program, trace = folder / source.stem, folder / f"{source.stem}.lackey"
    _run([_COMPILER, "-O1", "-static", "-o", str(program), str(source)])
    _run([_VALGRIND, "--tool=lackey", "--trace-mem=yes", f"--log-file={trace}", str(program), *arguments])
    return trace


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        allowed = f"{_COMPILER} and {_VALGRIND}, from your distribution's packages"
        raise InputError(f"{command[0]} cannot be started: {(error.strerror or str(error)).lower()}", allowed=allowed) from None
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [""])[-1]
        raise InputError(f"{command[0]} ended with code {done.returncode}: {said}", value=" ".join(command))
