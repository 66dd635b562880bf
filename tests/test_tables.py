"""Plain tables."""

from __future__ import annotations

from simulator.tables import Cell, Table, number, plain_text, row, yes_no


def test_columns_line_up_and_nothing_trails() -> None:
    table = Table("Title", ("name", "value"), (row("a", "1.0"), row(Cell("longer", "bad"), "100.0"), row("", "")), note="  note")
    assert table.plain() == "Title\n  name    value\n  a         1.0\n  longer  100.0\n\n  note\n"


def test_no_header_line_without_headers() -> None:
    assert Table("T", ("", ""), (row("a", "b"),), left=2).plain() == "T\n  a  b\n"
    assert plain_text([Table("T", ("x",), ()), Table("U", ("y",), ())]) == "T\n  x\n\nU\n  y\n"


def test_numbers() -> None:
    assert number(None) == "-"
    assert number(-0.04, signed=True) == "+0.0"
    assert number(-3.0, signed=True) == "-3.0"


def test_yes_no_has_a_mood() -> None:
    assert (yes_no(True).mood, yes_no(False).mood) == ("good", "bad")
