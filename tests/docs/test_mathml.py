"""Formulas become MathML in the page itself."""

from __future__ import annotations

import pytest

markdown = pytest.importorskip("markdown", reason="needs the extra docs")
pytest.importorskip("latex2mathml", reason="needs the extra docs")


def _html(text: str) -> str:
    return str(markdown.markdown(text, extensions=["docs.generate.mathml", "pymdownx.superfences", "tables"]))


def test_a_block() -> None:
    shown = _html("before\n\n```math\n\\frac{N}{R_0}\n```\n\nafter")
    assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">' in shown
    assert "<mfrac><mrow><mi>N</mi></mrow>" in shown
    assert "wzxhzdk" not in shown  # the converter's place holder
    assert shown.startswith("<p>before</p>")


def test_inline_and_in_a_table() -> None:
    shown = _html("| a |\n|---|\n| $`x_1 < y`$ and `code` |\n")
    assert "<msub><mi>x</mi><mn>1</mn></msub><mo>&#x0003C;</mo>" in shown
    assert "<code>code</code>" in shown
    assert "$" not in shown


def test_other_fences_and_dollars_stay() -> None:
    shown = _html("```\n$`x`$\n```\n\nit costs $5, not $6")
    assert "<math" not in shown
    assert "$5, not $6" in shown
