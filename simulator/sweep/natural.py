"""The order of texts with numbers in them: 2.0.r.2 comes before 10.0.r.2."""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST_NUMBER = 20  # digits; Python refuses to read thousands


def compare_naturally(one: str, other: str) -> int:
    """Return -1, 0 or 1: as SQLite wants it of a collation."""
    if one == other:
        return 0
    return -1 if (_natural(one), one) < (_natural(other), other) else 1


@lru_cache(maxsize=10_000)
def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    parts = [part for part in re.split(r"(\d+)", text) if part]
    return tuple((0, int(part), "") if part.isdecimal() and len(part) < _LONGEST_NUMBER else (1, 0, part) for part in parts)
