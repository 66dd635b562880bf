"""Text that keeps to its room."""

from __future__ import annotations

import textwrap

from matplotlib.textpath import TextPath


def fitting_size(text: str, size: float, inches: float) -> float:
    """Return `size`, or the smaller font size at which the longest line of `text` is no wider than `inches`."""
    widest = max(_points(line, size) for line in text.split("\n"))
    return size if widest <= 72 * inches else size * 72 * inches / widest


def wrapped(text: str, size: float, inches: float) -> str:
    """Break lines that would be wider than `inches`."""
    return "\n".join(_wrapped_line(line, size, 72 * inches) for line in text.split("\n"))


def _wrapped_line(line: str, size: float, points: float) -> str:
    width = _points(line, size)
    return line if width <= points else textwrap.fill(line, max(12, int(0.92 * len(line) * points / width)))


def _points(line: str, size: float) -> float:
    return float(TextPath((0, 0), line, size=size).get_extents().width) if line.strip() else 0.0
