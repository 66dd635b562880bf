"""Which measured numbers a machine can be asked for, with the runs that answer; and why the others cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.errors import InputError
from simulator.interop.measured import Measurement, Quantity
from simulator.machine.spec import Machine
from simulator.validation.comparison_report import cell_title, group_name
from simulator.validation.prediction import UnpredictableError, Work, work_for

MOST_RUNS = 10_000
_MOST_NAMED = 3
_LONE = "relative to other pairs, of which none can be predicted"


@dataclass(frozen=True)
class Predictable:
    """What can be predicted.

    Attributes
    ----------
    rows : tuple of Measurement
        By experiment, quantity and unit, in the order in which these first stand in the file.
    works : tuple of Work
        The run of each row; one and the same object where runs are equal.
    reasons : tuple of str
        Why others are not among `rows`, one for all that are alike.
    """

    rows: tuple[Measurement, ...]
    works: tuple[Work, ...]
    reasons: tuple[str, ...]

    def title(self, place: int) -> str:
        """Return what a row was measured on, in short."""
        return f"{self.rows[place].experiment}, {_title(self.rows[place])}"


def predictable(rows: Sequence[Measurement], machine: Machine) -> Predictable:
    """Find the runs that answer.

    Raises
    ------
    InputError
        They are more than `MOST_RUNS` different ones.
    """
    finder = _Finder(machine)
    kept: list[tuple[Measurement, Work]] = []
    refused: dict[tuple[str, str, str], list[str]] = {}
    for group in _grouped(rows):
        found = [(row, finder.find(row)) for row in group]
        answered = [(row, work) for row, work in found if isinstance(work, Work)]
        if len({id(work) for _, work in answered}) == 1 and group[0].quantity is Quantity.RELATIVE_LATENCY:
            answered = []
            found = [(row, _LONE if isinstance(why, Work) else why) for row, why in found]
        kept += answered
        for row, why in found:
            if isinstance(why, str):
                refused.setdefault((row.experiment, row.quantity, why), []).append(_title(row))
    reasons = (
        f"{group_name(experiment, quantity)}: {why} ({_some(titles)})" for (experiment, quantity, why), titles in refused.items()
    )
    return Predictable(tuple(row for row, _ in kept), tuple(work for _, work in kept), tuple(reasons))


def unseen_nodes(rows: Sequence[Measurement], machine: Machine) -> Iterator[str]:
    """Say which nodes of the machine no value names, where all values name pairs: it may be another machine."""
    pairs = [(row.from_node, row.to_node) for row in rows if row.from_node is not None and row.to_node is not None]
    if len(pairs) != len(rows):
        return
    named = {node for pair in pairs for node in pair}
    unseen = [node for node in machine.node_ids if node not in named]
    if unseen:
        nodes = f"node{'s' if len(unseen) > 1 else ''} {', '.join(map(str, unseen[:16]))}{', ...' if len(unseen) > 16 else ''}"
        yield f"no measured pair names {nodes} of {machine.name}: sockets that were not there slow the simulated ones"


class _Finder:
    """Finds works, each question once and each of equal ones once."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._answers: dict[tuple[Any, ...], Work | str] = {}
        self._works: dict[tuple[Any, ...], Work] = {}

    def find(self, row: Measurement) -> Work | str:
        question = (row.quantity, row.from_node, row.to_node, row.threads, row.read_fraction)
        if question not in self._answers:
            self._answers[question] = self._answer(row)
        return self._answers[question]

    def _answer(self, row: Measurement) -> Work | str:
        try:
            work = work_for(self._machine, row)
        except UnpredictableError as error:
            return str(error)
        found = self._works.setdefault((work.machine.core.jitter_ns, work.workload), work)
        if len(self._works) > MOST_RUNS:
            raise InputError(f"it takes more than {MOST_RUNS:,} different runs", allowed="fewer, in several files")
        return found


def _grouped(rows: Sequence[Measurement]) -> list[list[Measurement]]:
    groups: dict[tuple[str, str, str], list[Measurement]] = {}
    for row in rows:
        groups.setdefault((row.experiment, row.quantity, row.unit), []).append(row)
    return list(groups.values())


def _title(row: Measurement) -> str:
    return cell_title(row.from_node, row.to_node, row.threads, row.read_fraction)


def _some(titles: Sequence[str]) -> str:
    more = len(titles) - _MOST_NAMED
    named = "; ".join(titles[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named
