"""What `topo import` gives as JSON; `numasim schema topo-import` prints its schema."""

from __future__ import annotations

import tomllib
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from simulator.interop.record import Record
from simulator.interop.to_machine import ImportedMachine, Origin
from simulator.machine.load import machine_from_dict
from simulator.machine.report import MachineEntry, machine_entry, warnings_of


class GuessReport(BaseModel):
    """Something that the file does not tell, and what was taken instead."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: str = Field(description="nodes, cores, memory, links or constants")
    text: str


class TopoImport(BaseModel):
    """What was read, what was made of it, and what had to be guessed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    machine: MachineEntry
    guesses: tuple[GuessReport, ...]
    warnings: tuple[str, ...]
    reproduces_distances: bool | None = Field(
        description="whether hops over the links sort all pairs of nodes as the distances do; null where these tell nothing"
    )
    record: Record = Field(description="as the reader found it; null is unknown")
    machine_file: str = Field(description="the text of the machine file")


def import_report(imported: ImportedMachine, origin: Origin) -> TopoImport:
    """Load the machine file that was made, as any other is loaded, and sum up.

    Raises
    ------
    InputError
        It is not one that could run.
    """
    text = imported.text
    machine = machine_from_dict(tomllib.loads(text), label=f"the machine of {origin.label}")
    return TopoImport(
        machine=machine_entry(machine),
        guesses=tuple(GuessReport(about=guess.about, text=guess.text) for guess in imported.guesses),
        warnings=(*imported.warnings, *warnings_of(machine)),
        reproduces_distances=imported.reproduces_distances,
        record=imported.record,
        machine_file=text,
    )
