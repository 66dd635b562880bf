"""Sets of numbers as hwloc writes them: 32-bit words in hexadecimal, the highest first, such as ``0x00000001,,0x0000ff00``."""

from __future__ import annotations

import re

from simulator.interop.hwloc_document import Tag
from simulator.interop.source import Source

MAX_WORDS = 256  # Linux: NR_CPUS is 8192 at most
_WORD = re.compile(r"0x[0-9a-fA-F]{1,8}")


def bitmap(source: Source, tag: Tag, attribute: str) -> int | None:
    """Return a bitmap as one whole number, bit n for number n; None without this attribute.

    A word may be empty, which is 0 (``hwloc_bitmap_snprintf`` leaves out words of 0 but the last).

    Raises
    ------
    InputError
        It is no bitmap, too long, or infinite (``0xf...f``), which no set of real processors is.
    """
    text = tag.attributes.get(attribute)
    if text is None:
        return None
    words = text.split(",", MAX_WORDS)
    if len(words) > MAX_WORDS:
        raise source.wrong(f"{attribute} is too long", line=tag.line, allowed=f"at most {MAX_WORDS} words of 32 bits")
    if words[0] == "0xf...f":
        raise source.wrong(f"{attribute} is infinite", line=tag.line, value=text, allowed="a finite bitmap")
    if not text or any(word and not _WORD.fullmatch(word) for word in words):
        raise source.wrong(
            f"{attribute} is no bitmap", line=tag.line, value=text, allowed="words such as 0x000000ff, with commas"
        )
    return int("".join(word[2:].zfill(8) for word in words), 16)


def members(mask: int) -> tuple[int, ...]:
    """Return the numbers in a bitmap, sorted."""
    return tuple(place for place, bit in enumerate(reversed(f"{mask:b}")) if bit == "1")
