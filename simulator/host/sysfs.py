"""Small reads of the kernel's pseudo files: bounded, and None where a file is not there or says something else."""

from __future__ import annotations

from pathlib import Path

_MOST_BYTES = 1 << 16
_MOST_NUMBERS = 1 << 14  # more than the CPUs that Linux can be built for
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def read_text(path: Path) -> str | None:
    """Return the text of a pseudo file; None where it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(_MOST_BYTES).decode("ascii", "replace").strip()
    except OSError:
        return None


def read_list(path: Path) -> tuple[int, ...] | None:
    """Return the numbers of a file such as ``cpulist``; None where it cannot be read."""
    text = read_text(path)
    return None if text is None else parse_list(text)


def parse_list(text: str) -> tuple[int, ...] | None:
    """Return the numbers of a list such as ``0-3,8``, sorted; None where it is no such list.

    The format is that of Linux, Documentation/admin-guide/cputopology.rst.
    """
    numbers: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, dash, last = part.partition("-")
        if not _is_number(first) or (dash and not _is_number(last)):
            return None
        low, high = int(first), int(last if dash else first)
        if high - low + len(numbers) >= _MOST_NUMBERS:
            return None
        numbers.update(range(low, high + 1))
    return tuple(sorted(numbers))


def parse_size(text: str | None) -> int | None:
    """Return the bytes of a cache size such as ``32768K``; None where it is none."""
    if not text:
        return None
    digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1] in _UNITS else (text, 1)
    return int(digits) * unit if _is_number(digits) else None


def kilobytes(text: str | None, name: str) -> int | None:
    """Return the bytes of a line such as ``MemFree: 12 kB`` in the text of a ``meminfo`` or ``smaps`` file."""
    for line in (text or "").splitlines():
        words = line.split()
        if f"{name}:" in words[:-2] and _is_number(words[-2]):
            return int(words[-2]) * 1024
    return None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18
