"""Workload files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from simulator.errors import InputError
from simulator.machine.spec import Machine
from simulator.outside import read_toml
from simulator.problems import first_problem
from simulator.program.check import check_program
from simulator.program.spec import PHASES, Program


def load_program(path: str | os.PathLike[str], machine: Machine | None = None) -> Program:
    """Read a workload file.

    Parameters
    ----------
    path : str or path
    machine : Machine, optional
        One that the threads must fit on; whether the pages do, :func:`simulator.program.touch.place` says.

    Raises
    ------
    InputError
        Whatever is wrong with the file: one message with file, field, value and what is allowed.
    """
    label = os.fspath(path)
    program = parse_program(read_toml(Path(path), label, "a workload file"), label)
    if machine is not None:
        from simulator.program.threads import place_threads

        place_threads(program, machine, label)
    return program


def parse_program(table: Mapping[str, Any], label: str = "workload") -> Program:
    """Validate the tables of a workload file; `label` is what messages call it.

    Raises
    ------
    InputError
        As for :func:`load_program`.
    """
    try:
        program = Program.model_validate(table)
    except ValidationError as error:
        raise _phase_problem(table, label) or _shown(first_problem(error, Program, table, label)) from None
    check_program(program, label)
    return program


def _phase_problem(table: Mapping[str, Any], label: str) -> InputError | None:
    """Return what is wrong with the first bad phase by the keys of its own pattern; None where all is well with the phases."""
    rest = {**table, "phases": [{"pattern": "init", "arrays": ["a"]}]}
    try:
        Program.model_validate(rest)
    except ValidationError:
        return None  # what stands before the phases is said first
    phases = table.get("phases")
    for number, phase in enumerate(phases if isinstance(phases, list) else []):
        field = f"phases[{number + 1}]"
        if not isinstance(phase, dict):
            return InputError("should be a table", file=label, field=field, value=phase)
        model = _model(phase.get("pattern"))
        if model is None:
            what = "is missing" if "pattern" not in phase else "is no pattern"
            return InputError(
                what, file=label, field=f"{field}.pattern", value=phase.get("pattern"), allowed=", ".join(_patterns())
            )
        try:
            model.model_validate(phase)
        except ValidationError as error:
            problem = _shown(first_problem(error, model, phase, label))
            inner = f"{field}.{problem.field}" if problem.field else field
            return InputError(problem.what, file=label, field=inner, value=problem.value, allowed=problem.allowed)
    return None


def _patterns() -> dict[str, type[BaseModel]]:
    return {str(name): model for model in PHASES for name in get_args(model.model_fields["pattern"].annotation)}


def _model(pattern: object) -> type[BaseModel] | None:
    return _patterns().get(pattern) if isinstance(pattern, str) else None


def _shown(problem: InputError) -> InputError:
    """Say what pydantic says of names in words."""
    if "string should match pattern" in problem.what:
        allowed = "a letter or _, then up to 39 letters, digits, _ and -; of a group's threads one such as worker.0"
        return InputError("is no name", file=problem.file, field=problem.field, value=problem.value, allowed=allowed)
    return problem
