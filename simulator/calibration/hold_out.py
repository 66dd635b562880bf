"""Rows that a fit does not see."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.calibration.rows import Row
from simulator.errors import InputError
from simulator.interop.source import read_source

_FORMS = "figure=7,9 (or experiment=NAME), rows=FILE, every=5"


def held_out_rows(rows: Sequence[Row], choice: str | None) -> frozenset[str]:
    """Return the names of the rows that are held out.

    Parameters
    ----------
    rows : sequence of Row
    choice : str, optional
        ``figure=7,9`` holds out groups, ``rows=FILE`` the rows whose names stand in a file, a line each, ``every=5`` each fifth
        row that is no order and not the base.

    Raises
    ------
    InputError
        It is none of these, names what is not there, or leaves nothing to fit or to hold out.
    """
    if choice is None:
        return frozenset()
    kind, _, value = choice.partition("=")
    if kind in ("figure", "experiment", "group"):
        held = _of_groups(rows, [name.strip() for name in value.split(",") if name.strip()])
    elif kind == "rows" and value:
        held = _of_file(rows, value)
    elif kind == "every":
        held = _every(rows, value)
    else:
        raise InputError("holds out nothing that is known", field="--hold-out", value=choice, allowed=_FORMS)
    numbers = [row.name for row in rows if row.kind != "order"]
    if not held or held >= set(numbers):
        what = "holds out no row" if not held else "leaves no row to fit"
        raise InputError(what, field="--hold-out", value=choice, allowed=_FORMS)
    return held


def _of_groups(rows: Sequence[Row], groups: Sequence[str]) -> frozenset[str]:
    known = list(dict.fromkeys(row.group for row in rows))
    for group in groups:
        if group not in known:
            raise InputError("is no figure or experiment", field="--hold-out", value=group, allowed=", ".join(known))
    return frozenset(row.name for row in rows if row.group in groups)


def _of_file(rows: Sequence[Row], path: str) -> frozenset[str]:
    source = read_source(path)
    known = {row.name for row in rows}
    names = [(number, line.strip()) for number, line in enumerate(source.lines) if line.strip() and not line.startswith("#")]
    for number, name in names:
        if name not in known:
            raise source.wrong(
                "is the name of no row", line=number, value=name, allowed="names as the report of a calibration has them"
            )
    return frozenset(name for _, name in names)


def _every(rows: Sequence[Row], text: str) -> frozenset[str]:
    if not (text.isascii() and text.isdecimal() and 2 <= int(text[:9]) <= 1000):
        raise InputError(
            "is no distance between rows", field="--hold-out", value=f"every={text}", allowed="every=2 to every=1000"
        )
    numbers = [row.name for row in rows if row.kind in ("bar", "load", "measured")]
    return frozenset(numbers[int(text) - 1 :: int(text)])
