"""Links between pages: where they lead, and whether something is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_FENCE = re.compile(r"^(`{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\))?)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*#*$", re.MULTILINE)
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def broken_links(page: Path) -> list[str]:
    """Return the links of a page to files or headings that are not there, pictures included."""
    return [target for target in _targets(page) if not _leads_somewhere(page, target)]


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings as GitHub makes them: small letters, no punctuation, a hyphen for each space."""
    found: set[str] = set()
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        found.add(slug)
    return found


def _targets(page: Path) -> Iterator[str]:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    shown = _CODE.sub(lambda code: "x" * len(code[0]), text)
    yield from (target for target in _LINK.findall(shown) if not _OUTSIDE.match(target))


def _leads_somewhere(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    file = page.parent / name if name else page
    if not file.is_file():
        return False
    return not anchor or file.suffix != ".md" or anchor in anchors(file.read_text(encoding="utf-8"))
