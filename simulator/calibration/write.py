"""A calibrated machine as a machine file, with where its values come from."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.calibration.evaluate import Point
from simulator.calibration.free import FreeValue
from simulator.machine.document import note_in_source
from simulator.machine.load import load_machine
from simulator.machine.merge import read_document
from simulator.machine.overrides import apply_overrides, parse_overrides
from simulator.machine.read import locate, shipped_names

SCHEMA_VERSION = 1


def machine_file_text(
    machine: str,
    name: str,
    free: Sequence[FreeValue],
    point: Point,
    provenance: str,
    target: Path,
    fixed: Mapping[str, Any] | None = None,
) -> str:
    """Return a machine file that extends the one that was started with; a whole one where it cannot.

    It cannot where values of single nodes or links were chosen or set.

    Parameters
    ----------
    machine : str
        Name or path, as the user gave it.
    name : str
        Of the new machine.
    free : sequence of FreeValue
        What was chosen, and between what bounds.
    point : mapping of path to value
    provenance : str
        One sentence: against what, how well.
    target : Path
        Where the file will stand: `extends` names another file from there.
    fixed : mapping of path to value, optional
        What was set beside.
    """
    import tomli_w

    beside = {**(fixed or {}), **{path: value for path, value in point.items() if "[" in path}}
    table = _whole(machine, beside) if beside else {"extends": _parent(machine, target), "schema_version": SCHEMA_VERSION}
    title = load_machine(machine).title
    table |= {"name": name, "title": f"{title}, calibrated", "source": provenance}
    for value in free:
        if "[" not in value.path:
            _set(table, value, point[value.path], provenance)
    return "# Written by numasim calibrate.\n" + tomli_w.dumps(_tables_last(table))


def _parent(machine: str, target: Path) -> str:
    if machine in shipped_names():
        return machine
    relative = os.path.relpath(Path(machine).resolve(), target.resolve().parent)
    return relative if os.sep in relative else os.path.join(".", relative)


def _whole(machine: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    return dict(apply_overrides(read_document(locate(machine)), parse_overrides(settings)).data)


def _set(table: dict[str, Any], value: FreeValue, number: float, provenance: str) -> None:
    head, *names = value.path.split(".")
    block = table.setdefault(head, {})
    block["source"] = note_in_source(block.get("source"), provenance) if "extends" not in table else provenance
    bounds = (math.ceil(value.lowest), math.floor(value.highest)) if value.whole else (value.lowest, value.highest)
    block.setdefault("fitted", {})[".".join(names)] = list(bounds)
    for name in names[:-1]:
        block = block.setdefault(name, {})
    block[names[-1]] = int(number) if value.whole else number


def _tables_last(table: dict[str, Any]) -> dict[str, Any]:
    """Return the entries with plain values first, as TOML needs them."""
    return dict(sorted(table.items(), key=lambda entry: isinstance(entry[1], dict | list)))
