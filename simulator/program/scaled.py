"""The same program, shorter or longer."""

from __future__ import annotations

from simulator.program.spec import Program


def with_lines(program: Program, lines: int) -> Program:
    """Return the program with so many lines a thread in every phase that says how many it has.

    Parameters
    ----------
    program : Program
    lines : int
    """
    phases = tuple(
        phase.model_copy(update={"lines": lines}) if getattr(phase, "lines", None) else phase for phase in program.phases
    )
    return program.model_copy(update={"phases": phases})
