"""The links of a machine file: from the distances where these tell them, else as the user chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simulator.errors import InputError
from simulator.interop.chosen_links import FORM, FULL, ChosenLinks, checked_links
from simulator.interop.hop_classes import Pair, contradictions, links_told, pair_distances
from simulator.interop.import_nodes import Guess
from simulator.interop.judgement import tells_hops
from simulator.interop.record import UNREACHABLE, Kind, Matrix, Record, Unit

_MOST_NAMED = 4


@dataclass(frozen=True)
class ImportedLinks:
    """Links, and how they came about.

    Parameters
    ----------
    links : tuple of Pair
        Sorted.
    source : str
        Of each of them.
    guess : Guess, optional
        None where they are the user's own.
    warnings : tuple of str
    """

    links: tuple[Pair, ...]
    source: str
    guess: Guess | None = None
    warnings: tuple[str, ...] = ()

    def entries(self) -> list[dict[str, Any]]:
        """Return the `[[links]]` of a machine file."""
        return [{"ends": list(pair), "source": self.source} for pair in self.links]


def slit(record: Record) -> Matrix | None:
    """Return the distances that firmware gave; None where the file has none."""
    matrices = (matrix for matrix in record.matrices if matrix.kind == Kind.DISTANCE and matrix.unit == Unit.SLIT)
    return next(matrices, None)


def import_links(record: Record, ids: Sequence[int], chosen: ChosenLinks | None, origin: str, label: str) -> ImportedLinks:
    """Return the links between the nodes `ids`.

    Parameters
    ----------
    record : Record
    ids : sequence of int
        Sorted.
    chosen : tuple of Pair, "full" or None
        The user's own.
    origin : str
        What the sources call the file.
    label : str
        What messages call it.

    Raises
    ------
    InputError
        The file does not tell the links and the user gives none, or what is given does not fit the nodes.
    """
    matrix = slit(record)
    if chosen is not None:
        return _chosen(checked_links(chosen, ids), matrix, ids, "--links full" if chosen == FULL else "--links")
    if len(ids) == 1:
        return ImportedLinks((), origin)
    known = {} if matrix is None else pair_distances(matrix, ids)
    if len(ids) == 2 and UNREACHABLE not in known.values():
        guess = Guess("links", "two nodes are taken as joined by one link")
        return ImportedLinks(((ids[0], ids[1]),), f"guess: {guess.text}", guess)
    told = None if matrix is None else links_told(matrix, ids)
    if told is not None and told.links is not None:
        guess = Guess("links", told.reason)
        return ImportedLinks(told.links, f"{origin}; guess: {guess.text}", guess, told.notes)
    reason = told.reason if told is not None else "it has no distances (SLIT) between nodes"
    raise InputError(f"does not tell which nodes are linked: {reason}", file=label, allowed=f"with --links: {FORM}")


def distance_rows(matrix: Matrix, ids: Sequence[int]) -> list[list[int]] | None:
    """Return the matrix as a machine file keeps it, in the order of `ids`; None where a distance is missing or is none."""
    cells = [[matrix.at(row, column) for column in ids] for row in ids]
    rows = [[int(value) for value in row if value is not None and _is_distance(value)] for row in cells]
    return rows if all(len(row) == len(ids) for row in rows) else None


def _is_distance(value: float) -> bool:
    return 0 <= value <= UNREACHABLE and float(value).is_integer()


def _chosen(links: tuple[Pair, ...], matrix: Matrix | None, ids: Sequence[int], option: str) -> ImportedLinks:
    """Return the user's links, with a warning where they are not those of distances that tell something."""
    source = f"given with {option}"
    known = {} if matrix is None or not tells_hops(matrix) else pair_distances(matrix, ids)
    wrong = contradictions(known, links, ids)
    if not wrong:
        return ImportedLinks(links, source)
    more = f"; and {len(wrong) - _MOST_NAMED:,} more" if len(wrong) > _MOST_NAMED else ""
    text = f"the links of {option} do not give the hops that the distances stand for: {'; '.join(wrong[:_MOST_NAMED])}{more}"
    return ImportedLinks(links, source, None, (text,))
