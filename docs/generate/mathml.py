r"""A Markdown extension: formulas become MathML, which browsers show without scripts or fonts of their own.

Formulas stand as GitHub shows them too: blocks fenced as ``math``, and inline between ``$`` and backticks.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as etree
from typing import Any

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.preprocessors import Preprocessor

_INLINE = r"\$`([^`]+)`\$"
_BLOCK = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class MathExtension(Extension):
    """Registers both forms, before code spans and fences are seen."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Add the processors."""
        md.preprocessors.register(_Blocks(md), "math-blocks", 27)  # white space is normal by then; fences come at 25
        md.inlinePatterns.register(_Inline(_INLINE, md), "math-inline", 200)


class _Blocks(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        text = _BLOCK.sub(lambda block: f"\n{self._stored(block[1])}\n", "\n".join(lines))
        return text.split("\n")

    def _stored(self, formula: str) -> str:
        shown = f'<div class="formula" tabindex="0">{convert(formula.strip(), display="block")}</div>'
        return str(self.md.htmlStash.store(shown))


class _Inline(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[etree.Element | str, int, int]:
        return self.md.htmlStash.store(convert(html.unescape(m.group(1)))), m.start(0), m.end(0)


def makeExtension(**settings: Any) -> MathExtension:
    """Return the extension; the name is the one that Python-Markdown looks for."""
    return MathExtension(**settings)
