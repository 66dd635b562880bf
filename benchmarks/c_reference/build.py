"""Compile the C reference where a C compiler is there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("kernel.c")


def c_compiler() -> str | None:
    """Return the path of the C compiler, or None."""
    return shutil.which("cc")


def build_library(compiler: str, folder: Path) -> Path:
    """Compile the kernel with -O3 into a folder and return the shared library.

    Raises
    ------
    subprocess.CalledProcessError
        The compiler refused.
    """
    library = folder / "kernel.so"
    options = ("-std=c11", "-O3", "-Wall", "-Wextra", "-shared", "-fPIC")
    subprocess.run([compiler, *options, "-o", str(library), str(SOURCE)], check=True)
    return library
