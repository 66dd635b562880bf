"""Sweep files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from simulator.errors import InputError
from simulator.machine.overrides import parse_overrides
from simulator.outside import read_toml
from simulator.problems import first_problem
from simulator.sweep.axes import canonical_path
from simulator.sweep.grid import Grid
from simulator.sweep.spec import Sweep

_SET = "PATH=VALUE,VALUE..., such as link.latency_ns=8,10,12"


def load_sweep(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Grid:
    """Read a sweep file and lay out its grid.

    Parameters
    ----------
    path : str or path
        Machine files that it names are looked for from its folder.
    overrides : sequence of "PATH=VALUE,VALUE..."
        Axes as ``--set`` gives them: they are added to the file's, or replace those of the same path.

    Raises
    ------
    InputError
        Whatever is wrong with the file, the overrides or any point.
    """
    label = os.fspath(path)
    table = read_toml(Path(path), label, "a sweep file")
    sweep = parse_sweep(table, label)
    given = dict(_split(text) for text in overrides)
    if len(given) < len(overrides):
        raise InputError("a path is there twice", field="--set", allowed="all of its values in one --set")
    replaced = {canonical_path(path): values for path, values in given.items()}
    kept = {path: values for path, values in sweep.set.items() if _spelling(path) not in replaced}
    return Grid(sweep.model_copy(update={"set": {**kept, **replaced}}), label, Path(path).parent)


def parse_sweep(table: Mapping[str, Any], label: str) -> Sweep:
    """Validate the tables of a sweep file; `label` is what messages call it.

    Raises
    ------
    InputError
        A key is unknown or missing, or a value is not allowed.
    """
    try:
        return Sweep.model_validate(table)
    except ValidationError as error:
        problem = first_problem(error, Sweep, table, label)
        if problem.value == []:
            problem = InputError(
                "is an empty list", file=label, field=problem.field, allowed="a value, or a list of at least one"
            )
        raise problem from None


def _split(text: str) -> tuple[str, list[Any]]:
    path, equals, values = text.partition("=")
    if not equals or not path.strip() or not values.strip():
        raise InputError("is no axis", field="--set", value=text, allowed=_SET)
    parts = _at_commas(values)
    if not all(part.strip() for part in parts):
        raise InputError("has an empty value", field="--set", value=text, allowed=_SET)
    return path.strip(), [parse_overrides([f"{path.strip()}={part.strip()}"])[0].value for part in parts]


def _at_commas(text: str) -> list[str]:
    """Split at commas that stand in no brackets and no quotes."""
    parts, depth, quote = [""], 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        else:
            depth += (char in "[{") - (char in "]}")
        if char == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _spelling(path: str) -> str:
    try:
        return canonical_path(path)
    except InputError:
        return path  # a mistake of the file: said when the grid is laid out
